-- Completion in the prompt: the server says what can stand behind an `@` and a `/`.

local session = require("agls.session")

local M = {}

local PAUSE = 30 -- milliseconds without a key before the server is asked

---@type integer which question is the latest: the answers to others come too late
local latest = 0
---@type fun() break off the question that was asked last
local cancel = function() end
---@type string what stood before the cursor when a completion was taken: nothing is offered behind it
local settled = ""

---The text of the prompt, and the part of it before the cursor.
---@return string text
---@return string before
local function typed()
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local before = vim.list_slice(lines, 1, row)
  before[row] = before[row]:sub(1, column)
  return table.concat(lines, "\n"), table.concat(before, "\n")
end

---The completions as Vim has them: all of those that begin where the first one does.
---@param text string
---@param before string
---@param items agls.CompletionItem[]
---@return integer column from 1
---@return table[] complete-items
local function candidates(text, before, items)
  local first = items[1] and items[1].start or 0
  local start = vim.fn.byteidxcomp(text, first, true)
  local found = {}
  for _, item in ipairs(items) do
    if item.start == first and item.insertText ~= text:sub(start + 1, #before) then
      local tail = text:sub(#before + 1, vim.fn.byteidxcomp(text, item["end"], true))
      local given = { tail = tail, open = item.kind == "folder" or item.kind == "argument" }
      found[#found + 1] =
        { word = item.insertText, abbr = item.label, menu = item.detail, dup = 1, user_data = { agls = given } }
    end
  end
  return start - #before:gsub("[^\n]*$", "") + 1, found
end

---Ask the server, and show what it says if nothing was typed meanwhile.
---@param of agls.Session
---@param mine integer
local function ask(of, mine)
  local text, before = typed()
  local params = { sessionId = of.id, text = text, cursor = vim.fn.strutf16len(before) }
  cancel = of.client:request("agent/complete", params, function(result)
    if not result or mine ~= latest or vim.fn.mode() ~= "i" or text ~= typed() then
      return
    end
    local column, found = candidates(text, before, result.items)
    if #found > 0 then
      local options = vim.o.completeopt
      vim.o.completeopt = "menuone,noinsert,noselect"
      vim.fn.complete(column, found)
      vim.o.completeopt = options
    end
  end)
end

---Offer completions as soon as no key has been pressed for a moment. Nothing is inserted unasked.
function M.offer()
  local text, before = typed()
  local of = session.all[vim.b.agls_session or ""]
  latest = latest + 1
  cancel()
  -- The server has nothing to say to plain words. Who goes through the list wants this one.
  local is_plain = not (text:find("[@/]") or text:find("%f[^%s%z]#"))
  if not of or is_plain or before == settled or vim.fn.complete_info({ "selected" }).selected >= 0 then
    return
  end
  settled = ""
  local mine = latest
  vim.defer_fn(function()
    if mine == latest then
      ask(of, mine)
    end
  end, PAUSE)
end

---A completion was taken: what stood behind the cursor belongs to its word, and goes.
function M.taken()
  local given = vim.tbl_get(vim.v.completed_item, "user_data", "agls")
  if not given then
    return
  end
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  if vim.startswith(vim.api.nvim_get_current_line():sub(column + 1), given.tail) then
    vim.api.nvim_buf_set_text(0, row - 1, column, row - 1, column + #given.tail, {})
  end
  settled = given.open and "" or select(2, typed())
end

---`omnifunc` and `completefunc` of the prompt: the completions come when the server has answered.
---@param findstart integer
---@return integer|table
function M.omnifunc(findstart)
  if findstart == 0 then
    return {}
  end
  settled = ""
  vim.schedule(M.offer)
  return -2
end

return M

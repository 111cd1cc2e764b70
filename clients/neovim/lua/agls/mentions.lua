-- What a prompt points at: `@` words become content blocks, and `@` and `/` words are completed.

local blocks = require("agls.blocks")
local session = require("agls.session")
local tell = require("agls.tell")

local M = {}

local MOST_FILES = 2000 -- looked at for one completion
local MOST_SHOWN = 60
---A prompt as content blocks: the text as it is, and what its `@` words name.
---@param text string
---@param root string
---@return table[]
function M.expand(text, root)
  local found, seen = { { type = "text", text = text } }, {}
  for word in (" " .. text):gmatch("%s@(%S+)") do
    local name = word:gsub("[,;:%.!%?%)]+$", "")
    if not seen[name] and blocks.exists(name, root) then -- other words that begin with @ are only words
      seen[name] = true
      local chip, problem = blocks.named(name, root)
      found[#found + 1] = chip and chip.block
      if problem then
        tell(problem, vim.log.levels.WARN)
      end
    end
  end
  return found
end

---@param root string
---@return string[] paths below the folder, without hidden ones
function M.files(root)
  local found, looked = {}, 0
  for name, kind in
    vim.fs.dir(root, {
      depth = 8,
      skip = function(folder)
        local last = vim.fs.basename(folder)
        return looked < MOST_FILES and not vim.startswith(last, ".") and last ~= "node_modules"
      end,
    })
  do
    looked = looked + 1
    if looked > MOST_FILES then
      break
    end
    if not vim.startswith(vim.fs.basename(name), ".") then
      found[#found + 1] = kind == "directory" and name .. "/" or name
    end
  end
  return found
end

---@type table<string, agls.Action[]> by session
local actions = {}

---@param base string with its sign
---@param of agls.Session
---@return table[] complete-items
local function candidates(base, of)
  local sign, start = base:sub(1, 1), base:sub(2):lower()
  local made = {}
  local function add(word, menu)
    if #made < MOST_SHOWN and (start == "" or word:lower():find(start, 1, true)) then
      made[#made + 1] = { word = sign .. word, menu = menu, dup = 0 }
    end
  end
  if sign == "@" then
    for name, menu in vim.spairs(blocks.SPECIAL) do
      add(name, menu)
    end
    for _, path in ipairs(M.files(of.client.root)) do
      add(path, "")
    end
  else
    for _, action in ipairs(actions[of.id] or {}) do
      add((action.slash:gsub("^/", "")), action.title)
    end
  end
  return made
end

---The `@` or `/` word before the cursor: its first column (from 0) and itself.
---@return integer? column
---@return string base
local function word_before()
  local before = vim.api.nvim_get_current_line():sub(1, vim.api.nvim_win_get_cursor(0)[2])
  local column = before:find("@[^%s@]*$")
  if column and (column == 1 or before:sub(column - 1, column - 1):match("%s")) then
    return column - 1, before:sub(column)
  end
  if before:match("^/[%w%._-]*$") and vim.fn.line(".") == 1 then
    return 0, before
  end
  return nil, ""
end

---@return agls.Session?
local function here()
  return session.all[vim.b.agls_session or ""]
end

---Ask the server for its actions once, so that completion need not wait.
---@param of agls.Session
---@param done? fun()
function M.know_actions(of, done)
  of:actions(function(found)
    actions[of.id] = found or actions[of.id] or {}
    if done then
      done()
    end
  end)
end

---@param of agls.Session
---@return agls.Action[]
function M.actions(of)
  return actions[of.id] or {}
end

---`omnifunc` and `completefunc` of the prompt.
---@param findstart integer
---@param base string
---@return integer|table
function M.omnifunc(findstart, base)
  if findstart == 1 then
    return word_before() or -3
  end
  local of = here()
  return of and candidates(base, of) or {}
end

---@type string what completion was offered for last
local offered = ""

---Offer completion for the word before the cursor, where it is one of ours. Nothing is inserted unasked.
function M.offer()
  local column, base = word_before()
  local of = here()
  if not (column and of) or base == offered or vim.fn.pumvisible() == 1 or vim.fn.mode() ~= "i" then
    offered = column and offered or ""
    return
  end
  offered = base
  local found = candidates(base, of)
  if #found > 0 and not (#found == 1 and found[1].word == base) then
    local before = vim.o.completeopt
    vim.o.completeopt = "menuone,noinsert,noselect"
    vim.fn.complete(column + 1, found)
    vim.o.completeopt = before
  end
end

return M

-- What the agent changed and nobody has judged yet. The server knows the changes and where they are (`agls.changes`);
-- here they are marked in their files, where the marks move along, and judged.

local client = require("agls.client")
local first_line = require("agls.first_line")
local notify = require("agls.notify")

local NAMESPACE = vim.api.nvim_create_namespace("agls.changes")
local PAUSE = 100 -- milliseconds without a change of the text before the marks are looked at

---@class agls.Hunk one change, as `agls.changes` lists it
---@field sessionId string
---@field hunk string
---@field uri string
---@field line integer from 0
---@field old string
---@field new string
---@field stands? boolean
---@field buf? integer
---@field mark? integer
---@field asked? boolean it is being undone
---@field at agls.Client whose server listed it

local M = { namespace = NAMESPACE }

---@type agls.Hunk[]
M.all = {}

---@type boolean whether what stood there before is shown above a change
M.old_shown = true

---@type fun(buf: integer, has: boolean) a buffer got changes to judge, or has none any more
M.on_buffer = function() end

---@type agls.Hunk[] that are undone one after the other
local undoing = {}
---@type table<integer, agls.Hunk[]> by buffer: changes that nobody judged, but that do not stand there now
local gone = {}
local asking, again = false, false
local round = 0 -- answers to earlier ones are no news

---@param text string
---@return string[]
function M.lines_of(text)
  local lines = vim.split(text, "\n", { plain = true })
  if lines[#lines] == "" then
    lines[#lines] = nil
  end
  return lines
end

local lines_of = M.lines_of

---@param text string
---@return string
local function lf(text)
  return (text:gsub("\r\n", "\n"))
end

---@param uri string
---@return integer? buf
local function loaded(uri)
  local ok, name = pcall(vim.uri_to_fname, uri)
  local buf = ok and vim.fn.bufnr("^" .. vim.fn.escape(name, "\\*?[]{},^$ ") .. "$") or -1
  return buf > 0 and vim.api.nvim_buf_is_loaded(buf) and buf or nil
end

---@param change agls.Hunk
local function mark(change)
  local buf, count = change.buf, vim.api.nvim_buf_line_count(change.buf)
  local new, old = lines_of(change.new), lines_of(change.old)
  local above = vim.tbl_map(function(line)
    return { { line == "" and " " or line, "AglsRemoved" } }
  end, old)
  local row = math.min(change.line, count - 1)
  local last = math.min(count - 1, row + math.max(#new, 1) - 1)
  change.mark = vim.api.nvim_buf_set_extmark(buf, NAMESPACE, row, 0, {
    end_row = last,
    end_col = #new > 0 and #vim.api.nvim_buf_get_lines(buf, last, last + 1, false)[1] or 0,
    line_hl_group = #new > 0 and (#old > 0 and "AglsChanged" or "AglsAdded") or nil,
    virt_lines = M.old_shown and #above > 0 and above or nil,
    virt_lines_above = true,
    sign_text = #new > 0 and "▎" or "▁",
    sign_hl_group = #new > 0 and "AglsOk" or "AglsFailed",
    right_gravity = #new > 0,
  })
  if row == 0 and M.old_shown then
    first_line.show(buf, #above)
  end
end

---Show what stood above the changes, or not, where it is seen elsewhere.
---@param shown boolean
function M.show_old(shown)
  M.old_shown = shown
  for _, change in ipairs(M.all) do
    if change.mark and change.buf and vim.api.nvim_buf_is_loaded(change.buf) then
      change.line = M.line_of(change) - 1
      vim.api.nvim_buf_del_extmark(change.buf, NAMESPACE, change.mark)
      mark(change)
    end
  end
end

---Where a change is now, from 1.
---@param change agls.Hunk
---@return integer
function M.line_of(change)
  if change.buf and change.mark and vim.api.nvim_buf_is_loaded(change.buf) then
    local place = vim.api.nvim_buf_get_extmark_by_id(change.buf, NAMESPACE, change.mark, {})
    return (place[1] or change.line) + 1
  end
  return change.line + 1
end

---@param listed agls.Hunk[]
local function take(listed)
  local before = {}
  for _, change in ipairs(M.all) do
    if change.buf and vim.api.nvim_buf_is_valid(change.buf) then
      before[change.buf] = true
      vim.api.nvim_buf_clear_namespace(change.buf, NAMESPACE, 0, -1)
      first_line.show(change.buf, 0)
    end
  end
  M.all, gone = {}, {}
  local after = {}
  for _, change in ipairs(listed) do
    change.buf = loaded(change.uri)
    if change.buf and vim.bo[change.buf].fileformat == "dos" then -- its lines end before the CR
      change.old, change.new = lf(change.old), lf(change.new)
    end
    if change.stands ~= false then
      table.insert(M.all, change)
    elseif change.buf then
      gone[change.buf] = gone[change.buf] or {}
      table.insert(gone[change.buf], change)
    end
    if change.buf and change.stands then
      after[change.buf] = true
      mark(change)
      M.on_buffer(change.buf, true)
    end
  end
  for buf in pairs(before) do
    if not after[buf] then
      M.on_buffer(buf, false)
    end
  end
  vim.cmd.redrawstatus({ bang = true })
  vim.api.nvim_exec_autocmds("User", { pattern = "AglsChanges", data = { count = #M.all } })
end

---@type fun()
local undo_next

---Ask the servers what there is to judge.
function M.refresh()
  if asking then
    again = true
    return
  end
  local clients = vim.tbl_filter(function(at)
    return at.state == "ready"
  end, vim.tbl_values(client.all))
  local listed, left = {}, #clients
  asking, round = left > 0, round + 1
  local this = round
  for _, at in ipairs(clients) do
    local command = { command = "agls.changes", arguments = { vim.empty_dict() } }
    at:request("workspace/executeCommand", command, function(result)
      if this ~= round then
        return
      end
      for _, change in ipairs(result and result.changes or {}) do
        listed[#listed + 1] = vim.tbl_extend("force", change, { at = at })
      end
      left = left - 1
      if left == 0 then
        asking = false
        take(listed)
        undo_next()
        if again then
          again = false
          M.refresh()
        end
      end
    end)
  end
end

---A server is gone: it answers no more, and the changes of the others are asked for again.
function M.forget()
  asking, again = false, false
  M.refresh()
end

---@param change agls.Hunk
---@param command string
---@param done? fun(problem?: table)
local function judge(change, command, done)
  local params = { command = command, arguments = { { hunk = change.hunk } } }
  change.at:request("workspace/executeCommand", params, function(_, problem)
    if problem then
      notify.failure(problem)
    end
    if done then
      done(problem)
    end
    M.refresh()
  end)
end

---Open the file of a change where the user need not see it: only what is open can be edited.
---@param change agls.Hunk
local function load(change)
  if loaded(change.uri) then
    return
  end
  local buf = vim.fn.bufadd(vim.uri_to_fname(change.uri))
  vim.cmd("noswapfile call bufload(" .. buf .. ")") -- one of a crash would make Neovim ask
  vim.api.nvim_create_autocmd("BufWinEnter", {
    buffer = buf,
    once = true,
    callback = function()
      vim.bo[buf].swapfile = vim.go.swapfile
    end,
  })
  vim.b[buf].agls_unseen = true -- saved after the edit
  change.at:attach(buf)
end

function undo_next()
  local change = undoing[1]
  if not change then
    return
  end
  for _, waiting in ipairs(M.all) do
    if waiting.hunk == change.hunk then
      if not change.asked then
        change.asked = true
        load(change)
        judge(change, "agls.revert", function(problem)
          if problem then
            table.remove(undoing, 1)
          end
        end)
      end
      return
    end
  end
  table.remove(undoing, 1)
  undo_next()
end

---Keep changes as they are.
---@param which agls.Hunk[]
function M.keep(which)
  for _, change in ipairs(which) do
    judge(change, "agls.keep")
  end
end

---Put back what stood there before, one change after the other.
---@param which agls.Hunk[]
function M.undo(which)
  vim.list_extend(undoing, which)
  undo_next()
end

---@param events agls.Event[]
---@return boolean
local function matters(events)
  for _, event in ipairs(events) do
    local data = event.data
    if event.type == "historyRewound" or (event.type == "recorded" and data.feature == "review") then
      return true
    elseif event.type == "itemCompleted" and data.item and data.item.changes then
      return true
    end
  end
  return false
end

---Hear what happens in a session.
---@param of agls.Session
function M.follow(of)
  of:on(function(events, changed)
    if changed.all or matters(events) then
      M.refresh()
    end
  end)
  M.refresh()
end

---Whether the text of a buffer is another one than when the changes were listed: one of them was undone or edited by
---the user, or one that was gone may be back.
---@param buf integer
---@return boolean
local function is_stale(buf)
  for _, change in ipairs(M.all) do
    if change.buf == buf and change.mark then
      local first, new = M.line_of(change) - 1, lines_of(change.new)
      local there = vim.api.nvim_buf_get_lines(buf, first, first + #new, false)
      if #new == 0 or not vim.deep_equal(there, new) then
        return true
      end
    end
  end
  return gone[buf] ~= nil
end

---@param group integer
function M.setup(group)
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufWritePost" }, {
    group = group,
    callback = function()
      if #M.all > 0 then
        vim.schedule(M.refresh)
      end
    end,
  })
  local typed = 0
  vim.api.nvim_create_autocmd({ "TextChanged", "InsertLeave" }, {
    group = group,
    callback = function(event)
      typed = typed + 1
      local latest = typed
      vim.defer_fn(function()
        if latest == typed and vim.api.nvim_buf_is_loaded(event.buf) and is_stale(event.buf) then
          M.refresh()
        end
      end, PAUSE)
    end,
  })
end

return M

-- Reviewing the agent's changes in their files: next and previous, keep and undo, a list, a diff.

local buffer_keys = require("agls.buffer_keys")
local changes = require("agls.changes")
local inline_edit = require("agls.inline_edit")
local notify = require("agls.notify")

local lines_of = changes.lines_of

local M = {}

local REASON = "changes to review"

---The changes at a line of the current buffer, or of all lines between two.
---@param first? integer from 1, the cursor's
---@param last? integer
---@return agls.Hunk[]
function M.at(first, last)
  local buf = vim.api.nvim_get_current_buf()
  first = first or vim.fn.line(".")
  last = last or first
  return vim.tbl_filter(function(change)
    if change.buf ~= buf then
      return false
    end
    local from = changes.line_of(change)
    return from <= last and first <= from + math.max(0, #lines_of(change.new) - 1)
  end, changes.all)
end

---@param which? agls.Hunk[]
---@return agls.Hunk[]
local function chosen(which)
  local found = which or M.at()
  if #found == 0 then
    notify.info("there is no change of the agent here; ]h goes to the next one")
  end
  return found
end

---The edit at the cursor that is meant, and no change of the agent.
---@param which? agls.Hunk[]
---@return agls.InlineEdit?
local function edit_meant(which)
  if which then
    return nil
  end
  local shown = inline_edit.of()
  return inline_edit.here() or (#M.at() == 0 and shown and shown.new and shown) or nil
end

---Keep changes as they are: those under the cursor, unless others are given.
---@param which? agls.Hunk[]
function M.keep(which)
  local edit = edit_meant(which)
  if edit then
    return inline_edit.keep(edit)
  end
  changes.keep(chosen(which))
end

---Put back what stood there before.
---@param which? agls.Hunk[]
function M.undo(which)
  local edit = edit_meant(which)
  if edit then
    return inline_edit.undo(edit)
  end
  changes.undo(chosen(which))
end

---@return agls.Hunk[] by file and line
local function sorted()
  local all = vim.list_slice(changes.all)
  table.sort(all, function(a, b)
    if a.uri ~= b.uri then
      return a.uri < b.uri
    end
    return changes.line_of(a) < changes.line_of(b)
  end)
  return all
end

---@param by integer
local function go(by)
  local buf, here = vim.api.nvim_get_current_buf(), vim.fn.line(".")
  local mine = vim.tbl_filter(function(change)
    return change.buf == buf
  end, sorted())
  if #mine == 0 then
    return notify.info("there is no change of the agent in this file; `:Agls review` lists all")
  end
  local found
  for place = by > 0 and 1 or #mine, by > 0 and #mine or 1, by do
    local line = changes.line_of(mine[place])
    if (by > 0 and line > here) or (by < 0 and line < here) then
      found = line
      break
    end
  end
  found = found or changes.line_of(mine[by > 0 and 1 or #mine]) -- around the end
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { math.min(found, vim.api.nvim_buf_line_count(0)), 0 })
  vim.cmd("normal! zv")
end

function M.next_change()
  go(1)
end

function M.previous_change()
  go(-1)
end

---All changes in the quickfix list.
function M.quickfix()
  local items = vim.tbl_map(function(change)
    local old, new = lines_of(change.old), lines_of(change.new)
    local words = vim.trim(new[1] or old[1] or "")
    local text = ("+%d -%d  %s"):format(#new, #old, words)
    return { filename = vim.uri_to_fname(change.uri), lnum = changes.line_of(change), text = text }
  end, sorted())
  vim.fn.setqflist({}, " ", { title = "changes of agls", items = items })
  if #items == 0 then
    return notify.info("there is no change to review")
  end
  vim.cmd(("botright copen %d"):format(math.max(3, math.min(10, #items))))
end

---The current file beside itself as it was before the changes that are not judged yet, in a tab of its own.
function M.diff()
  local buf = vim.api.nvim_get_current_buf()
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  local mine = vim.tbl_filter(function(change)
    return change.buf == buf
  end, sorted())
  if #mine == 0 then
    return chosen({})
  end
  for place = #mine, 1, -1 do
    local from, new = changes.line_of(mine[place]), lines_of(mine[place].new)
    local after = vim.list_slice(lines, from + #new)
    lines = vim.list_slice(lines, 1, from - 1)
    vim.list_extend(vim.list_extend(lines, lines_of(mine[place].old)), after)
  end
  local name, filetype = vim.api.nvim_buf_get_name(buf), vim.bo[buf].filetype
  vim.cmd("tab split | diffthis | leftabove vertical new")
  local before = vim.api.nvim_get_current_buf()
  changes.show_old(false)
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = before,
    callback = function()
      changes.show_old(true)
    end,
  })
  vim.api.nvim_buf_set_lines(before, 0, -1, false, lines)
  vim.bo[before].buftype, vim.bo[before].bufhidden, vim.bo[before].swapfile = "nofile", "wipe", false
  vim.bo[before].filetype, vim.bo[before].modifiable = filetype, false
  vim.api.nvim_buf_set_name(before, ("agls://before/%d/%s"):format(before, vim.fs.basename(name)))
  vim.cmd("diffthis | wincmd p")
end

local KEYS = vim.api.nvim_create_namespace("agls.review.keys")

---Say beside the change under the cursor how to keep it and to undo it.
---@param buf integer
local function hint(buf)
  vim.api.nvim_buf_clear_namespace(buf, KEYS, 0, -1)
  local here = buf == vim.api.nvim_get_current_buf() and M.at()[1] or nil
  if here then
    local keep = buffer_keys.label(buf, "keep", "keep", ":Agls keep")
    local undo = buffer_keys.label(buf, "undo", "undo", ":Agls undo")
    local row = math.min(changes.line_of(here), vim.api.nvim_buf_line_count(buf)) - 1
    vim.api.nvim_buf_set_extmark(buf, KEYS, row, 0, {
      virt_text = { { ("  %s · %s"):format(keep, undo), "AglsDim" } },
      hl_mode = "combine",
    })
  end
end

---@param group integer
function M.setup(group)
  vim.api.nvim_create_autocmd({ "CursorMoved", "BufEnter" }, {
    group = group,
    callback = function(event)
      if buffer_keys.has(event.buf, REASON) then
        hint(event.buf)
      end
    end,
  })
  local actions = {
    next_change = M.next_change,
    previous_change = M.previous_change,
    keep = function()
      M.keep()
    end,
    undo = function()
      M.undo()
    end,
  }
  changes.on_buffer = function(buf, has)
    if has then
      buffer_keys.add(buf, REASON, actions)
    else
      buffer_keys.remove(buf, REASON)
    end
    hint(buf)
  end
  changes.setup(group)
end

return M

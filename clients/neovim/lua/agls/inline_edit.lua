-- An edit at the cursor (`agent/edit`): a wish over some lines, the text of the model in their place with the
-- difference, and then keep, undo, or another wish. Nothing of it is a session's.

local buffer_keys = require("agls.buffer_keys")
local config = require("agls.config")
local edits = require("agls.edits")
local marks = require("agls.edit_marks")
local notify = require("agls.notify")
local wish_box = require("agls.wish_box")

local REASON = "edit at the cursor"
local WAITS = "keep or undo the edit that is shown in this file first"

---@class agls.InlineEdit
---@field buf integer
---@field at agls.Client
---@field id string its name in `agent/editDelta`
---@field mark integer which lines it is about
---@field old string[] what stood there
---@field new? string[] what stands there now; nil while the model writes
---@field wish string
---@field asked integer the first of the lines when the model was asked, from 0
---@field text string of the model, so far
---@field attempts agls.EditAttempt[]
---@field cancel fun()
---@field drawing? boolean

local M = {}

---@type table<integer, agls.InlineEdit> by buffer
M.open = {}

local count = 0

---@param edit agls.InlineEdit
---@return boolean
local function is_open(edit)
  return M.open[edit.buf] == edit and vim.api.nvim_buf_is_loaded(edit.buf)
end

---@param edit agls.InlineEdit
---@return string[]
local function lines_now(edit)
  local first, last = marks.lines(edit.buf, edit.mark)
  return vim.api.nvim_buf_get_lines(edit.buf, first - 1, last, false)
end

---@param edit agls.InlineEdit
local function finish(edit)
  if M.open[edit.buf] == edit then
    M.open[edit.buf] = nil
    marks.clear(edit.buf)
    buffer_keys.remove(edit.buf, REASON)
  end
end

---@param buf integer
local function new_undo_step(buf)
  vim.api.nvim_buf_call(buf, function()
    vim.cmd("let &l:undolevels = &l:undolevels")
  end)
end

---Warn the user if a buffer cannot be edited now.
---@param buf integer
---@return boolean whether it can
local function check_modifiable(buf)
  if not vim.bo[buf].modifiable then
    notify.warn("this buffer cannot be edited: 'modifiable' is off")
  end
  return vim.bo[buf].modifiable
end

---Put lines where the edit is, as one step of undo.
---@param edit agls.InlineEdit
---@param lines string[]
local function put(edit, lines)
  local first, last = marks.lines(edit.buf, edit.mark)
  new_undo_step(edit.buf)
  vim.api.nvim_buf_set_lines(edit.buf, first - 1, last, false, lines)
  new_undo_step(edit.buf)
  edit.mark = marks.hold(edit.buf, first, #lines, edit.mark)
end

---@param edit agls.InlineEdit
local function draw(edit)
  local function key(name, does, command)
    return buffer_keys.label(edit.buf, name, does, command)
  end
  if not edit.new then
    local stop = key("stop", "stops", ":Agls stop")
    return marks.writing(edit.buf, edit.mark, edit.text, ("● %s · %s"):format(edit.wish, stop))
  end
  local keep, undo = key("keep", "keep", ":Agls keep"), key("undo", "undo", ":Agls undo")
  local keys = { keep, undo, key("refine", "refine", ":Agls edit") }
  marks.shown(edit.buf, edit.mark, edit.old, edit.new, table.concat(keys, " · "))
end

---More of a text that is under way. It is drawn some times a second at most.
---@param params agls.EditDeltaParams
function M.take(params)
  for _, edit in pairs(M.open) do
    if edit.id == params.editId then
      edit.text = edit.text .. params.text
      if not edit.drawing then
        edit.drawing = true
        vim.defer_fn(function()
          edit.drawing = nil
          if is_open(edit) and not edit.new then
            draw(edit)
          end
        end, math.floor(1000 / config.current.redraws))
      end
    end
  end
end

---The lines that the answer is for: an empty one at the end of a selection is none of them.
---@param edit agls.InlineEdit
---@param range table
local function narrow(edit, range)
  local first = marks.lines(edit.buf, edit.mark)
  local size, before = range["end"].line - range.start.line + 1, range.start.line - edit.asked
  edit.old = vim.list_slice(edit.old, before + 1, before + size)
  edit.mark = marks.hold(edit.buf, first + before, size, edit.mark)
end

---@param edit agls.InlineEdit
---@param result agls.EditResult
local function show(edit, result)
  if not vim.deep_equal(lines_now(edit), edit.old) then
    notify.warn("the lines changed while the model wrote; they are yours, and nothing was edited")
    return finish(edit)
  end
  narrow(edit, result.range)
  local new = vim.split(result.text, "\n", { plain = true })
  edit.text = result.text
  local problem = edits.unwritable(edit.buf, { result.text })
  if vim.deep_equal(new, edit.old) then
    notify.info("the model would change nothing here")
    return finish(edit)
  elseif problem then
    notify.warn("nothing was edited: " .. problem)
    return finish(edit)
  elseif not check_modifiable(edit.buf) then
    return finish(edit)
  end
  put(edit, new)
  edit.new = new
  draw(edit)
end

---What is wrong with these lines, for the model.
---@param buf integer
---@param first integer
---@param last integer
---@return table[]
local function problems(buf, first, last)
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(buf)) do
    if one.lnum <= last - 1 and (one.end_lnum or one.lnum) >= first - 1 then
      local start = { line = one.lnum, character = one.col }
      local stop = { line = one.end_lnum or one.lnum, character = one.end_col or one.col }
      found[#found + 1] = { range = { start = start, ["end"] = stop }, message = one.message }
    end
  end
  return found
end

---@param edit agls.InlineEdit
---@return agls.EditParams
local function params_of(edit)
  local first, last = marks.lines(edit.buf, edit.mark)
  edit.asked = first - 1
  local final = vim.api.nvim_buf_get_lines(edit.buf, last - 1, last, false)[1]
  local made = {
    uri = vim.uri_from_bufnr(edit.buf),
    cwd = vim.uri_from_fname(edit.at.root),
    range = {
      start = { line = first - 1, character = 0 },
      ["end"] = { line = last - 1, character = vim.fn.strutf16len(final) },
    },
    instruction = edit.wish,
    editId = edit.id,
    diagnostics = problems(edit.buf, first, last),
    attempts = edit.attempts,
  }
  local name = vim.api.nvim_buf_get_name(edit.buf)
  if name == "" then
    made.uri = "untitled:" .. edit.buf
    made.text = table.concat(vim.api.nvim_buf_get_lines(edit.buf, 0, -1, false), "\n")
  elseif vim.lsp.buf_is_attached(edit.buf, edit.at.lsp.id) then
    made.version = vim.lsp.util.buf_versions[edit.buf]
  end
  return made
end

---@param edit agls.InlineEdit
local function ask(edit)
  count = count + 1
  edit.id, edit.text, edit.new = ("edit-%d"):format(count), "", nil
  draw(edit)
  local asked = edit.id
  local function failed(problem)
    if is_open(edit) and edit.id == asked then
      finish(edit)
      notify.failure(problem)
    end
  end
  edit.at:with(function()
    if not is_open(edit) or edit.id ~= asked then
      return
    end
    edit.cancel = edit.at:request("agent/edit", params_of(edit), function(result, problem)
      if not result then
        return failed(problem)
      elseif is_open(edit) and edit.id == asked then
        show(edit, result)
      end
    end)
  end, function(words)
    failed({ message = words })
  end)
end

---The edit of a buffer that is shown or under way, of the current one unless another is named.
---@param buf? integer
---@return agls.InlineEdit?
function M.of(buf)
  return M.open[buf or vim.api.nvim_get_current_buf()]
end

---Whether a key at the cursor is meant for the edit of this buffer: the cursor is in its lines.
---@return agls.InlineEdit?
function M.here()
  local edit = M.of()
  if edit and edit.new then
    local first, last = marks.lines(edit.buf, edit.mark)
    local line = vim.fn.line(".")
    return first <= line and line <= last and edit or nil
  end
end

---Keep what stands there.
---@param edit agls.InlineEdit
function M.keep(edit)
  finish(edit)
end

---Put back what stood there.
---@param edit agls.InlineEdit
function M.undo(edit)
  if check_modifiable(edit.buf) then
    put(edit, edit.old)
    finish(edit)
  end
end

---End the question to the model; nothing was changed.
---@param edit agls.InlineEdit
function M.cancel(edit)
  edit.cancel()
  finish(edit)
end

---End the question of the current buffer, when there is one.
---@return boolean
function M.stop()
  local edit = M.of()
  if not edit or edit.new then
    return false
  end
  M.cancel(edit)
  return true
end

---Ask for something else instead: without words the box asks for them.
---@param edit agls.InlineEdit
---@param wish? string
function M.refine(edit, wish)
  local function again(words)
    if not is_open(edit) or not check_modifiable(edit.buf) then
      return
    end
    edit.attempts[#edit.attempts + 1] = { instruction = edit.wish, text = edit.text }
    put(edit, edit.old)
    edit.wish = words
    ask(edit)
  end
  if wish and wish ~= "" then
    return again(wish)
  end
  local first, last = marks.lines(edit.buf, edit.mark)
  wish_box.ask(first, last, "What should be different?", again)
end

---@param edit agls.InlineEdit
local function watch(edit)
  local buf = edit.buf
  local group = vim.api.nvim_create_augroup("agls.inline_edit." .. buf, { clear = true })
  vim.api.nvim_create_autocmd({ "TextChanged", "InsertLeave" }, {
    group = group,
    buffer = buf,
    callback = function()
      if not is_open(edit) then
        return true
      elseif edit.new and vim.deep_equal(lines_now(edit), edit.old) then
        finish(edit) -- the user took it back with `u`
        return true
      end
    end,
  })
  vim.api.nvim_create_autocmd("BufUnload", {
    group = group,
    buffer = buf,
    once = true,
    callback = function()
      if M.open[buf] == edit then
        edit.cancel()
        finish(edit)
      end
    end,
  })
end

---@param edit agls.InlineEdit
local function map(edit)
  local review = require("agls.review")
  buffer_keys.add(edit.buf, REASON, {
    keep = function()
      review.keep()
    end,
    undo = function()
      review.undo()
    end,
    refine = function()
      local here = M.of()
      if here and here.new then
        M.refine(here)
      end
    end,
    stop = M.stop,
  })
end

---@param at agls.Client
---@param buf integer
---@param first integer
---@param last integer
---@param wish string
local function begin(at, buf, first, last, wish)
  local edit = {
    buf = buf,
    at = at,
    mark = marks.hold(buf, first, last - first + 1),
    old = vim.api.nvim_buf_get_lines(buf, first - 1, last, false),
    wish = wish,
    attempts = {},
    cancel = function() end,
  }
  M.open[buf] = edit
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_call(win, function() -- what comes is not to be hidden in a fold
      vim.cmd(("silent! %d,%dfoldopen!"):format(first, last))
    end)
  end
  watch(edit)
  map(edit)
  ask(edit)
end

---Edit lines of the current buffer by a wish; without one a box over the lines asks for it.
---@param at agls.Client
---@param first integer from 1
---@param last integer
---@param wish string
function M.start(at, first, last, wish)
  local buf, there = vim.api.nvim_get_current_buf(), M.of()
  if there and M.here() == there then
    return M.refine(there, wish)
  elseif there then
    return notify.info(there.new and WAITS or "the model is at an edit of this file; wait, or cancel it")
  elseif not vim.bo[buf].modifiable or vim.bo[buf].buftype ~= "" then
    return notify.warn("this buffer cannot be edited")
  elseif wish ~= "" then
    return begin(at, buf, first, last, wish)
  end
  local lines = first == last and ("line %d"):format(first) or ("lines %d-%d"):format(first, last)
  wish_box.ask(first, last, ("What should I change? (%s)"):format(lines), function(words)
    if not M.of(buf) and vim.api.nvim_buf_is_loaded(buf) then
      begin(at, buf, first, math.min(last, vim.api.nvim_buf_line_count(buf)), words)
    end
  end)
end

---A server is gone, and with it the answers of its model.
---@param at agls.Client
function M.forget(at)
  for _, edit in pairs(M.open) do
    if edit.at == at and not edit.new then
      finish(edit)
      notify.warn("the server ended while the model wrote; nothing was edited")
    end
  end
end

return M

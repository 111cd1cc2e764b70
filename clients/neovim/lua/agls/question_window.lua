-- A question in a window of its own below the others: it can be read, scrolled and left, and blocks nothing.
-- An answer that allows is taken only when every row of the text was on the screen.

local notify = require("agls.notify")
local rows = require("agls.rows")
local text = require("agls.text")

---@class agls.Choice
---@field text string
---@field allows? boolean it is offered only when everything was shown
---@field act fun()

---@class agls.Sheet a question that is shown
---@field title string
---@field text string
---@field whole boolean
---@field choices agls.Choice[]
---@field later fun() the window was closed without an answer

local NAMESPACE = vim.api.nvim_create_namespace("agls.question")
local SHARE = 0.6 -- of the screen's lines at first
local SETTLE = 400 -- milliseconds in which a window that took the focus takes no answer: the key was for another one
local PAINT = { ["+"] = "AglsAdded", ["-"] = "AglsRemoved" }

local M = {}

---@class agls.Layout
---@field sizes string
---@field count integer windows

---@class agls.Shown
---@field buf integer
---@field win integer
---@field sheet agls.Sheet
---@field count integer rows of the text
---@field left integer rows that were not on the screen yet
---@field seen table<integer, true>
---@field at integer when it took the focus by itself
---@field back integer the window to return to
---@field layout agls.Layout of the other windows, before

---@type agls.Shown?
local open

---One line that says what is asked.
---@param params table
---@return string
function M.headline(params)
  local helper = params.agentId and params.agentId ~= "main" and (params.agentId .. ": ") or ""
  return text.clip(helper .. (params.title or params.message or "agls asks"), 70) .. "?"
end

---@param choice agls.Choice
---@return string? problem why this cannot be chosen now
local function barred(choice)
  if not choice.allows or not open then
    return nil
  elseif not open.sheet.whole then
    return "it is too large to be shown whole, so it cannot be allowed"
  elseif open.left > 0 then
    return ("not before all is shown: %d rows are left, <Space> shows more"):format(open.left)
  end
end

---@return string[]
local function choice_lines()
  local lines = { "" }
  for number, choice in ipairs(open.sheet.choices) do
    local problem = barred(choice)
    lines[#lines + 1] = ("%d  %s%s"):format(number, choice.text, problem and ("  (" .. problem .. ")") or "")
  end
  return lines
end

local function draw_choices()
  vim.bo[open.buf].modifiable = true
  vim.api.nvim_buf_set_lines(open.buf, open.count, -1, false, choice_lines())
  vim.bo[open.buf].modifiable = false
  local last = #open.sheet.choices
  local shown = open.count - open.left
  vim.wo[open.win].winbar = (" agls asks  1-%d answers, q later, <Space> pages%%=%d of %d rows shown "):format(
    last,
    shown,
    open.count
  )
end

---@param row integer
---@return boolean
local function is_on_screen(row)
  local line = vim.api.nvim_buf_get_lines(open.buf, row - 1, row, false)[1]
  return vim.fn.screenpos(open.win, row, 1).row > 0 and vim.fn.screenpos(open.win, row, math.max(1, #line)).row > 0
end

---Remember what is on the screen now.
local function look()
  if not open or not vim.api.nvim_win_is_valid(open.win) then
    return
  end
  local before = open.left
  local first, last = vim.fn.line("w0", open.win), vim.fn.line("w$", open.win)
  for row = first, math.min(last, open.count) do
    if not open.seen[row] and is_on_screen(row) then
      open.seen[row] = true
      open.left = open.left - 1
    end
  end
  if open.left ~= before then
    draw_choices()
  end
end

---@param number integer
function M.choose(number)
  local choice = open and open.sheet.choices[number]
  if not choice then
    return "there is no such answer"
  end
  look()
  local problem = barred(choice)
  if not problem then
    choice.act()
  end
  return problem
end

---@param number integer
local function press(number)
  if open and vim.uv.now() - open.at < SETTLE then
    return
  end
  local problem = M.choose(number)
  if problem then
    notify.warn(problem)
  end
end

---@param buf integer
local function map(buf)
  local function key(lhs, action, desc)
    vim.keymap.set("n", lhs, action, { buffer = buf, nowait = true, desc = "agls: " .. desc })
  end
  for number = 1, 9 do
    key(tostring(number), function()
      press(number)
    end, "answer " .. number)
  end
  key("<CR>", function()
    local number = vim.fn.line(".") - open.count - 1
    if number >= 1 then
      press(number)
    end
  end, "the answer under the cursor")
  key("<Space>", "<C-f>", "more of the question")
  key("q", function()
    open.sheet.later()
  end, "later")
end

---@param sheet agls.Sheet
---@param width integer
---@return integer buf, integer count
local function make_buffer(sheet, width)
  local lines = rows.of(sheet.title, width)
  vim.list_extend(lines, rows.of(sheet.text, width))
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, ("agls://question/%d"):format(buf))
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  local mark
  for number, line in ipairs(lines) do
    local what, change = line:match("^(│ )(.)")
    mark = what and PAINT[change] or (vim.startswith(line, rows.MORE) and mark or nil)
    if mark then
      vim.api.nvim_buf_set_extmark(buf, NAMESPACE, number - 1, 0, { line_hl_group = mark })
    end
  end
  vim.bo[buf].bufhidden, vim.bo[buf].filetype = "wipe", "aglsquestion"
  return buf, #lines
end

local function dress(win)
  local wo = vim.wo[win]
  wo.wrap, wo.linebreak, wo.breakindent, wo.conceallevel, wo.foldenable, wo.spell = true, false, false, 0, false, false
  wo.number, wo.relativenumber, wo.signcolumn, wo.foldcolumn, wo.cursorline = false, false, "no", "0", true
  wo.list, wo.listchars, wo.winfixheight, wo.smoothscroll = true, "tab:├─┤", true, false
end

---What is shown, for those who look at it from outside.
---@return { win: integer, count: integer, left: integer }?
function M.state()
  return open and { win = open.win, count = open.count, left = open.left }
end

---Give the other windows the sizes back that they had, unless there are others by now.
---@param before agls.Layout
local function restore(before)
  if vim.fn.tabpagewinnr(vim.fn.tabpagenr(), "$") == before.count then
    vim.cmd(before.sizes)
  end
end

---@return boolean
function M.is_open()
  return open ~= nil
end

---No question is shown any more.
function M.close()
  local was = open
  open = nil
  if was and vim.api.nvim_win_is_valid(was.win) then
    if vim.api.nvim_get_current_win() == was.win and vim.api.nvim_win_is_valid(was.back) then
      vim.api.nvim_set_current_win(was.back)
    end
    vim.api.nvim_win_close(was.win, true)
    restore(was.layout)
  end
end

---Go to the question.
function M.focus()
  if open and vim.api.nvim_win_is_valid(open.win) then
    if vim.api.nvim_get_current_win() ~= open.win then
      open.back = vim.api.nvim_get_current_win()
    end
    open.at = 0 -- they came by themselves: the next key is for the question
    vim.api.nvim_set_current_win(open.win)
  end
end

---@param buf integer
local function watch(buf)
  local group = vim.api.nvim_create_augroup("agls.question", { clear = true })
  vim.api.nvim_create_autocmd({ "WinScrolled", "WinResized", "CursorMoved", "WinEnter" }, {
    group = group,
    callback = vim.schedule_wrap(look),
  })
  vim.api.nvim_create_autocmd("BufWipeout", {
    group = group,
    buffer = buf,
    callback = function()
      local was = open
      if was and was.buf == buf then
        open = nil
        vim.schedule(function()
          restore(was.layout)
          was.sheet.later()
        end)
      end
    end,
  })
end

---Show a question. The window takes the focus only when the user waits for it in an empty prompt.
---@param sheet agls.Sheet
---@param focused? "wanted"|"waited"
function M.show(sheet, focused)
  M.close()
  local buf, count = make_buffer(sheet, vim.o.columns - 1)
  local need = count + 2 + #sheet.choices -- and the bar
  local height = math.max(5, math.min(need, math.floor(vim.o.lines * SHARE)))
  local back = vim.api.nvim_get_current_win()
  local layout = { sizes = vim.fn.winrestcmd(), count = vim.fn.winnr("$") }
  local win = vim.api.nvim_open_win(buf, false, { split = "below", win = -1, height = height })
  dress(win)
  vim.api.nvim_win_set_height(win, height) -- 0.10 makes all windows equally high
  open = {
    buf = buf,
    win = win,
    sheet = sheet,
    count = count,
    left = count,
    seen = {},
    at = 0,
    layout = layout,
    back = back,
  }
  map(buf)
  draw_choices()
  watch(buf)
  if focused then
    open.at = focused == "waited" and vim.uv.now() or 0
    vim.api.nvim_set_current_win(win)
  end
  vim.cmd.redraw()
  look()
end

return M

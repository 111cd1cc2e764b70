-- A question in a float beside the work: it takes no focus, and can be read, answered by a key or left. An answer that
-- allows is taken only when every row of the text was on the screen.

local config = require("agls.config")
local notify = require("agls.notify")
local place = require("agls.question_place")
local rows = require("agls.rows")
local text = require("agls.text")

---@class agls.Choice
---@field text string
---@field allows? boolean it is offered only when everything was shown
---@field role? "allow"|"reject"|"reason" the key that takes it
---@field act fun()

---@class agls.Sheet a question that is shown
---@field title string
---@field text string
---@field whole boolean
---@field choices agls.Choice[]
---@field more integer questions that wait behind it
---@field diff? boolean there are changes that can be opened
---@field later fun() the window was closed without an answer

local NAMESPACE = vim.api.nvim_create_namespace("agls.question")
local SETTLE = 400 -- milliseconds in which a question that has just come takes no key: it was for something else
local KEY_WORDS = { allow = "allow", reject = "reject", reason = "with a reason" }
local PAINT = { ["+"] = "AglsAdded", ["-"] = "AglsRemoved" }

local M = {}

---@class agls.Shown
---@field buf integer
---@field win integer
---@field sheet agls.Sheet
---@field count integer rows of the text
---@field left integer rows that were not on the screen yet
---@field seen table<integer, true>
---@field at integer when it came by itself
---@field large boolean the user reads it
---@field width integer for which its rows were cut
---@field tab integer the tab page that it is in
---@field back integer the window to return to

---@type agls.Shown?
local open

---One line that says what is asked.
---@param params table
---@return string
function M.headline(params)
  local helper = params.agentId and params.agentId ~= "main" and (params.agentId .. ": ") or ""
  local title = (params.title or params.message or "agls asks"):gsub("[.?]$", "")
  return text.clip(helper .. title, 70) .. "?"
end

---@param choice agls.Choice
---@return string? problem why this cannot be chosen now
local function barred(choice)
  if not choice.allows or not open then
    return nil
  elseif not open.sheet.whole then
    return "it is too large to be shown whole, so it cannot be allowed"
  elseif open.left > 0 then
    local more = open.large and "<Space> shows more"
      or ((config.key("question_whole") or ":Agls answer") .. " shows all of it")
    local left = open.left == 1 and "1 row is left" or ("%d rows are left"):format(open.left)
    return ("not before all is shown: %s, %s"):format(left, more)
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

---@param roles string[]
---@param diff? boolean
---@return string
local function keys_offered(roles, diff)
  local offered = {}
  if not place.has_keys() then
    return " :Agls answer to answer "
  end
  for _, role in ipairs(roles) do
    local key = config.key("question_" .. role)
    if key and M.role(role) then
      offered[#offered + 1] = key .. " " .. KEY_WORDS[role]
    end
  end
  offered[#offered + 1] = (config.key("question_whole") or ":Agls answer")
    .. (M.role("allow") and " all of it" or " to answer")
  if diff and config.key("question_diff") then
    offered[#offered + 1] = config.key("question_diff") .. " diff"
  end
  return " " .. table.concat(offered, " · ") .. " "
end

---@return string what can be done by keys now
local function keys_line()
  if open.large then
    return (" 1-%d answers · <Space> pages · q later "):format(#open.sheet.choices)
  end
  local roles, diff = { "allow", "reject", "reason" }, open.sheet.diff
  local function fits(line)
    return vim.fn.strdisplaywidth(line) <= vim.api.nvim_win_get_width(open.win)
  end
  local line = keys_offered(roles, diff)
  line = fits(line) and line or keys_offered({ "allow", "reject" }, diff)
  return fits(line) and line or keys_offered({ "allow", "reject" })
end

local function draw_choices()
  vim.bo[open.buf].modifiable = true
  vim.api.nvim_buf_set_lines(open.buf, open.count, -1, false, choice_lines())
  vim.bo[open.buf].modifiable = false
  local seen = open.left > 0 and (" · %d of %d rows shown"):format(open.count - open.left, open.count) or ""
  local more = open.sheet.more > 0 and (" · %d more behind it"):format(open.sheet.more) or ""
  vim.api.nvim_win_set_config(open.win, { title = " agls asks" .. seen .. more .. " ", footer = keys_line() })
end

---@param row integer
---@return boolean
local function is_on_screen(row)
  local line = vim.api.nvim_buf_get_lines(open.buf, row - 1, row, false)[1]
  local first, last = vim.fn.screenpos(open.win, row, 1).row, vim.fn.screenpos(open.win, row, math.max(1, #line)).row
  return first > 0 and last > 0 and not place.is_covered(open.win, first, last)
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

---The answer that a key stands for.
---@param role "allow"|"reject"|"reason"
---@return agls.Choice? choice, integer? number
function M.role(role)
  for number, choice in ipairs(open and open.sheet.choices or {}) do
    if choice.role == role then
      return choice, number
    end
  end
end

---Take an answer for a key that was pressed, unless the question has only just come.
---@param number integer
function M.press(number)
  if open and vim.uv.now() - open.at < SETTLE then
    return notify.info("this question has just come: look at it first")
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
      M.press(number)
    end, "answer " .. number)
  end
  local function answer_here()
    local number = vim.fn.line(".") - open.count - 1
    if number >= 1 then
      M.press(number)
    end
  end
  key("<CR>", answer_here, "the answer under the cursor")
  key("<2-LeftMouse>", answer_here, "the answer under the cursor")
  key("<Space>", "<C-f>", "more of the question")
  key("q", function()
    open.sheet.later()
  end, "later")
  require("agls.question_keys").map(buf)
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
  wo.winhighlight = "NormalFloat:Normal,FloatBorder:AglsWaiting,FloatTitle:AglsWaiting,FloatFooter:Normal"
  wo.wrap, wo.linebreak, wo.breakindent, wo.conceallevel, wo.foldenable, wo.spell = true, false, false, 0, false, false
  wo.number, wo.relativenumber, wo.signcolumn, wo.foldcolumn, wo.cursorline = false, false, "no", "0", true
  wo.list, wo.listchars, wo.smoothscroll = true, "tab:├─┤", false
end

---What is shown, for those who look at it from outside.
---@return { win: integer, count: integer, left: integer, large: boolean }?
function M.state()
  return open and { win = open.win, count = open.count, left = open.left, large = open.large }
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
  vim.api.nvim_create_autocmd({ "WinScrolled", "WinResized", "WinClosed", "CursorMoved", "WinEnter" }, {
    group = group,
    callback = vim.schedule_wrap(look),
  })
  vim.api.nvim_create_autocmd({ "VimResized", "WinResized" }, {
    group = group,
    callback = vim.schedule_wrap(function() -- the chat may have come since
      if open and open.width ~= place.width(open.large) then
        M.show(open.sheet, open.large) -- its rows are others
      elseif open and vim.api.nvim_win_is_valid(open.win) then
        local need = vim.api.nvim_buf_line_count(open.buf)
        vim.api.nvim_win_set_config(open.win, place.of(need, open.large))
        look()
      end
    end),
  })
  vim.api.nvim_create_autocmd("TabEnter", {
    group = group,
    callback = vim.schedule_wrap(function() -- it goes where the user goes
      if open and open.tab ~= vim.api.nvim_get_current_tabpage() and not vim.t.agls_diff then
        M.show(open.sheet)
      end
    end),
  })
  vim.api.nvim_create_autocmd("BufWipeout", {
    group = group,
    buffer = buf,
    callback = function()
      local was = open
      if was and was.buf == buf then
        open = nil
        vim.schedule(function()
          if vim.api.nvim_tabpage_is_valid(was.tab) then
            was.sheet.later()
          elseif not open then -- the tab page was closed, not the question
            M.show(was.sheet)
          end
        end)
      end
    end,
  })
end

---Show a question. The window takes no focus unless the user came to read it: then it is as large as the screen allows.
---@param sheet agls.Sheet
---@param large? boolean
function M.show(sheet, large)
  M.close()
  local buf, count = make_buffer(sheet, place.width(large or false) - 1)
  local back = vim.api.nvim_get_current_win()
  local where = place.of(count + 1 + #sheet.choices, large or false)
  local win =
    vim.api.nvim_open_win(buf, false, vim.tbl_extend("force", where, { style = "minimal", border = "rounded" }))
  dress(win)
  open = {
    buf = buf,
    win = win,
    sheet = sheet,
    count = count,
    left = count,
    seen = {},
    at = large and 0 or vim.uv.now(),
    large = large or false,
    width = place.width(large or false),
    tab = vim.api.nvim_get_current_tabpage(),
    back = back,
  }
  map(buf)
  draw_choices()
  watch(buf)
  if large then
    vim.api.nvim_set_current_win(win)
  end
  vim.cmd.redraw()
  look()
end

return M

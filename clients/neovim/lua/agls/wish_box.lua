-- The box over the selected lines in which the user says what they want there.

local config = require("agls.config")

local NAMESPACE = vim.api.nvim_create_namespace("agls.wish")
local WIDEST = 72
local ROOM = 3 -- rows that the box and its border need

local M = {}

---@type string[] what was wanted before, the newest first
local before = {}

---@type fun()?
local close_open

---@param buf integer
---@param first integer from 1
---@param last integer
local function paint(buf, first, last)
  for line = first, last do
    vim.api.nvim_buf_set_extmark(buf, NAMESPACE, line - 1, 0, { line_hl_group = "Visual" })
  end
end

---@param first integer
---@param last integer
---@param title string
---@return table the place of the window: above the lines, or below where there is no room
local function place(first, last, title)
  local at = vim.fn.screenpos(0, first, 1)
  local above = at.row == 0 or at.row > ROOM + 1
  return {
    relative = "win",
    bufpos = { (above and first or last) - 1, 0 },
    row = above and -ROOM or 1,
    col = 0,
    width = math.max(20, math.min(WIDEST, vim.api.nvim_win_get_width(0) - 4)),
    height = 1,
    border = "rounded",
    style = "minimal",
    title = " " .. title .. " ",
    footer = " <CR> sends · <Esc> twice closes ",
    footer_pos = "right",
  }
end

---@param buf integer
---@return string
local function words_of(buf)
  return vim.trim(table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n"))
end

---@param buf integer
---@param place_ integer which of the wishes before; 0 is an empty line
local function recall(buf, place_)
  local words = before[place_] or ""
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, { words })
  vim.api.nvim_win_set_cursor(0, { 1, #words })
end

---@param buf integer
---@param send fun()
---@param close fun()
local function map(buf, send, close)
  local function key(modes, lhs, action, desc)
    vim.keymap.set(modes, lhs, action, { buffer = buf, nowait = true, desc = "agls: " .. desc })
  end
  key({ "n", "i" }, "<CR>", send, "send")
  if config.key("submit_insert") then
    key("i", config.key("submit_insert"), send, "send")
  end
  key({ "n", "i" }, "<C-c>", close, "close")
  key("n", "<Esc>", close, "close")
  key("n", "q", close, "close")
  local shown = 0
  local function older(by)
    return function()
      shown = math.max(0, math.min(#before, shown + by))
      recall(buf, shown)
    end
  end
  key({ "n", "i" }, "<Up>", older(1), "an older wish")
  key({ "n", "i" }, "<Down>", older(-1), "a newer wish")
end

---Ask for a wish. `done` gets it; nothing happens when the box is closed without one.
---@param first integer of the selected lines of the current buffer, from 1
---@param last integer
---@param title string
---@param done fun(wish: string)
function M.ask(first, last, title, done)
  if close_open then
    close_open()
  end
  local code, win_before = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  vim.b[buf].agls_wish = true
  paint(code, first, last)
  local win = vim.api.nvim_open_win(buf, true, place(first, last, title))
  vim.wo[win].winhighlight = "NormalFloat:Normal"
  local closed = false
  local function close()
    if closed then
      return
    end
    closed, close_open = true, nil
    vim.cmd("stopinsert")
    if vim.api.nvim_buf_is_valid(code) then
      vim.api.nvim_buf_clear_namespace(code, NAMESPACE, 0, -1)
    end
    local was_here = vim.api.nvim_get_current_win() == win
    if vim.api.nvim_win_is_valid(win) then
      vim.api.nvim_win_close(win, true)
    end
    if was_here and vim.api.nvim_win_is_valid(win_before) then
      vim.api.nvim_set_current_win(win_before)
    end
  end
  close_open = close
  map(buf, function()
    local wish = words_of(buf)
    close()
    if wish ~= "" then
      before = vim.tbl_filter(function(other)
        return other ~= wish
      end, before)
      table.insert(before, 1, wish)
      done(wish)
    end
  end, close)
  vim.api.nvim_create_autocmd("WinLeave", { buffer = buf, once = true, callback = vim.schedule_wrap(close) })
  vim.cmd("startinsert")
end

return M

-- Messages to the user. Neovim's own `vim.notify` makes the user press Enter after a message longer than the line:
-- here the line is shortened, and a float shows the rest for a while. A `vim.notify` of the user's gets everything.

local float = require("agls.float")
local text = require("agls.text")

local SHOWN = 10000 -- milliseconds
local HIGHLIGHTS = { [vim.log.levels.WARN] = "WarningMsg", [vim.log.levels.ERROR] = "ErrorMsg" }

---@return boolean
local function is_builtin()
  local source = debug.getinfo(vim.notify, "S").source
  return source:find("vim/_", 1, true) ~= nil or not source:find("^[@=]") -- Neovim's own is compiled in
end

---@param message string
---@param highlight? string
---@return integer win
local function show_whole(message, highlight)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  local lines = vim.split(message, "\n", { plain = true })
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  local most = math.max(1, vim.o.lines - 6)
  local win = float.open(buf, {
    anchor = "NE", -- the prompt is below
    row = 1,
    col = vim.o.columns - 1,
    width = math.min(70, vim.o.columns - 4),
    height = most,
    zindex = 200,
  })
  vim.wo[win].winhighlight = "NormalFloat:" .. (highlight or "Normal")
  if vim.api.nvim_win_text_height(win, {}).all > most then
    vim.api.nvim_win_set_config(win, { width = vim.o.columns - 4 })
  end
  local need = vim.api.nvim_win_text_height(win, {}).all
  local footer = need > most and " more: <C-w>w enters, q closes " or nil
  vim.api.nvim_win_set_config(win, { height = math.min(need, most), footer = footer })
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = buf, nowait = true })
  vim.defer_fn(function()
    if vim.api.nvim_win_is_valid(win) and vim.api.nvim_get_current_win() ~= win then
      vim.api.nvim_win_close(win, true)
    end
  end, SHOWN)
  return win
end

---@param message string
---@param level integer of vim.log.levels
---@return integer? win what shows all of it, where the line cannot
local function show(message, level)
  message = "agls: " .. message
  if not is_builtin() then
    vim.notify(message, level, { title = "agls" })
    return nil
  end
  local win
  local room = math.max(20, vim.v.echospace - 1)
  local line = text.clip(message, room)
  if line ~= vim.trim((message:gsub("%s+", " "))) then
    win = show_whole(message, HIGHLIGHTS[level])
  end
  vim.cmd.redraw() -- a message below another one that nobody has seen yet makes the user press Enter
  vim.api.nvim_echo({ { line, HIGHLIGHTS[level] } }, true, {})
  return win
end

local M = {}

-- In the words of this client, where the server's own are for programs.
local NO_MODEL = "no model is chosen yet; `:Agls setup` shows what there is"
local WORDS = {
  sessionBusyElsewhere = "another process writes this session; when it lets go, `:Agls takeover` goes on here",
}
local HINTS = {
  noActiveRun = "Write what you want to have done.",
  sessionNotFound = "`:Agls sessions` lists those of this folder.",
  authRequired = "`:Agls key` asks for a key and keeps it until Neovim ends; `agls key set` in a terminal, longer.",
}

---@param message string
---@return integer? win that shows all of a long one
function M.info(message)
  return show(message, vim.log.levels.INFO)
end

---@param message string
function M.warn(message)
  show(message, vim.log.levels.WARN)
end

---@param message string
function M.error(message)
  show(message, vim.log.levels.ERROR)
end

---@param problem table an error of a request
function M.failure(problem)
  local data = type(problem.data) == "table" and problem.data or {}
  local hint = HINTS[data.kind] or data.hint
  hint = hint and not hint:find("agent/", 1, true) and hint or nil -- a method's name helps programs
  if vim.startswith(problem.message, "no model is configured") then
    return M.error(NO_MODEL) -- the server's hint is for a terminal
  end
  local message = problem.message:gsub("^params%.[%w_.]+: ", "") -- what it is called in the protocol is no help here
  M.error(WORDS[data.kind] or (hint and (message .. " " .. hint)) or message)
end

---For requests of which only the failure matters.
---@param problem? table
function M.on_failure(_, problem)
  if problem then
    M.failure(problem)
  end
end

return M

-- The chat while the server starts: one can write at once. What is written goes into the prompt of the session, and is
-- sent there if it was sent here.

local config = require("agls.config")
local paint = require("agls.paint")
local question_keys = require("agls.question_keys")
local sending = require("agls.sending")
local welcome = require("agls.welcome")
local window = require("agls.window")

---@class agls.Beginning: agls.Shown
---@field title string
---@field sent boolean
---@field acts fun(of: agls.Session)[] what is to be done once there is a session

local M = {}

---@type agls.Beginning?
local open

---@type string[] what was written where no session came of it
local left = {}

---@return integer
local function make_buffer()
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden, vim.bo[buf].swapfile, vim.bo[buf].undolevels = "hide", false, -1
  vim.b[buf].agls_beginning = true
  question_keys.map(buf) -- whether the folder is trusted may be asked before there is a session
  return buf
end

---@param beginning agls.Beginning
local function map(beginning)
  local function send()
    beginning.sent = true
    vim.cmd("stopinsert")
    M.name(beginning)
  end
  for name, mode in pairs({ submit = "n", submit_insert = "i" }) do
    local key = config.key(name)
    if key then
      vim.keymap.set(mode, key, send, { buffer = beginning.prompt, desc = "agls: send" })
    end
  end
  sending.on_write(beginning.prompt, send)
end

---Say above both what is going on.
---@param beginning agls.Beginning
function M.name(beginning)
  local upper, lower = vim.fn.win_findbuf(beginning.buf)[1], vim.fn.win_findbuf(beginning.prompt)[1]
  if upper and lower then
    vim.wo[upper].winbar = (" %%#AglsTitle#%s%%* %%#AglsRunning#◌ starting%%*"):format(beginning.title)
    vim.wo[lower].winbar = " %#AglsDim#" .. (beginning.sent and "> is sent when agls has started" or ">") .. "%*"
  end
end

---Show a place to write, and go there.
---@param at agls.Client
---@param title string of the session that will be there
---@param layout? string
function M.show(at, title, layout)
  M.close()
  open = { buf = make_buffer(), prompt = make_buffer(), title = title, sent = false, acts = {} }
  vim.bo[open.prompt].buftype = "acwrite" -- :w sends
  vim.api.nvim_buf_set_name(open.prompt, "agls://beginning/prompt/" .. open.prompt)
  paint.markdown(open.prompt)
  vim.b[open.prompt].agls_prompt = true
  vim.api.nvim_buf_set_lines(open.prompt, 0, -1, false, left)
  vim.bo[open.prompt].modified = false
  left = {}
  map(open)
  window.open(open, layout)
  M.name(open)
  welcome.draw(open.buf, at, true)
end

---Whether there is one, also where the user closed its windows.
---@return boolean
function M.is_open()
  return open ~= nil and vim.api.nvim_buf_is_valid(open.prompt) and vim.api.nvim_buf_is_valid(open.buf)
end

---Go there again.
---@param layout? string
function M.enter(layout)
  local here = assert(open)
  local win = vim.fn.win_findbuf(here.prompt)[1]
  if win and not layout then
    return vim.api.nvim_set_current_win(win)
  end
  window.open(here, layout)
  M.name(here)
end

---Do something with the session once there is one.
---@param act fun(of: agls.Session)
function M.later(act)
  table.insert(assert(open).acts, act)
end

---Take it away: a session stands in its place by now, or none can be had. **Returns** what was written.
---@return string[] lines, boolean sent
function M.close()
  if not open then
    return {}, false
  end
  local was = open
  open = nil
  local lines = vim.api.nvim_buf_is_valid(was.prompt) and vim.api.nvim_buf_get_lines(was.prompt, 0, -1, false) or {}
  for _, buf in ipairs({ was.prompt, was.buf }) do
    if vim.api.nvim_buf_is_valid(buf) then
      vim.bo[buf].modified = false
    end
    for _, win in ipairs(vim.fn.win_findbuf(buf)) do
      window.close_one(win)
    end
    if vim.api.nvim_buf_is_valid(buf) then
      vim.api.nvim_buf_delete(buf, { force = true })
    end
  end
  return vim.trim(table.concat(lines)) == "" and {} or lines, was.sent
end

---Keep what was written for the next time: no session came of it.
function M.give_up()
  local is_written_in = open ~= nil and vim.api.nvim_get_current_buf() == open.prompt
  left = M.close()
  if is_written_in then
    vim.cmd.stopinsert() -- what stands there now takes keys, and no text
  end
end

---Put a chat in its place. What is written here is in its prompt then, under the same cursor. Where the user closed it
---nothing is shown.
---@param shown agls.Chat
---@return boolean sent whether it is to be sent now
---@return fun(of: agls.Session)[] acts
function M.become(shown)
  local was = assert(open)
  local lower, upper = vim.fn.win_findbuf(was.prompt)[1], vim.fn.win_findbuf(was.buf)[1]
  local buf = require("agls.prompt").of(shown)
  local lines = vim.api.nvim_buf_get_lines(was.prompt, 0, -1, false)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modified, vim.bo[was.prompt].modified = false, false
  if lower then
    local cursor = vim.api.nvim_win_get_cursor(lower)
    vim.api.nvim_win_set_buf(lower, buf)
    vim.api.nvim_win_set_cursor(lower, cursor)
    window.dress_prompt(lower)
  end
  if upper then
    vim.api.nvim_win_set_buf(upper, shown.buf)
    window.dress_chat(upper)
    welcome.draw(shown.buf, shown.session.client, true)
  end
  M.close()
  return was.sent, was.acts
end

return M

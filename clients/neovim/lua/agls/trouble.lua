-- A card where the chat would be, while no session can be had: what happened, and what to do about it.

local window = require("agls.window")

---@class agls.Trouble
---@field buf integer
---@field retry fun(beside?: boolean) tries again; `beside`: and leaves the user where they are
---@field file? string the settings to correct
---@field line integer where

local M = {}

---@type table<agls.Client, agls.Trouble>
local open = {}

---Whether this keeps every session from being shown: then a message that goes away is not enough.
---@param at agls.Client
---@param problem table
---@return boolean
function M.is_lasting(at, problem)
  local kind = type(problem.data) == "table" and problem.data.kind or nil
  return kind == "configInvalid" or (kind == nil and at.state == "failed")
end

---@param message string of the server, a line for each mistake: `/home/…/config.toml:3: key: what is wrong`
---@return string? file, integer line
local function place_of(message)
  local file, line = message:match("^(/[^\n]-):(%d+): ")
  file = file or message:match("^(/[^\n]-): ")
  return file and vim.fn.filereadable(file) == 1 and file or nil, tonumber(line) or 1
end

---@param trouble agls.Trouble
---@param message string
---@return string[]
local function lines_of(trouble, message)
  local made = { "# agls cannot begin", "" }
  if trouble.file then
    made = { "# A setting cannot be used", "" }
  end
  for _, line in ipairs(vim.split(vim.trim(message), "\n", { plain = true })) do
    made[#made + 1] = "> " .. vim.fn.fnamemodify(line, ":~")
  end
  made[#made + 1] = ""
  if trouble.file then
    made[#made + 1] = "- `<CR>` opens the file there. Once it is right, the chat opens by itself."
  end
  made[#made + 1] = "- `R` tries again"
  made[#made + 1] = "- `:checkhealth agls` looks at everything"
  return made
end

---@param trouble agls.Trouble
local function map(trouble)
  local function key(keys, does, act)
    vim.keymap.set("n", keys, act, { buffer = trouble.buf, nowait = true, desc = "agls: " .. does })
  end
  key("<CR>", "open the settings", function()
    if trouble.file then
      vim.cmd("aboveleft split " .. vim.fn.fnameescape(trouble.file))
      pcall(vim.api.nvim_win_set_cursor, 0, { trouble.line, 0 })
    end
  end)
  key("R", "try again", function()
    trouble.retry()
  end)
end

---@return integer
local function make_buffer()
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].buftype, vim.bo[buf].bufhidden, vim.bo[buf].swapfile = "nofile", "wipe", false
  vim.api.nvim_buf_set_name(buf, "agls://trouble/" .. buf)
  require("agls.paint").markdown(buf)
  return buf
end

---Show the card, or what is wrong now in the one that is there.
---@param at agls.Client
---@param problem table
---@param retry fun(beside?: boolean)
---@param layout? string
function M.show(at, problem, retry, layout)
  local trouble = open[at]
  if not trouble or not vim.api.nvim_buf_is_valid(trouble.buf) then
    trouble = { buf = make_buffer(), retry = retry, line = 1 }
    open[at] = trouble
    map(trouble)
  end
  trouble.retry = retry
  trouble.file, trouble.line = place_of(problem.message)
  vim.bo[trouble.buf].modifiable = true
  vim.api.nvim_buf_set_lines(trouble.buf, 0, -1, false, lines_of(trouble, problem.message))
  vim.bo[trouble.buf].modifiable = false
  if #vim.fn.win_findbuf(trouble.buf) == 0 then
    window.open_page(trouble.buf, layout)
  end
  if at.state == "ready" then
    require("agls.options").know_models(at) -- which follows the file of the settings
  end
end

---Whether a card of this client is seen.
---@param at agls.Client
---@return boolean
function M.is_open(at)
  return open[at] ~= nil and #vim.fn.win_findbuf(open[at].buf) > 0
end

---More is known of the server: what kept it from working may be gone.
---@param at agls.Client
function M.look(at)
  if M.is_open(at) and at.state == "ready" and not at.problem then
    open[at].retry(true)
  end
end

---Take the card away: a session can be shown in its place.
---@param at agls.Client
function M.close(at)
  local trouble = open[at]
  open[at] = nil
  for _, win in ipairs(trouble and vim.fn.win_findbuf(trouble.buf) or {}) do
    window.close_one(win)
  end
end

return M

-- What an empty chat says: how to begin, or what keeps the agent from working.

local NAMESPACE = vim.api.nvim_create_namespace("agls.welcome")

local M = {}

local KEYS = {
  { "@", "a file, a symbol, @diff" },
  { "/", "commands" },
  { ":Agls resume", "go on with the last session" },
  { ":Agls mode", "what may happen unasked" },
  { ":help agls", "everything else" },
}
local NO_MODEL = {
  { ":Agls setup", "choose one" },
  { "agls demo", "in a terminal: a look without one" },
}
local BROKEN = {
  { ":checkhealth agls", "what to do about it" },
}

---@param words string
---@param width integer
---@return string[] lines
local function wrapped(words, width)
  local lines, line = {}, ""
  for word in words:gmatch("%S+") do
    if line ~= "" and vim.fn.strdisplaywidth(line .. " " .. word) > width then
      lines[#lines + 1], line = line, ""
    end
    line = line == "" and word or line .. " " .. word
  end
  lines[#lines + 1] = line
  return lines
end

---What it says, in words and in what can be typed.
---@param at agls.Client
---@return string words, string highlight, string[][] keys
local function content(at)
  if not at.problem then
    return "Write below what you want to have done.", "AglsTitle", KEYS
  elseif #at.models == 0 and at.problem:find("^no model is configured") then
    return "No model is chosen yet.", "AglsWaiting", NO_MODEL
  end
  return at.problem:match("^[^\n]*"), "AglsFailed", BROKEN
end

---The lines of an empty chat, each in highlighted pieces.
---@param at agls.Client
---@param width integer of the window
---@return string[][][]
function M.lines(at, width)
  local words, highlight, keys = content(at)
  local made = {}
  for _, line in ipairs(wrapped(words, width - 4)) do
    made[#made + 1] = { { "  " .. line, highlight } }
  end
  made[#made + 1] = { { "", "Normal" } }
  local widest = 0
  for _, row in ipairs(keys) do
    widest = math.max(widest, #row[1])
  end
  for _, row in ipairs(keys) do
    local key = row[1] .. (" "):rep(widest - #row[1])
    local fits = 2 + #key + 2 + vim.fn.strdisplaywidth(row[2]) <= width
    made[#made + 1] = { { "  " .. key, "AglsRunning" }, fits and { "  " .. row[2], "AglsDim" } or nil }
    made[#made + 1] = not fits and { { "    " .. row[2], "AglsDim" } } or nil
  end
  return made
end

---Say it in the buffer of a chat, or take it away.
---@param buf integer
---@param at agls.Client
---@param is_empty boolean
function M.draw(buf, at, is_empty)
  vim.api.nvim_buf_clear_namespace(buf, NAMESPACE, 0, -1)
  local win = vim.fn.win_findbuf(buf)[1]
  if is_empty and win then
    local room = vim.api.nvim_win_get_height(win) - 2 -- its bar, and the line of the buffer
    local lines = vim.list_slice(M.lines(at, vim.api.nvim_win_get_width(win)), 1, math.max(1, room))
    vim.api.nvim_buf_set_extmark(buf, NAMESPACE, 0, 0, { virt_lines = lines })
  end
end

return M

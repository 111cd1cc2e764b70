-- Where a question floats: above the prompt, at the end of the chat; or, to be read, as large as the screen allows.

local SHARE = 0.7 -- of the screen's lines at most, beside the work
local NARROW = 60 -- columns: a chat that has less lends its width to no question
local WIDE = 80
local ABOVE = 60 -- of the chat's own float, below menus

local M = {}

---@param want fun(buf: integer): boolean
---@return integer? win of this tab
local function find(want)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if want(vim.api.nvim_win_get_buf(win)) then
      return win
    end
  end
end

---@return integer? win the prompt of this tab
local function prompt()
  return find(function(buf)
    return vim.b[buf].agls_prompt == true
  end)
end

---@return integer? win the chat of this tab, or the prompt where only that is there
local function chat()
  return find(function(buf)
    return vim.b[buf].agls_session ~= nil and not vim.b[buf].agls_prompt
  end) or prompt()
end

---Whether there is a window here in which keys answer.
---@return boolean
function M.has_keys()
  return chat() ~= nil
end

---How many cells a row of the text has.
---@param large boolean
---@return integer
function M.width(large)
  local most = math.max(10, vim.o.columns - 2) -- and the border
  local win = chat()
  local mine = win and vim.api.nvim_win_get_width(win) - 2 or 0
  return (large and most) or math.min(most, mine >= NARROW and mine or WIDE)
end

---@param need integer rows
---@param large boolean
---@return table of `nvim_open_win`
function M.of(need, large)
  local lines = vim.o.lines - vim.o.cmdheight - 1 -- and a statusline
  local width, bottom, right = M.width(large), lines, vim.o.columns
  local win = not large and prompt() or nil
  if win then
    local at = vim.api.nvim_win_get_position(win)
    bottom = at[1] > lines / 3 and at[1] or bottom
    right = at[2] + vim.api.nvim_win_get_width(win)
  end
  local most = large and lines - 2 or math.min(bottom - 2, math.floor(lines * SHARE))
  local height = math.max(1, math.min(need, most))
  return {
    relative = "editor",
    row = math.max(0, bottom - height - 2),
    col = math.max(0, math.min(right, vim.o.columns) - width - 2),
    width = width,
    height = height,
    zindex = ABOVE,
  }
end

---Whether another float may hide these rows of the screen.
---@param win integer
---@param first integer from 1
---@param last integer
---@return boolean
function M.is_covered(win, first, last)
  local mine = vim.api.nvim_win_get_config(win)
  local left, right = mine.col, mine.col + mine.width + 2
  for _, other in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local given = vim.api.nvim_win_get_config(other)
    if other ~= win and given.relative ~= "" and not given.hide and (given.zindex or 50) >= ABOVE then
      local at = vim.api.nvim_win_get_position(other)
      local top, bottom = at[1] + 1, at[1] + given.height + 2
      if top <= last and first <= bottom and at[2] < right and left < at[2] + given.width + 2 then
        return true
      end
    end
  end
  return false
end

return M

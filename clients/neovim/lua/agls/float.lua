-- Floating windows: what they look like, wherever they are.

local M = {}

local MARGIN = 8 -- columns that stay free beside one that is as large as its text

---@class agls.Float
---@field row integer
---@field col integer
---@field width integer
---@field height integer
---@field title? string
---@field enter? boolean
---@field anchor? string
---@field zindex? integer

---@param buf integer
---@param given agls.Float
---@return integer win
function M.open(buf, given)
  local win = vim.api.nvim_open_win(buf, given.enter or false, {
    relative = "editor",
    anchor = given.anchor,
    row = given.row,
    col = given.col,
    width = given.width,
    height = given.height,
    border = "rounded",
    title = given.title and (" " .. given.title .. " ") or nil,
    style = "minimal",
    zindex = given.zindex,
    noautocmd = not given.enter,
  })
  vim.wo[win].wrap, vim.wo[win].linebreak = true, true
  vim.wo[win].breakindent, vim.wo[win].breakindentopt = true, "list:-1"
  vim.wo[win].winhighlight = "NormalFloat:Normal"
  return win
end

---@return integer columns that a float has at most
function M.room()
  return vim.o.columns - MARGIN
end

---As large as the lines of the buffer and the title need, in the middle of the screen or at its upper end.
---@param buf integer
---@param given { title: string, enter?: boolean, top?: boolean }
---@return integer win
function M.fitted(buf, given)
  local lines, longest, height = vim.api.nvim_buf_get_lines(buf, 0, -1, false), 40, 0
  longest = math.max(longest, vim.fn.strdisplaywidth(given.title) + 2)
  for _, line in ipairs(lines) do
    longest = math.max(longest, vim.fn.strdisplaywidth(line) + 2)
  end
  local width = math.min(longest, M.room())
  for _, line in ipairs(lines) do
    height = height + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  height = math.min(height, math.max(3, given.top and math.floor(vim.o.lines / 2) or vim.o.lines - 8))
  return M.open(buf, {
    row = given.top and 1 or math.floor((vim.o.lines - height) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2),
    width = width,
    height = height,
    title = given.title,
    enter = given.enter,
  })
end

return M

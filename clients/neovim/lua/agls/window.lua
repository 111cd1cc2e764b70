-- Where chat and prompt are shown: a split, a tab or a float. Any other window may show the buffers as well.

local chat = require("agls.chat")
local config = require("agls.config")
local float = require("agls.float")
local prompt = require("agls.prompt")

local M = {}

---@class agls.Shown what stands above and below: a chat, or what stands there before there is one
---@field buf integer
---@field prompt? integer the buffer below, where that is not the prompt of a chat

---@param shown agls.Shown|agls.Chat
---@return integer buf
local function below_of(shown)
  return shown.prompt or prompt.of(shown --[[@as agls.Chat]])
end

---@param given number a part of the whole, or a number of cells
---@param whole integer
---@return integer
local function size(given, whole)
  return math.max(10, math.floor(given <= 1 and given * whole or given))
end

---@param win integer
---@param values table<string, any>
local function set(win, values)
  for name, value in pairs(values) do
    vim.api.nvim_set_option_value(name, value, { win = win, scope = "local" })
  end
end

local PLAIN =
  { number = false, relativenumber = false, signcolumn = "no", foldcolumn = "0", spell = false, list = false }

---A statusline of our own only where the user has none either. A float has a title instead.
---@param win integer
---@param text string
local function statusline(win, text)
  local floats = vim.api.nvim_win_get_config(win).relative ~= ""
  if not floats and vim.go.statusline == vim.api.nvim_get_option_info2("statusline", {}).default then
    set(win, { statusline = text })
  end
end

---What a window that shows a chat looks like.
---@param win integer
function M.dress_chat(win)
  set(win, PLAIN)
  set(win, {
    wrap = true,
    linebreak = true,
    breakindent = true,
    breakindentopt = "list:-1", -- a long entry of a list goes on below its text
    smoothscroll = true, -- a paragraph that is higher than the window is seen as far as it goes
    conceallevel = 2,
    concealcursor = "nc",
    foldmethod = "expr",
    foldexpr = "v:lua.require'agls.folds'.level(v:lnum)",
    foldtext = "v:lua.require'agls.folds'.text()",
    foldenable = true,
    foldlevel = 0,
    fillchars = "fold: ,eob: ",
    winbar = "%{%v:lua.require'agls.status'.bar()%}",
  })
  statusline(win, " agls%=%P ")
end

---What a window that shows a prompt looks like.
---@param win integer
function M.dress_prompt(win)
  set(win, PLAIN)
  set(win, {
    wrap = true,
    linebreak = true,
    winfixheight = true,
    fillchars = "eob: ",
    winbar = "%{%v:lua.require'agls.status'.prompt_bar()%}",
  })
  statusline(win, " prompt")
end

---@param shown agls.Shown|agls.Chat
---@return integer upper, integer lower
local function open_float(shown)
  local whole = size(math.max(config.current.height, 0.8), vim.o.lines)
  local top = math.max(0, math.floor((vim.o.lines - whole) / 2) - 1)
  local below = config.current.prompt_height
  local width = size(math.max(config.current.width, 0.6), vim.o.columns)
  local col = math.floor((vim.o.columns - width) / 2)
  local function open(buf, row, height, title)
    local given = { row = row, col = col, width = width, height = height, title = title, enter = true }
    return float.open(buf, given)
  end
  local upper = open(shown.buf, top, whole - below - 4, "agls")
  M.dress_chat(upper)
  return upper, open(below_of(shown), top + whole - below - 2, below, "prompt")
end

local NARROW, CHAT = 80, 40 -- columns: below the first the chat is no column, and it has no less than the second
local LEAST = 20 -- columns: what a chat keeps of a Neovim that becomes narrower

---The width of a chat beside a file.
---@return integer
local function beside()
  local given = config.current.width
  return given <= 1 and math.max(CHAT, size(given, vim.o.columns)) or size(given, vim.o.columns)
end

---Where a chat goes when nobody says where: beside the file only where there is room for both.
---@return string
local function usual_layout()
  local layout = config.current.layout
  local is_column = layout == "right" or layout == "left"
  return is_column and vim.o.columns < NARROW and "below" or layout
end

local SPLITS = { right = "botright vertical", left = "topleft vertical", below = "botright", above = "topleft" }

---@param buf integer
---@param layout string
---@return integer win
local function split(buf, layout)
  if layout == "tab" then
    vim.cmd("tabnew")
  else
    vim.cmd(SPLITS[layout] .. " split")
  end
  local win = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(win, buf)
  if layout == "right" or layout == "left" then
    vim.api.nvim_win_set_width(win, beside())
  elseif layout ~= "tab" then
    vim.api.nvim_win_set_height(win, size(config.current.height, vim.o.lines))
  end
  return win
end

---Show a buffer where the chat would be, and go there.
---@param buf integer
---@param layout? string
function M.open_page(buf, layout)
  layout = layout or usual_layout()
  if layout == "float" then
    float.fitted(buf, { title = "agls", enter = true })
  else
    local win = split(buf, layout)
    set(win, PLAIN)
    set(win, { wrap = true, linebreak = true, conceallevel = 2, fillchars = "eob: " })
    statusline(win, " agls")
  end
end

---When Neovim becomes narrower it takes that from the last window alone: a chat of which hardly a column is left gets
---its part again.
---@param win integer
local function keep_part(win)
  vim.api.nvim_create_autocmd("VimResized", {
    callback = function()
      if not vim.api.nvim_win_is_valid(win) then
        return true -- no more of it
      elseif vim.api.nvim_win_get_width(win) < LEAST then
        vim.api.nvim_win_set_width(win, math.min(beside(), math.floor(vim.o.columns * 0.6)))
      end
    end,
  })
end

---@param shown agls.Shown|agls.Chat
---@param layout string
local function open_split(shown, layout)
  local upper = split(shown.buf, layout)
  M.dress_chat(upper)
  keep_part(upper)
  vim.cmd("rightbelow " .. config.current.prompt_height + 1 .. "split")
  local lower = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(lower, below_of(shown))
  return upper, lower
end

---The window of this tab that shows a chat, if there is one.
---@return integer? win
---@return agls.Chat?
function M.find()
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local shown = chat.all[vim.api.nvim_win_get_buf(win)]
    if shown then
      return win, shown
    end
  end
end

---Show a buffer in a window of ours, also where the user keeps that for what it shows.
---@param win integer
---@param buf integer
local function put(win, buf)
  local is_fixed = vim.wo[win].winfixbuf
  set(win, { winfixbuf = false })
  vim.api.nvim_win_set_buf(win, buf)
  set(win, { winfixbuf = is_fixed })
end

---Show a chat with its prompt, and go to the prompt. A chat that is shown already gives up its window.
---@param shown agls.Shown|agls.Chat
---@param layout? string
function M.open(shown, layout)
  local there, other = M.find()
  local upper, lower
  if there and not layout then
    upper = there
    lower = other and vim.fn.win_findbuf(prompt.of(other))[1]
    put(upper, shown.buf)
    M.dress_chat(upper)
    if not lower then
      vim.api.nvim_set_current_win(upper)
      vim.cmd("rightbelow " .. config.current.prompt_height + 1 .. "split")
      lower = vim.api.nvim_get_current_win()
    end
    put(lower, below_of(shown))
  else
    M.close()
    layout = layout or usual_layout()
    upper, lower = (layout == "float" and open_float or open_split)(shown, layout)
  end
  M.dress_prompt(lower)
  vim.api.nvim_win_set_cursor(upper, { vim.api.nvim_buf_line_count(shown.buf), 0 })
  vim.api.nvim_set_current_win(lower)
end

---Neovim gives the lines of a window that is closed to the last one: a prompt keeps the height that it had.
---@param closed integer
local function keep_height(closed)
  local tab = vim.api.nvim_win_get_tabpage(closed)
  local heights = {}
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
    local is_prompt = win ~= closed and vim.b[vim.api.nvim_win_get_buf(win)].agls_prompt
    if is_prompt and vim.api.nvim_win_get_config(win).relative == "" then
      heights[win] = vim.api.nvim_win_get_height(win)
    end
  end
  if not next(heights) or chat.all[vim.api.nvim_win_get_buf(closed)] then
    return
  end
  vim.schedule(function()
    for win, height in pairs(heights) do
      local is_alone = not vim.api.nvim_win_is_valid(win) or vim.fn.winlayout(vim.fn.win_id2tabwin(win)[1])[1] == "leaf"
      if not is_alone and vim.api.nvim_win_get_height(win) > height then
        vim.api.nvim_win_set_height(win, height)
      end
    end
  end)
end

---@param group integer
function M.setup(group)
  vim.api.nvim_create_autocmd("WinClosed", {
    group = group,
    callback = function(event)
      local closed = tonumber(event.match)
      if closed and vim.api.nvim_win_is_valid(closed) and vim.api.nvim_win_get_config(closed).relative == "" then
        keep_height(closed)
      end
    end,
  })
end

---Close a window, or empty the last one.
---@param win integer
function M.close_one(win)
  if not pcall(vim.api.nvim_win_close, win, false) then
    vim.api.nvim_win_call(win, function()
      vim.cmd("enew")
    end)
  end
end

---Close every chat and prompt of this tab; the sessions go on.
function M.close()
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buf = vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win)
    if buf and (chat.all[buf] or vim.b[buf].agls_prompt or vim.b[buf].agls_beginning) then
      M.close_one(win)
    end
  end
end

return M

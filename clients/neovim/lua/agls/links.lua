-- What the chat names: `gf` and a double click show a file where files are shown, never in place of the chat.

local notify = require("agls.notify")

local M = {}

---The target of the Markdown link under the cursor.
---@return string?
local function target_here()
  local column = vim.fn.col(".")
  for first, target, last in vim.api.nvim_get_current_line():gmatch("()%[[^%]]*%]%(([^%s)]+)%)()") do
    if first <= column and column < last then
      return target
    end
  end
end

---What follows the name under the cursor.
---@param name string
---@return string
local function after(name)
  local line, column = vim.api.nvim_get_current_line(), vim.fn.col(".")
  local first, last = line:find(name, 1, true)
  while first and last < column do
    first, last = line:find(name, last + 1, true)
  end
  return last and line:sub(last + 1) or ""
end

---The file under the cursor.
---@param root string
---@return string? path
---@return integer? line
local function file_here(root)
  local target = target_here()
  local name = target and target:match("^[^#]*") or vim.fn.expand("<cfile>")
  if name == "" then
    return nil
  end
  local rest = target and target:sub(#name + 1) or after(name)
  local path = vim.fs.normalize(vim.startswith(name, "file://") and vim.uri_to_fname(name) or name)
  path = vim.startswith(path, "/") and path or root .. "/" .. path
  local found = vim.uv.fs_stat(path)
  if found and found.type == "file" then
    return path, tonumber(rest:match("^:(%d+)") or rest:match("^#L(%d+)"))
  end
end

---@param win integer
---@return boolean
local function shows_files(win)
  return vim.api.nvim_win_get_config(win).relative == ""
    and vim.bo[vim.api.nvim_win_get_buf(win)].buftype == ""
    and not vim.wo[win].winfixbuf
end

---Go to a window for files: the one before, another one of this tab, or a new one.
local function enter_window()
  local wins = vim.api.nvim_tabpage_list_wins(0)
  table.insert(wins, 1, vim.fn.win_getid(vim.fn.winnr("#")))
  for _, win in ipairs(wins) do
    if vim.api.nvim_win_is_valid(win) and shows_files(win) then
      return vim.api.nvim_set_current_win(win)
    end
  end
  vim.cmd("topleft vertical new")
end

---@param path string
---@param line? integer
local function show(path, line)
  enter_window()
  vim.cmd("normal! m'")
  local buf = vim.fn.bufadd(path)
  vim.bo[buf].buflisted = true
  if not pcall(vim.cmd.buffer, buf) then
    vim.cmd.sbuffer(buf) -- what stands there may not be left
  end
  if line then
    vim.api.nvim_win_set_cursor(0, { math.min(line, vim.api.nvim_buf_line_count(0)), 0 })
    vim.cmd("normal! zv")
  end
end

---Make the keys of a chat.
---@param buf integer
---@param root string the folder of its session
function M.map(buf, root)
  local function key(lhs, does, act)
    vim.keymap.set("n", lhs, act, { buffer = buf, desc = "agls: " .. does })
  end
  local function go()
    local path, line = file_here(root)
    if path then
      return show(path, line)
    end
    notify.info("the cursor is on no name of a file")
  end
  key("gf", "show the file under the cursor", go)
  key("gF", "show the file under the cursor", go)
  key("<2-LeftMouse>", "show the file that was clicked", function()
    if file_here(root) then
      go()
    else
      vim.api.nvim_feedkeys(vim.keycode("<2-LeftMouse>"), "n", false)
    end
  end)
end

return M

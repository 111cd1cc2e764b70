-- Folds of the chat buffer: thoughts, long outputs and long diffs, each a fold of its own.

local text = require("agls.text")

local M = {}

---@type table<integer, integer> the first line that has to be looked at, from 0, by buffer
local touched = {}
local waiting = false

---@return agls.Chat?
local function chat_here()
  return require("agls.chat").all[vim.api.nvim_get_current_buf()]
end

---`foldexpr` of a chat window.
---@param line integer from 1
---@return string
function M.level(line)
  local shown = chat_here()
  local placed = shown and shown:at(line)
  if not placed or not placed.fold then
    return "0"
  end
  local inside = line - placed.first
  if inside < placed.fold or inside == #placed.lines then
    return "0"
  end
  return inside == placed.fold and ">1" or "1"
end

---`foldtext` of a chat window: what is in it, and while it runs its last line.
---@return table[] chunks
function M.text()
  local from, to = vim.v.foldstart, vim.v.foldend
  local shown = chat_here()
  local placed = shown and shown:at(from)
  local summary = placed and placed.summary or "folded"
  local count = placed and placed.count or to - from + 1
  local chunks = { { ("▸ %s, %d line%s"):format(summary, count, count == 1 and "" or "s"), "AglsFold" } }
  if placed and shown and shown.session:busy() then
    local item = shown.session.store.items[placed.id]
    if item and item.status == "running" then
      for line = to, from + 1, -1 do
        local last = vim.fn.getline(line)
        if last:match("[%w]") then
          chunks[#chunks + 1] = { "  " .. text.clip(last:gsub("^> ", ""), 80), "AglsDim" }
          break
        end
      end
    end
  end
  return chunks
end

local function update_all()
  for buf, low in pairs(touched) do
    touched[buf] = nil
    for _, win in ipairs(vim.fn.win_findbuf(buf)) do
      if vim._foldupdate then
        vim._foldupdate(win, low, vim.api.nvim_buf_line_count(buf))
      else
        vim.wo[win].foldmethod = vim.wo[win].foldmethod
      end
    end
  end
end

---Have the folds below a line looked at again: Neovim did so while the blocks were changing, or not at all while
---the user is in insert mode; then it is done when they leave it.
---@param buf integer
---@param low? integer from 0
function M.update(buf, low)
  if not low then
    return
  end
  touched[buf] = math.min(touched[buf] or low, low)
  if not vim.startswith(vim.api.nvim_get_mode().mode, "i") then
    return update_all()
  elseif not waiting then
    waiting = true
    vim.api.nvim_create_autocmd("InsertLeave", {
      once = true,
      callback = vim.schedule_wrap(function()
        waiting = false
        update_all()
      end),
    })
  end
end

return M

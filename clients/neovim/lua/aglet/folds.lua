-- Folds of the chat buffer: thoughts, long outputs and long diffs, each a fold of its own.

local chat = require("aglet.chat")

local M = {}

---`foldexpr` of a chat window.
---@param line integer from 1
---@return string
function M.level(line)
  local shown = chat.all[vim.api.nvim_get_current_buf()]
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

---`foldtext` of a chat window: what is in it, and while it runs what it said last.
---@return table[] chunks
function M.text()
  local from, to = vim.v.foldstart, vim.v.foldend
  local shown = chat.all[vim.api.nvim_get_current_buf()]
  local placed = shown and shown:at(from)
  local said = placed and placed.summary or "folded"
  local chunks = { { ("▸ %s, %d lines"):format(said, to - from + 1), "AgletFold" } }
  if placed and shown and shown.session:busy() then
    local item = shown.session.store.items[placed.id]
    if item and item.status == "running" then
      for line = to, from + 1, -1 do
        local last = vim.fn.getline(line)
        if last:match("[%w]") then
          chunks[#chunks + 1] = { "  " .. vim.trim((last:gsub("^> ", ""))):sub(1, 80), "AgletDim" }
          break
        end
      end
    end
  end
  return chunks
end

return M

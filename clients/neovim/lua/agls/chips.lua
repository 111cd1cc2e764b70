-- What goes with the next prompt, shown as chips at its beginning; each can be dropped.

local NAMESPACE = vim.api.nvim_create_namespace("agls.chips")

local M = {}

---@type table<string, agls.Chip[]> by session
local attached = {}

---@param session_id string
---@return agls.Chip[]
function M.of(session_id)
  return attached[session_id] or {}
end

---Draw the chips of a session into its prompt.
---@param buf integer
---@param session_id string
function M.draw(buf, session_id)
  vim.api.nvim_buf_clear_namespace(buf, NAMESPACE, 0, -1)
  local chunks = {}
  for _, chip in ipairs(M.of(session_id)) do
    vim.list_extend(chunks, { { " " .. chip.label .. " ", "AglsChip" }, { " " } })
  end
  if #chunks > 0 then
    vim.api.nvim_buf_set_extmark(buf, NAMESPACE, 0, 0, {
      virt_text = chunks,
      virt_text_pos = "inline",
      right_gravity = false,
    })
  end
end

---@type fun(session_id: string) the chips of a session are others now
M.on_change = function() end

---Attach something. What has the same name takes the place of what was there.
---@param session_id string
---@param chip agls.Chip
function M.add(session_id, chip)
  local kept = vim.tbl_filter(function(other)
    return other.label ~= chip.label
  end, M.of(session_id))
  kept[#kept + 1] = chip
  attached[session_id] = kept
  M.on_change(session_id)
end

---Drop the chip with this label; all of them without one.
---@param session_id string
---@param label? string
---@return agls.Chip[] dropped
function M.drop(session_id, label)
  local dropped, kept = {}, {}
  for _, chip in ipairs(M.of(session_id)) do
    table.insert((label == nil or chip.label == label) and dropped or kept, chip)
  end
  attached[session_id] = kept
  M.on_change(session_id)
  return dropped
end

return M

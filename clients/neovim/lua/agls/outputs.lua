-- Commands and other calls of the agent: their whole output, and going on without waiting for them.

local chat = require("agls.chat")
local notify = require("agls.notify")

local M = {}

local RANGE = { start = 0, ["end"] = 16 * 1024 * 1024 } -- bytes; the server keeps less of an output

---The call under the cursor of the chat; elsewhere the last one that fits.
---@param of agls.Session
---@param fits fun(item: agls.Item): boolean
---@return agls.Item?
local function call(of, fits)
  local shown = chat.all[vim.api.nvim_get_current_buf()]
  local placed = shown and shown.session == of and shown:at(vim.fn.line("."))
  local here = placed and of.store.items[placed.id]
  if here and fits(here) then
    return here
  end
  for number = #of.store.order, 1, -1 do
    local item = of.store.items[of.store.order[number]]
    if item and fits(item) then
      return item
    end
  end
end

---Show what was printed, below the other windows.
---@param title string
---@param text string
function M.open(title, text)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(text:gsub("\r\n?", "\n"), "\n", { plain = true }))
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].modifiable = false
  vim.cmd("botright sbuffer " .. buf)
  vim.wo[0][0].statusline = title:gsub("%s+", " "):gsub("%%", "%%%%") .. "%=q closes"
  vim.keymap.set("n", "q", "<cmd>close<cr>", { buffer = buf, desc = "close" })
end

---Show all that a call printed, as text that can be searched.
---@param of agls.Session
function M.show(of)
  local item = call(of, function(each)
    return each.kind == "toolCall" and (each.output or "") ~= ""
  end)
  if not item then
    return notify.info("no call of this session has printed anything yet")
  end
  of:request("agent/item", { itemId = item.itemId, field = "output", range = RANGE }, function(result, problem)
    if not result then
      return notify.failure(problem)
    end
    M.open(item.title or "output", result.text or item.output)
  end)
end

---Let the agent go on without waiting for a command.
---@param of agls.Session
function M.background(of)
  local item = call(of, function(each)
    return each.kind == "toolCall" and each.status == "running" and (each.input or {}).command ~= nil
  end)
  if not item then
    return notify.info("no command is running")
  end
  local move = { name = "task.background", input = { call_id = item.itemId } }
  of:request("agent/action/invoke", move, function(_, problem)
    if problem then
      return notify.failure(problem)
    end
    notify.info(("%s goes on in the background"):format(item.title or "the command"))
  end)
end

return M

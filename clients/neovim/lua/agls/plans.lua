-- The plan of a session: pinned above the prompt as the step that is next, and whole in a float.

local float = require("agls.float")
local notify = require("agls.notify")
local paint = require("agls.paint")
local text = require("agls.text")

local M = {}

local BOXES = { pending = "[ ]", inProgress = "[-]", done = "[x]", cancelled = "[~]" }

---The plan that holds now: the last one.
---@param of agls.Session
---@return agls.PlanItem?
local function current(of)
  for place = #of.store.order, 1, -1 do
    local item = of.store.items[of.store.order[place]]
    if item and item.kind == "plan" and #(item.entries or {}) > 0 then
      return item
    end
  end
end

---@param entries agls.PlanItemEntry[]
---@return integer done, integer count without those that are cancelled
local function counts(entries)
  local done, count = 0, 0
  for _, entry in ipairs(entries) do
    done = done + (entry.state == "done" and 1 or 0)
    count = count + (entry.state == "cancelled" and 0 or 1)
  end
  return done, count
end

---What is worked on, or comes next: "2 of 5: Test it". Empty without a plan, and when all of it is done.
---@param of agls.Session
---@return string
function M.line(of)
  local plan = current(of)
  if not plan then
    return ""
  end
  local done, count = counts(plan.entries)
  local next_one
  for _, entry in ipairs(plan.entries) do
    if entry.state == "inProgress" or (entry.state == "pending" and not next_one) then
      next_one = entry
      if entry.state == "inProgress" then
        break
      end
    end
  end
  return next_one and text.clip(("%d of %d: %s"):format(done, count, next_one.text), 60) or ""
end

---All of it, in a float.
---@param of agls.Session
function M.show(of)
  local plan = current(of)
  if not plan then
    return notify.info("this session has no plan")
  end
  local done, count = counts(plan.entries)
  local lines = {}
  for _, entry in ipairs(plan.entries) do
    local after = #(entry.after or {}) > 0 and (" (after %s)"):format(table.concat(entry.after, ", ")) or ""
    lines[#lines + 1] = ("- %s %d. %s%s"):format(BOXES[entry.state], entry.id, text.clip(entry.text, 200), after)
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = "wipe"
  paint.markdown(buf)
  vim.bo[buf].modifiable = false
  float.fitted(buf, { title = ("Plan: %d of %d done, q closes"):format(done, count), enter = true })
  vim.keymap.set("n", "q", "<cmd>close<cr>", { buffer = buf, nowait = true, desc = "agls: close" })
end

return M

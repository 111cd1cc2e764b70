-- Mappings of buffers that are the user's: they come with a reason, go with the last one, and take no key that means
-- something there already.

local config = require("agls.config")

local M = {}

---@type table<integer, table<string, table<string, fun()>>> by buffer and reason: actions by their names in `keys`
local wanted = {}

---@param buf integer
local function unmap(buf)
  for _, key in ipairs(vim.b[buf].agls_keys or {}) do
    pcall(vim.keymap.del, "n", key, { buffer = buf })
  end
  vim.b[buf].agls_keys = nil
end

---@param buf integer
local function map(buf)
  local made = {}
  for _, actions in pairs(wanted[buf] or {}) do
    for name, action in pairs(actions) do
      local key = config.key(name)
      local taken = key
        and vim.api.nvim_buf_call(buf, function()
          return vim.fn.maparg(key, "n") ~= ""
        end)
      if key and not taken then
        vim.keymap.set("n", key, action, { buffer = buf, desc = "agls: " .. name:gsub("_", " ") })
        made[#made + 1] = key
      end
    end
  end
  vim.b[buf].agls_keys = made
end

---@param buf integer
---@param reason string
---@param actions? table<string, fun()> nil when the reason is gone
local function change(buf, reason, actions)
  if not vim.api.nvim_buf_is_valid(buf) then
    wanted[buf] = nil
    return
  end
  unmap(buf)
  wanted[buf] = wanted[buf] or {}
  wanted[buf][reason] = actions
  map(buf)
end

---Map keys in a buffer.
---@param buf integer
---@param reason string
---@param actions table<string, fun()> by their names in `keys`
function M.add(buf, reason, actions)
  if not (wanted[buf] and wanted[buf][reason]) then
    change(buf, reason, actions)
  end
end

---Whether keys are mapped for this reason.
---@param buf integer
---@param reason string
---@return boolean
function M.has(buf, reason)
  return wanted[buf] ~= nil and wanted[buf][reason] ~= nil
end

---Take them away, unless there is another reason for them.
---@param buf integer
---@param reason string
function M.remove(buf, reason)
  if wanted[buf] and wanted[buf][reason] then
    change(buf, reason, nil)
  end
end

---How a user does an action here: its key and what it does, or the command when the key is the user's own.
---@param buf integer
---@param name string
---@param does string
---@param command string
---@return string
function M.label(buf, name, does, command)
  local key = config.key(name)
  if not key or not vim.list_contains(vim.b[buf].agls_keys or {}, key) then
    return command
  end
  local leader = vim.fn.keytrans(vim.g.maplocalleader or "\\")
  return key:gsub("<localleader>", (leader:gsub("%%", "%%%%"))) .. " " .. does
end

return M

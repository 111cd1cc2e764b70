-- What else can be done in a session: the actions of the server, as a menu and as slash commands.

local ask = require("agls.ask")
local client = require("agls.client")
local float = require("agls.float")
local mentions = require("agls.mentions")
local paint = require("agls.paint")

local M = {}

---@param title string
---@param lines string[]
local function show(title, lines)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = "wipe"
  paint.markdown(buf)
  vim.bo[buf].modifiable = false
  float.fitted(buf, { title = title, enter = true })
  vim.keymap.set("n", "q", "<cmd>close<cr>", { buffer = buf, desc = "close" })
end

---@param action agls.Action
---@param result agls.ActionInvokeResult
local function told(action, result)
  local text = {}
  for _, block in ipairs(result.output or {}) do
    text[#text + 1] = block.text
  end
  local whole = vim.trim(table.concat(text, "\n"))
  if whole == "" then
    return client.tell(action.title .. ": done")
  end
  local lines = vim.split(whole, "\n", { plain = true })
  if #lines == 1 and #whole < 100 then
    return client.tell(whole)
  end
  show(action.title, lines)
end

---@param value string
---@param field table
---@return any
local function typed(value, field)
  if field.type == "integer" or field.type == "number" then
    return tonumber(value) or value
  elseif field.type == "boolean" then
    return value == "true" or value == "yes"
  elseif field.type == "array" then
    return vim.split(value, "%s*,%s*")
  end
  return value
end

---@param schema table
---@return string[] names the required ones first
local function fields_of(schema)
  local names = vim.tbl_keys(schema.properties or {})
  local required = schema.required or {}
  table.sort(names, function(a, b)
    local needed_a, needed_b = vim.list_contains(required, a), vim.list_contains(required, b)
    if needed_a ~= needed_b then
      return needed_a
    end
    return a < b
  end)
  return names
end

---@param action agls.Action
---@param given table
---@param done fun(input: table)
---@param only_required boolean
local function fill(action, given, done, only_required)
  local schema = action.inputSchema
  for _, name in ipairs(fields_of(schema)) do
    local needed = vim.list_contains(schema.required or {}, name)
    if given[name] == nil and (needed or not only_required) then
      local field = schema.properties[name]
      local function go_on(value)
        if value == nil then
          return
        end
        given[name] = value ~= "" and typed(value, field) or (needed and value or vim.NIL)
        fill(action, given, done, only_required)
      end
      local prompt = ("%s: %s%s "):format(action.title, field.title or name, needed and "" or " (may be empty)")
      if field.enum then
        return vim.ui.select(field.enum, { prompt = prompt }, go_on)
      end
      return vim.ui.input({ prompt = prompt }, go_on)
    end
  end
  for name, value in pairs(given) do
    given[name] = value ~= vim.NIL and value or nil
  end
  done(given)
end

---@param of agls.Session
---@param action agls.Action
---@param given table
---@param only_required boolean
---@param failed fun(problem: table)
local function invoke(of, action, given, only_required, failed)
  fill(action, given, function(input)
    of:invoke(action.name, input, function(result, problem)
      if problem then
        return failed(problem)
      end
      told(action, result)
    end)
  end, only_required)
end

---Follow `/name words`: the words fill the first field that is asked for.
---@param of agls.Session
---@param name string
---@param rest string
---@param failed fun(problem: table)
function M.by_slash(of, name, rest, failed)
  mentions.know_actions(of, function()
    for _, action in ipairs(mentions.actions(of)) do
      if action.slash == "/" .. name or action.name == name then
        local given, first = {}, fields_of(action.inputSchema)[1]
        if rest ~= "" and first then
          given[first] = typed(rest, action.inputSchema.properties[first])
        end
        return invoke(of, action, given, true, failed)
      end
    end
    failed({ message = ("there is no /%s; `:Agls actions` shows what there is"):format(name) })
  end)
end

---A menu of everything that can be done.
---@param of agls.Session
function M.menu(of)
  mentions.know_actions(of, function()
    local now = of:busy() and "running" or "idle"
    local found = vim.tbl_filter(function(action)
      return action.when == "any" or action.when == now
    end, mentions.actions(of))
    local function text(action)
      return ("%s  %s"):format(action.slash, action.title)
    end
    ask.choice(found, { prompt = "agls can", kind = "action", text = text }, function(action)
      invoke(of, action, {}, false, client.tell_problem)
    end)
  end)
end

return M

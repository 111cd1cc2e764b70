-- What else can be done in a session: the actions of the server, as a menu.

local ask = require("agls.ask")
local float = require("agls.float")
local notify = require("agls.notify")
local paint = require("agls.paint")
local store = require("agls.store")
local text_of = require("agls.text")

local M = {}

local FIRST = { "Conversation", "Changes", "Work", "Model and context" } -- headings, as in the other client

---@param title string
---@param lines string[]
local function open(title, lines)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = "wipe"
  paint.markdown(buf)
  vim.bo[buf].modifiable = false
  local win = float.fitted(buf, { title = title .. ", q closes", enter = true })
  vim.wo[win].conceallevel, vim.wo[win].concealcursor = 2, "nc"
  vim.keymap.set("n", "q", "<cmd>close<cr>", { buffer = buf, desc = "close" })
end

---Show what came of a command, unless it is an item of the conversation.
---@param command agls.CommandResult
function M.show(command)
  if command.data and command.data.shownIn then
    return
  end
  local texts = vim.tbl_map(function(block)
    return block.text or ""
  end, command.output)
  local whole = vim.trim(table.concat(texts, "\n"))
  local lines = require("agls.tables").aligned(vim.split(whole, "\n", { plain = true }), float.room())
  if #lines == 1 and #whole < 100 then
    return notify.info(whole ~= "" and whole or command.name .. ": done")
  end
  open(command.name, lines)
end

---@param value string
---@return string
local function quoted(value)
  return '"' .. value:gsub('["\\]', "\\%0") .. '"'
end

---The action as the user would type it, with what they are asked for.
---@param action agls.Action
---@param done fun(command: string)
local function write(action, done)
  local schema, words = action.inputSchema, { action.slash }
  local required, properties = schema.required or {}, schema.properties or {}
  local others = vim.tbl_filter(function(name)
    return not vim.list_contains(required, name)
  end, vim.tbl_keys(properties))
  table.sort(others)
  local names = vim.list_extend(vim.list_slice(required), others)
  local function fill(place)
    local name = names[place]
    if not name then
      return done(table.concat(words, " "))
    end
    local field, needed = properties[name], place <= #required
    local function go_on(value)
      if value == nil then
        return
      elseif field.format == "words" then
        words[#words + 1] = value -- exactly as it was typed
      elseif value ~= "" or needed then
        local values = field.type == "array" and vim.split(value, "%s*,%s*") or { value }
        words[#words + 1] = name .. "=" .. table.concat(vim.tbl_map(quoted, values), " ")
      end
      fill(place + 1)
    end
    local prompt = ("%s: %s%s "):format(action.title, field.title or name, needed and "" or " (may be empty)")
    if field.enum then
      return vim.ui.select(field.enum, { prompt = prompt }, go_on)
    end
    vim.ui.input({ prompt = prompt }, go_on)
  end
  fill(1)
end

---Do one action; a failure is told to the user.
---@param of agls.Session
---@param name string
---@param input table
---@param done fun(data: table, said: string) with its data, and what it says of itself
function M.invoke(of, name, input, done)
  of:request("agent/action/invoke", { name = name, input = input }, function(result, problem)
    if not result then
      return notify.failure(problem)
    end
    done(result.data or {}, store.words(result.output))
  end)
end

---By their headings, which stand in the order of their use.
---@param found agls.Action[]
---@return string[] names
---@return table<string, agls.Action[]> groups
local function grouped(found)
  local names, groups = vim.list_slice(FIRST), {}
  for _, action in ipairs(found) do
    local name = action.group or "More"
    if not groups[name] and not vim.list_contains(names, name) then
      names[#names + 1] = name
    end
    groups[name] = groups[name] or {}
    table.insert(groups[name], action)
  end
  return vim.tbl_filter(function(name)
    return groups[name] ~= nil
  end, names), groups
end

---Whether the user has a picker of their own, in which they search.
---@return boolean
local function has_picker()
  return not debug.getinfo(vim.ui.select, "S").source:find("vim/ui.lua", 1, true)
end

---@param of agls.Session
---@param offered agls.Action[]
local function choose(of, offered)
  local function text(action)
    return text_of.clip(("%s  %s"):format(action.slash, action.title), vim.o.columns - 8)
  end
  ask.choice(offered, { prompt = "agls can", kind = "action", text = text }, function(action)
    write(action, function(command)
      of:run(command)
    end)
  end)
end

---A menu of everything that can be done.
---@param of agls.Session
function M.menu(of)
  of:actions(function(actions, problem)
    if not actions then
      return notify.failure(problem)
    end
    local now = of:busy() and "running" or "idle"
    local found = vim.tbl_filter(function(action)
      return action.when == "any" or action.when == now
    end, actions)
    local names, groups = grouped(found)
    if has_picker() then
      return choose(
        of,
        vim
          .iter(names)
          :map(function(name)
            return groups[name]
          end)
          :flatten(1)
          :totable()
      )
    end
    local function text(name) -- Neovim's own list has no search: one of that length has no end
      return ("%-18s %d commands"):format(name, #groups[name])
    end
    ask.choice(names, { prompt = "What shall be done?", kind = "actions", text = text }, function(name)
      choose(of, groups[name])
    end)
  end)
end

return M

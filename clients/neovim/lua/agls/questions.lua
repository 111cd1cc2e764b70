-- Questions of the agent, one at a time, through vim.ui.select and vim.ui.input, so that the user's pickers work.

local amend = require("agls.amend")
local client = require("agls.client")
local preview = require("agls.preview")
local session = require("agls.session")

---@class agls.Open a question, and the request that waits for its answer
---@field params table
---@field thread thread
---@field kind "permission"|"form"
---@field done boolean
---@field told? boolean the user knows that it waits

local M = {}

---@type agls.Open[]
M.waiting = {}

---@type agls.Open?
local shown

---@param open agls.Open
---@param answer table
local function answer(open, answer_)
  if open.done then
    return
  end
  open.done = true
  M.waiting = vim.tbl_filter(function(other)
    return other ~= open
  end, M.waiting)
  if shown == open then
    M.hide()
  end
  coroutine.resume(open.thread, answer_)
  vim.schedule(M.next)
end

local REJECT = { outcome = "dismissed" }

---No question is shown any more.
function M.hide()
  shown = nil
  preview.close()
  amend.close()
end

---The input of the call that is asked about, when it is a command that the user may change.
---@param params agls.PermissionParams
---@return table? input
local function command_of(params)
  local of = session.all[params.sessionId]
  local item = of and params.itemId and of.store.items[params.itemId]
  local input = item and item.input
  return type(input) == "table"
      and type(input.command) == "string"
      and params.subject
      and params.subject.command
      and input
    or nil
end

---@param open agls.Open
---@param option agls.Option
---@param input table
local function ask_command(open, option, input)
  preview.close()
  amend.command(input.command, function(command)
    if open.done then
      return
    elseif not command then
      return M.show(open)
    end
    local changed = command ~= input.command and vim.tbl_extend("force", input, { command = command }) or nil
    answer(open, { outcome = "selected", optionId = option.optionId, input = changed })
  end)
end

---@param open agls.Open
local function ask_reason(open, option)
  vim.ui.input({ prompt = "Why not? (the model reads it) " }, function(reason)
    if reason == nil then
      return M.show(open)
    end
    local feedback = reason ~= "" and reason or nil
    answer(open, { outcome = "selected", optionId = option.optionId, feedback = feedback })
  end)
end

local function later()
  M.hide()
  client.tell("the question waits; `:Agls answer` asks it again")
end

---@param option agls.Option
---@return string
local function label_of(option)
  if option.rule and option.rule ~= "" then
    return ("%s  (saves the rule: %s)"):format(option.label, option.rule)
  end
  return option.label
end

---@class agls.Choice
---@field text string
---@field act fun(open: agls.Open)

---@param params agls.PermissionParams
---@return agls.Choice[]
local function choices_of(params)
  local choices, input = {}, command_of(params)
  local function offer(text, act)
    choices[#choices + 1] = { text = text, act = act }
  end
  for _, option in ipairs(params.options or {}) do
    offer(label_of(option), function(open)
      answer(open, { outcome = "selected", optionId = option.optionId })
    end)
    if option.scope == "once" and option.decision == "reject" then
      offer(option.label .. ", and say why…", function(open)
        ask_reason(open, option)
      end)
    elseif option.scope == "once" and input then
      offer("Change the command first…", function(open)
        ask_command(open, option, input)
      end)
    end
  end
  offer("Later  (:Agls answer)", later)
  return choices
end

---@param open agls.Open
local function ask_permission(open)
  local params = open.params
  preview.question(params)
  vim.ui.select(choices_of(params), {
    prompt = preview.headline(params),
    kind = "agls.permission",
    format_item = function(choice)
      return choice.text
    end,
  }, function(choice)
    if not open.done then
      (choice and choice.act or later)(open)
    end
  end)
end

---@param schema table
---@return string[] names, those with choices first
local function fields_of(schema)
  local names = vim.tbl_keys(schema.properties or {})
  table.sort(names, function(a, b)
    local has_a, has_b = schema.properties[a].enum ~= nil, schema.properties[b].enum ~= nil
    if has_a ~= has_b then
      return has_a
    end
    return a < b
  end)
  return names
end

local OWN_WORDS = "In your own words…"

---@param open agls.Open
---@param names string[]
---@param place integer
---@param content table
local function ask_field(open, names, place, content)
  local schema = open.params.schema
  local name = names[place]
  if not name then
    local given = next(content) ~= nil
    return answer(open, given and { outcome = "accept", content = content } or { outcome = "decline" })
  end
  local field = schema.properties[name]
  local agent = open.params.agentId
  local helper = agent and agent ~= "main" and (agent .. ": ") or ""
  local prompt = helper .. (open.params.message or open.params.title or "agls asks")
  local function go_on(value)
    if value == nil then
      return answer(open, { outcome = "decline" })
    end
    if value ~= "" then
      content[name] = value
    end
    ask_field(open, names, place + 1, content)
  end
  if not field.enum then
    return vim.ui.input({ prompt = prompt .. " " }, go_on)
  end
  local choices = vim.list_extend({}, field.enum)
  local more = place < #names
  if more then
    choices[#choices + 1] = OWN_WORDS
  end
  vim.ui.select(choices, { prompt = prompt, kind = "agls.question" }, function(choice)
    if choice == OWN_WORDS and more then
      return go_on("")
    elseif choice and more then -- it is answered: the other fields are for other words
      content[name] = choice
      return answer(open, { outcome = "accept", content = content })
    end
    go_on(choice)
  end)
end

---Put a question to the user now.
---@param open agls.Open
function M.show(open)
  shown = open
  if open.kind == "permission" then
    ask_permission(open)
  else
    ask_field(open, fields_of(open.params.schema or {}), 1, {})
  end
end

---Whether a prompt would take keys that are meant for something else.
---@return boolean
local function typing()
  local mode = vim.api.nvim_get_mode()
  return mode.blocking or not vim.startswith(mode.mode, "n") or vim.fn.getcmdwintype() ~= ""
end

---Ask the oldest question that waits, unless one is shown or the user types: then it comes when they stop.
function M.next()
  local open = M.waiting[1]
  if shown or not open then
    return
  end
  if not typing() then
    return M.show(open)
  end
  if open.told then
    return
  end
  open.told = true
  client.tell("waits for your answer: " .. preview.headline(open.params))
  vim.api.nvim_create_autocmd("ModeChanged", {
    pattern = "*:n*",
    once = true,
    callback = vim.schedule_wrap(function()
      open.told = nil
      M.next()
    end),
  })
end

---Ask again what was put off.
function M.again()
  shown = nil
  if #M.waiting == 0 then
    return client.tell("nothing waits for an answer")
  end
  M.show(M.waiting[1])
end

---A handler of a server's request: it waits for the user and gives the answer.
---@param kind "permission"|"form"
---@param params table
---@return table
function M.ask(kind, params)
  for _, open in ipairs(vim.list_slice(M.waiting)) do
    if open.params.requestId == params.requestId then
      M.withdraw(params.requestId) -- asked again after a reconnect
    end
  end
  local open = { params = params, kind = kind, thread = coroutine.running(), done = false }
  M.waiting[#M.waiting + 1] = open
  vim.api.nvim_exec_autocmds("User", { pattern = "AglsQuestion", data = params })
  vim.schedule(M.next)
  return coroutine.yield()
end

---A question was answered elsewhere, or its run ended: nobody is asked any more.
---@param request_id string
function M.withdraw(request_id)
  for _, open in ipairs(vim.list_slice(M.waiting)) do
    if open.params.requestId == request_id then
      answer(open, open.kind == "permission" and REJECT or { outcome = "cancel" })
    end
  end
end

---The server is gone, and with it who asked.
function M.forget()
  local waiting = M.waiting
  M.waiting = {}
  M.hide()
  for _, open in ipairs(waiting) do
    open.done = true
  end
end

return M

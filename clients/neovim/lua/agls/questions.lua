-- Questions of the agent, one at a time, in a window that blocks nothing (question_window.lua).

local amend = require("agls.amend")
local client = require("agls.client")
local notify = require("agls.notify")
local question_window = require("agls.question_window")
local session = require("agls.session")

---@class agls.Open a question, and the request that waits for its answer
---@field params table
---@field thread thread
---@field kind "permission"|"form"
---@field done boolean
---@field asker integer the id of the server's client
---@field is_shown? boolean the user knows that it waits
---@field wanted? boolean the user came to answer it
---@field comment? string it goes with whatever answer is taken

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

---@param open agls.Open
---@param option agls.Option
---@param more? table
local function select(open, option, more)
  local chosen = { outcome = "selected", optionId = option.optionId, feedback = open.comment }
  answer(open, vim.tbl_extend("force", chosen, more or {}))
end

local REJECT = { outcome = "dismissed" }

---No question is shown any more.
function M.hide()
  shown = nil
  question_window.close()
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
  question_window.close()
  amend.command(input.command, function(command)
    if open.done then
      return
    elseif not command then
      return M.show(open)
    end
    local changed = command ~= input.command and vim.tbl_extend("force", input, { command = command }) or nil
    select(open, option, { input = changed })
  end)
end

---The plan that is asked about, when this is a question about one.
---@param params agls.PermissionParams
---@return string?
local function plan_of(params)
  local plan = params.kind == "plan" and params.subject and params.subject.plan
  return type(plan) == "string" and plan or nil
end

---@param open agls.Open
---@param option agls.Option
---@param plan string
local function ask_plan(open, option, plan)
  question_window.close()
  amend.plan(plan, function(changed)
    if open.done then
      return
    elseif not changed then
      return M.show(open)
    end
    select(open, option, { input = changed ~= plan and { plan = changed } or nil })
  end)
end

---@param open agls.Open
local function ask_reason(open, option)
  local about = plan_of(open.params) and "What is missing? " or "Why not? "
  vim.ui.input({ prompt = about .. "(the model reads it) " }, function(reason)
    if reason == nil or open.done then
      return
    end
    select(open, option, { feedback = reason ~= "" and reason or nil })
  end)
end

---Words for the agent, which go with any answer: the question is shown again with them.
---@param open agls.Open
local function ask_comment(open)
  vim.ui.input({ prompt = "What the agent shall know: ", default = open.comment }, function(words)
    if words and not open.done then
      open.comment, open.wanted = words ~= "" and words or nil, true
      M.show(open)
    end
  end)
end

local function later()
  M.hide()
  notify.info("the question waits; `:Agls answer` asks it again")
end

---@param open agls.Open
---@return agls.Choice[]
local function choices_of(open)
  local choices, input, plan = {}, command_of(open.params), plan_of(open.params)
  local function offer(words, allows, act)
    choices[#choices + 1] = { text = words, allows = allows, act = act }
  end
  for _, option in ipairs(open.params.options or {}) do
    local allows = option.decision ~= "reject"
    offer(option.label, allows, function()
      select(open, option)
    end)
    if option.optionId == "reject" then
      offer(option.label .. (plan and ", and say what is missing…" or ", and say why…"), false, function()
        ask_reason(open, option)
      end)
    elseif option.scope == "once" and input then
      offer("Change the command first…", true, function()
        ask_command(open, option, input)
      end)
    elseif option.scope == "once" and plan then
      offer("Change the plan first…", true, function()
        ask_plan(open, option, plan)
      end)
    end
  end
  if plan then
    offer("Comment on the plan…", false, function()
      ask_comment(open)
    end)
  end
  offer("Later  (:Agls answer)", false, later)
  return choices
end

---Whether the user sits in an empty prompt of agls, and waits.
---@return boolean
local function waits_here()
  return vim.b.agls_prompt and vim.api.nvim_buf_get_lines(0, 0, -1, false)[1] == "" and vim.fn.line("$") == 1
end

---@param open agls.Open
---@param body { text: string, whole: boolean, choices: agls.Choice[] }
local function put(open, body)
  local params = open.params
  local helper = params.agentId and params.agentId ~= "main" and (params.agentId .. ": ") or ""
  local title = helper .. (params.title or params.message or "agls asks")
  local focused = open.wanted or waits_here()
  title = params.reason and (title .. "\n" .. params.reason) or title
  question_window.show({
    title = open.comment and (title .. "\nYour comment: " .. open.comment) or title,
    text = body.text,
    whole = body.whole,
    choices = body.choices,
    later = later,
  }, open.wanted and "wanted" or (focused and "waited"))
  if not focused then
    notify.info(question_window.headline(params) .. "  `:Agls answer` goes there")
  end
end

---@param open agls.Open
local function ask_permission(open)
  local seen = open.params.shown or { text = "", whole = false }
  put(open, { text = seen.text, whole = seen.whole, choices = choices_of(open) })
end

---@param field table
---@return string[]? the answers to choose from, of which one may be taken, or several of a list
local function answers_of(field)
  return field.enum or (field.items or {}).enum
end

---@param schema table
---@return string[] names, those with choices first
local function fields_of(schema)
  local names = vim.tbl_keys(schema.properties or {})
  table.sort(names, function(a, b)
    local has_a, has_b = answers_of(schema.properties[a]) ~= nil, answers_of(schema.properties[b]) ~= nil
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
---@param picked? table<string, boolean> those that are chosen so far, where several may be
local function ask_field(open, names, place, content, picked)
  local schema = open.params.schema
  local name = names[place]
  if not name then
    local given = next(content) ~= nil
    return answer(open, given and { outcome = "accept", content = content } or { outcome = "decline" })
  end
  local field = schema.properties[name]
  local function go_on(value)
    if value == nil then
      return answer(open, { outcome = "decline" })
    end
    if value ~= "" then
      content[name] = value
    end
    ask_field(open, names, place + 1, content)
  end
  local choices = {}
  local function offer(words, act)
    choices[#choices + 1] = { text = words, act = act }
  end
  local more, answers = place < #names, answers_of(field)
  local function take(value)
    if more then -- it is answered: the other fields are for other words
      content[name] = value
      return answer(open, { outcome = "accept", content = content })
    end
    go_on(value)
  end
  if field.type == "array" and answers then
    local chosen = {}
    for _, value in ipairs(answers) do
      local is_picked = picked ~= nil and picked[value] == true
      if is_picked then
        chosen[#chosen + 1] = value
      end
      offer((is_picked and "[x] " or "[ ] ") .. value, function()
        local now = vim.tbl_extend("force", picked or {}, { [value] = not is_picked })
        ask_field(open, names, place, content, now)
      end)
    end
    if #chosen > 0 then
      offer("Done: " .. table.concat(chosen, ", "), function()
        take(chosen)
      end)
    end
  else
    for _, value in ipairs(answers or {}) do
      offer(value, function()
        take(value)
      end)
    end
  end
  if more and answers then
    offer(OWN_WORDS, function()
      go_on("")
    end)
  elseif not answers then
    offer(OWN_WORDS, function()
      vim.ui.input({ prompt = (field.title or open.params.message or "Your answer") .. " " }, function(value)
        if value then
          go_on(value)
        end
      end)
    end)
  end
  offer("No answer", function()
    answer(open, { outcome = "decline" })
  end)
  offer("Later  (:Agls answer)", later)
  put(open, { text = field.description or "", whole = true, choices = choices })
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
  if open.is_shown then
    return
  end
  open.is_shown = true
  notify.info("waits for your answer: " .. question_window.headline(open.params))
  vim.api.nvim_create_autocmd("ModeChanged", {
    pattern = "*:n*",
    once = true,
    callback = vim.schedule_wrap(function()
      open.is_shown = nil
      M.next()
    end),
  })
end

---Go to the question that waits, or give it the answer with this number.
---@param number? integer
function M.again(number)
  local open = M.waiting[1]
  if not open then
    return notify.info("nothing waits for an answer")
  elseif not number then
    open.wanted = true
  end
  if not question_window.is_open() then
    M.show(open)
  end
  if not number then
    return question_window.focus()
  end
  local problem = question_window.choose(number)
  if problem then
    notify.warn(problem)
  end
end

---A handler of a server's request: it waits for the user and returns the answer.
---@param kind "permission"|"form"
---@param params table
---@param asker integer
---@return table
function M.ask(kind, params, asker)
  for _, open in ipairs(vim.list_slice(M.waiting)) do
    if open.params.requestId == params.requestId then
      M.withdraw(params.requestId) -- asked again after a reconnect
    end
  end
  local open = { params = params, kind = kind, thread = coroutine.running(), done = false, asker = asker }
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

---A server is gone, and with it who asked. The questions of other servers stay, whatever session they are of.
function M.forget()
  local alive = {}
  for _, at in pairs(client.all) do
    alive[at.lsp and at.lsp.id or 0] = true
  end
  local kept = {}
  for _, open in ipairs(M.waiting) do
    if alive[open.asker] then
      kept[#kept + 1] = open
    else
      open.done = true
      if shown == open then
        M.hide()
      end
    end
  end
  M.waiting = kept
  vim.schedule(M.next)
end

return M

-- Questions of the agent, one at a time, in a float that takes no focus and blocks nothing (question_window.lua).

local amend = require("agls.amend")
local client = require("agls.client")
local notify = require("agls.notify")
local question_diff = require("agls.question_diff")
local question_form = require("agls.question_form")
local question_window = require("agls.question_window")
local session = require("agls.session")

---@class agls.Open a question, and the request that waits for its answer
---@field params table
---@field thread thread
---@field kind "permission"|"form"|"message"
---@field done boolean
---@field asker integer the id of the server's client
---@field is_announced? boolean the user knows that it waits
---@field wanted? boolean the user came to answer it
---@field put_off? boolean they want to answer it later: it comes by itself no more
---@field comment? string it goes with whatever answer is taken

local M = {}

---@type agls.Open[]
M.waiting = {}

---@type agls.Open?
local shown

---@type { of: agls.Open, win?: integer }? what says that a question waits, while the user types
local note

---It may lie over the question.
local function close_note()
  if note and note.win and vim.api.nvim_win_is_valid(note.win) then
    vim.api.nvim_win_close(note.win, true)
  end
  note = nil
end

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
  if note and note.of == open then
    close_note()
  end
  question_diff.close(open.params)
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

---@param open agls.Open
---@return integer
local function rank(open)
  return open.put_off and 3 or (open.kind == "message" and 2 or 1)
end

---Put a question where its turn is: what work waits for comes before messages, and what was put off last.
---@param open agls.Open
local function line_up(open)
  local before = vim.iter(ipairs(M.waiting)):find(function(_, other)
    return rank(other) > rank(open)
  end)
  table.insert(M.waiting, before or #M.waiting + 1, open)
end

---The question that is shown makes room for those that come behind it.
local function later()
  local put_off = shown
  for _, open in ipairs(M.waiting) do
    open.wanted = nil
  end
  M.hide()
  if put_off and not put_off.done then
    put_off.put_off = true
    M.waiting = vim.tbl_filter(function(open)
      return open ~= put_off
    end, M.waiting)
    line_up(put_off)
  end
  if M.waiting[1] and not M.waiting[1].put_off then
    return vim.schedule(M.next)
  end
  notify.info("the question waits; `:Agls answer` asks it again")
end

---@param open agls.Open
---@return agls.Choice[]
local function choices_of(open)
  local choices, input, plan = {}, command_of(open.params), plan_of(open.params)
  local allowed = false -- the first yes is that of the key: no later one is narrower
  local function offer(words, allows, act, role)
    choices[#choices + 1] = { text = words, allows = allows, act = act, role = role }
  end
  for _, option in ipairs(open.params.options or {}) do
    local allows = option.decision ~= "reject"
    local role = not allows and "reject" or (not allowed and option.scope == "once" and "allow") or nil
    allowed = allowed or role == "allow"
    offer(option.label, allows, function()
      select(open, option)
    end, role)
    if option.optionId == "reject" then
      offer(option.label .. (plan and ", and say what is missing…" or ", and say why…"), false, function()
        ask_reason(open, option)
      end, "reason")
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

---@param open agls.Open
---@param body { text: string, whole: boolean, choices: agls.Choice[] }
local function put(open, body)
  local params = open.params
  local helper = params.agentId and params.agentId ~= "main" and (params.agentId .. ": ") or ""
  local title = helper .. (params.title or params.message or "agls asks")
  title = params.reason and (title .. "\n" .. params.reason) or title
  question_window.show({
    title = open.comment and (title .. "\nYour comment: " .. open.comment) or title,
    text = body.text,
    whole = body.whole,
    choices = body.choices,
    more = #M.waiting - 1,
    diff = question_diff.has(params),
    later = later,
  }, open.wanted)
end

---@param open agls.Open
local function ask_permission(open)
  local seen = open.params.shown or { text = "", whole = false }
  put(open, { text = seen.text, whole = seen.whole, choices = choices_of(open) })
end

---A message with buttons: whether this folder is trusted, whether an interrupted session goes on.
---@param open agls.Open
local function ask_message(open)
  local choices = {}
  for _, action in ipairs(open.params.actions) do
    choices[#choices + 1] = {
      text = action.title,
      act = function()
        answer(open, action)
      end,
    }
  end
  choices[#choices + 1] = { text = "Later  (:Agls answer)", act = later }
  put(open, { text = open.params.text, whole = true, choices = choices })
end

---Put a question to the user now.
---@param open agls.Open
function M.show(open)
  shown, open.is_announced = open, nil
  close_note()
  if open.kind == "message" then
    ask_message(open)
  elseif open.kind == "permission" then
    ask_permission(open)
  else
    question_form.ask(open, { put = put, answer = answer, later = later })
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
  if shown or not open or open.put_off then
    return
  end
  if not typing() then
    return M.show(open)
  end
  vim.api.nvim_create_autocmd("ModeChanged", {
    group = vim.api.nvim_create_augroup("agls.questions", {}),
    pattern = "*:n*", -- a command that Neovim runs meanwhile may be in that mode for a moment
    once = true,
    callback = vim.schedule_wrap(M.next),
  })
  if not open.is_announced then
    open.is_announced = true
    close_note()
    note = { of = open, win = notify.info("waits for your answer: " .. question_window.headline(open.params)) }
  end
end

---Go to the question that waits, or give it the answer with this number.
---@param number? integer
function M.again(number)
  local open = M.waiting[1]
  if not open then
    return notify.info("nothing waits for an answer")
  end
  local state = question_window.state()
  if number then
    if not state then
      M.show(open)
    end
    local problem = question_window.choose(number)
    return problem and notify.warn(problem) or nil
  end
  open.wanted = true
  if not state or not state.large then
    M.show(open)
  end
  question_window.focus()
end

---Do what a key of a question stands for.
---@param name "allow"|"reject"|"reason"|"whole"|"diff"
---@return boolean is_done false when nothing waits
function M.act(name)
  local open = M.waiting[1]
  if not open then
    return false
  elseif name == "diff" then
    question_diff.open(open.params)
  elseif name == "whole" then
    M.again()
  elseif not question_window.is_open() then
    M.show(open) -- who answers has seen what they answer
  else
    local _, number = question_window.role(name)
    if number then
      question_window.press(number)
    else
      M.again()
    end
  end
  return true
end

---A handler of a server's request: it waits for the user and returns the answer.
---@param kind "permission"|"form"|"message"
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
  line_up(open)
  if shown and shown ~= M.waiting[1] and M.waiting[1] == open and not shown.wanted then
    M.hide()
  end
  vim.api.nvim_exec_autocmds("User", { pattern = "AglsQuestion", data = params })
  vim.schedule(M.next)
  return coroutine.yield()
end

local messages = 0

---Ask what a message of LSP asks, where it blocks nothing. The answer is one of its actions.
---@param params table
---@param asker integer
---@return table|userdata
function M.ask_message(params, asker)
  if #(params.actions or {}) == 0 then
    notify.warn(params.message)
    return vim.NIL
  end
  messages = messages + 1
  local first, rest = params.message:match("^(.-[.?!])%s+(.*)$")
  local given = { requestId = "message-" .. messages, title = first or params.message, text = rest or "" }
  given.actions = params.actions
  return M.ask("message", given, asker)
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

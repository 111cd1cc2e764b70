-- agls in Neovim: `require("agls").setup{}`, then `:Agls`. The functions here are for mappings and other plugins.

local beginning = require("agls.beginning")
local changes = require("agls.changes")
local chips = require("agls.chips")
local chat = require("agls.chat")
local client = require("agls.client")
local config = require("agls.config")
local code_queries = require("agls.code_queries")
local diagnostics = require("agls.diagnostics")
local edits = require("agls.edits")
local focus = require("agls.focus")
local inline_edit = require("agls.inline_edit")
local notify = require("agls.notify")
local prompt = require("agls.prompt")
local questions = require("agls.questions")
local secrets = require("agls.secrets")
local session = require("agls.session")
local status = require("agls.status")
local trouble = require("agls.trouble")
local window = require("agls.window")

local M = {}

---@type agls.Session? the one that was used last
M.latest = nil
local is_set_up = false

local LINKS = {
  AglsTitle = "Title",
  AglsChip = "PmenuSel",
  AglsDim = "Comment",
  AglsFold = "Folded",
  AglsOk = "DiagnosticOk",
  AglsFailed = "DiagnosticError",
  AglsRunning = "DiagnosticInfo",
  AglsWaiting = "DiagnosticWarn",
  AglsAdded = "DiffAdd",
  AglsChanged = "DiffChange",
  AglsRemoved = "DiffDelete",
}

---@param pattern string
---@param data table
local function announce(pattern, data)
  vim.api.nvim_exec_autocmds("User", { pattern = pattern, modeline = false, data = data })
end

local ANNOUNCED = {
  runStarted = "AglsRunStarted",
  runEnded = "AglsRunEnded",
  sessionState = "AglsState",
  itemCompleted = "AglsItem",
  requestResolved = "AglsAnswered",
}

---@param events agls.Event[]
local function take(events)
  local by_session = {}
  for _, event in ipairs(events) do
    by_session[event.sessionId] = by_session[event.sessionId] or {}
    table.insert(by_session[event.sessionId], event)
  end
  for id, mine in pairs(by_session) do
    local of = session.all[id]
    if of then
      of:take(mine)
    end
    for _, other in pairs(mine[1].parentItemId and session.all or {}) do
      if other ~= of then
        other:take_helper(mine)
      end
    end
  end
  local changed = false
  for _, event in ipairs(events) do
    if event.type == "requestResolved" then
      questions.withdraw(event.data.requestId)
    elseif event.type == "notice" then
      local warns = event.data.severity == "warning" or event.data.severity == "error"
      local words = event.data.text:gsub("agent/resume with takeControl", "`:Agls takeover`")
      notify[warns and "warn" or "info"](event.data.title .. ": " .. words)
    end
    if ANNOUNCED[event.type] then
      announce(ANNOUNCED[event.type], event)
    end
    changed = changed or event.type ~= "itemDelta"
  end
  if changed then
    status.redraw()
  end
end

---@type table<string, function>
local handlers = {
  ["agent/event"] = function(_, params)
    take(params.events)
  end,
  ["agent/requestPermission"] = function(_, params, context)
    return questions.ask("permission", params, context.client_id)
  end,
  ["agent/askUser"] = function(_, params, context)
    return questions.ask("form", params, context.client_id)
  end,
  ["window/showMessage"] = function(_, params)
    local words = params.message:gsub("^agls: ", "") -- they are said with that name
    notify[params.type == 1 and "error" or (params.type == 2 and "warn" or "info")](words)
  end,
  ["window/showMessageRequest"] = function(_, params, context)
    return questions.ask_message(params, context.client_id)
  end,
  ["agent/editDelta"] = function(_, params)
    inline_edit.take(params)
  end,
  ["agent/diagnostics"] = function(_, params, context)
    local at = vim.iter(pairs(client.all)):find(function(_, one)
      return one.lsp and one.lsp.id == context.client_id
    end)
    return diagnostics.answer(params, client.all[at])
  end,
  ["agent/codeQuery"] = function(_, params, context)
    return code_queries.answer(params, context.client_id)
  end,
  ["agent/secret"] = function(_, params)
    return secrets.answer(params)
  end,
  ["agent/saveDocuments"] = function(_, params)
    return edits.save(params)
  end,
  ["workspace/applyEdit"] = function(_, params, context)
    return edits.apply(params, assert(vim.lsp.get_client_by_id(context.client_id)).offset_encoding)
  end,
  ["workspace/didChangeWatchedFiles"] = function(_, params)
    edits.changed_on_disk(params)
  end,
}

---The client of a folder, of the current one when none is named.
---@param root? string
---@return agls.Client
function M.client(root)
  root = vim.fs.normalize(vim.uv.fs_realpath(root or (config.current.root or vim.fn.getcwd)()) or vim.fn.getcwd())
  local made = client.of(root, handlers)
  made.on_ready = function()
    focus.greet(made)
    for _, of in pairs(session.all) do
      if of.client == made then
        of:resume()
      end
    end
    if trouble.is_open(made) then
      require("agls.options").know_models(made)
    end
    announce("AglsReady", { root = root })
  end
  made.on_state = function()
    if made.state ~= "ready" then
      questions.forget()
      changes.forget()
    end
    if made.state == "stopped" then
      inline_edit.forget(made)
    end
    status.redraw()
  end
  return made
end

---The session that is meant: of this buffer, of this tab, the last one.
---@return agls.Session?
function M.current()
  local here = prompt.chat_of(vim.api.nvim_get_current_buf())
  local _, shown = window.find()
  return here and here.session or (shown and shown.session) or M.latest
end

---Say why there is no session: in a card, where none can be had at all.
---@param problem? table
---@param layout? string
local function failed(problem, layout)
  problem = problem or { message = "there is no session" }
  beginning.give_up()
  if not trouble.is_lasting(M.client(), problem) then
    return notify.failure(problem)
  end
  trouble.show(M.client(), problem, function(beside)
    M.open({ layout = layout, beside = beside })
  end, layout)
end

---@param of agls.Session
local function warn_of_other_writer(of)
  if of.read_only then
    notify.warn("another window or a script writes this session: you read along")
  end
end

---@param of? agls.Session
---@param problem? table
---@param layout? string
---@return agls.Session?
local function show(of, problem, layout)
  if not of then
    failed(problem, layout)
    return nil
  end
  warn_of_other_writer(of)
  M.latest = of
  trouble.close(of.client)
  window.open(chat.of(of), layout)
  require("agls.options").know_models(of.client)
  announce("AglsSession", { sessionId = of.id })
  return of
end

---Show a session without leaving the window where the user is.
---@param of? agls.Session
---@param problem? table
---@param layout? string
local function show_beside(of, problem, layout)
  local before = vim.api.nvim_get_current_win()
  show(of, problem, layout)
  if vim.api.nvim_win_is_valid(before) then
    vim.api.nvim_set_current_win(before)
  end
end

---Show a session in the place where one could write while the server started.
---@param of agls.Session
local function become(of)
  warn_of_other_writer(of)
  M.latest = of
  trouble.close(of.client)
  local shown = chat.of(of)
  local is_sent, acts = beginning.become(shown)
  require("agls.options").know_models(of.client)
  announce("AglsSession", { sessionId = of.id })
  for _, act in ipairs(acts) do
    act(of)
  end
  if is_sent then
    prompt.submit(shown)
  end
end

---Do something with the session that is meant, or with a new one.
---@param act fun(of: agls.Session)
function M.with(act)
  local of = M.current()
  if of then
    return act(of)
  elseif beginning.is_open() then
    return beginning.later(act)
  end
  session.new(M.client(), config.current.options, function(made, problem)
    if not made then
      return failed(problem)
    end
    M.latest = made
    act(made)
  end)
end

---Show the session that is meant, or a new one, and go to its prompt.
---@param options? agls.OpenOptions
function M.open(options)
  options = options or {}
  local is_awaited = false
  local function shown(of, problem)
    if of and beginning.is_open() then
      become(of)
    elseif of and is_awaited then
      return -- another session came first, by `:Agls resume`
    elseif options.beside then
      show_beside(of, problem, options.layout)
    elseif show(of, problem, options.layout) and config.current.insert then
      vim.cmd("startinsert!")
    end
  end
  local of = not options.new and M.current() or nil
  if of then
    return shown(of)
  end
  if beginning.is_open() then
    return beginning.enter(options.layout)
  end
  local at = M.client()
  if at.state ~= "ready" and not options.beside and not window.find() then
    beginning.show(at, "new session", options.layout)
    is_awaited = true
    if config.current.insert then
      vim.cmd("startinsert!")
    end
  end
  session.new(at, config.current.options, shown)
end

---Close its windows; the sessions go on.
function M.close()
  window.close()
end

---Give the agent a prompt, with content blocks beside it, and show the chat unless it is to stay hidden.
---@param text string
---@param options? agls.RunOptions
function M.run(text, options)
  options = options or {}
  focus.report() -- before another window is shown: the model gets it with this prompt
  M.with(function(of)
    if not options.hidden then
      show_beside(of)
    end
    local input = vim.list_extend({ { type = "text", text = text } }, options.blocks or {})
    of:run(input, { admission = options.admission })
  end)
end

---Attach something to the next prompt, and show it there: `require("agls.blocks")` makes chips.
---@param chip agls.Chip
function M.add(chip)
  M.with(function(of)
    chips.add(of.id, chip)
    show_beside(of)
  end)
end

---Edit lines of the current buffer by a wish, which is asked for where it is not given: the line of the cursor, unless
---others are named.
---@param options? agls.EditOptions
function M.edit(options)
  options = options or {}
  local first = options.first or vim.fn.line(".")
  inline_edit.start(M.client(), first, options.last or first, options.wish or "")
end

local NOT_STOPPED = {
  notRunning = "nothing is running",
  alreadyEnded = "that run has ended already",
}

---Stop the run.
function M.stop()
  local of = M.current()
  if not of then
    return
  end
  of:stop(function(result, problem)
    if problem then
      return notify.failure(problem)
    end
    local back = of:asked(result.dropped)
    if #back > 0 then
      prompt.put_back(of, back)
      local what = #back == 1 and "the prompt that waited is" or ("the %d prompts that waited are"):format(#back)
      notify.info(what .. " back below, and not sent")
    elseif NOT_STOPPED[result.state] then
      notify.info(NOT_STOPPED[result.state])
    end
  end)
end

---Send a prompt now, into the work that goes on.
---@param text string
function M.send_now(text)
  M.with(function(of)
    of:steer(text)
  end)
end

---Show a session with its whole conversation; the newest of the folder when none is named.
---@param id? string
---@param done? fun(of: agls.Session)
function M.resume(id, done)
  local at = M.client()
  if at.state ~= "ready" and not window.find() and not beginning.is_open() then
    beginning.show(at, "session")
  end
  local function opened(of, problem)
    if of and beginning.is_open() then
      become(of)
    else
      show(of, problem)
    end
    if of and done then
      done(of)
    end
  end
  if id and id ~= "" then
    session.open(at, id, opened)
  else
    session.latest(at, opened)
  end
end

---A component for statuslines.
---@return string
function M.statusline()
  return status.component()
end

---A piece of what is known of the session that is meant, for a statusline or winbar: state, queue, changes, questions,
---tasks, context, cost, mode, model, plan or servers. "" without a session, and where there is nothing to say.
---@param name agls.PieceName
---@return string
function M.piece(name)
  local of = M.current()
  return of and status.piece(of, name) or ""
end

---A command may be for another session, or leave this one.
---@param data table
local function follow(data)
  if type(data.open) == "string" then
    M.resume(data.open)
  elseif data.leave == true then
    window.close()
    M.latest = nil
  end
end

---What is known of the session that is meant, for components of one's own.
---@return agls.Status?
function M.status()
  local of = M.current()
  return of and status.of(of) or nil
end

---Take in the options, and make highlights and autocommands. Calling it again changes the options.
---@param options? agls.SetupOptions
function M.setup(options)
  config.set(options)
  for name, link in pairs(LINKS) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
  local group = vim.api.nvim_create_augroup("agls", { clear = true })
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost", "BufWritePost" }, {
    group = group,
    callback = function(event)
      for _, one in pairs(client.all) do
        one:attach(event.buf)
      end
    end,
  })
  vim.api.nvim_create_autocmd("BufWinEnter", {
    group = group,
    callback = function(event)
      if chat.all[event.buf] then
        window.dress_chat(vim.api.nvim_get_current_win())
      end
    end,
  })
  window.setup(group)
  require("agls.sending").setup(group)
  require("agls.review").setup(group)
  require("agls.first_line").setup(group)
  focus.setup(group)
  session.on_made = changes.follow
  session.on_command = function(command)
    follow(command.data or {})
    require("agls.actions").show(command)
  end
  is_set_up = true
end

---Set up with the defaults, unless the user has.
function M.ready()
  if not is_set_up then
    M.setup()
  end
end

return M

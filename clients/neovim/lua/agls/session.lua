-- One session: its store, kept up to date over every restart of the server, and what can be done with it.

local notify = require("agls.notify")
local store = require("agls.store")

---@alias agls.Listener fun(events: agls.Event[], changed: table<string, true>, session: agls.Session)

---@class agls.Session
---@field id string
---@field client agls.Client
---@field store agls.Store
---@field problem? string why no more events come
---@field read_only boolean another process writes it: it is only followed
---@field retrying? agls.TurnRetryingData the model failed, and is asked again
---@field private listeners agls.Listener[]
---@field private resuming boolean
---@field private reading? string the item in front of which older ones are being read
local Session = {}
Session.__index = Session

local CALLS_OF_MODEL = { turnRetrying = true, turnStarted = true, turnEnded = true, runEnded = true }
local OLDER = 500 -- items that are read at once
local RECENT = 50 -- sessions that are looked at for one in which something was said

local M = {}

---@type table<string, agls.Session>
M.all = {}

---@type fun(of: agls.Session) a session is known from now on
M.on_made = function() end

---@type fun(command: agls.CommandResult) what was typed was a command, and it is done
M.on_command = function() end

---A random key, which no other request has, of any editor: a request that is sent again does nothing twice.
---@return string
local function key()
  return (assert(vim.uv.random(16)):gsub(".", function(byte)
    return ("%02x"):format(byte:byte())
  end))
end

---@param at agls.Client
---@param id string
---@param epoch? string
---@param seq? integer
---@return agls.Session
local function make(at, id, epoch, seq)
  local made =
    { id = id, client = at, store = store.new(epoch, seq), listeners = {}, resuming = false, read_only = false }
  M.all[id] = setmetatable(made, Session)
  M.on_made(M.all[id])
  return M.all[id]
end

---@alias agls.Got fun(session?: agls.Session, problem?: table)

---Make a session in the client's folder.
---@param at agls.Client
---@param options table
---@param done agls.Got
function M.new(at, options, done)
  local params = { cwd = vim.uri_from_fname(at.root), clientKey = key() }
  params.options = not vim.tbl_isempty(options) and options or nil
  params.chosenBy = params.options and "user" -- they come from the user's own `setup`, or were typed
  at:request("agent/session/new", params, function(result, problem)
    if not result then
      return done(nil, problem)
    end
    local made = make(at, result.sessionId, result.epoch, result.seq)
    made.store.options = result.options
    done(made)
  end)
end

---Attach to a session with its whole conversation.
---@param at agls.Client
---@param id string
---@param done agls.Got
function M.open(at, id, done)
  if M.all[id] then
    return done(M.all[id])
  end
  at:request("agent/resume", { sessionId = id, replay = "all" }, function(result, problem)
    if not result then
      return done(nil, problem)
    end
    local made = M.all[id] or make(at, id)
    made.store:take_resumed(result)
    made.read_only = result.readOnly == true
    done(made)
    made:read_older()
  end)
end

---Whether there is something to go on with: a chat that was opened and never used is a session, too.
---@param row agls.SessionRow
---@return boolean
function M.is_used(row)
  return row.title ~= "" or M.all[row.sessionId] ~= nil
end

---The newest session of the client's folder in which something was said.
---@param at agls.Client
---@param done agls.Got
function M.latest(at, done)
  M.list(at, { limit = RECENT }, function(page, problem)
    if not page or not page.sessions[1] then
      return done(nil, problem or { message = "there is no session in this folder yet; `:Agls open` makes one" })
    end
    local row = vim.iter(page.sessions):find(function(each)
      return each.title ~= ""
    end)
    M.open(at, (row or page.sessions[1]).sessionId, done)
  end)
end

---One page of the sessions of the client's folder, newest first; `nextCursor` asks for the next one.
---@param at agls.Client
---@param params table search, limit, cursor
---@param done fun(page?: agls.SessionListResult, problem?: table)
function M.list(at, params, done)
  at:request("agent/session/list", vim.tbl_extend("force", { cwd = vim.uri_from_fname(at.root) }, params), done)
end

---Call a listener with what happens, once per message of the server.
---@param listener agls.Listener
function Session:on(listener)
  self.listeners[#self.listeners + 1] = listener
end

---@private
---@param events agls.Event[]
---@param changed table<string, true> items; `all` when everything may have changed
function Session:emit(events, changed)
  for _, listener in ipairs(self.listeners) do
    listener(events, changed, self)
  end
end

---Take in events of the server.
---@param events agls.Event[]
function Session:take(events)
  local taken, changed = {}, {}
  for _, event in ipairs(events) do
    if self.store:take(event) then
      taken[#taken + 1] = event
      if event.itemId then
        changed[event.itemId] = true
      end
      if CALLS_OF_MODEL[event.type] then
        self.retrying = event.type == "turnRetrying" and event.data or nil
      end
      if event.type == "notice" and event.data.kind == "detached" then
        self.store.hole = true
      end
    end
  end
  if #taken > 0 then
    self:emit(taken, changed)
  end
  if self.store.hole and not self.resuming then
    self:resume()
  end
end

---Take in events of another session: they are shown beside the call that it works for.
---@param events agls.Event[]
function Session:take_helper(events)
  local changed = {}
  for _, event in ipairs(events) do
    local item_id = self.store:take_helper(event)
    if item_id then
      changed[item_id] = true
    end
  end
  if next(changed) then
    self:emit({}, changed)
  end
end

---Catch up with what was missed: after a restart of the server, or when events were lost.
---@param take_control? boolean go on here with what another process wrote; refused while it still does
---@param done? fun(problem?: table)
function Session:resume(take_control, done)
  self.resuming = true
  local at = { epoch = self.store.epoch, seq = self.store.hole and 0 or self.store.seq }
  local params = { sessionId = self.id, replay = self.store.hole and "all" or "since", after = at }
  params.takeControl = take_control
  self.client:request("agent/resume", params, function(result, problem)
    self.resuming = false
    self.problem = problem and problem.message
    if not result then
      notify.failure(problem or { message = "the session could not be resumed" })
    else
      self.read_only = result.readOnly == true
      self.store:take_resumed(result)
      self:emit(result.events or {}, { all = true })
      self:read_older()
    end
    if done then
      done(problem)
    end
  end)
end

---Read the items before the first known one, page by page, until there are no more.
function Session:read_older()
  local first = self.store.older and self.store.order[1]
  if not first or self.reading == first then
    return
  end
  self.reading = first
  local params = { sessionId = self.id, replay = "tail", tail = OLDER, before = first }
  self.client:request("agent/resume", params, function(result)
    self.reading = nil
    if result and self.store.order[1] == first then
      self.store:prepend(result.snapshot)
      self:emit({}, { all = true })
      self:read_older()
    end
  end)
end

---Show first what a command did, when what was typed was one.
---@param done fun(result?: table, problem?: table)
---@return fun(result?: table, problem?: table)
local function with_command(done)
  return function(result, problem)
    if result and result.action then
      M.on_command(result.action)
    end
    done(result, problem)
  end
end

---Whether a run is on.
---@return boolean
function Session:busy()
  return self.store.state ~= "idle"
end

---@param method string
---@param params table
---@param done? fun(result: any, problem?: table)
function Session:request(method, params, done)
  self.client:request(method, vim.tbl_extend("force", { sessionId = self.id }, params), done)
end

---Give it what the user typed: the server knows what it points at, and whether it is a command.
---A prompt waits in the queue while a run is on, unless `admission` says otherwise.
---@param input table[]|string content blocks, or a text
---@param params? table admission, options, continueRun
---@param done? fun(result?: agls.RunAnswer, problem?: table)
function Session:run(input, params, done)
  local given = vim.tbl_extend("force", { clientKey = key(), expand = true }, params or {})
  given.input = not given.continueRun and input or nil
  self:request("agent/run", given, with_command(done or notify.on_failure))
end

---Put what the user typed into the running conversation; without one it begins a run.
---@param input table[]|string
---@param done? fun(result?: agls.SteerResult, problem?: table)
function Session:steer(input, done)
  done = done or notify.on_failure
  local words = store.words(type(input) == "string" and { { type = "text", text = input } } or input)
  if self:busy() then
    self:add_steer(words)
  end
  local given = { input = input, expand = true, ifEnded = "run", clientKey = key() }
  self:request("agent/steer", given, function(result, problem)
    if not result or result.outcome ~= "injected" then
      self:drop_steer(words) -- it became a prompt, a command, or nothing
    end
    with_command(done)(result, problem)
  end)
end

---@private
---@param words string
function Session:add_steer(words)
  table.insert(self.store.steers, words)
  self:emit({}, {})
end

---@private
---@param words string
function Session:drop_steer(words)
  for place, steer in ipairs(self.store.steers) do
    if steer == words then
      table.remove(self.store.steers, place)
      return self:emit({}, {})
    end
  end
end

---Cancel the run that the user sees, and what waits behind it: else the next prompt would begin at once.
---@param done? fun(result?: agls.CancelResult, problem?: table)
function Session:stop(done)
  self:request("agent/cancel", { runId = self.store.run, queued = "drop" }, done)
end

---What was asked in these runs, for who wants it back.
---@param run_ids string[]
---@return string[]
function Session:asked(run_ids)
  local texts = {}
  for _, run_id in ipairs(run_ids) do
    texts[#texts + 1] = store.words(self.store.prompts[run_id] or {})
  end
  return texts
end

---Set an option for the next runs; nil takes it back.
---@param name string
---@param value any
---@param done? fun(result?: agls.OptionsResult, problem?: table)
function Session:set(name, value, done)
  local given = { optionId = name, value = value == nil and vim.NIL or value, chosenBy = "user" }
  self:request("agent/setOption", given, done)
end

---@param item_id? string the last item that the fork has
---@param done agls.Got
function Session:fork(item_id, done)
  self:request("agent/session/fork", { atItemId = item_id, clientKey = key() }, function(result, problem)
    if not result then
      return done(nil, problem)
    end
    M.open(self.client, result.sessionId, done)
  end)
end

---@param params table toItemId or undo, what, dryRun
---@param done fun(result?: agls.SessionRewindResult, problem?: table)
function Session:rewind(params, done)
  local given = vim.tbl_extend("force", params, { clientKey = not params.dryRun and key() or nil })
  self:request("agent/session/rewind", given, done)
end

---@param done fun(actions?: agls.Action[], problem?: table)
function Session:actions(done)
  self:request("agent/action/list", {}, function(result, problem)
    done(result and result.actions, problem)
  end)
end

---The title, or the first words of the first prompt.
---@return string
function Session:title()
  local title = self.store.info.title
  if title and title ~= "" then
    return title
  end
  for _, item_id in ipairs(self.store.order) do
    local item = self.store.items[item_id]
    if item.kind == "userMessage" then
      local text = vim
        .iter(item.content)
        :map(function(block)
          return block.text
        end)
        :next()
      return vim.trim(((text or ""):gsub("%s+", " ")))
    end
  end
  return "new session"
end

return M

-- What a client knows of one session: wire events in, view state out. Pure: it touches no buffer and no server.
-- The golden logs fold to the same view as in Python (protocol/agls_protocol/golden).

---@class agls.Store
---@field epoch string
---@field seq integer the last fact that was taken in
---@field hole boolean a fact is missing: the session has to be resumed
---@field state string idle, running or requiresAction
---@field order string[] the items by id, as they are shown
---@field items table<string, table> without the text that is still streaming: read it with `text`
---@field requests table<string, agls.Question>
---@field runs table<string, agls.RunEndedData>
---@field prompts table<string, table> what was asked in a run: its content blocks
---@field steers string[] messages to the running run that are not in the conversation yet
---@field ending? agls.RunEndedData how the last run ended
---@field run? string the run that is on
---@field info table
---@field options table
---@field queue table[]
---@field usage? agls.ContextUsageData
---@field cost number US dollars of all runs
---@field older? agls.Cursor there are older items before this place
---@field servers agls.McpServer[] the MCP servers of the session, as they were shown last
---@field helpers table<string, table<string, agls.Helper>> of each call, by their session
---@field private streams table<string, table<string, agls.Stream>>
---@field rewound? agls.HistoryRewoundData the last rewind, while it can be taken back
---@field private rewinds table<string, { order: string[], items: table<string, table> }>
local Store = {}
Store.__index = Store

---@class agls.Helper somebody who works for a call, in a session of their own
---@field name string
---@field state string running, or why the run ended
---@field doing string the call that was begun last

---@class agls.Stream pieces of a text, joined when somebody reads it
---@field parts string[]
---@field length integer bytes so far, those that were left out included

local M = {}

---@param epoch? string
---@param seq? integer the last fact that the client need not be sent
---@return agls.Store
function M.new(epoch, seq)
  return setmetatable({
    epoch = epoch or "",
    seq = seq or 0,
    hole = false,
    state = "idle",
    order = {},
    items = {},
    requests = {},
    runs = {},
    prompts = {},
    steers = {},
    info = {},
    options = {},
    queue = {},
    cost = 0,
    servers = {},
    helpers = {},
    streams = {},
    rewinds = {},
  }, Store)
end

---An item after a JSON merge patch (RFC 7396). The item itself is not changed.
---@param item table
---@param patch table
---@return table
local function merged(item, patch)
  local result = {}
  for name, value in pairs(item) do
    result[name] = value
  end
  for name, value in pairs(patch) do
    if value == vim.NIL then
      result[name] = nil
    elseif type(value) == "table" and not vim.islist(value) then
      result[name] = merged(type(result[name]) == "table" and result[name] or {}, value)
    else
      result[name] = value
    end
  end
  return result
end

---@param item_id string
---@param item table
function Store:put(item_id, item)
  if not self.items[item_id] then
    self.order[#self.order + 1] = item_id
  end
  self.items[item_id] = item
  self.streams[item_id] = nil
end

---A text of an item with what streamed into it so far.
---@param item_id string
---@param field string
---@return string
function Store:text(item_id, field)
  local stream = (self.streams[item_id] or {})[field]
  if not stream then
    return (self.items[item_id] or {})[field] or ""
  end
  if #stream.parts > 1 then
    stream.parts = { table.concat(stream.parts) }
  end
  return stream.parts[1]
end

---The item as it is now, streamed texts included.
---@param item_id string
---@return table
function Store:item(item_id)
  local streams = self.streams[item_id]
  if not streams then
    return self.items[item_id]
  end
  local whole = {}
  for field, stream in pairs(streams) do
    whole[field] = self:text(item_id, field)
    if stream.colours then
      stream.colours = { table.concat(stream.colours) }
      whole.coloured = stream.colours[1]
    end
  end
  return vim.tbl_extend("force", self.items[item_id], whole)
end

---@private
---@param item_id string
---@param data agls.ItemDeltaData
function Store:append(item_id, data)
  local item = self.items[item_id]
  if not item then
    return
  end
  local streams = self.streams[item_id] or {}
  self.streams[item_id] = streams
  local stream = streams[data.field]
  if not stream then
    local text = item[data.field] or ""
    local colours = data.field == "output" and item.coloured and { item.coloured } or nil
    stream = { parts = { text }, length = #text + (item.truncated or 0), colours = colours }
    streams[data.field] = stream
  end
  local piece = data.append or vim.base64.decode(data.bytes or "")
  local known = stream.length - (data.offset or stream.length)
  if known > 0 then -- sent again
    piece = piece:sub(known + 1)
  end
  if data.coloured and known <= 0 or stream.colours then
    stream.colours = stream.colours or { table.concat(stream.parts) }
    stream.colours[#stream.colours + 1] = known <= 0 and data.coloured or piece
  end
  stream.parts[#stream.parts + 1] = piece
  stream.length = stream.length + #piece
end

---@private
---@param event agls.Event
function Store:take_item(event)
  local item_id, data = event.itemId, event.data
  if event.type == "itemDelta" then
    self:append(item_id, data)
  elseif event.type == "itemUpdated" then
    if self.items[item_id] then
      self:put(item_id, merged(self:item(item_id), data.patch))
    end
  else
    local item = data.item
    local streamed = self:text(item_id, "text")
    if event._meta and streamed ~= "" then -- the event's own text is shortened
      item = vim.tbl_extend("force", item, { text = streamed })
    end
    if item.kind == "userMessage" and item.steer and not self.items[item_id] then
      table.remove(self.steers, 1) -- it stands in the conversation now
    end
    self:put(item_id, item)
  end
end

---@private
---@param data agls.HistoryRewoundData
function Store:rewind(data)
  local before = { order = self.order, items = self.items }
  local after = { order = {}, items = {} }
  if data.undoes then
    self.hole = self.hole or not self.rewinds[data.undoes] -- what stood there was never read
    local stood = self.rewinds[data.undoes] or before
    after.order = vim.deepcopy(stood.order)
    for item_id, item in pairs(stood.items) do
      after.items[item_id] = before.items[item_id] or item -- a task may have ended since
    end
  elseif before.items[data.lastItemId] then
    for _, item_id in ipairs(before.order) do
      after.order[#after.order + 1] = item_id
      after.items[item_id] = before.items[item_id]
      if item_id == data.lastItemId then
        break
      end
    end
  end
  self.rewinds[data.checkpointId] = before
  self.order, self.items = after.order, after.items
end

---@type table<string, fun(self: agls.Store, event: agls.Event)>
local take = {}

for _, name in ipairs({ "itemStarted", "itemCompleted", "itemUpdated", "itemDelta" }) do
  take[name] = Store.take_item
end

function take.requestOpened(self, event)
  self.requests[event.data.requestId] = event.data
end

function take.requestResolved(self, event)
  self.requests[event.data.requestId] = nil
end

function take.runAdmitted(self, event)
  self.prompts[event.runId] = event.data.content
end

function take.runStarted(self, event)
  self.run, self.ending, self.rewound = event.runId, nil, nil
end

function take.runEnded(self, event)
  self.runs[event.runId] = event.data
  self.ending, self.steers = event.data, {}
  self.cost = self.cost + (event.data.cost or 0)
  if self.run == event.runId then
    self.run = nil
  end
end

function take.queueChanged(self, event)
  self.queue = event.data.queue
end

function take.historyRewound(self, event)
  self.ending = nil
  self.rewound = not event.data.undoes and event.data or nil
  if event.data.conversation then
    self:rewind(event.data)
  end
end

function take.sessionState(self, event)
  self.state = event.data.state
end

function take.sessionInfo(self, event)
  self.info = event.data
end

function take.options(self, event)
  self.options = event.data.options
end

function take.contextUsage(self, event)
  self.usage = event.data
end

function take.mcpStatus(self, event)
  self.servers = event.data.servers
end

---Take in one more event. One from before the last fact is noise.
---@param event agls.Event
---@return boolean taken
function Store:take(event)
  if event.seq then
    if event.seq < self.seq then
      return false
    end
    self.hole = self.hole or event.seq > self.seq + 1
    self.seq = event.seq
  end
  local follow = take[event.type]
  if follow then
    follow(self, event)
  end
  return true
end

---Take in what happens in another session, if it works for a call of this one: only what it does now is kept.
---@param event agls.Event
---@return string? item_id the call, when it has to be drawn again
function Store:take_helper(event)
  local item_id, item = event.parentItemId, event.data.item
  if not item_id or not self.items[item_id] then
    return nil
  end
  local mine = self.helpers[item_id] or {}
  local helper = mine[event.sessionId] or { name = event.agentId, state = "running", doing = "" }
  if event.type == "runStarted" then
    helper.state = "running"
  elseif event.type == "runEnded" then
    helper.state = event.data.stopReason
  elseif event.type == "itemStarted" and item.kind == "toolCall" then
    helper.doing = item.title or item.name or ""
  elseif mine[event.sessionId] then
    return nil
  end
  mine[event.sessionId], self.helpers[item_id] = helper, mine
  return item_id
end

---Take in the answer of `agent/resume`, whatever it replays.
---@param result agls.ResumeResult
function Store:take_resumed(result)
  if result.snapshot then
    local snapshot = result.snapshot --[[@as agls.Snapshot]]
    self.order, self.items, self.streams, self.rewinds, self.requests = {}, {}, {}, {}, {}
    self.run, self.rewound = nil, snapshot.rewound
    for _, item in ipairs(snapshot.items) do
      self:put(item.itemId, item)
    end
    self.options, self.older = snapshot.options, snapshot.olderCursor
    self.info, self.queue, self.usage, self.run = snapshot.info, snapshot.queue, snapshot.usage, nil
    self.ending = nil
    for _, run in ipairs(snapshot.runs) do
      self.runs[run.runId], self.ending = run.ended, run.ended
      self.run = not run.ended and run.runId or self.run
    end
  end
  for _, event in ipairs(result.events or {}) do
    self:take(event)
  end
  for _, item in ipairs(result.openItems) do
    self:put(item.itemId, item)
  end
  self.requests = {}
  for _, question in ipairs(result.openRequests) do
    self.requests[question.requestId] = question
  end
  self.epoch, self.seq, self.state, self.hole = result.epoch, result.seq, result.state, false
end

---Take in older items: they stand before what is known, and change none of it.
---@param snapshot agls.Snapshot
function Store:prepend(snapshot)
  local older = vim.iter(snapshot.items):filter(function(item)
    return not self.items[item.itemId]
  end)
  local items = older:totable()
  for _, stood in ipairs(vim.list_extend({ self }, vim.tbl_values(self.rewinds))) do
    local order = {}
    for place, item in ipairs(items) do
      order[place], stood.items[item.itemId] = item.itemId, item
    end
    stood.order = vim.list_extend(order, stood.order)
  end
  self.older = snapshot.olderCursor
  for _, run in ipairs(snapshot.runs) do
    self.runs[run.runId] = self.runs[run.runId] or run.ended
  end
end

local SPOKEN = { userMessage = true, message = true, thought = true, toolCall = true, notice = true, compaction = true }

---The last item up to this one that the conversation can go back to or fork at; others only stand beside it.
---@param item_id string
---@return string item_id "" when there is none
function Store:spoken(item_id)
  local found = ""
  for _, id in ipairs(item_id ~= "" and self.order or {}) do
    found = SPOKEN[self.items[id].kind] and id or found
    if id == item_id then
      break
    end
  end
  return found
end

---Everything as plain values, as in `.view.json`.
---@return table
function Store:view()
  local items = {}
  for place, item_id in ipairs(self.order) do
    items[place] = self:item(item_id)
  end
  return {
    seq = self.seq,
    state = self.state,
    items = items,
    requests = self.requests,
    runs = self.runs,
    info = self.info,
    options = self.options,
    queue = self.queue,
  }
end

---The words of content blocks.
---@param content table[]
---@return string
function M.words(content)
  local texts = {}
  for _, block in ipairs(content) do
    texts[#texts + 1] = block.type == "text" and block.text or nil
  end
  return table.concat(texts, "\n")
end

return M

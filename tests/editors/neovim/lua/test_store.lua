local check = require("check")
local store = require("agls.store")
local GOLDEN = os.getenv("AGLS_GOLDEN")

local function lines(path)
  local found = {}
  for line in io.lines(path) do
    found[#found + 1] = vim.json.decode(line, { luanil = { object = true } }) -- as vim.lsp decodes
  end
  return found
end

local function events_of(path)
  local events = {}
  for _, line in ipairs(lines(path)) do
    local message = line.message or {}
    if line.from == "server" and message.method == "agent/event" then
      vim.list_extend(events, message.params.events)
    elseif line.from == "server" and type(message.result) == "table" then
      vim.list_extend(events, message.result.events or {})
    elseif line.seq or line.after then
      events[#events + 1] = line
    end
  end
  return events
end

local function fold(events)
  local folded = store.new()
  for _, event in ipairs(events) do
    folded:take(event)
  end
  return folded
end

local function view_of(path)
  local kept = table.concat(vim.fn.readfile((path:gsub("jsonl$", "view.json"))), "\n")
  return vim.json.decode(kept, { luanil = { object = true } })
end

check.test("a task that a rewind took out ends all the same, and comes back as it ended", function()
  local known = store.new()
  local function tell(seq, type, data, item_id)
    known:take({ seq = seq, type = type, data = data, itemId = item_id })
  end
  local function task(status)
    return { itemId = "t", kind = "task", title = "make", status = status }
  end
  tell(1, "itemStarted", { item = { itemId = "a", kind = "message", status = "running" } }, "a")
  tell(2, "itemStarted", { item = task("running") }, "t")
  tell(3, "historyRewound", { conversation = true, lastItemId = "a", checkpointId = "r1" })
  check.same(known.order, { "a" })
  tell(3, "itemDelta", { field = "output", offset = 0, append = "x" }, "t")
  tell(4, "itemCompleted", { item = task("completed") }, "t")
  tell(5, "historyRewound", { conversation = true, lastItemId = "t", checkpointId = "r2", undoes = "r1" })
  check.same(known.order, { "a", "t" })
  check.same(known.items.t.status, "completed")
end)

check.test("a rewind can be taken back until a run begins, and what stood there is read anew", function()
  local known = store.new()
  local rewound = { conversation = true, lastItemId = "", checkpointId = "r1", changes = {} }
  local answer = { sessionId = "s", epoch = "e", seq = 3, state = "idle", openItems = {}, openRequests = {} }
  local snapshot = { seq = 3, items = {}, runs = {}, state = "idle", info = {}, options = {}, queue = {} }
  answer.replayed, answer.snapshot = "snapshot", vim.tbl_extend("force", snapshot, { rewound = rewound })
  known:take_resumed(answer)
  check.same(known.rewound, rewound)
  local undone = vim.tbl_extend("force", rewound, { checkpointId = "r2", undoes = "r1" })
  known:take({ seq = 4, type = "historyRewound", data = undone })
  check.same({ known.rewound, known.hole }, { nil, true })
  known:take_resumed(answer)
  known:take({ seq = 4, type = "runStarted", runId = "r", data = {} })
  check.same({ known.rewound, known.hole }, { nil, false })
end)

local logs = vim.fn.glob(GOLDEN .. "/*.jsonl", false, true)
check.test("there are golden logs", function()
  check.holds(#logs >= 10, #logs)
end)

for _, path in ipairs(logs) do
  check.test("the view of " .. vim.fs.basename(path), function()
    check.same(fold(events_of(path)):view(), view_of(path))
  end)
  check.test("deltas sent twice change nothing: " .. vim.fs.basename(path), function()
    local twice = {}
    for _, event in ipairs(events_of(path)) do
      twice[#twice + 1] = event
      twice[#twice + 1] = event.type == "itemDelta" and event or nil
    end
    check.same(fold(twice):view(), view_of(path))
  end)
  check.test("what is unknown only moves seq: " .. vim.fs.basename(path), function()
    local events = events_of(path)
    local folded = fold(events)
    folded:take({ type = "_new", seq = folded.seq + 1, data = { item = { itemId = "x" } } })
    local view = view_of(path)
    view.seq = view.seq + 1
    check.same(folded:view(), view)
  end)
  check.test("without any delta the transcript is the same: " .. vim.fs.basename(path), function()
    local facts = vim.tbl_filter(function(event)
      return event.type ~= "itemDelta"
    end, events_of(path))
    check.same(fold(facts):view(), view_of(path))
  end)
end

local function item(text, extra)
  return vim.tbl_extend("force", { itemId = "i", kind = "message", status = "running", text = text }, extra or {})
end

check.test("what a command prints has its colours while it runs, until a piece of them is missing", function()
  local known = store.new()
  known:take({ type = "itemStarted", itemId = "i", seq = 1, data = { item = item("", { kind = "toolCall" }) } })
  local function printed(offset, append, coloured)
    local data = { field = "output", offset = offset, append = append, coloured = coloured }
    known:take({ type = "itemDelta", itemId = "i", after = 1, data = data })
  end
  printed(0, "a ")
  check.same(known:item("i").coloured, nil)
  printed(2, "red", "\27[31mred\27[0m")
  known:item("i")
  printed(5, " b")
  printed(5, " b", "\27[32m b\27[0m") -- sent again
  check.same(known:item("i").output, "a red b")
  check.same(known:item("i").coloured, "a \27[31mred\27[0m b")
end)

check.test("an old fact is noise, a hole is noticed", function()
  local folded = store.new("e", 4)
  check.same(folded:take({ type = "sessionState", seq = 3, data = { state = "running" } }), false)
  check.same(folded.state, "idle")
  folded:take({ type = "_x", seq = 5, data = {} })
  check.same(folded.hole, false)
  folded:take({ type = "_x", seq = 7, data = {} })
  check.same(folded.hole, true)
end)

check.test("offsets are UTF-8 bytes and count what was left out", function()
  local folded = store.new()
  folded:take({ type = "itemStarted", itemId = "i", data = { item = item("ö", { truncated = 10 }) } })
  folded:take({ type = "itemDelta", itemId = "i", data = { field = "text", offset = 12, append = "🙂" } })
  folded:take({ type = "itemDelta", itemId = "i", data = { field = "text", offset = 12, append = "🙂!" } })
  check.same(folded:text("i", "text"), "ö🙂!")
end)

check.test("a patch merges, clears and replaces, also after deltas", function()
  local folded = store.new()
  folded:take({
    type = "itemStarted",
    itemId = "i",
    data = { item = item("a", { terminal = { cwd = "/", exitCode = 1 } }) },
  })
  folded:take({ type = "itemDelta", itemId = "i", data = { field = "text", offset = 1, append = "b" } })
  folded:take({
    type = "itemUpdated",
    itemId = "i",
    data = { patch = { status = vim.NIL, terminal = { exitCode = 0 } } },
  })
  check.same(folded:item("i"), { itemId = "i", kind = "message", text = "ab", terminal = { cwd = "/", exitCode = 0 } })
end)

check.test("a shortened item keeps what streamed", function()
  local folded = store.new()
  folded:take({ type = "itemStarted", itemId = "i", data = { item = item("") } })
  folded:take({ type = "itemDelta", itemId = "i", data = { field = "text", offset = 0, append = "the whole text" } })
  folded:take({
    type = "itemCompleted",
    itemId = "i",
    seq = 1,
    _meta = { shortened = 14 },
    data = { item = item("the … text") },
  })
  check.same(folded:item("i").text, "the whole text")
end)

check.test("one can go back only to what was said", function()
  local folded = store.new()
  for _, kind in ipairs({ "fileEdit", "userMessage", "toolCall", "notice", "fileEdit", "message" }) do
    folded:put(kind .. #folded.order, { kind = kind })
  end
  check.same(folded:spoken(""), "")
  check.same(folded:spoken("fileEdit0"), "")
  check.same(folded:spoken("fileEdit4"), "notice3")
  check.same(folded:spoken("message5"), "message5")
end)

check.test("a snapshot takes the place of everything", function()
  local folded = fold(events_of(logs[1]))
  folded:take_resumed({
    epoch = "e2",
    seq = 40,
    state = "running",
    openItems = { item("half") },
    openRequests = { { requestId = "q" } },
    snapshot = {
      items = { item("old", { itemId = "o" }) },
      runs = {
        { runId = "r1", itemIds = { "o" }, ended = { stopReason = "endTurn" } },
        { runId = "r2", itemIds = { "i" } },
      },
      info = { title = "A title" },
      options = { mode = "plan" },
      openRequests = {},
      queue = {},
      usage = { used = 3, sure = "told", size = 10 },
    },
  })
  check.same(
    { folded.run, folded.runs.r1.stopReason, folded.info.title, folded.usage.size },
    { "r2", "endTurn", "A title", 10 }
  )
  check.same(folded.order, { "o", "i" })
  check.same({ folded.seq, folded.state, folded.epoch, folded.hole }, { 40, "running", "e2", false })
  check.same(folded.requests.q.requestId, "q")
  check.same(folded.options, { mode = "plan" })
end)

check.test("ten thousand deltas are appended in well under a second", function()
  local folded = store.new()
  folded:take({ type = "itemStarted", itemId = "i", data = { item = item("") } })
  local piece, begun = ("x"):rep(100), os.clock()
  for number = 0, 9999 do
    folded:take({ type = "itemDelta", itemId = "i", data = { field = "text", offset = number * 100, append = piece } })
    if number % 300 == 0 then
      folded:text("i", "text")
    end
  end
  check.same(#folded:text("i", "text"), 1000000)
  check.holds(os.clock() - begun < 5, "processor seconds: " .. (os.clock() - begun)) -- 0.1 on a quiet machine
end)

check.done()

local check = require("check")
local session = require("agls.session")

-- A server that notes what it is asked and answers nothing.
local function noting()
  local asked = {}
  local fake = { root = "/home/user/project", asked = asked }
  function fake.request(_, method, params, done)
    asked[#asked + 1] = { method = method, params = params, done = done }
  end
  return fake
end

local function made(fake, id)
  local got
  session.new(fake, {}, function(of)
    got = of
  end)
  fake.asked[#fake.asked].done({ sessionId = id, epoch = "e", seq = 0, options = {} })
  return got
end

check.test("every key is another one, and none can be guessed from the one before", function()
  local fake = noting()
  local of, seen = made(fake, "keys"), {}
  for _ = 1, 500 do
    of:run("go")
    of:steer("go")
  end
  local alike = 0
  for number, one in ipairs(fake.asked) do
    local key = one.params.clientKey
    check.holds(key:match("^%x+$") and #key == 32, key)
    check.holds(not seen[key], "twice: " .. key)
    seen[key] = true
    local before = number > 1 and fake.asked[number - 1].params.clientKey or ""
    alike = alike + (before:sub(1, 8) == key:sub(1, 8) and 1 or 0)
  end
  check.holds(alike < 5, alike .. " keys begin like the one before")
end)

check.test("stop names the run that is on", function()
  local fake = noting()
  local of = made(fake, "stop")
  of:stop()
  check.same(fake.asked[2].params.runId, nil)
  of:take({ { type = "runStarted", seq = 1, sessionId = "stop", runId = "run_7", data = {} } })
  of:stop()
  check.same(fake.asked[3].params, { sessionId = "stop", runId = "run_7", queued = "drop" })
  of:take({ { type = "runEnded", seq = 2, sessionId = "stop", runId = "run_7", data = { stopReason = "endTurn" } } })
  of:stop()
  check.same(fake.asked[4].params.runId, nil)
end)

check.test("a followed session knows it, and control is asked for by name", function()
  local fake, got = noting(), nil
  session.open(fake, "followed", function(of)
    got = of
  end)
  local answer = { sessionId = "followed", epoch = "e", seq = 3, state = "running", openItems = {}, openRequests = {} }
  fake.asked[1].done(vim.tbl_extend("force", answer, { readOnly = true }))
  check.same(got.read_only, true)
  local told
  got:resume(true, function(problem)
    told = { problem = problem }
  end)
  check.same(fake.asked[2].params.takeControl, true)
  check.same(fake.asked[2].params.after, { epoch = "e", seq = 3 })
  fake.asked[2].done(vim.tbl_extend("force", answer, { state = "idle" }))
  check.same({ got.read_only, told }, { false, {} })
end)

check.test("older items are read page by page, and stand before what is known", function()
  local fake, got = noting(), nil
  local function page(seq, ids, older)
    local items = vim.tbl_map(function(id)
      return { itemId = id, kind = "message", status = "completed", text = id }
    end, ids)
    local cursor = older and { epoch = "e", seq = older } or nil
    local snapshot = { seq = seq, items = items, runs = {}, state = "idle", info = {}, options = {}, queue = {} }
    snapshot.olderCursor, snapshot.openRequests = cursor, {}
    local answer = { sessionId = "long", epoch = "e", seq = seq, state = "idle", openItems = {}, openRequests = {} }
    return vim.tbl_extend("force", answer, { replayed = "snapshot", snapshot = snapshot })
  end
  session.open(fake, "long", function(of)
    got = of
  end)
  fake.asked[1].done(page(9, { "e", "f" }, 5))
  local told = 0
  got:on(function()
    told = told + 1
  end)
  got.store.rewinds.r = { order = { "e", "f" }, items = { e = got.store.items.e, f = got.store.items.f } }
  check.same({ fake.asked[2].method, fake.asked[2].params.before }, { "agent/resume", "e" })
  fake.asked[2].done(page(9, { "c", "d" }, 3))
  check.same(fake.asked[3].params.before, "c")
  fake.asked[3].done(page(9, { "a", "b" }))
  check.same(got.store.order, { "a", "b", "c", "d", "e", "f" })
  check.same({ got.store.items.a.text, got.store.seq, told, #fake.asked }, { "a", 9, 2, 3 })
  check.same(got.store.rewinds.r.order, got.store.order)
end)

check.test("a helper's events change nothing of the session but what its call says it does", function()
  local of = made(noting(), "parent")
  local call = { itemId = "c", kind = "toolCall", status = "running", name = "agent__worker", title = "Look" }
  of:take({ { type = "itemStarted", seq = 1, sessionId = "parent", itemId = "c", data = { item = call } } })
  local told = {}
  of:on(function(events, changed)
    told[#told + 1] = { events = events, changed = changed }
  end)
  local function helped(type, data)
    return { type = type, sessionId = "child", agentId = "worker", parentItemId = "c", data = data }
  end
  local shell = { itemId = "i", kind = "toolCall", status = "running", name = "shell", title = "shell ls" }
  local before = of.store:view()
  of:take_helper({
    helped("sessionInfo", { parentSessionId = "parent" }),
    helped("runStarted", {}),
    helped("itemStarted", { item = shell }),
    helped("requestOpened", { requestId = "q", kind = "permission", title = "Run ls" }),
    helped("sessionState", { state = "requiresAction" }),
  })
  check.same(of.store:view(), before)
  check.same(of.store.hole, false)
  check.same(told, { { events = {}, changed = { c = true } } })
  check.same(require("agls.render").helping(of.store.helpers.c), "worker: shell ls")
  of:take_helper({ helped("itemDelta", { field = "text", append = "a" }) })
  check.same(#told, 1)
  of:take_helper({ helped("runEnded", { stopReason = "endTurn" }) })
  check.same(require("agls.render").helping(of.store.helpers.c), "worker: done")
  of:take_helper({ vim.tbl_extend("force", helped("runStarted", {}), { parentItemId = "elsewhere" }) })
  check.same(vim.tbl_keys(of.store.helpers), { "c" })
end)

check.test("a question of a helper says who asks", function()
  local headline = require("agls.question_window").headline
  check.same(headline({ title = "Run ls", agentId = "worker" }), "worker: Run ls?")
  check.same(headline({ title = "Run ls", agentId = "main" }), "Run ls?")
end)

check.done()

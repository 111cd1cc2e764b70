local check = require("check")
local session = require("aglet.session")

-- A server that notes what it is asked and answers nothing.
local function noting()
  local asked = {}
  local fake = { root = "/work", asked = asked }
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
  check.same(fake.asked[3].params, { sessionId = "stop", runId = "run_7", queued = "keep" })
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

check.done()

local check = require("check")
local days = require("agls.days")
local patch = require("agls.patch")
local plans = require("agls.plans")
local tables = require("agls.tables")

check.test("columns of a table stand below each other, and nothing else changes", function()
  local lines = { "Before | it", "| Name | 数 |", "|:--|--:|", "| a | 1 |", "| longer \\| one | 23 |", "after" }
  check.same(tables.aligned(lines), {
    "Before | it",
    "| Name          |  数 |",
    "| :------------ | --: |",
    "| a             |   1 |",
    "| longer \\| one |  23 |",
    "after",
  })
end)

check.test("code and what is no table are left as they are", function()
  local code = { "```", "| a | b |", "|--|--|", "| ccc | d |", "```", "| a |", "text", "| a | b |", "|--|" }
  check.same(tables.aligned(code), code)
end)

check.test("a table with more cells than columns or too wide to be shown is left as it is", function()
  local more = { "| a | b |", "|---|---|", "| a | b | c |" }
  check.same(tables.aligned(more), more)
  local wide = { "| a | b |", "|---|---|", "| " .. ("x"):rep(220) .. " | b |" }
  check.same(tables.aligned(wide), wide)
end)

check.test("a table without room is a list with the names of its columns", function()
  local lines = { "| Name | What | Cost |", "|---|---|--:|", "| a | something long | 1 |", "| b | | 2 |", "after" }
  check.same(tables.aligned(lines, 31), {
    "- **a**",
    "  - What: something long",
    "  - Cost: 1",
    "- **b**",
    "  - Cost: 2",
    "after",
  })
  check.same(tables.aligned(lines, 32)[1], "| Name | What           | Cost |")
end)

check.test("days are named as people name them", function()
  local noon = os.time({ year = 2026, month = 11, day = 27, hour = 12 })
  check.holds(days.name(noon - 60, noon) == "Today")
  check.holds(days.name(noon - 13 * 3600, noon) == "Yesterday")
  check.holds(days.name(noon - 3 * 86400, noon) == "Tuesday")
  check.holds(days.name(noon - 25 * 86400, noon) == "2 November")
  check.holds(days.name(noon - 400 * 86400, noon):find("2025", 1, true))
  check.holds(os.date("!%Y-%m-%dT%H:%M:%S", days.parse("2026-07-02T03:04:05.678Z")) == "2026-07-02T03:04:05")
end)

check.test("a patch is applied to the lines that it was made for, and to no others", function()
  local lines = { "a", "b", "c", "d", "e" }
  local change = "--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n+B2\n c\n@@ -5 +6 @@\n-e\n+E\n"
  check.same(patch.applied(lines, change), { "a", "B", "B2", "c", "d", "E" })
  check.same(patch.applied({ "a", "x", "c", "d", "e" }, change), nil)
  check.same(patch.applied({}, "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n"), { "a", "b" })
end)

check.test("the pinned line of a plan is what is worked on, or comes next", function()
  local function of(...)
    local entries = {}
    for number, state in ipairs({ ... }) do
      entries[number] = { id = number, text = "step " .. number, state = state }
    end
    return { store = { order = { "p" }, items = { p = { kind = "plan", entries = entries } } } }
  end
  check.holds(plans.line(of("done", "pending", "inProgress")) == "1 of 3: step 3")
  check.holds(plans.line(of("done", "cancelled", "pending")) == "1 of 2: step 3")
  check.holds(plans.line(of("done", "done")) == "")
  check.holds(plans.line({ store = { order = {}, items = {} } }) == "")
end)

check.done()

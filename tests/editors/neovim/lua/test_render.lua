local check = require("check")
local hostile = require("agls.text")
local render = require("agls.render")

local OPTIONS = { fold = { thoughts = true, output = 3, diff = 4 } }

local function item(kind, members)
  return vim.tbl_extend("force", { itemId = "i", kind = kind, status = "completed" }, members)
end

check.test("what a terminal says is plain text", function()
  check.same(hostile.plain("a\27[31mred\27[0m\27]0;title\7 b\r\nhalf\rwhole\n\7\8"), "ared b\nwhole\n")
end)

check.test("a text is clipped by cells, between characters", function()
  check.same(hostile.clip(" a\n  b ", 9), "a b")
  check.same(hostile.clip("ääääää", 4), "äää…")
  check.same(hostile.clip("日本語日本語", 6), "日本…")
end)

check.test("a fence is longer than every one inside", function()
  check.same(hostile.fenced("x\n````\ny\n", "text"), { "`````text", "x", "````", "y", "`````" })
end)

check.test("an output is folded when it is long, behind its fence", function()
  local function call(output)
    return render.item(item("toolCall", { name = "shell", title = "shell seq", output = output }), OPTIONS)
  end
  check.same(call("1\n2\n3").fold, nil)
  check.same(call("1\n2\n3\n4").fold, 3)
  check.same(call("1\n2\n3\n4\n").count, 4)
  check.same(render.item(item("thought", { text = "a\nb" }), OPTIONS).count, 2)
  check.same(call("1").lines, { "**shell** `seq`", "```text", "1", "```", "" })
end)

check.test("a plan is a checklist", function()
  local plan = { title = "Plan: 1 of 2 done", text = "- [x] 1. Read\n- [ ] 2. Write", entries = {} }
  check.same(render.item(item("plan", plan), OPTIONS).lines, {
    "**Plan: 1 of 2 done**",
    "- [x] 1. Read",
    "- [ ] 2. Write",
    "",
  })
end)

check.test("a command in the background says so, what it printed and how it ended", function()
  local members = { title = "make", status = "running", output = "one", terminal = { command = "make" } }
  local running = render.item(item("task", members), OPTIONS)
  check.same(running.lines, { "**in the background** `make`", "```text", "one", "```", "" })
  check.same(running.label, "● running")
  local ended = vim.tbl_extend("force", members, { status = "completed", terminal = { exitCode = 2 } })
  check.same(render.item(item("task", ended), OPTIONS).label, "✗ exit code 2")
end)

check.test("a call says how it stands", function()
  local function label(members, waiting)
    return render.item(item("toolCall", vim.tbl_extend("force", { name = "shell" }, members)), OPTIONS, waiting).label
  end
  check.same(label({}), "✓")
  check.same(label({ terminal = { exitCode = 2 } }), "✗ exit code 2")
  check.same(label({ status = "rejected" }), "✗ rejected")
  check.same(label({ status = "pending" }, true), "? waiting for you")
  check.same(label({ status = "_new" }), "_new")
end)

check.test("the lines of a diff have colours, and its head is left out", function()
  local patch = "--- a\n+++ b\n@@ -1,1 +1,1 @@\n-old\n+new\n"
  local change = { uri = "file:///a.txt", change = "modified", patch = patch }
  local block =
    render.item(item("toolCall", { name = "edit_file", title = "edit_file a.txt", changes = { change } }), OPTIONS)
  check.same(block.lines, { "**edit_file** `a.txt`", "```diff", "@@ -1,1 +1,1 @@", "-old", "+new", "```", "" })
  check.same(block.paint, { [3] = "AglsDim", [4] = "AglsRemoved", [5] = "AglsAdded" })
end)

check.test("the output of a command has its colours, where it is the same output", function()
  local output = "all:\nred and pink\n[exit code 3, 0.1 s]"
  local coloured = "all:\n\27[31mréd\27[0m and \27[1;38;5;200mpink\27[0m\n[exit code 3, 0.1 s]"
  local function shown(text)
    local terminal = { command = "make", exitCode = 3, coloured = text }
    return render.item(item("toolCall", { name = "shell", output = output, terminal = terminal }), OPTIONS)
  end
  output = output:gsub("red", "réd")
  local block = shown(coloured)
  check.same(block.lines, { "**shell**", "```text", "all:", "réd and pink", "[exit code 3, 0.1 s]", "```", "" })
  check.same(block.colours, {
    [4] = {
      { first = 0, last = 4, hl = "AglsOutputRed" },
      { first = 9, last = 13, hl = "AglsOutputBoldff00d7" },
    },
  })
  check.same(vim.api.nvim_get_hl(0, { name = "AglsOutputRed" }).ctermfg, 1)
  local running = { name = "shell", status = "running", output = output, coloured = coloured }
  check.same(render.item(item("toolCall", running), OPTIONS).colours, block.colours)
  check.same(shown("\27[31mred").colours, nil)
  check.same(shown(nil).colours, nil)
end)

check.test("an unknown kind is shown by its title and its text", function()
  check.same(render.item(item("_new", { title = "New", text = "words" }), OPTIONS).lines, { "**New**", "words", "" })
end)

check.test("a reply that broke off is marked as one that does not count", function()
  for _, kind in ipairs({ "message", "thought" }) do
    local block = render.item(item(kind, { text = "half", status = "failed", discarded = true }), OPTIONS)
    check.same({ block.label, block.hl }, { "✗ cut off: not part of the conversation", "AglsFailed" })
    check.same(render.item(item(kind, { text = "whole" }), OPTIONS).label, nil)
  end
end)

check.test("no line has a line end in it", function()
  local hard = item("toolCall", { name = "a\nb", title = "a\nb c\nd", output = "x\r\ny\rz" })
  for _, line in ipairs(render.item(hard, OPTIONS).lines) do
    check.holds(not line:find("\n", 1, true), line)
  end
end)

check.test("a run that came to its end needs no word, every other end has one", function()
  check.same(render.ending({ stopReason = "endTurn" }), {})
  check.same(render.ending({ stopReason = "cancelled", detail = "cancelled by the user" }), { "> Stopped." })
  local used = { kind = "quota", title = "The quota is used up", message = "used\nup" }
  check.same(
    render.ending({ stopReason = "error", error = used }),
    { "> **The quota is used up:** used up", ">", "> `:Agls continue` tries again; `:Agls model` takes another model." }
  )
  check.same(render.ending({ stopReason = "_new", detail = "why" }), { "> _new (why)." })
  local stuck = render.ending({ stopReason = "guard", detail = "the same call\n3 times." })
  check.same(stuck, { "> Stopped: it made no progress (the same call 3 times). `:Agls continue` goes on." })
  local interrupted = render.ending({ stopReason = "interrupted", detail = "the process ended" })
  check.same(interrupted, { "> Interrupted: the server ended before the run did. `:Agls continue` goes on." })
end)

check.test("a model that is asked again is named with the cause", function()
  check.same(render.retrying(nil), {})
  check.same(render.retrying({ delayMs = 2400, cause = "too\nmany" }), { "> Trying again in 2 s: too many" })
end)

check.done()

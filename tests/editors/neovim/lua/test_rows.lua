local check = require("check")
local rows = require("agls.rows")

check.test("a long line goes on between its words, and nothing of it is lost", function()
  check.same(rows.of("one two three four", 12), { "one two ", rows.MORE .. "three four" })
  check.same(rows.of(("x"):rep(12), 12), { ("x"):rep(10), rows.MORE .. "xx" })
  check.same(rows.of("a longlongword", 12), { "a longlong", rows.MORE .. "word" })
  check.same(rows.of("日本語 日本語", 12), { "日本語 ", rows.MORE .. "日本語" })
  for _, line in ipairs({ "", " ", "a\tb\tc\td\te", "\xff\xfe \128\128 odd bytes here", ("word "):rep(99) }) do
    local made = rows.of(line, 12)
    for number, row in ipairs(made) do
      made[number] = number == 1 and row or row:sub(#rows.MORE + 1)
    end
    check.same(table.concat(made), line)
  end
end)

check.done()

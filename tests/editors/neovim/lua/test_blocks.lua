local check = require("check")
local blocks = require("agls.blocks")

local ROOT = vim.fn.tempname()
vim.fn.mkdir(ROOT .. "/src", "p")
local PIXEL = "\137PNG\r\n\26\n\0\0"

local function write(name, data)
  local file = assert(io.open(ROOT .. "/" .. name, "wb"))
  file:write(data)
  file:close()
end

write("src/a.lua", "return 1\n")
write("shot.PNG", PIXEL)
write("large.jpg", ("x"):rep(5 * 1024 * 1024 + 1))

check.test("a file goes by its name, an image whole", function()
  local file = blocks.named("src/a.lua", ROOT)
  check.same(file.block, { type = "resourceLink", uri = vim.uri_from_fname(ROOT .. "/src/a.lua"), name = "src/a.lua" })
  local image = blocks.named("shot.PNG", ROOT)
  check.same(
    image,
    { label = "shot.PNG", block = { type = "image", mimeType = "image/png", data = vim.base64.encode(PIXEL) } }
  )
  check.same(blocks.named(ROOT .. "/src", "/elsewhere").block.type, "resourceLink")
end)

check.test("what cannot go says why", function()
  local function problem(name)
    local chip, why = blocks.named(name, ROOT)
    check.same(chip, nil)
    return why
  end
  check.same(problem("none.txt"), "there is no file none.txt")
  check.holds(problem("large.jpg"):find("5.0 MB; an image may have 5", 1, true), problem("large.jpg"))
end)

check.test("lines and diagnostics have a name for people", function()
  vim.cmd.edit(ROOT .. "/src/a.lua")
  vim.cmd.lcd(ROOT)
  local buf = vim.api.nvim_get_current_buf()
  check.same(blocks.lines(buf, 1, 1), {
    label = "src/a.lua L1-L1",
    block = { type = "resource", uri = vim.uri_from_bufnr(buf) .. "#L1-L1", text = "return 1\n" },
  })
  vim.diagnostic.set(vim.api.nvim_create_namespace("t"), buf, { { lnum = 0, col = 0, message = "bad", severity = 1 } })
  local chip = blocks.named("diagnostics", ROOT)
  check.same({ chip.label, chip.block.text }, { "src/a.lua diagnostics", "line 1: error: bad" })
end)

check.done()

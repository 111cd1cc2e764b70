local check = require("check")
local actions = require("agls.actions")
local ask = require("agls.ask")
local servers = require("agls.servers")

check.test("a server that lacks an input is given it from the menu of servers", function()
  local invoke, choice, asked, offered = actions.invoke, ask.choice, {}, {}
  local lacking = { name = "shop", status = "stopped", message = "nobody gave the input token", needsInput = "token" }
  local of = { store = { servers = { lacking } } }
  actions.invoke = function(_, name, input, done)
    asked[#asked + 1] = { name, input }
    done({ servers = { name == "mcp" and lacking or { name = "shop", status = "stopped" } } }, "token is kept")
  end
  ask.choice = function(rows, _, done)
    offered[#offered + 1] = rows
    done(rows[1])
  end
  servers.choose(of)
  actions.invoke, ask.choice = invoke, choice
  check.same(asked[2], { "mcp.input", { name = "token" } })
  check.same({ offered[2][1].text, offered[2][2].text }, { "Give token", "Switch off" })
  check.same(servers.line(of.store.servers), "")
end)

check.done()

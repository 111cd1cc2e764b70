local check = require("check")
local config = require("agls.config")
local secrets = require("agls.secrets")

local TOLD = {}
vim.notify = function(message)
  TOLD[#TOLD + 1] = message
end

check.test("without a key the answer is empty, and the host is remembered", function()
  check.same(secrets.answer({ host = "api.example" }), vim.empty_dict())
  check.same(secrets.hosts(), { "api.example" })
end)

check.test("a key is given to its host and to no other", function()
  vim.fn.inputsecret = function()
    return " canary "
  end
  secrets.ask("")
  check.same(secrets.answer({ host = "api.example" }), { value = "canary" })
  check.same(secrets.answer({ host = "evil.example" }), vim.empty_dict())
  check.same(secrets.answer({ host = "API.example.evil" }), vim.empty_dict())
end)

check.test("the user's own function is asked, and may fail", function()
  config.set({
    key = function(host)
      return host == "vault.example" and "from the vault" or error("locked")
    end,
  })
  check.same(secrets.answer({ host = "vault.example" }), { value = "from the vault" })
  check.same(secrets.answer({ host = "other.example" }), vim.empty_dict())
  check.holds(TOLD[#TOLD]:find("other.example") and TOLD[#TOLD]:find("locked"), TOLD[#TOLD])
end)

check.test("no key is given while Neovim's log would have it", function()
  local before = vim.lsp.log.get_level()
  vim.lsp.log.set_level("debug")
  check.same(secrets.answer({ host = "api.example" }), vim.empty_dict())
  check.holds(TOLD[#TOLD]:find("set_level", 1, true), TOLD[#TOLD])
  vim.lsp.log.set_level(before)
  check.same(secrets.answer({ host = "api.example" }), { value = "canary" })
end)

check.test("an empty answer forgets the key", function()
  vim.fn.inputsecret = function()
    return ""
  end
  secrets.ask("api.example")
  check.same(secrets.answer({ host = "api.example" }), vim.empty_dict())
end)

check.test("a key on the command line is not taken, and leaves the history", function()
  vim.fn.histadd("cmd", "Agls key sk-canary")
  secrets.ask("sk-canary")
  check.same(vim.fn.histget("cmd", -1):find("canary"), nil)
  check.holds(not TOLD[#TOLD]:find("canary"), TOLD[#TOLD])
end)

check.done()

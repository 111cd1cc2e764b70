-- Keys of model servers that the user keeps in this Neovim: by host, in memory, and never in a file.

local ask = require("agls.ask")
local config = require("agls.config")
local notify = require("agls.notify")

local M = {}

---@type table<string, string> by host
local kept = {}
---@type table<string, true> hosts for which a server asked and there was none
local wanted = {}

local LOGGED = "no %s was given: Neovim's LSP log has the level DEBUG and would write it to the disk. "
  .. "`:lua vim.lsp.log.set_level('warn')`, then send it again"

---@return boolean
local function log_would_have_it()
  return vim.lsp.log.get_level() <= vim.log.levels.DEBUG
end

---@param host string
---@return string? key
local function find(host)
  if kept[host] or not config.current.key then
    return kept[host]
  end
  local ok, found = pcall(config.current.key, host)
  if not ok then
    notify.error(("the function `key` of setup failed for %s: %s"):format(host, found))
  end
  return ok and type(found) == "string" and found ~= "" and found or nil
end

---Answer `agent/secret`: the key that is kept for this host, and for no other.
---@param params agls.SecretParams
---@return agls.SecretAnswer
function M.answer(params)
  local key = find(params.host)
  if not key then
    wanted[params.host] = true
  elseif log_would_have_it() then
    key = nil
    notify.error(LOGGED:format("key"))
  end
  return key and { value = key } or vim.empty_dict()
end

---Have a secret typed for a question of the server: no history and no log has it.
---@param prompt string
---@return string? secret nothing where none was typed, or the log would have it
function M.typed(prompt)
  if log_would_have_it() then
    return notify.error(LOGGED:format("answer"))
  end
  local ok, words = pcall(vim.fn.inputsecret, prompt)
  vim.cmd.redraw() -- as below
  words = ok and vim.trim(words) or ""
  return words ~= "" and words or nil
end

---@param host string
---@param done? fun() a key is kept now
local function keep(host, done)
  local ok, key = pcall(vim.fn.inputsecret, ("Key for %s (empty: forget it): "):format(host))
  vim.cmd.redraw() -- else the message below makes the user press Enter
  if not ok then
    return -- <C-c>
  end
  key = vim.trim(key)
  kept[host] = key ~= "" and key or nil
  wanted[host] = key == "" or nil
  notify.info(
    key ~= "" and ("the key for %s is kept until Neovim ends"):format(host) or ("no key is kept for %s"):format(host)
  )
  if done and key ~= "" then
    done()
  end
end

---Ask for the key of a host, and go on when one was given.
---@param host string
---@param done fun()
function M.give(host, done)
  keep(host, done)
end

---@return string[] hosts that servers asked for, and those whose keys are here
function M.hosts()
  local found = vim.tbl_keys(vim.tbl_extend("force", wanted, kept))
  table.sort(found)
  return found
end

---Ask for the key of a host, and keep it. Keys are not taken from the command line, whose history is on the disk.
---@param host string "" for the one that a server asked for
function M.ask(host)
  if host ~= "" and not host:find("^[%w%.%-_:%[%]]+$") or host:find("^sk%-") then
    vim.fn.histdel("cmd", -1)
    return notify.error("name only the host, as in `:Agls key api.example.com`: the key is asked for")
  end
  local hosts = M.hosts()
  if host == "" and #hosts > 1 then
    return ask.choice(hosts, { prompt = "Key for", kind = "host" }, function(chosen)
      keep(chosen)
    end)
  end
  ask.words("Host of the model server: ", host ~= "" and host or hosts[1] or "", function(chosen)
    keep(chosen)
  end)
end

return M

-- `:Agls setup`: choose a model, without a file written by hand. A server of this machine, or a provider: its key, the
-- list of its models, and the choice is in the user's config.toml.

local ask = require("agls.ask")
local notify = require("agls.notify")
local secrets = require("agls.secrets")

local M = {}

local NO_LIST = "%s lists no models; `:Agls setup` begins again"

---@class agls.ModelSource where models come from
---@field provider? string
---@field baseUrl? string
---@field host string
---@field name string for people

---@class agls.SetupRow
---@field text string
---@field act fun()

---@param result agls.ProviderUseResult
---@param at agls.Client
local function used(at, result)
  local file = vim.fn.fnamemodify(vim.uri_to_fname(result.configFile), ":~")
  notify.info(("%s is the model from now on (in %s)"):format(result.model, file))
  require("agls.options").chosen(at)
end

---@param at agls.Client
---@param model string
---@param source? agls.ModelSource nil for a model that can be chosen already
local function use(at, model, source)
  local params = { model = model, provider = source and source.provider, baseUrl = source and source.baseUrl }
  at:request("agent/provider/use", params, function(result, problem)
    if not result then
      return notify.failure(problem)
    end
    used(at, result)
  end)
end

---@param model agls.ListedModel
---@return string
local function model_text(model)
  return model.contextWindow and ("%s  (%d tokens)"):format(model.name, model.contextWindow) or model.name
end

---Ask a server for its models. It is asked again with a key when it wants one.
---@param at agls.Client
---@param source agls.ModelSource
---@param has_asked? boolean for the key
local function list(at, source, has_asked)
  notify.info("asks " .. source.name .. " for its models …")
  local params = { provider = source.provider, baseUrl = source.baseUrl }
  at:request("agent/provider/models", params, function(result, problem)
    if not result then
      return notify.failure(problem)
    elseif result.problem and result.kind == "auth" then
      if has_asked then
        notify.warn(result.problem)
      end
      return secrets.give(source.host, function()
        list(at, source, true)
      end)
    elseif result.problem then
      return notify.error(vim.trim(result.problem .. " " .. (result.hint or "")))
    elseif #result.models == 0 then
      return notify.warn(NO_LIST:format(source.name))
    end
    local prompt = ("Models of %s"):format(source.name)
    ask.choice(result.models, { prompt = prompt, kind = "model", text = model_text }, function(model)
      use(at, model.name, source)
    end)
  end)
end

---@param at agls.Client
local function other_server(at)
  ask.words("Address of the model server (https://models.example.com/v1): ", "", function(address)
    address = vim.trim(address)
    local host = address:match("^%a+://([^/]+)") or address
    list(at, { baseUrl = address, host = host:gsub("^.*@", ""):gsub(":%d+$", ""), name = host })
  end)
end

---@param at agls.Client
local function open_settings(at)
  at:request("agent/status", {}, function(result, problem)
    if not result then
      return notify.failure(problem)
    end
    local file = vim.uri_to_fname(result.configFile)
    vim.fn.mkdir(vim.fs.dirname(file), "p")
    vim.cmd("tab split " .. vim.fn.fnameescape(file))
  end)
end

---@param at agls.Client
---@param offered agls.ProviderListResult
---@return agls.SetupRow[]
local function rows_of(at, offered)
  local rows = {}
  local function offer(text, act)
    rows[#rows + 1] = { text = text, act = act }
  end
  for _, server in ipairs(offered["local"]) do
    for _, model in ipairs(server.models) do
      offer(("%s  (on this machine, %s)"):format(model, server.kind), function()
        use(at, model)
      end)
    end
  end
  for _, provider in ipairs(offered.providers) do
    offer(("%s  (%s%s)"):format(provider.name, provider.host, provider.hasKey and ", key is there" or ""), function()
      list(at, { provider = provider.name, host = provider.host, name = provider.name })
    end)
  end
  offer("Another server…", function()
    other_server(at)
  end)
  offer("Edit config.toml", function()
    open_settings(at)
  end)
  return rows
end

---@param offered agls.ProviderListResult
---@return string
local function question(offered)
  if #offered["local"] > 0 then
    return "Which model shall answer?"
  end
  local found = offered.looked and "no model server answers on this machine" or "this machine is not searched"
  return ("Which provider? (%s)"):format(found)
end

---Choose a model for all sessions that are still to come.
---@param at agls.Client
function M.choose(at)
  at:request("agent/provider/list", {}, function(offered, problem)
    if not offered then
      return notify.failure(problem)
    end
    local function text(row)
      return row.text
    end
    ask.choice(rows_of(at, offered), { prompt = question(offered), kind = "setup", text = text }, function(row)
      row.act()
    end)
  end)
end

---Set up what is missing: first the server, then a model.
---@param client_of fun(): agls.Client
function M.run(client_of)
  if vim.fn.executable(require("agls.config").command()[1]) == 1 then
    return M.choose(client_of())
  end
  require("agls.install").run(function(problem)
    if not problem then
      M.choose(client_of())
    end
  end)
end

return M

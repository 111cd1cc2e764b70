-- Setting an option of a session: mode, model.

local ask = require("agls.ask")
local notify = require("agls.notify")

local M = {}

M.MODES = { "ask", "acceptEdits", "plan", "allowAll" }
local OTHER = "Another one…"
local POLL = 1000 -- milliseconds between two looks at the config file

---@type string[] that the server names, once it was asked
M.models = {}

---@type table<string, string> by folder: what keeps a run from beginning, so that it is shown once
local problems = {}

---@type table<string, uv.uv_fs_poll_t> by folder: who looks at the user's config file
local watchers = {}

---Ask again when the config file was written: the server reads it by itself.
---@param at agls.Client
---@param file? string its URI
local function follow(at, file)
  if not file or watchers[at.root] then
    return
  end
  watchers[at.root] = assert(vim.uv.new_fs_poll())
  watchers[at.root]:start(
    vim.uri_to_fname(file),
    POLL,
    vim.schedule_wrap(function()
      if at.state == "ready" then
        M.know_models(at)
      end
    end)
  )
end

---Ask the server for its models, so that completion need not wait. What keeps a run from beginning is shown.
---@param at agls.Client
---@param done? fun()
function M.know_models(at, done)
  at:request("agent/status", {}, function(result)
    M.models = vim.tbl_map(function(model)
      return model.name
    end, result and result.models or M.models)
    local problem = result and result.problem
    if problem and problem ~= problems[at.root] then
      local file = result.configFile and vim.uri_to_fname(result.configFile)
      local is_of_file = file and vim.startswith(problem, file) -- that is to be corrected, not to be set up
      notify.warn(#M.models == 0 and not is_of_file and "`:Agls setup` chooses a model: " .. problem or problem)
    elseif result and not problem and problems[at.root] then
      notify.info("the configuration is read: the agent can work now")
    end
    problems[at.root] = problem
    follow(at, result and result.configFile)
    if done then
      done()
    end
  end)
end

---@param of agls.Session
---@param name string
---@param value string "default" takes it back
local function set(of, name, value)
  local given = value ~= "default" and value or nil
  of:set(name, given, function(_, problem)
    if problem then
      return notify.failure(problem)
    end
    notify.info(("%s is %s from the next run on"):format(name, given or "as configured"))
  end)
end

---Set the mode; without one, ask.
---@param of agls.Session
---@param mode string
function M.mode(of, mode)
  if mode ~= "" then
    return set(of, "mode", mode)
  end
  local prompt = "mode, now " .. (of.store.options.mode or "as configured")
  ask.choice(vim.list_extend({ "default" }, M.MODES), { prompt = prompt, kind = "mode" }, function(chosen)
    set(of, "mode", chosen)
  end)
end

---Set the model; without one, ask.
---@param of agls.Session
---@param model string
function M.model(of, model)
  if model ~= "" then
    return set(of, "model", model)
  end
  M.know_models(of.client, function()
    local choices = vim.list_extend(vim.list_extend({ "default" }, M.models), { OTHER })
    local prompt = "model, now " .. (of.store.options.model or "as configured")
    ask.choice(choices, { prompt = prompt, kind = "model" }, function(chosen)
      ask.words("model: ", chosen ~= OTHER and chosen or "", function(name)
        set(of, "model", name)
      end)
    end)
  end)
end

return M

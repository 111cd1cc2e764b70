-- Setting an option of a session: mode, model.

local ask = require("agls.ask")
local notify = require("agls.notify")

local M = {}

M.MODES = { "ask", "acceptEdits", "plan", "allowAll" }
local MEANINGS = {
  default = "what config.toml says",
  ask = "asks before it edits files or runs commands",
  acceptEdits = "edits files unasked, asks before commands",
  plan = "only reads, and makes a plan first",
  allowAll = "asks nothing",
}
local NAMES = { mode = "Mode", model = "Model" }
local OTHER = "Another one…"
local NO_MODEL = "no model is chosen yet; `:Agls setup` shows what there is"
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
    at.problem = result and result.problem
    M.models = vim.tbl_map(function(model)
      return model.name
    end, result and result.models or M.models)
    at.models = M.models
    require("agls.chat").greet(at)
    require("agls.trouble").look(at)
    require("agls.status").redraw()
    local problem = result and result.problem
    if problem and problem ~= problems[at.root] and not require("agls.trouble").is_open(at) then
      local file = result.configFile and vim.uri_to_fname(result.configFile)
      local is_of_file = file and vim.startswith(problem, file) -- that is to be corrected, not to be set up
      notify.warn(#M.models == 0 and not is_of_file and NO_MODEL or problem)
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
    local words = name == "mode" and given and require("agls.status").mode_name(given) or given or "as configured"
    notify.info(("%s: %s, from the next prompt on"):format(NAMES[name], words))
  end)
end

---A choice was made: that the agent can work now is no news.
---@param at agls.Client
function M.chosen(at)
  problems[at.root] = nil
  M.know_models(at)
end

---Set the mode; without one, ask.
---@param of agls.Session
---@param mode string
function M.mode(of, mode)
  if mode ~= "" then
    return set(of, "mode", mode)
  end
  local status = require("agls.status")
  local function words(row)
    return ("%-13s  %s"):format(row == "default" and "As configured" or status.mode_name(row), MEANINGS[row])
  end
  local prompt = ("Mode, now: %s"):format(status.mode_name(of.store.options.mode or "as configured"))
  local rows = vim.list_extend({ "default" }, M.MODES)
  ask.choice(rows, { prompt = prompt, kind = "mode", text = words }, function(chosen)
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
    local function words(row)
      return row == "default" and "As configured" or row
    end
    local choices = vim.list_extend(vim.list_extend({ "default" }, M.models), { OTHER })
    local prompt = "Model, now: " .. (of.store.options.model or of.client.models[1] or "none")
    ask.choice(choices, { prompt = prompt, kind = "model", text = words }, function(chosen)
      ask.words("Model: ", chosen ~= OTHER and chosen or "", function(name)
        set(of, "model", name)
      end)
    end)
  end)
end

return M

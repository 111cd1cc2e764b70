-- Errors of a model, by their kind on the wire: what they are called, and what to do about them here.

local M = {}

local TITLES = {
  auth = "The key was refused",
  authRequired = "A key is needed",
  configInvalid = "The settings keep it from working",
  modelNotFound = "There is no such model",
  badRequest = "The model refused the request",
  quota = "The quota is used up",
  rateLimit = "Too many requests",
  overloaded = "The model is overloaded",
  contextTooLong = "The conversation is too long for the model",
  contentFilter = "The answer was filtered",
  network = "The model cannot be reached",
  timeout = "The model did not answer in time",
  providerInternal = "The provider had an error",
}

local REMEDIES = {
  auth = "`:Agls key` takes a key for this Neovim, `:Agls continue` tries again, `:Agls model` takes another model.",
  rateLimit = "`:Agls continue` tries again later; `:Agls model` takes another model.",
  internal = "`:Agls continue` tries again; `:checkhealth agls` shows what is wrong.",
  other = "`:Agls continue` tries again; `:Agls model` takes another model.",
}

---@param kind string
---@return string
function M.title(kind)
  return TITLES[kind] or "The run failed"
end

---@param kind string
---@return string
function M.remedy(kind)
  return REMEDIES[kind] or REMEDIES.other
end

return M

-- What to do here about an error of a model, by its kind on the wire.

local M = {}

local REMEDIES = {
  auth = "`:Agls key` takes a key for this Neovim, `:Agls continue` tries again, `:Agls model` takes another model.",
  rateLimit = "`:Agls continue` tries again later; `:Agls model` takes another model.",
  internal = "`:Agls continue` tries again; `:checkhealth agls` shows what is wrong.",
  other = "`:Agls continue` tries again; `:Agls model` takes another model.",
}

---@param kind string
---@return string
function M.remedy(kind)
  return REMEDIES[kind] or REMEDIES.other
end

return M

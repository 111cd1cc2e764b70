-- Asking the user through vim.ui.select and vim.ui.input, so that their own pickers work. No choice does nothing.

local M = {}

---Choose one of several.
---@generic T
---@param items T[]
---@param options { prompt: string, kind?: string, text?: fun(item: T): string }
---@param act fun(item: T)
function M.choice(items, options, act)
  local given = { prompt = options.prompt, kind = "agls." .. (options.kind or "choice"), format_item = options.text }
  vim.ui.select(items, given, function(item)
    if item ~= nil then
      act(item)
    end
  end)
end

---Some words; nothing is asked when they are given already.
---@param prompt string
---@param given string
---@param act fun(words: string)
function M.words(prompt, given, act)
  if given ~= "" then
    return act(given)
  end
  vim.ui.input({ prompt = prompt }, function(words)
    if words and vim.trim(words) ~= "" then
      act(words)
    end
  end)
end

return M

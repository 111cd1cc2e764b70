-- Keys that answer the question that waits, in the windows of chat and prompt and in the question itself. Where nothing
-- waits they do what they always do.

local config = require("agls.config")

local M = {}

local ACTS = {
  allow = "allow it",
  reject = "reject it",
  reason = "reject it, and say why",
  whole = "all of the question",
  diff = "the changes that it asks about, as a diff",
}

---@param buf integer
function M.map(buf)
  for name, about in pairs(ACTS) do
    local key = config.key("question_" .. name)
    if key then
      vim.keymap.set("n", key, function()
        if not require("agls.questions").act(name) then
          vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(key, true, false, true), "n", false)
        end
      end, { buffer = buf, nowait = true, desc = "agls: " .. about })
    end
  end
end

return M

-- Swap files of a Neovim that crashed: where the user opens no file themselves, the question about one has no place.

local notify = require("agls.notify")

local M = {}

---Do something that opens a file. A swap file of it stays for `:recover`; the user is told of it, and not asked.
---@param act fun()
function M.open(act)
  local left
  local id = vim.api.nvim_create_autocmd("SwapExists", {
    callback = function(event)
      if vim.v.swapchoice == "" then -- Neovim's own answer is for one that another Neovim uses
        left = event.file
        vim.cmd("let v:swapchoice = 'e'")
      end
    end,
  })
  local ok, problem = pcall(act)
  vim.api.nvim_del_autocmd(id)
  if left then
    notify.warn(("a swap file was left of %s; `:help recovery` says what to do"):format(vim.fn.fnamemodify(left, ":.")))
  end
  if not ok then
    error(problem, 0)
  end
end

return M

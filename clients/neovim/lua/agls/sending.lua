-- `:w` in a prompt sends it. Commands that write every buffer (`:wall`, `:wqall`, 'autowrite') mean files: they leave
-- alone what is written in a prompt.

local M = {}

---@type integer? the window that the user entered last: a command that writes a buffer elsewhere enters none
local entered

---Send a buffer when the user writes it.
---@param buf integer
---@param send fun()
function M.on_write(buf, send)
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function()
      if entered and entered ~= vim.api.nvim_get_current_win() then
        vim.bo[buf].modified = false -- else `:wqall` would not quit
      else
        send()
      end
    end,
  })
end

---@param group integer
function M.setup(group)
  vim.api.nvim_create_autocmd("WinEnter", {
    group = group,
    callback = function()
      entered = vim.api.nvim_get_current_win()
    end,
  })
end

return M

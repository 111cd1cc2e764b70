-- A command that the user changes before they allow it, in a small buffer: also one of several lines.

local config = require("agls.config")
local float = require("agls.float")

local M = {}

---@type integer?
local open

---Have a command changed. `done` gets what is to run, or nil when the user thought better of it.
---@param command string
---@param done fun(command?: string)
function M.command(command, done)
  M.close()
  local buf = vim.api.nvim_create_buf(false, true)
  open = buf
  vim.api.nvim_buf_set_name(buf, ("agls://command/%d"):format(buf))
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(command, "\n", { plain = true }))
  vim.bo[buf].buftype, vim.bo[buf].bufhidden, vim.bo[buf].swapfile = "acwrite", "wipe", false
  vim.bo[buf].filetype = "sh"
  vim.bo[buf].modified = false
  local key = config.key("submit") or ":w"
  float.fitted(buf, { title = ("%s runs it, q goes back"):format(key), enter = true, top = true })
  local function answer(changed)
    if open == buf then
      open = nil
      vim.schedule(function()
        if vim.api.nvim_buf_is_valid(buf) then
          vim.api.nvim_buf_delete(buf, { force = true })
        end
        done(changed)
      end)
    end
  end
  local function submit()
    vim.bo[buf].modified = false
    answer(table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n"))
  end
  vim.api.nvim_create_autocmd("BufWriteCmd", { buffer = buf, callback = submit })
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    callback = function()
      answer(nil)
    end,
  })
  if config.key("submit") then
    vim.keymap.set("n", key, submit, { buffer = buf, desc = "agls: run it as it stands here" })
  end
  vim.keymap.set("n", "q", function()
    answer(nil)
  end, { buffer = buf, nowait = true, desc = "agls: back to the question" })
end

---Nobody is asked any more.
function M.close()
  local buf = open
  open = nil
  if buf and vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_delete(buf, { force = true })
  end
end

return M

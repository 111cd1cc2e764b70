-- A command or a plan that the user changes before they allow it, in a small buffer.

local config = require("agls.config")
local float = require("agls.float")

local M = {}

---@type integer?
local open

---@class agls.Amended
---@field name string of the buffer
---@field filetype string
---@field submits string what the key does that accepts it

---@param text string
---@param what agls.Amended
---@param done fun(changed?: string)
local function amend(text, what, done)
  M.close()
  local buf = vim.api.nvim_create_buf(false, true)
  open = buf
  vim.api.nvim_buf_set_name(buf, ("agls://%s/%d"):format(what.name, buf))
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(text, "\n", { plain = true }))
  vim.bo[buf].buftype, vim.bo[buf].bufhidden, vim.bo[buf].swapfile = "acwrite", "wipe", false
  vim.bo[buf].filetype = what.filetype
  vim.bo[buf].modified = false
  local key = config.key("submit") or ":w"
  float.fitted(buf, { title = ("%s %s, q goes back"):format(key, what.submits), enter = true, top = true })
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
    vim.keymap.set("n", key, submit, { buffer = buf, desc = "agls: " .. what.submits .. " as it stands here" })
  end
  vim.keymap.set("n", "q", function()
    answer(nil)
  end, { buffer = buf, nowait = true, desc = "agls: back to the question" })
end

---Have a command changed. `done` gets what is to run, or nil when the user thought better of it.
---@param command string
---@param done fun(command?: string)
function M.command(command, done)
  amend(command, { name = "command", filetype = "sh", submits = "runs it" }, done)
end

---Have a plan changed. `done` gets the one to approve, or nil when the user thought better of it.
---@param plan string
---@param done fun(plan?: string)
function M.plan(plan, done)
  amend(plan, { name = "plan", filetype = "markdown", submits = "approves it" }, done)
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

-- The changes that a question asks about, beside the file as it is, in a tab of its own.

local notify = require("agls.notify")
local patch = require("agls.patch")
local swap = require("agls.swap")

local M = {}

---@type table<integer, agls.PermissionParams> the tabs that were opened, and for which question
local tabs = {}

---@param params agls.PermissionParams
---@return agls.Change[]
local function changes_of(params)
  local subject = params.subject
  return subject and subject.type == "edit" and type(subject.changes) == "table" and subject.changes or {}
end

---Whether a question asks about changes.
---@param params agls.PermissionParams
---@return boolean
function M.has(params)
  return #changes_of(params) > 0
end

---@param name string
---@param lines string[]
---@param filetype string
local function scratch(name, lines, filetype)
  local buf = vim.api.nvim_get_current_buf()
  vim.bo[buf].buftype, vim.bo[buf].bufhidden, vim.bo[buf].swapfile = "nofile", "wipe", false
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.api.nvim_buf_set_name(buf, ("agls://proposed/%d/%s"):format(buf, name))
  vim.bo[buf].filetype, vim.bo[buf].modifiable = filetype, false
  vim.keymap.set("n", "q", "<cmd>tabclose<cr>", { buffer = buf, nowait = true, desc = "agls: back" })
  require("agls.question_keys").map(buf)
end

---@param change agls.Change
---@param params agls.PermissionParams
local function open(change, params)
  local path = vim.uri_to_fname(change.uri)
  swap.open(function()
    vim.cmd("tab split " .. vim.fn.fnameescape(path))
  end)
  vim.api.nvim_tabpage_set_var(0, "agls_diff", true) -- no question comes along: it would cover the diff
  tabs[vim.api.nvim_get_current_tabpage()] = params
  local buf = vim.api.nvim_get_current_buf()
  local there = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  local is_new = change.change == "added" and #there == 1 and there[1] == ""
  local after = patch.applied(is_new and {} or there, change.patch)
  if not after then -- it was changed since: what the agent wants is still to be seen
    vim.cmd("enew")
    return scratch(vim.fs.basename(path), vim.split(change.patch, "\n", { plain = true }), "diff")
  end
  local filetype = vim.bo[buf].filetype
  vim.cmd("diffthis | rightbelow vertical new")
  scratch(vim.fs.basename(path), after, filetype)
  vim.cmd("diffthis")
end

---Open the changes: of the one file, or of the one that the user chooses.
---@param params agls.PermissionParams
function M.open(params)
  local changes = changes_of(params)
  if #changes == 0 then
    return notify.info("this question is about no change of a file")
  elseif #changes == 1 then
    return open(changes[1], params)
  end
  local function name(change)
    return vim.fn.fnamemodify(vim.uri_to_fname(change.uri), ":.")
  end
  require("agls.ask").choice(changes, { prompt = "Changes", kind = "change", text = name }, function(change)
    open(change, params)
  end)
end

---A question is over: what it asked about is made, or will not be.
---@param params agls.PermissionParams
function M.close(params)
  for tab, asked in pairs(tabs) do
    if asked == params then
      tabs[tab] = nil
      if vim.api.nvim_tabpage_is_valid(tab) and #vim.api.nvim_list_tabpages() > 1 then
        vim.cmd.tabclose(vim.api.nvim_tabpage_get_number(tab))
      end
    end
  end
end

return M

-- What a question is about, in a float above the picker: the exact command and its folder, or the diff.

local float = require("agls.float")
local paint = require("agls.paint")
local render = require("agls.render")
local text = require("agls.text")

local NAMESPACE = vim.api.nvim_create_namespace("agls.preview")

local M = {}

---@type integer?
local win

---One line that says what is asked.
---@param params table
---@return string
function M.headline(params)
  local helper = params.agentId and params.agentId ~= "main" and (params.agentId .. ": ") or ""
  return text.clip(helper .. (params.title or params.message or "agls asks"), 70) .. "?"
end

---Everything the user has to know before they say yes.
---@param params table
---@return string[]
function M.lines(params)
  local subject = params.subject or {}
  local lines = {}
  if params.reason then
    vim.list_extend(lines, vim.split(params.reason, "\n", { plain = true }))
  end
  if subject.command then
    vim.list_extend(lines, text.fenced(text.plain(subject.command), "sh"))
  end
  if subject.cwd then
    lines[#lines + 1] = "in " .. subject.cwd
  end
  for _, change in ipairs(subject.changes or {}) do
    if change.uri then
      lines[#lines + 1] = text.short_name(change.uri)
    end
    if change.patch and change.patch ~= "" then
      vim.list_extend(lines, text.fenced((change.patch:gsub("^%-%-%- [^\n]*\n%+%+%+ [^\n]*\n", "")), "diff"))
    end
  end
  local known = { command = true, cwd = true, changes = true, type = true }
  for name, value in vim.spairs(subject) do
    if not known[name] then
      local told = type(value) == "string" and value or vim.json.encode(value)
      vim.list_extend(lines, vim.split(name .. ": " .. told, "\n", { plain = true }))
    end
  end
  return lines
end

function M.close()
  if win and vim.api.nvim_win_is_valid(win) then
    vim.api.nvim_win_close(win, true)
  end
  win = nil
end

---Show what a question is about. It takes no focus, and goes when the question does.
---@param params table
function M.question(params)
  M.close()
  local lines = M.lines(params)
  if #lines == 0 then
    return
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  for line, highlight in pairs(render.painted(lines)) do
    vim.api.nvim_buf_set_extmark(buf, NAMESPACE, line - 1, 0, { line_hl_group = highlight })
  end
  vim.bo[buf].bufhidden = "wipe"
  paint.markdown(buf)
  win = float.fitted(buf, { title = M.headline(params), top = true })
  vim.wo[win].conceallevel = 2
  vim.cmd.redraw() -- from now on it is known which lines are concealed
  local seen = vim.api.nvim_win_text_height(win, {}).all
  vim.api.nvim_win_set_height(win, math.max(1, math.min(seen, vim.api.nvim_win_get_height(win))))
  vim.cmd.redraw()
end

return M

-- What a question is about, in a float above the picker: the exact command and its folder, or the diff.

local render = require("aglet.render")

local M = {}

---@type integer?
local win

---One line that says what is asked.
---@param params table
---@return string
function M.headline(params)
  local title = (params.title or params.message or "aglet asks"):gsub("%s+", " ")
  if vim.fn.strdisplaywidth(title) > 70 then
    title = vim.fn.strcharpart(title, 0, 69) .. "…"
  end
  return title .. "?"
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
    vim.list_extend(lines, render.fenced(render.plain(subject.command), "sh"))
  end
  if subject.cwd then
    lines[#lines + 1] = "in " .. subject.cwd
  end
  for _, change in ipairs(subject.changes or {}) do
    if change.uri then
      lines[#lines + 1] = render.short_name(change.uri)
    end
    if change.patch and change.patch ~= "" then
      vim.list_extend(lines, render.fenced((change.patch:gsub("^%-%-%- [^\n]*\n%+%+%+ [^\n]*\n", "")), "diff"))
    end
  end
  local known = { command = true, cwd = true, changes = true, type = true }
  for name, value in vim.spairs(subject) do
    if not known[name] then
      local text = type(value) == "string" and value or vim.json.encode(value)
      vim.list_extend(lines, vim.split(name .. ": " .. text, "\n", { plain = true }))
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
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].filetype = "markdown"
  local longest = 0
  for _, line in ipairs(lines) do
    longest = math.max(longest, vim.fn.strdisplaywidth(line))
  end
  local width = math.max(40, math.min(longest + 2, vim.o.columns - 8))
  local height = math.min(#lines, math.max(3, math.floor(vim.o.lines / 2)))
  win = vim.api.nvim_open_win(buf, false, {
    relative = "editor",
    row = 1,
    col = math.floor((vim.o.columns - width) / 2),
    width = width,
    height = height,
    border = "rounded",
    title = " " .. M.headline(params) .. " ",
    style = "minimal",
    focusable = true,
    noautocmd = true,
  })
  vim.wo[win].conceallevel = 2
  vim.wo[win].wrap = true
  vim.wo[win].winhighlight = "NormalFloat:Normal"
  vim.cmd.redraw()
end

return M

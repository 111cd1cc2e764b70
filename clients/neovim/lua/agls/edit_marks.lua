-- What an edit at the cursor looks like in its buffer: what goes, what comes, and what can be done.

local first_line = require("agls.first_line")

local NAMESPACE = vim.api.nvim_create_namespace("agls.inline_edit")
local diff = vim.text and vim.text.diff or vim.diff

local M = { namespace = NAMESPACE }

---@param lines string[]
---@param highlight string
---@return table[] virtual lines
local function virtual(lines, highlight)
  return vim.tbl_map(function(line)
    return { { line == "" and " " or line, highlight } }
  end, lines)
end

---Watch some lines while they move, and say beside the first of them what is going on.
---@param buf integer
---@param first integer from 1
---@param count integer
---@param mark? integer the one that is there
---@return integer mark
function M.hold(buf, first, count, mark)
  local last = first + count - 1
  return vim.api.nvim_buf_set_extmark(buf, NAMESPACE, first - 1, 0, {
    id = mark,
    end_row = last - 1,
    end_col = #vim.api.nvim_buf_get_lines(buf, last - 1, last, false)[1],
    right_gravity = false,
    end_right_gravity = true,
  })
end

---@param buf integer
---@param mark integer
---@return integer first, integer last the lines that are watched, from 1
function M.lines(buf, mark)
  local at = vim.api.nvim_buf_get_extmark_by_id(buf, NAMESPACE, mark, { details = true })
  return at[1] + 1, math.max(at[1], at[3].end_row) + 1
end

---Forget everything that was drawn, but not which lines are watched.
---@param buf integer
---@param mark integer
local function wipe(buf, mark)
  for _, other in ipairs(vim.api.nvim_buf_get_extmarks(buf, NAMESPACE, 0, -1, {})) do
    if other[1] ~= mark then
      vim.api.nvim_buf_del_extmark(buf, NAMESPACE, other[1])
    end
  end
end

---@param buf integer
---@param row integer from 0
---@param words string
---@param highlight string
local function say(buf, row, words, highlight)
  vim.api.nvim_buf_set_extmark(buf, NAMESPACE, row, 0, {
    virt_text = { { "  " .. words, highlight } },
    virt_text_pos = "eol",
    hl_mode = "combine",
  })
end

---While the model writes: what will go, and below it what has come so far.
---@param buf integer
---@param mark integer
---@param text string
---@param words string
function M.writing(buf, mark, text, words)
  wipe(buf, mark)
  local first, last = M.lines(buf, mark)
  say(buf, first - 1, words, "AglsRunning")
  if text == "" then
    return
  end
  for line = first, last do
    vim.api.nvim_buf_set_extmark(buf, NAMESPACE, line - 1, 0, { line_hl_group = "AglsRemoved" })
  end
  vim.api.nvim_buf_set_extmark(buf, NAMESPACE, last - 1, 0, {
    virt_lines = virtual(vim.split(text, "\n", { plain = true }), "AglsAdded"),
  })
end

---@param old string[]
---@param new string[]
---@return integer[][] hunks
local function hunks_of(old, new)
  local function joined(lines)
    return table.concat(lines, "\n") .. "\n"
  end
  return diff(joined(old), joined(new), { result_type = "indices" }) --[[@as integer[][] ]]
end

---When it stands there: the lines that came, and above them those that went.
---@param buf integer
---@param mark integer
---@param old string[]
---@param new string[]
---@param words string
function M.shown(buf, mark, old, new, words)
  wipe(buf, mark)
  local first = M.lines(buf, mark)
  for _, hunk in ipairs(hunks_of(old, new)) do
    local gone, from, count = vim.list_slice(old, hunk[1], hunk[1] + hunk[2] - 1), hunk[3], hunk[4]
    for line = from, from + count - 1 do
      vim.api.nvim_buf_set_extmark(buf, NAMESPACE, first + line - 2, 0, { line_hl_group = "AglsAdded" })
    end
    if #gone > 0 then
      local below = count == 0 and from > 0 -- nothing came: they stood behind that line
      local row = first + math.max(from, 1) - 2
      local lines = virtual(gone, "AglsRemoved")
      vim.api.nvim_buf_set_extmark(buf, NAMESPACE, row, 0, { virt_lines = lines, virt_lines_above = not below })
      if row == 0 and not below then
        first_line.show(buf, #gone)
      end
    end
  end
  say(buf, first - 1, words, "AglsDim")
end

---Take everything away.
---@param buf integer
function M.clear(buf)
  if vim.api.nvim_buf_is_loaded(buf) then
    vim.api.nvim_buf_clear_namespace(buf, NAMESPACE, 0, -1)
  end
end

return M

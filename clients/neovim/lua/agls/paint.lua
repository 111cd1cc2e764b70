-- What buffers look like: Markdown, and in the chat how a call stands and the colours of diffs.

local NAMESPACE = vim.api.nvim_create_namespace("agls.chat")
local LONGEST = 500 -- lines of a paragraph: what highlighting one takes grows with their square, and the editor waits

local M = {}

---Make a buffer Markdown, with the parser that Neovim brings: 0.10 does not start it by itself.
---@param buf integer
function M.markdown(buf)
  vim.bo[buf].filetype = "markdown"
  vim.bo[buf].formatlistpat = [[^\s*\%(\d\+[.)]\|[-*+•]\)\s\+]] -- to what a long entry of a list is indented
  pcall(vim.treesitter.start, buf, "markdown")
end

---@param lines string[]
---@return boolean # whether a paragraph outside of code blocks is so long that its highlighting holds the editor up
local function has_endless_paragraph(lines)
  local count, fenced = 0, false
  for _, line in ipairs(lines) do
    if line:find("^%s*```") then
      fenced, count = not fenced, 0
    else
      count = (fenced or line == "") and 0 or count + 1
    end
    if count > LONGEST then
      return true
    end
  end
  return false
end

---How a call stands: at the end of its first line, and below a line that leaves no room for it in the window.
---@param buf integer
---@param placed agls.Placed
local function label(buf, placed)
  if placed.label then
    local win = vim.fn.win_findbuf(buf)[1]
    local room = win and vim.api.nvim_win_get_width(win) or math.huge
    local fits = vim.fn.strdisplaywidth(placed.lines[1] .. placed.label) + 2 <= room
    local words = { { (fits and " " or "  ") .. placed.label, placed.hl } }
    placed.mark = vim.api.nvim_buf_set_extmark(buf, NAMESPACE, placed.first, 0, {
      id = placed.mark,
      virt_text = fits and words or nil,
      virt_text_pos = "eol",
      virt_lines = not fits and { words } or nil,
    })
  elseif placed.mark then
    vim.api.nvim_buf_del_extmark(buf, NAMESPACE, placed.mark)
    placed.mark = nil
  end
end

---Mark a block that was written.
---@param buf integer
---@param placed agls.Placed
function M.block(buf, placed)
  if #placed.lines > LONGEST and vim.treesitter.highlighter.active[buf] and has_endless_paragraph(placed.lines) then
    vim.treesitter.stop(buf)
  end
  label(buf, placed)
  for _, mark in ipairs(placed.painted or {}) do
    vim.api.nvim_buf_del_extmark(buf, NAMESPACE, mark)
  end
  placed.painted = (placed.paint or placed.colours) and {} or nil
  local function mark(line, column, options)
    table.insert(placed.painted, vim.api.nvim_buf_set_extmark(buf, NAMESPACE, placed.first + line - 1, column, options))
  end
  for line, highlight in pairs(placed.paint or {}) do
    mark(line, 0, { line_hl_group = highlight })
  end
  for line, paints in pairs(placed.colours or {}) do
    for _, paint in ipairs(paints) do
      mark(line, paint.first, { end_col = paint.last, hl_group = paint.hl, priority = 200 })
    end
  end
end

---Take away every mark from a line on.
---@param buf integer
---@param first integer from 0
function M.clear(buf, first)
  vim.api.nvim_buf_clear_namespace(buf, NAMESPACE, first, -1)
end

return M

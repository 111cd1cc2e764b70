-- Reports where the user looks (`agent/focus`): the model gets the file and the lines with the next prompt.

local client = require("agls.client")

local PAUSE = 250 -- milliseconds without a move before it is reported
local ENCODING = "utf-16"
local MOVES = { "BufEnter", "WinEnter", "CursorMoved", "CursorMovedI", "ModeChanged", "WinScrolled" }

local M = {}

local timer = assert(vim.uv.new_timer())
---@type agls.FocusParams? what was reported last
local reported

---@return lsp.Range selection an empty one where the cursor is, when nothing is selected
local function selection()
  local mode = vim.fn.mode()
  if not mode:find("^[vV\22]") then
    local at = vim.lsp.util.make_position_params(0, ENCODING).position
    return { start = at, ["end"] = at }
  end
  local from, to = vim.fn.getpos("v"), vim.fn.getpos(".")
  if from[2] > to[2] or (from[2] == to[2] and from[3] > to[3]) then
    from, to = to, from
  end
  local first, last = { from[2], from[3] - 1 }, { to[2], to[3] - 1 }
  if mode == "V" then
    first[2], last[2] = 0, math.max(0, #vim.fn.getline(to[2]) - 1)
  end
  return vim.lsp.util.make_given_range_params(first, last, 0, ENCODING).range
end

---@return lsp.Range the lines that are on the screen
local function visible()
  local first, last = vim.fn.line("w0") - 1, vim.fn.line("w$") - 1
  return { start = { line = first, character = 0 }, ["end"] = { line = last, character = #vim.fn.getline(last + 1) } }
end

---@return agls.FocusParams? focus nil where no file is: who writes in a prompt still looks at the file they came from
local function here()
  local name = vim.api.nvim_buf_get_name(0)
  if vim.bo.buftype ~= "" or name == "" or name:find("^%a[%w+.-]*://") then
    return nil
  end
  return { uri = vim.uri_from_bufnr(0), selection = selection(), visible = { visible() } }
end

---@param to agls.Client
local function send(to)
  if reported and to.state == "ready" then
    to:notify("agent/focus", reported)
  end
end

---Report where the user looks now, if that is news.
function M.report()
  timer:stop()
  local focus = here()
  if focus and not vim.deep_equal(focus, reported) then
    reported = focus
    for _, one in pairs(client.all) do
      send(one)
    end
  end
end

---Send the focus to a server that was just started.
---@param to agls.Client
function M.greet(to)
  reported = here() or reported
  send(to)
end

---@param group integer
function M.setup(group)
  vim.api.nvim_create_autocmd(MOVES, {
    group = group,
    callback = function()
      if next(client.all) then
        timer:start(PAUSE, 0, vim.schedule_wrap(M.report))
      end
    end,
  })
  vim.api.nvim_create_autocmd("WinLeave", {
    group = group,
    callback = function()
      if next(client.all) then
        M.report() -- what has not settled is where they looked all the same
      end
    end,
  })
end

return M

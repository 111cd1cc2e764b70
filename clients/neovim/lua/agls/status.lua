-- The state of things in one line: the bars of chat and prompt, and a component for the user's statusline.

local changes = require("agls.changes")
local client = require("agls.client")
local config = require("agls.config")
local plans = require("agls.plans")
local questions = require("agls.questions")
local servers = require("agls.servers")
local session = require("agls.session")
local text = require("agls.text")

local M = {}

local WORDS = { idle = "ready", running = "working", requiresAction = "waiting for you", reading = "reading along" }
-- What is shown of a server's own state, and what a user calls each mode.
local SERVER =
  { starting = "starting", stopped = "server stopped", failed = "server not running", blocked = "not ready" }
local MODES = { ask = "Ask first", acceptEdits = "Accept edits", plan = "Plan", allowAll = "Allow all" }
local MARKS = { idle = "○", running = "●", requiresAction = "?", reading = "◌" }
local SHORTEST_TITLE = 8
local HIGHLIGHTS =
  { idle = "AglsDim", running = "AglsRunning", requiresAction = "AglsWaiting", reading = "AglsWaiting" }

---@param tokens integer
---@return string
local function short(tokens)
  return tokens < 1000 and tostring(tokens) or ("%.1fk"):format(tokens / 1000)
end

---@param words string
---@return string
local function safe(words)
  return (words:gsub("%%", "%%%%"))
end

---@param of agls.Session
---@return string state, integer queued
local function state_of(of)
  local state = of.client.state == "ready" and of.store.state or of.client.state
  state = of.client.state == "ready" and of.read_only and "reading" or state
  return state, #of.store.queue
end

---@param of agls.Session
---@return integer
local function tasks_of(of)
  local count = 0
  for _, item in pairs(of.store.items) do
    count = count + (item.kind == "task" and item.status == "running" and 1 or 0)
  end
  return count
end

---@class agls.Status
---@field state string idle, running, requiresAction, reading, or the state of the server
---@field queued integer prompts that wait
---@field tokens? integer of the last request
---@field window? integer tokens of the model's context
---@field cost number US dollars
---@field mode string
---@field model? string
---@field questions integer that wait for the user
---@field changes integer that wait to be judged
---@field plan string what is worked on, as "1 of 3: Test it"; "" without a plan
---@field servers string MCP servers that start or cannot be used; "" where there are none
---@field tasks integer commands and helpers that run in the background

---What is known of a session, for components of one's own.
---@param of agls.Session
---@return agls.Status
function M.of(of)
  local state, queued = state_of(of)
  local usage = of.store.usage or {}
  return {
    state = state,
    queued = queued,
    tokens = usage.used,
    window = usage.size,
    cost = of.store.cost,
    mode = of.store.options.mode or "ask",
    model = of.store.options.model or of.client.models[1],
    plan = plans.line(of),
    servers = servers.line(of.store.servers),
    tasks = tasks_of(of),
    questions = #questions.waiting,
    changes = #vim.tbl_filter(function(change)
      return change.sessionId == of.id
    end, changes.all),
  }
end

---@param state string
---@return string
local function word_of(state)
  return WORDS[state] or SERVER[state] or state
end

---The name of a mode as people read it.
---@param mode string
---@return string
function M.mode_name(mode)
  return MODES[mode] or mode
end

---@type table<agls.PieceName, fun(known: agls.Status): string>
local PIECES = {
  state = function(known)
    return (MARKS[known.state] or "✗") .. " " .. word_of(known.state)
  end,
  queue = function(known)
    return known.queued > 0 and ("%d waiting"):format(known.queued) or ""
  end,
  changes = function(known)
    return known.changes > 0 and ("%d to review"):format(known.changes) or ""
  end,
  questions = function(known)
    return known.questions > 0 and ("%d to answer"):format(known.questions) or ""
  end,
  tasks = function(known)
    return known.tasks > 0 and ("%d task%s"):format(known.tasks, known.tasks > 1 and "s" or "") or ""
  end,
  context = function(known)
    if not known.tokens then
      return ""
    end
    return short(known.tokens) .. (known.window and ("/" .. short(known.window)) or "") .. " tokens"
  end,
  cost = function(known)
    return known.cost > 0 and ("$%.2f"):format(known.cost) or ""
  end,
  mode = function(known)
    return M.mode_name(known.mode)
  end,
  model = function(known)
    return known.model or ""
  end,
  plan = function(known)
    return known.plan
  end,
  servers = function(known)
    return known.servers
  end,
}

---A piece for a statusline or winbar of the user's; "" where there is nothing to say.
---@param of agls.Session
---@param name agls.PieceName
---@return string
function M.piece(of, name)
  local piece = PIECES[name]
  if not piece then
    local known = vim.tbl_keys(PIECES)
    table.sort(known)
    error(("agls: there is no piece %q; there are %s"):format(name, table.concat(known, ", ")), 0)
  end
  return piece(M.of(of))
end

---@return agls.Session?
---@return integer win
local function of_window()
  local win = vim.g.statusline_winid or vim.api.nvim_get_current_win()
  return session.all[vim.b[vim.api.nvim_win_get_buf(win)].agls_session or ""], win
end

---The pieces at the right of the bar, the most urgent first, as far as there is room for them.
---@param known agls.Status
---@param room integer
---@return string
local function fitting(known, room)
  local found = ""
  for _, name in ipairs({ "servers", "changes", "tasks", "context", "cost" }) do
    local words = PIECES[name](known)
    local more = found .. (found ~= "" and words ~= "" and " · " or "") .. words
    if vim.fn.strdisplaywidth(more) <= room then
      found = more
    end
  end
  return found
end

---The `winbar` of a chat.
---@return string
function M.bar()
  local of, win = of_window()
  if not of then
    return ""
  end
  local known = M.of(of)
  if known.state == "idle" and of.client.problem then
    known.state = "blocked"
  end
  local word = word_of(known.state)
  if known.queued > 0 then
    word = word .. ", " .. known.queued .. " waiting"
  end
  local mark = ("%%#%s#%s %s%%*"):format(
    HIGHLIGHTS[known.state] or "AglsFailed",
    MARKS[known.state] or "✗",
    safe(word)
  )
  local room = vim.api.nvim_win_get_width(win) - vim.fn.strdisplaywidth(word) - 8
  local right = fitting(known, room - SHORTEST_TITLE)
  local title = text.clip(of:title(), math.max(SHORTEST_TITLE, room - vim.fn.strdisplaywidth(right)))
  return (" %%#AglsTitle#%s%%* %s %%<%%=%%#AglsDim# %s%%* "):format(safe(title), mark, safe(right))
end

---The `winbar` of a prompt.
---@return string
function M.prompt_bar()
  local of, win = of_window()
  if not of then
    return ""
  end
  local known = M.of(of)
  if of.read_only then
    return " %#AglsWaiting#written elsewhere · :Agls takeover%*"
  end
  local typing = win == tonumber(vim.g.actual_curwin) and vim.startswith(vim.fn.mode(), "i")
  local key = config.key(typing and "submit_insert" or "submit") or ":w"
  local left = "> " .. M.mode_name(known.mode) .. (known.model and (" · " .. known.model) or "")
  local plan = known.plan ~= "" and (" · plan " .. known.plan) or ""
  local width = vim.api.nvim_win_get_width(win) - vim.fn.strdisplaywidth(left .. plan) - 3
  local keys = vim
    .iter({ key .. " sends · @ files · / commands", key .. " sends · @ · /", key .. " sends" })
    :find(function(words)
      return vim.fn.strdisplaywidth(words) <= width
    end)
  return (" %%#AglsDim#%s%%#AglsRunning#%s%%#AglsDim#%%<%%=%s%%* "):format(safe(left), safe(plan), safe(keys or ""))
end

local waiting = false

---Have all lines of state drawn again, as often as chats at most: drawing takes longer than reading an event.
function M.redraw()
  if waiting then
    return
  end
  waiting = true
  vim.defer_fn(function()
    waiting = false
    vim.cmd.redrawstatus({ bang = true })
  end, math.floor(1000 / config.current.redraws))
end

---A component for a statusline: "" while there is no server, else the busiest session.
---@return string
function M.component()
  local best
  for _, of in pairs(session.all) do
    local state = state_of(of)
    if not best or state == "requiresAction" or (state == "running" and best == "idle") then
      best = state
    end
  end
  for _, at in pairs(client.all) do
    best = best or (at.state == "ready" and "idle" or (at.state ~= "stopped" and at.state or nil))
  end
  return best and ("agls " .. (MARKS[best] or "✗") .. " " .. (WORDS[best] or best)) or ""
end

return M

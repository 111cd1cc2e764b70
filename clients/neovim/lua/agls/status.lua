-- The state of things in one line: the bars of chat and prompt, and a component for the user's statusline.

local changes = require("agls.changes")
local client = require("agls.client")
local config = require("agls.config")
local questions = require("agls.questions")
local session = require("agls.session")
local text = require("agls.text")

local M = {}

local WORDS = { idle = "ready", running = "running", requiresAction = "waits for you", reading = "reading along" }
local MARKS = { idle = "○", running = "●", requiresAction = "?", reading = "◌" }
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
    model = of.store.options.model,
    questions = #questions.waiting,
    changes = #vim.tbl_filter(function(change)
      return change.sessionId == of.id
    end, changes.all),
  }
end

---@return agls.Session?
---@return integer win
local function of_window()
  local win = vim.g.statusline_winid or vim.api.nvim_get_current_win()
  return session.all[vim.b[vim.api.nvim_win_get_buf(win)].agls_session or ""], win
end

---The `winbar` of a chat.
---@return string
function M.bar()
  local of, win = of_window()
  if not of then
    return ""
  end
  local known = M.of(of)
  local word = WORDS[known.state] or known.state
  if known.queued > 0 then
    word = word .. ", " .. known.queued .. " waiting"
  end
  local right = {}
  if known.changes > 0 then
    right[1] = known.changes .. " to judge"
  end
  if known.tokens then
    right[#right + 1] = short(known.tokens) .. (known.window and ("/" .. short(known.window)) or "") .. " tokens"
  end
  if known.cost > 0 then
    right[#right + 1] = ("$%.2f"):format(known.cost)
  end
  local mark = ("%%#%s#%s %s%%*"):format(
    HIGHLIGHTS[known.state] or "AglsFailed",
    MARKS[known.state] or "✗",
    safe(word)
  )
  local room = vim.api.nvim_win_get_width(win) - vim.fn.strdisplaywidth(word .. table.concat(right, " · ")) - 8
  local title = text.clip(of:title(), math.max(8, room))
  return (" %%#AglsTitle#%s%%* %s %%<%%=%%#AglsDim# %s%%* "):format(
    safe(title),
    mark,
    safe(table.concat(right, " · "))
  )
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
  local model = known.model and (" · " .. known.model) or ""
  return (" %%#AglsDim#> %s%s%%=%s%%* "):format(
    safe(known.mode),
    safe(model),
    safe(key .. " sends · @ files · / actions")
  )
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

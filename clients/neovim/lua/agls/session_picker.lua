-- The sessions of a folder, to choose one: by the day on which they were used last.

local ask = require("agls.ask")
local days = require("agls.days")
local notify = require("agls.notify")
local session = require("agls.session")

local M = {}

local OLDER = {} -- the row behind the last session of a page
local MARKS = { running = "● ", requiresAction = "? " }
local PAGE = 100

---@param row agls.SessionRow|table `OLDER`
---@return string
local function row_text(row)
  if row == OLDER then
    return "Older sessions…"
  end
  local time = days.parse(row.updatedAt) or os.time()
  local marks = vim.list_extend({}, row.tags or {})
  for _, name in ipairs({ "interrupted", "archived" }) do
    marks[#marks + 1] = row[name] and name or nil
  end
  marks[#marks + 1] = row.parentSessionId and not row.parentItemId and "fork" or nil
  marks[#marks + 1] = session.all[row.sessionId] and "open" or nil
  local more = #marks > 0 and ("  (" .. table.concat(marks, ", ") .. ")") or ""
  local title = row.title ~= "" and row.title or "new session"
  local day = days.name(time, os.time())
  return ("%-9s  %s  %s%s%s"):format(day, os.date("%H:%M", time), MARKS[row.state] or "", title, more)
end

---Let the user choose; `chosen` gets the id.
---@param at agls.Client
---@param search string
---@param chosen fun(session_id: string)
---@param cursor? string the page after that of the newest sessions
function M.pick(at, search, chosen, cursor)
  local params = { search = search ~= "" and search or nil, limit = PAGE, cursor = cursor }
  session.list(at, params, function(page, problem)
    if not page then
      return notify.failure(problem)
    end
    local used = vim.tbl_filter(session.is_used, page.sessions)
    if #used == 0 and not page.nextCursor then
      return notify.info("no session" .. (search ~= "" and " has this in it" or " in this folder yet"))
    end
    local rows = page.nextCursor and vim.list_extend(used, { OLDER }) or used
    ask.choice(rows, { prompt = "Sessions", kind = "session", text = row_text }, function(row)
      if row == OLDER then
        return M.pick(at, search, chosen, page.nextCursor)
      end
      chosen(row.sessionId)
    end)
  end)
end

return M

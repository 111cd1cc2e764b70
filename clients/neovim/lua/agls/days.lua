-- Days as people name them; pure.

local M = {}

local DAY = 24 * 60 * 60

---A time of the wire (ISO 8601, UTC).
---@param text string
---@return integer? seconds since the epoch
function M.parse(text)
  local year, month, day, hour, minute, second = text:match("^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)")
  if not year then
    return nil
  end
  local utc = { year = year, month = month, day = day, hour = hour, min = minute, sec = second, isdst = false }
  local there = os.time(utc)
  local back = os.date("!*t", there) --[[@as osdateparam]]
  back.isdst = false
  return there + os.difftime(there, os.time(back))
end

---@param time integer
---@return integer
local function midnight(time)
  local at = os.date("*t", time) --[[@as osdateparam]]
  return os.time({ year = at.year, month = at.month, day = at.day, hour = 0 })
end

---"Today", "Yesterday", a day of this week by its name, else the date.
---@param time integer
---@param now integer
---@return string
function M.name(time, now)
  local passed = math.floor((midnight(now) - midnight(time)) / DAY + 0.5) -- a day of 23 or 25 hours is one, too
  if passed <= 0 then
    return "Today"
  elseif passed == 1 then
    return "Yesterday"
  elseif passed < 7 then
    return os.date("%A", time) --[[@as string]]
  end
  local is_this_year = os.date("%Y", time) == os.date("%Y", now)
  return (os.date(is_this_year and "%d %B" or "%d %B %Y", time):gsub("^0", ""))
end

return M

-- Markdown tables whose columns stand below each other, or as lists where there is no room for that: the text stays
-- Markdown; pure but for the width of characters.

local M = {}

local WIDEST = 200 -- cells: a wider table is left as it was written

---@param line string
---@return string[]? cells
local function cells_of(line)
  local inner = line:match("^%s*|(.*)|%s*$")
  if not inner then
    return nil
  end
  local cells, cell, at = {}, "", 1
  while at <= #inner do
    local character = inner:sub(at, at)
    if character == "\\" then
      cell = cell .. inner:sub(at, at + 1)
      at = at + 1
    elseif character == "|" then
      cells[#cells + 1] = vim.trim(cell)
      cell = ""
    else
      cell = cell .. character
    end
    at = at + 1
  end
  cells[#cells + 1] = vim.trim(cell)
  return cells
end

---@param cells string[]
---@return boolean
local function is_rule(cells)
  for _, cell in ipairs(cells) do
    if not cell:match("^:?%-+:?$") then
      return false
    end
  end
  return true
end

---@param cell string
---@param width integer
---@param rule string how the column is aligned
---@return string
local function padded(cell, width, rule)
  local room = width - vim.fn.strdisplaywidth(cell)
  local is_left, is_right = vim.startswith(rule, ":"), vim.endswith(rule, ":")
  local before = is_right and (is_left and math.floor(room / 2) or room) or 0
  return (" "):rep(before) .. cell .. (" "):rep(room - before)
end

---@param rule string
---@param width integer
---@return string
local function ruled(rule, width)
  local left, right = rule:sub(1, 1) == ":" and ":" or "-", rule:sub(-1) == ":" and ":" or "-"
  return left .. ("-"):rep(math.max(1, width - 2)) .. right
end

---The rows below each other, each a list with the names of its columns.
---@param rows string[][]
---@return string[] lines
local function listed(rows)
  local lines, names = {}, rows[1]
  for number = 3, #rows do
    local cells = rows[number]
    lines[#lines + 1] = "- **" .. (cells[1] ~= "" and cells[1] or names[1]) .. "**"
    for column = 2, #names do
      if (cells[column] or "") ~= "" then
        lines[#lines + 1] = "  - " .. (names[column] ~= "" and names[column] .. ": " or "") .. cells[column]
      end
    end
  end
  return lines
end

---@param rows string[][]
---@param room? integer cells in the window
---@return string[]? lines nil for a table that is too wide, or none
local function aligned(rows, room)
  local rules, widths = rows[2], {}
  for _, cells in ipairs(rows) do
    if #cells > #rules then
      return nil -- no table as Markdown has them: nothing of it may be lost
    end
  end
  local whole = 1
  for column in ipairs(rules) do
    widths[column] = 3
    for number, cells in ipairs(rows) do
      local width = number ~= 2 and vim.fn.strdisplaywidth(cells[column] or "") or 3
      widths[column] = math.max(widths[column], width)
    end
    whole = whole + widths[column] + 3
  end
  if room and whole > room and #rows > 2 then
    return listed(rows)
  elseif whole > WIDEST then
    return nil
  end
  local lines = {}
  for number, cells in ipairs(rows) do
    local made = {}
    for column, rule in ipairs(rules) do
      made[column] = number == 2 and ruled(rule, widths[column]) or padded(cells[column] or "", widths[column], rule)
    end
    lines[number] = "| " .. table.concat(made, " | ") .. " |"
  end
  return lines
end

---The lines with their tables aligned, or as lists where they are wider than the room. Code is left as it is.
---@param lines string[]
---@param room? integer cells
---@return string[]
function M.aligned(lines, room)
  local made, at, fence = {}, 1, nil
  while at <= #lines do
    local line = lines[at]
    local opening = line:match("^%s*(```+)") or line:match("^%s*(~~~+)")
    if opening and not fence then
      fence = opening
    elseif fence and opening and vim.startswith(opening, fence) then
      fence = nil
    end
    local head, rule = not fence and cells_of(line), lines[at + 1] and cells_of(lines[at + 1])
    local rows = {}
    if head and rule and #head == #rule and is_rule(rule) then
      for place = at, #lines do
        local cells = cells_of(lines[place])
        if not cells then
          break
        end
        rows[#rows + 1] = cells
      end
    end
    local shown = #rows > 0 and (aligned(rows, room) or vim.list_slice(lines, at, at + #rows - 1)) or { line }
    vim.list_extend(made, shown)
    at = at + math.max(1, #rows)
  end
  return made
end

return M

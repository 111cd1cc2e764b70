-- The colours of a command's output (SGR, ECMA-48): its text without them, and what is to be highlighted.

local M = {}

local CODE = "\27%[([%d;]*)m"
local NAMES = { "Black", "Red", "Green", "Yellow", "Blue", "Magenta", "Cyan", "White" }

---@class agls.Paint one stretch of a line, in bytes from 0; `hl` is a highlight group
---@field first integer
---@field last integer
---@field hl string

---A step of the cube of colours as a part of red, green or blue.
---@param step integer
---@return integer
local function shade(step)
  return step == 0 and 0 or 55 + 40 * step
end

---One of 256 colours: the 16 of the terminal, a cube of 6 shades each, and 24 greys.
---@param index integer
---@return string
local function indexed(index)
  if index < 16 then
    return (index >= 8 and "Bright" or "") .. NAMES[index % 8 + 1]
  elseif index >= 232 then
    return ("#%02x%02x%02x"):format(8 + 10 * (index - 232), 8 + 10 * (index - 232), 8 + 10 * (index - 232))
  end
  local place = index - 16
  return ("#%02x%02x%02x"):format(shade(math.floor(place / 36)), shade(math.floor(place / 6) % 6), shade(place % 6))
end

---What is on behind a code. Only the colour of the text is shown, and bold: they can be read on any background.
---@param on { fg?: string, bold?: boolean }
---@param numbers integer[]
---@return { fg?: string, bold?: boolean }
local function after(on, numbers)
  local now, at = vim.tbl_extend("force", {}, on), 1
  while at <= #numbers do
    local number = numbers[at]
    if number == 0 then
      now = {}
    elseif number == 1 then
      now.bold = true
    elseif number == 22 then
      now.bold = nil
    elseif number == 39 then
      now.fg = nil
    elseif number >= 30 and number <= 37 then
      now.fg = indexed(number - 30)
    elseif number >= 90 and number <= 97 then
      now.fg = indexed(number - 82)
    elseif number == 38 or number == 48 then
      local kind, first = numbers[at + 1], numbers[at + 2] or 0
      local colour = kind == 5 and indexed(math.min(first, 255))
        or ("#%02x%02x%02x"):format(
          math.min(first, 255),
          math.min(numbers[at + 3] or 0, 255),
          math.min(numbers[at + 4] or 0, 255)
        )
      now.fg = number == 38 and colour or now.fg
      at = at + (kind == 5 and 2 or 4)
    end
    at = at + 1
  end
  return now
end

-- Of the 16, where the colour scheme names none: readable on light and dark.
local USUAL = { "#767676", "#c74e4e", "#4c9a4c", "#a8872b", "#4f7fc9", "#a765b8", "#3a9a9a", "#8f8f8f" }

---The highlight group of what is on, made anew: a colour scheme may have cleared it.
---@param on { fg?: string, bold?: boolean }
---@return string?
local function group(on)
  if not on.fg and not on.bold then
    return nil
  end
  local name = "AglsOutput" .. (on.bold and "Bold" or "") .. (on.fg or ""):gsub("#", "")
  local made = { bold = on.bold, default = true, fg = on.fg }
  for index = 0, on.fg and 15 or -1 do
    if on.fg == indexed(index) then
      made.ctermfg, made.fg = index, vim.g["terminal_color_" .. index] or USUAL[index % 8 + 1]
    end
  end
  vim.api.nvim_set_hl(0, name, made)
  return name
end

---@param text string
---@return string without colours
function M.plain(text)
  return (text:gsub(CODE, ""))
end

---What is coloured in a line, and the line without its colours.
---@param line string
---@return string plain
---@return agls.Paint[] paints
function M.painted(line)
  local parts, paints, on, at, size = {}, {}, {}, 1, 0
  local function take(part)
    local hl = part ~= "" and group(on)
    if hl then
      paints[#paints + 1] = { first = size, last = size + #part, hl = hl }
    end
    parts[#parts + 1], size = part, size + #part
  end
  while true do
    local first, last, numbers = line:find(CODE, at)
    if not first then
      break
    end
    take(line:sub(at, first - 1))
    on = after(
      on,
      vim.tbl_map(function(number)
        return tonumber(number) or 0
      end, vim.split(numbers, ";", { plain = true }))
    )
    at = last + 1
  end
  take(line:sub(at))
  return table.concat(parts), paints
end

return M

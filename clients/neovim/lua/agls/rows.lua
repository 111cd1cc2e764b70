-- Text as rows of a window: a long line goes on in the next row, and every row that goes on says so.

local M = {}

M.MORE = "↪ " -- no line of a question's text begins like this
local TAB = 8 -- the most cells that a tab may take

---@param character string
---@return integer
local function cells(character)
  return character == "\t" and TAB or vim.fn.strdisplaywidth(character)
end

---@param line string
---@param width integer
---@return string[] pieces that need at most so many cells each
local function pieces(line, width)
  if not line:find("[^ -~]") then
    local made = {}
    for place = 1, math.max(1, #line), width do
      made[#made + 1] = line:sub(place, place + width - 1)
    end
    return made
  end
  local made, piece, used = {}, {}, 0
  for _, character in ipairs(vim.fn.split(line, "\\zs")) do
    local need = cells(character)
    if used + need > width and used > 0 then
      made[#made + 1] = table.concat(piece)
      piece, used = {}, 0
    end
    piece[#piece + 1] = character
    used = used + need
  end
  made[#made + 1] = table.concat(piece)
  return made
end

---@param text string
---@param width integer cells of a row
---@return string[]
function M.of(text, width)
  local rows = {}
  local room = width - vim.fn.strdisplaywidth(M.MORE)
  for _, line in ipairs(vim.split(text, "\n", { plain = true })) do
    for number, piece in ipairs(pieces(line, room)) do
      rows[#rows + 1] = number == 1 and piece or (M.MORE .. piece)
    end
  end
  return rows
end

return M

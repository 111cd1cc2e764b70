-- Text as rows of a window: a long line goes on in the next row, and every row that goes on says so.

local M = {}

M.MORE = "↪ " -- no line of a question's text begins like this
local TAB = 8 -- the most cells that a tab may take

---@param character string
---@return integer
local function cells(character)
  return character == "\t" and TAB or vim.fn.strdisplaywidth(character)
end

---@param text string
---@param width integer
---@return integer bytes at the beginning of the text that need at most so many cells
local function fitting(text, width)
  local bytes, used = 0, 0
  for character in text:gmatch(".[\128-\191]*") do
    used = used + cells(character)
    if used > width and bytes > 0 then
      break
    end
    bytes = bytes + #character
  end
  return bytes
end

---@param line string
---@param width integer
---@return string[] pieces that need at most so many cells each, and end between words where they have some
local function pieces(line, width)
  local made, at, is_ascii = {}, 1, not line:find("[^ -~]")
  repeat
    local ahead = line:sub(at, at + 4 * width) -- as much as there can be room for
    local bytes = is_ascii and math.min(#ahead, width) or fitting(ahead, width)
    local word = at + bytes <= #line and ahead:sub(1, bytes + 1):match("^.*%s()%S+$")
    if word and word > bytes / 2 then
      bytes = word - 1
    end
    made[#made + 1] = ahead:sub(1, bytes)
    at = at + bytes
  until at > #line
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

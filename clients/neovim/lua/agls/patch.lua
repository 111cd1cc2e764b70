-- A unified diff of one file, applied to the lines of the file; pure.

local M = {}

---The lines as they would be, or nil where the patch is for others. A patch says which lines it found.
---@param lines string[]
---@param patch string
---@return string[]?
function M.applied(lines, patch)
  local made, at, wanted = {}, 1, 0
  for _, row in ipairs(vim.split(patch, "\n", { plain = true })) do
    local start, count = row:match("^@@ %-(%d+),?(%d*) ")
    local sign, rest = row:sub(1, 1), row:sub(2)
    if start then
      local first = tonumber(start) + (count == "0" and 1 or 0) -- what has no lines stands behind that one
      if first < at then
        return nil
      end
      vim.list_extend(made, lines, at, first - 1)
      at, wanted = first, wanted + 1
    elseif wanted > 0 and (sign == " " or sign == "-") then
      if lines[at] ~= rest then
        return nil
      end
      at = at + 1
      if sign == " " then
        made[#made + 1] = rest
      end
    elseif wanted > 0 and sign == "+" then
      made[#made + 1] = rest
    end
  end
  return wanted > 0 and vim.list_extend(made, lines, at) or nil
end

return M

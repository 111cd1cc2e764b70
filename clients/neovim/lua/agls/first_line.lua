-- Lines that stand above the first one of a buffer: a window shows them only when it is scrolled to them.

local M = {}

---@type table<integer, integer> how many there are, by buffer
local above = {}

---@param win integer
---@param count integer
local function reveal(win, count)
  vim.api.nvim_win_call(win, function()
    if vim.fn.line("w0") == 1 then
      vim.fn.winrestview({ topline = 1, topfill = math.min(count, vim.api.nvim_win_get_height(0) - 1) })
    end
  end)
end

---Show so many lines that stand there, now and whenever a window comes back to the first line.
---@param buf integer
---@param count integer 0 when there are none any more
function M.show(buf, count)
  above[buf] = count > 0 and count or nil
  for _, win in ipairs(count > 0 and vim.fn.win_findbuf(buf) or {}) do
    reveal(win, count)
  end
end

---@param group integer
function M.setup(group)
  vim.api.nvim_create_autocmd({ "WinScrolled", "BufWinEnter" }, {
    group = group,
    callback = function(event)
      if event.event == "BufWinEnter" then
        return above[event.buf] and M.show(event.buf, above[event.buf]) or nil
      end
      for name, by in pairs(vim.v.event) do
        local win = tonumber(name)
        -- Who scrolls past these lines, and no further, may.
        local count = win and by.topline ~= 0 and above[vim.api.nvim_win_get_buf(win)]
        if count then
          reveal(win, count)
        end
      end
    end,
  })
end

return M

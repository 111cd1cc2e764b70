-- The chat buffer of a session: an ordinary Markdown buffer that follows its store, a few times a second at most.

local config = require("agls.config")
local folds = require("agls.folds")
local links = require("agls.links")
local paint = require("agls.paint")
local question_keys = require("agls.question_keys")
local render = require("agls.render")
local welcome = require("agls.welcome")

---@class agls.Placed: agls.Block
---@field id string
---@field first integer its first line, from 0
---@field mark? integer the extmark of its label
---@field painted? integer[] the extmarks of its lines

---@class agls.Chat
---@field buf integer
---@field session agls.Session
---@field redraws integer how often the buffer was brought up to date
---@field private blocks agls.Placed[]
---@field private places table<string, integer> which block an item is
---@field private dirty table<string, true>
---@field private timer uv.uv_timer_t
---@field private waiting boolean
---@field private last integer when it was brought up to date last, in milliseconds
---@field private took integer milliseconds of that
---@field private low? integer the first line that was touched by this drawing, from 0
---@field private ending integer lines below the last item
local Chat = {}
Chat.__index = Chat

local M = {}

local SHARE = 4 -- drawing takes no more than this part of the time, however long a conversation is

---@type table<integer, agls.Chat> by buffer
M.all = {}

---Give a buffer what makes it the chat's: `:bdelete` takes that away.
---@param buf integer
---@param session agls.Session
local function furnish(buf, session)
  vim.bo[buf].buftype = "nofile"
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].swapfile = false
  vim.bo[buf].undolevels = -1
  vim.b[buf].agls_session = session.id
  paint.markdown(buf)
  question_keys.map(buf)
  links.map(buf, session.client.root)
  vim.bo[buf].modifiable = false
end

---@param session agls.Session
---@return integer
local function make_buffer(session)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, "agls://" .. session.id)
  furnish(buf, session)
  return buf
end

---The chat of a session; made when there is none.
---@param session agls.Session
---@return agls.Chat
function M.of(session)
  for _, chat in pairs(M.all) do
    if chat.session == session and vim.api.nvim_buf_is_valid(chat.buf) then
      return chat
    end
  end
  local buf = make_buffer(session)
  local chat = setmetatable({
    buf = buf,
    session = session,
    redraws = 0,
    blocks = {},
    places = {},
    dirty = {},
    timer = assert(vim.uv.new_timer()),
    waiting = false,
    last = 0,
    took = 0,
    ending = 0,
  }, Chat)
  M.all[buf] = chat
  session:on(function(events, changed)
    chat:draw_events(events, changed)
  end)
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    callback = function()
      M.all[buf] = nil
      chat.timer:stop()
    end,
  })
  chat:survive_unloading()
  chat:draw_events({}, { all = true })
  return chat
end

---`:q!` and `:bdelete` empty a buffer: it is written anew when it is shown again.
---@private
function Chat:survive_unloading()
  local unloaded = false
  vim.api.nvim_create_autocmd("BufUnload", {
    buffer = self.buf,
    callback = function()
      unloaded = true
      self.blocks, self.places, self.ending, self.low = {}, {}, 0, nil
    end,
  })
  vim.api.nvim_create_autocmd("BufWinEnter", {
    buffer = self.buf,
    callback = function()
      if unloaded then
        unloaded = false
        furnish(self.buf, self.session)
        self:draw_events({}, { all = true })
      end
    end,
  })
end

---@private
---@param events agls.Event[]
---@param changed table<string, true>
function Chat:draw_events(events, changed)
  if not vim.api.nvim_buf_is_valid(self.buf) then
    return
  end
  for item_id in pairs(changed) do
    self.dirty[item_id] = true
  end
  for _, event in ipairs(events) do
    if event.type == "historyRewound" then
      self.dirty.all = true
    end
  end
  if self.waiting then
    return
  end
  self.waiting = true
  local pause = math.ceil(1000 / config.current.redraws) + 1 -- the clock has whole milliseconds
  pause = math.max(pause, SHARE * self.took)
  vim.uv.update_time()
  self.timer:start(
    math.max(0, self.last + pause - vim.uv.now()),
    0,
    vim.schedule_wrap(function()
      self.waiting = false
      self:draw()
    end)
  )
end

---@private
---@return integer
function Chat:length()
  local last = self.blocks[#self.blocks]
  return last and last.first + #last.lines or 0
end

---Replace some lines, touching as few as possible: a line that only grew gets its new end.
---@private
---@param first integer
---@param old string[]
---@param new string[]
function Chat:replace(first, old, new)
  local head, most = 0, math.min(#old, #new)
  while head < most and old[head + 1] == new[head + 1] do
    head = head + 1
  end
  local tail = 0
  while tail < most - head and old[#old - tail] == new[#new - tail] do
    tail = tail + 1
  end
  if head == #old and head == #new then
    return
  end
  local before, after = old[head + 1], new[head + 1]
  local put = vim.list_slice(new, head + 1, #new - tail)
  if head + tail < #old and head + tail < #new and vim.startswith(after, before) then
    put[1] = after:sub(#before + 1)
    local row, last = first + head, first + #old - tail - 1 -- one change: what follows each may look at every line
    vim.api.nvim_buf_set_text(self.buf, row, #before, last, #old[#old - tail], put)
  else
    vim.api.nvim_buf_set_lines(self.buf, first + head, first + #old - tail, false, put)
  end
end

---@private
---@param item_id string
---@return agls.Block
function Chat:block(item_id)
  local waiting = false
  for _, question in pairs(self.session.store.requests) do
    waiting = waiting or question.itemId == item_id
  end
  local store = self.session.store
  local win = vim.fn.win_findbuf(self.buf)[1]
  local options = { fold = config.current.fold, width = win and vim.api.nvim_win_get_width(win) }
  local block = render.item(store:item(item_id), options, waiting)
  local helpers = store.helpers[item_id]
  if helpers and store.items[item_id].status == "running" then
    block.label = "● " .. render.helping(helpers)
  end
  return block
end

---@private
---@param number integer
function Chat:redo(number)
  local placed = self.blocks[number]
  local block = self:block(placed.id)
  self:replace(placed.first, placed.lines, block.lines)
  self.low = math.min(self.low or placed.first, placed.first)
  local by = #block.lines - #placed.lines
  placed.lines, placed.fold, placed.summary, placed.count = block.lines, block.fold, block.summary, block.count
  placed.label, placed.hl, placed.paint, placed.colours = block.label, block.hl, block.paint, block.colours
  paint.block(self.buf, placed)
  if by ~= 0 then
    for later = number + 1, #self.blocks do
      self.blocks[later].first = self.blocks[later].first + by
    end
  end
end

---@private
---@param item_id string
function Chat:add(item_id)
  local placed = self:block(item_id) --[[@as agls.Placed]]
  placed.id, placed.first = item_id, self:length()
  self.low = math.min(self.low or placed.first, placed.first)
  local empty = #self.blocks == 0 and 1 or 0 -- an empty buffer has a line all the same
  vim.api.nvim_buf_set_lines(self.buf, placed.first, placed.first + empty, false, placed.lines)
  self.blocks[#self.blocks + 1] = placed
  self.places[item_id] = #self.blocks
  paint.block(self.buf, placed)
end

---Take away every block from this one on.
---@private
---@param number integer
function Chat:cut(number)
  local placed = self.blocks[number]
  if not placed then
    return
  end
  paint.clear(self.buf, placed.first)
  vim.api.nvim_buf_set_lines(self.buf, placed.first, -1, false, {})
  self.ending = 0
  for gone = #self.blocks, number, -1 do
    self.places[self.blocks[gone].id] = nil
    self.blocks[gone] = nil
  end
end

---@private
function Chat:update()
  local order = self.session.store.order
  if self.ending > 0 then
    vim.api.nvim_buf_set_lines(self.buf, self:length(), -1, false, {})
    self.ending = 0
  end
  for number = 1, #self.blocks do
    if self.blocks[number].id ~= order[number] then
      self:cut(number)
      break
    end
  end
  local dirty = self.dirty
  self.dirty = {}
  for number, placed in ipairs(self.blocks) do
    if dirty.all or dirty[placed.id] then
      self:redo(number)
    end
  end
  for number = #self.blocks + 1, #order do
    self:add(order[number])
  end
  local lines = render.steers(self.session.store.steers)
  vim.list_extend(lines, render.ending(self.session.store.ending))
  vim.list_extend(lines, render.retrying(self.session.retrying))
  if #lines > 0 and #self.blocks > 0 then
    vim.api.nvim_buf_set_lines(self.buf, self:length(), -1, false, lines)
    self.ending = #lines
  end
end

---Bring the buffer up to date. A window whose cursor is on the last line follows; no other one moves.
function Chat:draw()
  if not vim.api.nvim_buf_is_loaded(self.buf) then
    return
  end
  vim.uv.update_time() -- it stands still while Neovim works
  self.last = vim.uv.now()
  self.redraws = self.redraws + 1
  local following = {}
  local count = vim.api.nvim_buf_line_count(self.buf)
  for _, win in ipairs(vim.fn.win_findbuf(self.buf)) do
    if vim.api.nvim_win_get_cursor(win)[1] == count then
      following[#following + 1] = win
    end
  end
  vim.bo[self.buf].modifiable = true
  self:update()
  vim.bo[self.buf].modifiable = false
  welcome.draw(self.buf, self.session.client, #self.blocks == 0)
  folds.update(self.buf, self.low)
  self.low = nil
  local last = vim.api.nvim_buf_line_count(self.buf)
  for _, win in ipairs(#self.blocks > 0 and following or {}) do
    vim.api.nvim_win_set_cursor(win, { last, 0 })
    vim.api.nvim_win_call(win, function()
      vim.cmd("normal! zbzb") -- the first one shows the beginning of a paragraph that is higher than the window
    end)
  end
  vim.uv.update_time()
  self.took = vim.uv.now() - self.last
  vim.api.nvim_exec_autocmds("User", { pattern = "AglsDrawn", data = { buf = self.buf, session = self.session.id } })
end

---Go to the end in every window that shows it, and follow the conversation there.
function Chat:follow()
  for _, win in ipairs(vim.fn.win_findbuf(self.buf)) do
    vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(self.buf), 0 })
  end
end

---Have chats without a conversation say anew how to begin: it is known now whether the agent can work.
---@param at agls.Client
function M.greet(at)
  for _, chat in pairs(M.all) do
    if chat.session.client == at and #chat.blocks == 0 then
      chat:draw_events({}, {})
    end
  end
end

---The item at a line of the buffer, from 1.
---@param line integer
---@return agls.Placed?
function Chat:at(line)
  local low, high = 1, #self.blocks
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if self.blocks[middle].first < line then
      low = middle
    else
      high = middle - 1
    end
  end
  local placed = self.blocks[low]
  return placed and line <= placed.first + #placed.lines and placed or nil
end

return M

-- The prompt of a chat: a small buffer that is sent by <CR> or :w, with a history and completion.

local chat = require("agls.chat")
local chips = require("agls.chips")
local completion = require("agls.completion")
local config = require("agls.config")
local notify = require("agls.notify")
local paint = require("agls.paint")
local question_keys = require("agls.question_keys")
local sending = require("agls.sending")

local M = {}

---@class agls.Prompt
---@field buf integer
---@field chat agls.Chat
---@field place integer which older prompt is shown; 0 is the new one
---@field draft string[] the new one, while an older one is shown

---@type table<integer, agls.Prompt> by the buffer of the chat
local prompts = {}

---@param shown agls.Chat
---@return string[] newest first
local function history(shown)
  local found, seen = {}, {}
  local session = shown.session.store
  for place = #session.order, 1, -1 do
    local item = session.items[session.order[place]]
    if item.kind == "userMessage" then
      for _, block in ipairs(item.content or {}) do
        if block.type == "text" and not seen[block.text] then
          seen[block.text] = true
          found[#found + 1] = block.text
        end
      end
    end
  end
  return found
end

---@param prompt agls.Prompt
---@param by integer
local function recall(prompt, by)
  local texts = history(prompt.chat)
  local place = math.max(0, math.min(#texts, prompt.place + by))
  if place == prompt.place then
    return
  end
  if prompt.place == 0 then
    prompt.draft = vim.api.nvim_buf_get_lines(prompt.buf, 0, -1, false)
  end
  prompt.place = place
  local lines = place == 0 and prompt.draft or vim.split(texts[place], "\n", { plain = true })
  vim.api.nvim_buf_set_lines(prompt.buf, 0, -1, false, lines)
  vim.bo[prompt.buf].modified = false
  pcall(vim.api.nvim_win_set_cursor, 0, { #lines, #lines[#lines] })
end

---@param prompt agls.Prompt
local function submit(prompt)
  local text = vim.trim(table.concat(vim.api.nvim_buf_get_lines(prompt.buf, 0, -1, false), "\n"))
  local of = prompt.chat.session
  if text == "" then
    return #chips.of(of.id) > 0 and notify.info("say what to do with it") or nil
  end
  vim.api.nvim_buf_set_lines(prompt.buf, 0, -1, false, { "" })
  vim.bo[prompt.buf].modified = false
  prompt.place = 0
  vim.cmd("stopinsert") -- so that questions may come
  prompt.chat:follow()
  M.send(of, text, function(problem)
    notify.failure(problem)
    if vim.api.nvim_buf_is_valid(prompt.buf) and vim.api.nvim_buf_get_lines(prompt.buf, 0, 1, false)[1] == "" then
      vim.api.nvim_buf_set_lines(prompt.buf, 0, -1, false, vim.split(text, "\n", { plain = true })) -- nothing is lost
    end
  end)
end

---Send what is written in the prompt of a chat.
---@param shown agls.Chat
function M.submit(shown)
  M.of(shown)
  submit(prompts[shown.buf])
end

---Whether nothing is written in the prompt of a session.
---@param session agls.Session
---@return boolean
function M.is_empty(session)
  local lines = vim.api.nvim_buf_get_lines(M.of(chat.of(session)), 0, -1, false)
  return vim.trim(table.concat(lines)) == ""
end

---Put texts back that were not sent, below what the user has written meanwhile.
---@param session agls.Session
---@param texts string[]
function M.put_back(session, texts)
  local buf = M.of(chat.of(session))
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  if #lines == 1 and lines[1] == "" then
    lines = {}
  end
  for _, text in ipairs(texts) do
    vim.list_extend(lines, vim.split(text, "\n", { plain = true }))
  end
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modified = false
end

---Give a session what the user wrote, with what is attached; that stays for the next prompt if this was a command.
---@param session agls.Session
---@param text string
---@param failed fun(problem: table)
function M.send(session, text, failed)
  local input, attached = { { type = "text", text = text } }, chips.drop(session.id)
  for _, chip in ipairs(attached) do
    input[#input + 1] = chip.block
  end
  session:run(input, {}, function(result, problem)
    for _, chip in ipairs((problem or result.action) and attached or {}) do
      chips.add(session.id, chip)
    end
    if problem then
      failed(problem)
    end
  end)
end

---A key that moves in the text unless the cursor is at its first or last line.
---@param prompt agls.Prompt
---@param name string
---@param by integer
local function map_history(prompt, name, by)
  local key = config.key(name)
  if not key then
    return
  end
  vim.keymap.set({ "n", "i" }, key, function()
    local line, last = vim.fn.line("."), vim.fn.line("$")
    if vim.fn.pumvisible() == 1 or (by > 0 and line > 1) or (by < 0 and line < last) then
      return vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(key, true, false, true), "in", false)
    end
    recall(prompt, by)
  end, { buffer = prompt.buf, desc = by > 0 and "agls: an older prompt" or "agls: a newer prompt" })
end

---A key that drops the last chip where there is nothing before the cursor that it could delete.
---@param prompt agls.Prompt
local function map_drop(prompt)
  local key = config.key("drop")
  if not key then
    return
  end
  vim.keymap.set("i", key, function()
    local attached = chips.of(prompt.chat.session.id)
    local place = vim.api.nvim_win_get_cursor(0)
    if #attached == 0 or place[1] > 1 or place[2] > 0 then
      return vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(key, true, false, true), "in", false)
    end
    chips.drop(prompt.chat.session.id, attached[#attached].label)
  end, { buffer = prompt.buf, desc = "agls: drop what is attached" })
end

---@param prompt agls.Prompt
local function map(prompt)
  local function keymap(modes, name, action, desc)
    local key = config.key(name)
    if key then
      vim.keymap.set(modes, key, action, { buffer = prompt.buf, desc = "agls: " .. desc })
    end
  end
  local function send()
    submit(prompt)
  end
  keymap("n", "submit", send, "send")
  keymap("i", "submit_insert", send, "send")
  keymap("n", "stop", function()
    require("agls").stop()
  end, "stop the run")
  question_keys.map(prompt.buf)
  map_drop(prompt)
  map_history(prompt, "previous", 1)
  map_history(prompt, "next", -1)
end

---Give a buffer what makes it the prompt: `:bdelete` takes that away.
---@param prompt agls.Prompt
local function furnish(prompt)
  local buf, session_id = prompt.buf, prompt.chat.session.id
  vim.bo[buf].buftype = "acwrite" -- :w sends
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].swapfile = false
  paint.markdown(buf)
  vim.bo[buf].omnifunc = "v:lua.require'agls.completion'.omnifunc"
  vim.bo[buf].completefunc = "v:lua.require'agls.completion'.omnifunc"
  vim.b[buf].agls_prompt = true
  vim.b[buf].agls_session = session_id
  map(prompt)
  chips.draw(buf, session_id)
end

---The prompt buffer of a chat.
---@param shown agls.Chat
---@return integer buf
function M.of(shown)
  local known = prompts[shown.buf]
  if known and vim.api.nvim_buf_is_valid(known.buf) then
    return known.buf
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, "agls://" .. shown.session.id .. "/prompt")
  local prompt = { buf = buf, chat = shown, place = 0, draft = {} }
  prompts[shown.buf] = prompt
  furnish(prompt)
  local unloaded = false
  vim.api.nvim_create_autocmd("BufUnload", {
    buffer = buf,
    callback = function()
      unloaded = true
    end,
  })
  vim.api.nvim_create_autocmd("BufWinEnter", {
    buffer = buf,
    callback = function()
      if unloaded then
        unloaded = false
        furnish(prompt)
      end
    end,
  })
  sending.on_write(buf, function()
    submit(prompt)
  end)
  vim.api.nvim_create_autocmd({ "InsertEnter", "InsertLeave" }, {
    buffer = buf,
    callback = vim.schedule_wrap(function()
      vim.cmd.redrawstatus({ bang = true }) -- the bar names the key that sends in this mode
    end),
  })
  vim.api.nvim_create_autocmd({ "TextChangedI", "TextChangedP" }, {
    buffer = buf,
    callback = function()
      if config.current.complete then
        completion.offer()
      end
    end,
  })
  vim.api.nvim_create_autocmd("CompleteDone", { buffer = buf, callback = completion.taken })
  return buf
end

chips.on_change = function(session_id)
  for _, prompt in pairs(prompts) do
    if prompt.chat.session.id == session_id and vim.api.nvim_buf_is_valid(prompt.buf) then
      chips.draw(prompt.buf, session_id)
    end
  end
end

---The chat that a buffer belongs to, whether it is the chat's or the prompt's.
---@param buf integer
---@return agls.Chat?
function M.chat_of(buf)
  if chat.all[buf] then
    return chat.all[buf]
  end
  for _, prompt in pairs(prompts) do
    if prompt.buf == buf then
      return prompt.chat
    end
  end
end

return M

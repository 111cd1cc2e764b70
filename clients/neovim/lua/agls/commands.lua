-- `:Agls`: subcommands and their completion.

local ask = require("agls.ask")
local blocks = require("agls.blocks")
local chat = require("agls.chat")
local chips = require("agls.chips")
local config = require("agls.config")
local notify = require("agls.notify")
local options = require("agls.options")

local M = {}

---@class agls.Subcommand
---@field about string
---@field run fun(rest: string, given: table)
---@field text? true what follows is free; else the words of `complete`, or nothing
---@field complete? string[]|fun(start: string): string[]
---@field sub table<string, agls.Subcommand>

---@return table
local function api()
  return require("agls")
end

---@param given table of a user command
---@return agls.Chip? chip the lines that were selected, in a file, a terminal, a help page …
local function selection(given)
  if given.range > 0 then
    return blocks.lines(vim.api.nvim_get_current_buf(), given.line1, given.line2)
  end
end

---@param chip? agls.Chip
---@return table[]?
local function with_block(chip)
  return chip and { chip.block }
end

---@param rest string
---@param given table
local function add(rest, given)
  local lines = rest == "" and selection(given)
  if lines then
    return api().add(lines)
  end
  local chip, problem = blocks.named(rest ~= "" and rest or "buffer", api().client().root)
  if not chip then
    return notify.warn(problem or "?")
  end
  api().add(chip)
end

---@param of agls.Session
---@return string[]
local function labels(of)
  return vim.tbl_map(function(chip)
    return chip.label
  end, chips.of(of.id))
end

---@param of agls.Session
---@param label string
local function drop(of, label)
  if label == "all" then
    return chips.drop(of.id)
  elseif label ~= "" then
    return #chips.drop(of.id, label) == 0 and notify.info(("nothing with the name %s is attached"):format(label)) or nil
  elseif #chips.of(of.id) == 0 then
    return notify.info("nothing is attached")
  end
  ask.choice(labels(of), { prompt = "Drop", kind = "chip" }, function(chosen)
    chips.drop(of.id, chosen)
  end)
end

---@param of agls.Session
---@return string? item_id the item under the cursor of its chat
local function item_here(of)
  local shown = chat.all[vim.api.nvim_get_current_buf()]
  local placed = shown and shown.session == of and shown:at(vim.fn.line("."))
  local item_id = placed and of.store:spoken(placed.id) or ""
  return item_id ~= "" and item_id or nil
end

---@param rest string
---@param act fun(which?: agls.Hunk[])
---@param given table
local function judged(rest, act, given)
  local review, changes = require("agls.review"), require("agls.changes")
  if rest == "all" and #changes.all == 0 then
    return notify.info("there is no change to review")
  elseif rest == "all" then
    return act(vim.list_slice(changes.all))
  end
  act(given.range > 0 and review.at(given.line1, given.line2) or nil)
end

---@param act fun(of: agls.Session, rest: string)
---@return fun(rest: string)
local function in_session(act)
  return function(rest)
    local of = api().current()
    if not of then
      return notify.warn("there is no session yet; `:Agls open` makes one")
    end
    act(of, rest)
  end
end

---@param act fun(of: agls.Session, rest: string)
---@return fun(rest: string)
local function in_any_session(act)
  return function(rest)
    api().with(function(of)
      act(of, rest)
    end)
  end
end

---A function of another part, which is loaded when it is called.
---@param module string
---@param name string
---@return function
local function later(module, name)
  return function(...)
    return require(module)[name](...)
  end
end

---@param question string
---@param block_of fun(given: table): agls.Chip?
---@return fun(rest: string, given: table)
local function run_with(question, block_of)
  return function(rest, given)
    local chip = block_of(given)
    ask.words(question, rest, function(text)
      api().run(text, { blocks = with_block(chip) })
    end)
  end
end

---@type table<string, agls.Subcommand>
M.subcommands = {
  open = {
    about = "show the chat (right, left, below, above, tab or float; new for a new session)",
    run = function(rest)
      local words = vim.split(rest, "%s+")
      local layout = vim.iter(config.layouts):find(function(name)
        return vim.list_contains(words, name)
      end)
      api().open({ layout = layout, new = vim.list_contains(words, "new") })
    end,
    complete = vim.list_extend({ "new" }, config.layouts),
  },
  close = { about = "close chat and prompt; the session goes on", run = later("agls", "close") },
  ask = {
    text = true,
    about = "ask about the selected lines, or about the current file",
    run = run_with("Ask agls: ", function(given)
      return selection(given) or blocks.named("buffer", "")
    end),
  },
  run = {
    text = true,
    about = "give it work; selected lines go with it",
    run = run_with("Prompt for agls: ", selection),
  },
  edit = {
    text = true,
    about = "change the selected lines by a wish, and keep or undo what comes",
    run = function(rest, given)
      local range = given.range > 0
      api().edit({ first = range and given.line1 or nil, last = range and given.line2 or nil, wish = rest })
    end,
  },
  add = {
    text = true,
    about = "attach the selected lines, a file, an image, diagnostics … to the next prompt",
    run = add,
    complete = function(start)
      return vim.list_extend(vim.tbl_keys(blocks.SPECIAL), vim.fn.getcompletion(start, "file"))
    end,
  },
  drop = {
    text = true,
    about = "take away what is attached to the next prompt",
    run = in_session(drop),
    complete = function()
      local of = api().current()
      return of and vim.list_extend({ "all" }, labels(of)) or {}
    end,
  },
  stop = {
    about = "stop the work, or the edit that is being written here",
    run = function(rest)
      if not require("agls.inline_edit").stop() then
        in_session(later("agls", "stop"))(rest)
      end
    end,
  },
  sendnow = {
    text = true,
    about = "send something now, into the work that goes on",
    run = function(rest)
      ask.words("Send now: ", rest, api().send_now)
    end,
  },
  continue = {
    about = "go on after a run that did not come to its end",
    run = in_session(function(of)
      of:run({}, { continueRun = true })
    end),
  },
  answer = {
    text = true,
    about = "go to the question that waits, or give it the answer with this number",
    run = function(rest)
      local number = tonumber(rest)
      if rest ~= "" and not number then
        return notify.error(("`:Agls answer` takes the number of an answer, not %q"):format(rest))
      end
      require("agls.questions").again(number)
    end,
  },
  sessions = {
    text = true,
    about = "choose a session of this folder, or search in them",
    run = function(rest)
      require("agls.session_picker").pick(api().client(), rest, api().resume)
    end,
  },
  resume = {
    text = true,
    about = "show a session again, the newest of this folder when none is named",
    run = function(rest)
      api().resume(rest)
    end,
  },
  takeover = {
    about = "go on here with a session that another window or a script wrote",
    run = in_session(function(of)
      of:resume(true, function(problem)
        if not problem then
          notify.info("the session goes on here")
        end
      end)
    end),
  },
  fork = {
    about = "a new session with the conversation up to the cursor, or with all of it",
    run = in_session(function(of)
      of:fork(item_here(of), function(made, problem)
        if not made then
          return notify.failure(problem)
        end
        api().resume(made.id)
      end)
    end),
  },
  rewind = {
    about = "go back to an earlier prompt: conversation, files or both (undo takes the last one back)",
    run = in_session(later("agls.rewind", "ask")),
    complete = { "undo" },
  },
  output = {
    about = "all that the call under the cursor printed, or the last one that did",
    run = in_session(later("agls.outputs", "show")),
  },
  queue = {
    about = "the prompts that wait: send one now, edit it, move it, take it away",
    run = in_session(later("agls.waiting_work", "queue")),
  },
  tasks = {
    about = "commands and helpers in the background: what one printed, or stop it (stop: all of them)",
    run = in_session(later("agls.waiting_work", "tasks")),
    complete = { "stop" },
  },
  mcp = {
    about = "the MCP servers: log in at one, restart it, switch it off or on",
    run = in_session(later("agls.servers", "choose")),
  },
  plan = { about = "the plan of the session", run = in_session(later("agls.plans", "show")) },
  background = {
    about = "let it go on without waiting for the command that runs",
    run = in_session(later("agls.outputs", "background")),
  },
  review = {
    about = "the changes that wait for you, in the quickfix list (diff: of this file)",
    run = function(rest)
      require("agls.review")[rest == "diff" and "diff" or "quickfix"]()
    end,
    complete = { "diff" },
  },
  keep = {
    about = "keep the change under the cursor, in the range, or all",
    run = function(rest, given)
      judged(rest, require("agls.review").keep, given)
    end,
    complete = { "all" },
  },
  undo = {
    about = "put back what stood there: under the cursor, in the range, or all",
    run = function(rest, given)
      judged(rest, require("agls.review").undo, given)
    end,
    complete = { "all" },
  },
  mode = {
    text = true,
    about = "what it may do unasked: ask, acceptEdits, plan, allowAll",
    run = in_any_session(options.mode),
    complete = vim.list_extend({ "default" }, options.MODES),
  },
  model = {
    text = true,
    about = "which model answers from the next run on",
    run = in_any_session(options.model),
    complete = function()
      return vim.list_extend({ "default" }, options.models)
    end,
  },
  key = {
    text = true,
    about = "give this Neovim the key of a model server; it is asked for, and kept in memory only",
    run = later("agls.secrets", "ask"),
    complete = later("agls.secrets", "hosts"),
  },
  install = {
    about = "set the server up, in a Python environment beside this plugin",
    run = function()
      require("agls.install").run()
    end,
  },
  setup = {
    about = "choose a model: of this machine, or of a provider; the server is installed first where there is none",
    run = function()
      require("agls.setup").run(api().client)
    end,
  },
  actions = { about = "everything else the server can do", run = in_session(later("agls.actions", "menu")) },
  restart = {
    about = "end the server and start it again; sessions are resumed",
    run = function()
      api().client():restart()
    end,
  },
}

---@param name string
---@param sub agls.Subcommand
---@param rest string
---@return string? problem
local function problem_of(name, sub, rest)
  local complete = sub.complete
  local known = type(complete) == "table" and complete or {}
  for word in (sub.text and "" or rest):gmatch("%S+") do
    if not vim.list_contains(known, word) then
      local takes = #known > 0 and table.concat(known, ", ") or "nothing more"
      return ("`:Agls %s` takes %s, not %q"):format(name, takes, word)
    end
  end
end

---Do what the server calls so, such as `skills`: every command of its own works as `:Agls NAME`, too.
---@param name string
---@param rest string
local function of_server(name, rest)
  local function unknown()
    local known = vim.tbl_keys(M.subcommands)
    table.sort(known)
    notify.error(("there is no :Agls %s; there are %s"):format(name, table.concat(known, ", ")))
  end
  local of = api().current()
  if not of then
    return unknown()
  end
  of:actions(function(actions)
    local slash = "/" .. name
    local known = vim.iter(actions or {}):any(function(action)
      return action.slash == slash
    end)
    if not known then
      return unknown()
    end
    of:run(vim.trim(slash .. " " .. rest))
  end)
end

---@param given table of a user command
function M.run(given)
  local name, rest = given.args:match("^(%S*)%s*(.-)%s*$")
  name = name == "" and "open" or name
  local sub = M.subcommands[name]
  if vim.fn.getcmdwintype() ~= "" then
    return notify.error("no window can be opened from the command-line window; <CR> in it runs the command")
  elseif not sub then
    return of_server(name, rest)
  end
  local problem = problem_of(name, sub, rest)
  if problem then
    return notify.error(problem)
  end
  sub.run(rest, given)
end

---@param start string
---@param line string
---@return string[]
function M.complete(start, line)
  local name = line:match("^.-Agls!?%s+(%S+)%s+")
  local found
  if name then
    local complete = (M.subcommands[name] or {}).complete or {}
    found = type(complete) == "function" and complete(start) or complete
  else
    found = vim.tbl_keys(M.subcommands)
    table.sort(found)
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, start)
  end, found)
end

return M

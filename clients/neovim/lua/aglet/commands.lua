-- `:Aglet`: subcommands and their completion.

local chat = require("aglet.chat")
local client = require("aglet.client")
local config = require("aglet.config")
local mentions = require("aglet.mentions")
local session = require("aglet.session")

local M = {}

local MODES = { "ask", "acceptEdits", "plan", "allowAll" }

---@class aglet.Subcommand
---@field about string
---@field run fun(rest: string, given: table)
---@field complete? fun(): string[]
---@field sub table<string, aglet.Subcommand>

---@return table
local function api()
  return require("aglet")
end

---@param given table of a user command
---@return table[]? blocks of the lines that were selected
local function selection(given)
  if given.range > 0 and vim.bo.buftype == "" then
    return { mentions.lines(vim.api.nvim_get_current_buf(), given.line1, given.line2) }
  end
end

---@param prompt string
---@param rest string
---@param act fun(text: string)
local function with_text(prompt, rest, act)
  if rest ~= "" then
    return act(rest)
  end
  vim.ui.input({ prompt = prompt }, function(text)
    if text and vim.trim(text) ~= "" then
      act(text)
    end
  end)
end

---@param act fun(of: aglet.Session)
local function with_session(act)
  local of = api().current()
  if not of then
    return client.tell("there is no session yet; `:Aglet open` makes one", vim.log.levels.WARN)
  end
  act(of)
end

---@param row aglet.SessionRow
---@return string
local function row_text(row)
  local marks = { running = "● ", requiresAction = "? " }
  local when = row.updatedAt:sub(1, 16):gsub("T", " ")
  return ("%s%s  (%s)"):format(marks[row.state] or "", row.title ~= "" and row.title or row.sessionId, when)
end

---@param search string
local function sessions(search)
  session.list(api().client(), { search = search ~= "" and search or nil, limit = 100 }, function(rows, problem)
    if not rows then
      return client.tell_problem(problem)
    elseif #rows == 0 then
      return client.tell("no session" .. (search ~= "" and " has this in it" or " in this folder yet"))
    end
    vim.ui.select(rows, { prompt = "Sessions", kind = "aglet.session", format_item = row_text }, function(row)
      if row then
        api().resume(row.sessionId)
      end
    end)
  end)
end

---@param of aglet.Session
---@return string? item_id the item under the cursor of its chat
local function item_here(of)
  local shown = chat.all[vim.api.nvim_get_current_buf()]
  local placed = shown and shown.session == of and shown:at(vim.fn.line("."))
  return placed and placed.id or nil
end

---@param name string
---@param values string[]
local function option(name, values)
  return function(rest)
    with_session(function(of)
      local function set(value)
        of:set(name, value ~= "" and value or nil, function(_, problem)
          if problem then
            return client.tell_problem(problem)
          end
          client.tell(("%s is %s from the next run on"):format(name, value ~= "" and value or "as configured"))
        end)
      end
      if rest ~= "" then
        return set(rest == "default" and "" or rest)
      elseif #values == 0 then
        return vim.ui.input({ prompt = name .. " (empty: as configured): " }, function(value)
          if value then
            set(value)
          end
        end)
      end
      vim.ui.select(values, { prompt = name .. ", now " .. (of.store.options[name] or "ask") }, function(value)
        if value then
          set(value)
        end
      end)
    end)
  end
end

---@param rest string
---@param act fun(which?: aglet.Hunk[])
---@param given table
local function judged(rest, act, given)
  local review, changes = require("aglet.review"), require("aglet.changes")
  if rest == "all" then
    return act(vim.list_slice(changes.all))
  end
  act(given.range > 0 and review.at(given.line1, given.line2) or nil)
end

---@type table<string, aglet.Subcommand>
M.subcommands = {
  open = {
    about = "show the chat (right, left, below, above, tab or float; new for a new session)",
    run = function(rest)
      local new = rest:match("%f[%w]new%f[%W]") ~= nil
      local layout = vim.iter(config.layouts):find(function(name)
        return rest:match("%f[%w]" .. name .. "%f[%W]") ~= nil
      end)
      api().open({ layout = layout, new = new })
    end,
    complete = function()
      return vim.list_extend({ "new" }, config.layouts)
    end,
  },
  close = {
    about = "close chat and prompt; the session goes on",
    run = function()
      api().close()
    end,
  },
  ask = {
    about = "ask about the selected lines, or about the current file",
    run = function(rest, given)
      local blocks = selection(given) or { mentions.expand("@buffer", vim.fn.getcwd())[2] }
      with_text("Ask aglet: ", rest, function(text)
        api().run(text, { blocks = blocks })
      end)
    end,
  },
  run = {
    about = "give it work; selected lines go with it",
    run = function(rest, given)
      local blocks = selection(given)
      with_text("Task for aglet: ", rest, function(text)
        api().run(text, { blocks = blocks })
      end)
    end,
  },
  stop = {
    about = "cancel the run",
    run = function()
      with_session(function(of)
        of:stop(function(result, problem)
          if problem then
            client.tell_problem(problem)
          elseif result.state == "notRunning" then
            client.tell("nothing is running")
          end
        end)
      end)
    end,
  },
  steer = {
    about = "say something to the run that is on",
    run = function(rest)
      with_text("Tell aglet: ", rest, api().steer)
    end,
  },
  continue = {
    about = "go on after a run that did not come to its end",
    run = function()
      with_session(function(of)
        of:run({}, { continueRun = true })
      end)
    end,
  },
  answer = {
    about = "answer the question that waits",
    run = function()
      require("aglet.questions").again()
    end,
  },
  sessions = { about = "choose a session of this folder, or search in them", run = sessions },
  resume = {
    about = "show a session again, the newest of this folder when none is named",
    run = function(rest)
      api().resume(rest)
    end,
  },
  fork = {
    about = "a new session with what was said up to the cursor, or with all of it",
    run = function()
      with_session(function(of)
        of:fork(item_here(of), function(made, problem)
          if not made then
            return client.tell_problem(problem)
          end
          api().resume(made.id)
        end)
      end)
    end,
  },
  rewind = {
    about = "go back to an earlier prompt: conversation, files or both (undo takes the last one back)",
    run = function(rest)
      with_session(function(of)
        require("aglet.rewind").ask(of, rest)
      end)
    end,
    complete = function()
      return { "undo" }
    end,
  },
  review = {
    about = "the changes that wait for you, in the quickfix list (diff: of this file)",
    run = function(rest)
      local review = require("aglet.review")
      return rest == "diff" and review.diff() or review.quickfix()
    end,
    complete = function()
      return { "diff" }
    end,
  },
  accept = {
    about = "keep the change under the cursor, in the range, or all",
    run = function(rest, given)
      judged(rest, require("aglet.review").accept, given)
    end,
    complete = function()
      return { "all" }
    end,
  },
  reject = {
    about = "put back what stood there: under the cursor, in the range, or all",
    run = function(rest, given)
      judged(rest, require("aglet.review").reject, given)
    end,
    complete = function()
      return { "all" }
    end,
  },
  mode = {
    about = "what it may do unasked: ask, acceptEdits, plan, allowAll",
    run = option("mode", MODES),
    complete = function()
      return MODES
    end,
  },
  model = { about = "which model answers from the next run on", run = option("model", {}) },
  actions = {
    about = "everything else the server can do",
    run = function()
      with_session(require("aglet.actions").menu)
    end,
  },
  restart = {
    about = "end the server and start it again; sessions are resumed",
    run = function()
      api().client():restart()
    end,
  },
}

---@param given table of a user command
function M.run(given)
  local name, rest = given.args:match("^(%S*)%s*(.-)%s*$")
  name = name == "" and "open" or name
  local sub = M.subcommands[name]
  if not sub then
    local known = vim.tbl_keys(M.subcommands)
    table.sort(known)
    return client.tell(("there is no :Aglet %s; there are %s"):format(name, table.concat(known, ", ")), vim.log.levels.ERROR)
  end
  sub.run(rest, given)
end

---@param start string
---@param line string
---@return string[]
function M.complete(start, line)
  local name = line:match("^.-Aglet!?%s+(%S+)%s+")
  local found
  if name then
    local sub = M.subcommands[name]
    found = sub and sub.complete and sub.complete() or {}
  else
    found = vim.tbl_keys(M.subcommands)
    table.sort(found)
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, start)
  end, found)
end

return M

-- How an item looks: pure functions from items to lines. Everything is Markdown that reads well without colours.

---@class agls.Block
---@field lines string[]
---@field fold? integer the line (from 1) at which the part begins that is folded
---@field open? boolean the fold begins open
---@field label? string what stands behind the first line
---@field hl? string the highlight of the label
---@field paint? table<integer, string> highlights of whole lines, from 1
---@field colours? table<integer, agls.Paint[]> what is coloured in lines, from 1
---@field summary? string what a closed fold says besides its length
---@field count? integer lines in the fold that are no fence and no title

---@class agls.RenderOptions
---@field fold { thoughts: boolean, output: integer, diff: integer }
---@field width? integer cells of the window; a table that needs more becomes a list

local colours = require("agls.colours")
local problems = require("agls.problems")
local tables = require("agls.tables")
local text = require("agls.text")

local M = {}

local MOST_INPUT = 30 -- lines of a call's input

local lines_of, fenced, plain, code = text.lines, text.fenced, text.plain, text.code

---@param title string
---@param words string
---@return string[]
local function quoted(title, words)
  local made = { "> **" .. title .. "**" }
  for _, line in ipairs(lines_of((words:gsub("%s+$", "")))) do
    made[#made + 1] = line == "" and ">" or "> " .. line
  end
  return made
end

---@type table<string, { [1]: string, [2]: string }>
local STATUS = {
  pending = { "…", "AglsDim" },
  running = { "● running", "AglsRunning" },
  completed = { "✓", "AglsOk" },
  failed = { "✗ failed", "AglsFailed" },
  rejected = { "✗ rejected", "AglsFailed" },
  cancelled = { "■ stopped", "AglsFailed" },
}

---@param item table
---@param waiting boolean a question about it is open
---@return string label, string highlight
local function status_of(item, waiting)
  if waiting then
    return "? waiting for you", "AglsWaiting"
  end
  local exit = item.terminal and item.terminal.exitCode
  if item.status == "completed" and exit and exit ~= 0 then
    return "✗ exit code " .. exit, "AglsFailed"
  end
  local known = STATUS[item.status] or { item.status or "", "AglsDim" }
  return known[1], known[2]
end

---@param change agls.Change
---@return string[]
local function change_lines(change)
  local word = ({ added = "new file", deleted = "deleted" })[change.change]
  local made = { code(text.short_name(change.uri)) .. (word and (" (" .. word .. ")") or "") }
  local shown = change.cells or change.patch -- of a notebook its cells, not the lines of its file
  if shown ~= "" then
    local patch = shown:gsub("^%-%-%- [^\n]*\n%+%+%+ [^\n]*\n", "")
    vim.list_extend(made, fenced(patch, "diff"))
  end
  return made
end

---@param lines string[]
---@param changes agls.Change[]
local function add_changes(lines, changes)
  for number, change in ipairs(changes) do
    local made = change_lines(change)
    if #changes == 1 then
      local word = table.remove(made, 1):match(" %(.-%)$") -- the title names the file
      lines[1] = lines[1] .. (word or "")
    elseif number > 1 then
      lines[#lines + 1] = ""
    end
    vim.list_extend(lines, made)
  end
end

---Where a fold may begin: behind the fence, because a fence may be concealed, and a fold that begins with it as well.
---@param lines string[]
---@return integer
local function behind_fence(lines)
  for number, line in ipairs(lines) do
    if vim.startswith(line, "```") then
      return number + 1
    end
  end
  return 2
end

---How many lines there are from this one on, without those that only enclose others.
---@param lines string[]
---@param first integer
---@return integer
local function counted(lines, first)
  local count = 0
  for number = first, #lines do
    count = count + (vim.startswith(lines[number], "```") and 0 or 1)
  end
  return count
end

---What the call is about: its first text argument, on one line.
---@param item table
---@return string
local function subject(item)
  local title = item.title or item.name or ""
  local name = item.name or ""
  return vim.startswith(title, name .. " ") and title:sub(#name + 2) or (title ~= name and title or "")
end

---@param item table
---@return string? text of an input that the title does not show whole
local function whole_input(item)
  local command = type(item.input) == "table" and item.input.command
  if type(command) == "string" and (command:find("\n", 1, true) or #command > 90) then
    return command
  end
end

---What the user must know of a command beside its output: what it is for, and what it did not see.
---@param item table
---@return string[]
local function notes_of_command(item)
  local notes = {}
  local description = type(item.input) == "table" and item.input.description
  if item.name == "shell" and type(description) == "string" and description ~= "" then
    notes[#notes + 1] = code(text.clip(description, 200))
  end
  local stale = item.terminal and item.terminal.unsaved or {}
  if #stale > 0 then
    notes[#notes + 1] = "Not saved, so it saw the old text of: " .. code(table.concat(stale, ", "))
  end
  return notes
end

---What is coloured in the lines of an output, which begin behind a line.
---@param item table
---@param lines string[]
---@param before integer
---@return table<integer, agls.Paint[]>?
local function painted_output(item, lines, before)
  local coloured = item.terminal and item.terminal.coloured or item.coloured
  if not coloured or colours.plain(coloured) ~= item.output then
    return nil
  end
  local found = {}
  for number, line in ipairs(vim.split(coloured, "\n", { plain = true })) do
    local words, paints = colours.painted(line)
    if #paints > 0 and lines[before + number] == words then
      found[before + number] = paints
    end
  end
  return found
end

---@type table<string, fun(item: table, options: agls.RenderOptions, waiting: boolean): agls.Block>
local by_kind = {}

function by_kind.userMessage(item)
  local lines = { item.steer and "## You, meanwhile" or "## You", "" }
  for _, block in ipairs(item.content or {}) do
    if block.type == "text" then
      vim.list_extend(lines, lines_of(block.text))
    elseif block.uri then
      lines[#lines + 1] = ("- [%s](%s)"):format(block.name or text.short_name(block.uri), block.uri)
    else
      lines[#lines + 1] = "- (" .. block.type .. ")"
    end
  end
  vim.list_extend(lines, { "", "## agls", "" })
  return { lines = lines }
end

local DISCARDED = "✗ cut off: not part of the conversation"

function by_kind.message(item, options)
  local lines = tables.aligned(lines_of(item.text or ""), options.width)
  lines[#lines + 1] = ""
  local label = item.discarded and DISCARDED or (item.status == "cancelled" and "■ stopped" or nil)
  return { lines = lines, label = label, hl = label and "AglsFailed" }
end

function by_kind.thought(item, options)
  local lines = quoted("Thought", item.text or "")
  local count = counted(lines, 2)
  lines[#lines + 1] = ""
  local label = item.discarded and DISCARDED or nil
  local block = {
    lines = lines,
    label = label,
    hl = label and "AglsFailed",
    fold = options.fold.thoughts and 1 or nil,
    summary = "Thought",
    count = count,
  }
  return block
end

function by_kind.toolCall(item, options, waiting)
  local about = subject(item)
  local lines = { "**" .. (item.name or "tool") .. "**" .. (about ~= "" and (" " .. code(about)) or "") }
  local label, hl = status_of(item, waiting)
  local block = { lines = lines, label = label, hl = hl }
  for _, notes in ipairs(notes_of_command(item)) do
    vim.list_extend(lines, { "", notes })
  end
  local input = whole_input(item)
  if input then
    local shown = vim.list_slice(lines_of(input), 1, MOST_INPUT)
    vim.list_extend(lines, fenced(table.concat(shown, "\n"), "sh"))
  end
  local changes, output = item.changes or {}, plain(item.output or "")
  local most = options.fold.output
  if #changes > 0 then
    add_changes(lines, changes)
    most = options.fold.diff
  elseif output ~= "" then
    local before = #lines + 1
    vim.list_extend(lines, fenced(output, "text"))
    block.colours = painted_output(item, lines, before)
  end
  if #lines - 1 > most + 2 then
    block.fold, block.summary = behind_fence(lines), #changes > 0 and "diff" or "output"
    block.count = counted(lines, block.fold)
  end
  lines[#lines + 1] = ""
  return block
end

function by_kind.task(item, options, waiting)
  local named = { name = "in the background", input = { command = item.terminal and item.terminal.command } }
  return by_kind.toolCall(vim.tbl_extend("force", item, named), options, waiting)
end

function by_kind.notice(item)
  local lines = quoted(item.title or "Notice", item.text or "")
  local count = counted(lines, 2)
  lines[#lines + 1] = ""
  return { lines = lines, fold = 1, summary = "For the model: " .. (item.title or "notice"), count = count }
end

function by_kind.compaction(item)
  local lines = quoted("The conversation before, in short", item.text or "")
  local count = counted(lines, 2)
  lines[#lines + 1] = ""
  return { lines = lines, fold = 1, summary = "The conversation before, in short", count = count }
end

function by_kind.fileEdit(item, options)
  local lines = { "**" .. (item.title or "Files changed") .. "**" }
  for _, change in ipairs(item.changes or {}) do
    vim.list_extend(lines, change_lines(change))
  end
  local fold = #lines - 1 > options.fold.diff and behind_fence(lines) or nil
  local block = { lines = lines, fold = fold, summary = "diff", count = fold and counted(lines, fold) }
  lines[#lines + 1] = ""
  return block
end

function by_kind.subagent(item)
  local label, hl = status_of(item, false)
  return { lines = { "**Helper " .. (item.title or "") .. "**", "" }, label = label, hl = hl }
end

---@param item table
---@param waiting boolean
---@return agls.Block
local function any_kind(item, _, waiting)
  local lines = { "**" .. (item.title or item.kind or "?") .. "**" }
  if item.text and item.text ~= "" then
    vim.list_extend(lines, lines_of(item.text))
  end
  lines[#lines + 1] = ""
  local label, hl = status_of(item, waiting)
  return { lines = lines, label = label, hl = hl }
end

---The highlights of the lines of diffs.
---@param lines string[]
---@return table<integer, string>
function M.painted(lines)
  local paint, inside = {}, false
  local highlights = { ["+"] = "AglsAdded", ["-"] = "AglsRemoved", ["@"] = "AglsDim" }
  for number, line in ipairs(lines) do
    if vim.startswith(line, "```") then
      inside = line:match("^`+diff$") ~= nil
    elseif inside then
      paint[number] = highlights[line:sub(1, 1)]
    end
  end
  return paint
end

---How this item looks now.
---@param item table
---@param options agls.RenderOptions
---@param waiting? boolean a question about it is open
---@return agls.Block
function M.item(item, options, waiting)
  local block = (by_kind[item.kind] or any_kind)(item, options, waiting or false)
  for place, line in ipairs(block.lines) do
    if line:find("\n", 1, true) then
      block.lines[place] = line:gsub("\n", " ")
    end
  end
  block.paint = item.changes and M.painted(block.lines) or nil
  return block
end

-- How a run ended, in a word or two.
local STATES = {
  budget = "at its limit",
  cancelled = "stopped",
  contextFull = "context full",
  endTurn = "done",
  error = "failed",
  guard = "stopped: no progress",
  killed = "stopped",
  maxTokens = "answer too long",
  maxTurns = "at its turn limit",
  refusal = "refused",
  timeout = "out of time",
}

---What the helpers of a call do now, on one line.
---@param helpers table<string, agls.Helper>
---@return string
function M.helping(helpers)
  local notes = {}
  for _, helper in vim.spairs(helpers) do
    local doing = helper.state == "running" and helper.doing ~= "" and helper.doing
    notes[#notes + 1] = helper.name .. ": " .. (doing or STATES[helper.state] or helper.state)
  end
  return text.clip(plain(table.concat(notes, "; ")), 100)
end

local ENDS = {
  cancelled = "Stopped.",
  interrupted = "Interrupted: the server ended before the run did. `:Agls continue` goes on.",
  maxTokens = "The answer reached the model's limit. `:Agls continue` goes on.",
  maxTurns = "The turn limit was reached. `:Agls continue` goes on.",
  budget = "The limit on cost or tokens was reached. `:Agls continue` goes on with a new one.",
  contextFull = "The conversation is too long for the model.",
  refusal = "The model refused.",
  timeout = "The time limit was reached. `:Agls continue` goes on.",
  guard = "Stopped: it made no progress. `:Agls continue` goes on.",
  killed = "Stopped.",
}

local SAID = { cancelled = true, interrupted = true } -- their words say all of the detail

---Messages to the running run that the model reads next.
---@param steers string[]
---@return string[]
function M.steers(steers)
  local lines = {}
  for _, words in ipairs(steers) do
    vim.list_extend(lines, quoted("You, meanwhile (read with the next step)", words))
  end
  return lines
end

---What stands below a conversation while a model that failed is asked again.
---@param data? agls.TurnRetryingData
---@return string[]
function M.retrying(data)
  if not data then
    return {}
  end
  local seconds = math.max(1, math.floor(data.delayMs / 1000 + 0.5))
  return { ("> Trying again in %d s: %s"):format(seconds, (plain(data.cause):gsub("%s+", " "))) }
end

---What stands below a conversation whose last run did not simply come to its end.
---@param ended? agls.RunEndedData
---@return string[]
function M.ending(ended)
  if not ended or ended.stopReason == "endTurn" then
    return {}
  end
  if ended.error then
    local problem = ended.error --[[@as agls.RunError]]
    local cause = "> **" .. (problem.title or "The run failed") .. ":** " .. (problem.message:gsub("%s+", " "))
    return { cause, ">", "> " .. problems.remedy(problem.kind) }
  end
  local words = ENDS[ended.stopReason] or (ended.stopReason .. ".")
  local detail = not SAID[ended.stopReason] and vim.trim((ended.detail or ""):gsub("%s+", " ")):gsub("%.$", "") or ""
  if detail ~= "" then
    local first, rest = words:match("^(.-)%.(.*)$")
    words = ("%s (%s).%s"):format(first, detail, rest)
  end
  return { "> " .. words }
end

return M

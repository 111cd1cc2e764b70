-- What the user may set, and what holds when they set nothing.

---@class agls.Keys mappings of agls's own buffers and of buffers with changes to review; false for none
---@field submit string|false normal mode, in the prompt
---@field submit_insert string|false insert mode, in the prompt
---@field previous string|false an older prompt
---@field next string|false a newer prompt
---@field stop string|false normal mode, in the prompt and where an edit at the cursor is being written
---@field drop string|false insert mode, at the beginning of the prompt: drop the last thing that is attached
---@field next_change string|false in a file that has changes of the agent
---@field previous_change string|false
---@field keep string|false where a change of the agent or an edit at the cursor is shown: keep it
---@field undo string|false put back what stood there
---@field question_allow string|false normal mode, in the chat and the prompt, while a question waits: allow it
---@field question_reject string|false reject it
---@field question_reason string|false reject it, and say why
---@field question_whole string|false read all of it
---@field question_diff string|false the changes that it asks about, as a diff
---@field refine string|false where an edit at the cursor is shown: ask for something else

---@class agls.Config
---@field cmd? string[] the server; `agls` on the PATH, or what `:Agls install` made, unless you say otherwise
---@field env table<string, string> added to the server's environment
---@field settings table as in the configuration file
---@field save_before_commands? string edited (files of the agent; your own are asked about), all, or never
---@field trusted boolean|fun(root: string): boolean whether the folder's own files may change anything
---@field root? fun(): string the folder of new sessions; the current one unless you say otherwise
---@field key? fun(host: string): string? the key of a model server, from wherever you keep it
---@field options table options of new sessions: mode, model, effort, …
---@field layout string right, left, below, above, tab or float
---@field width number a part of the columns, or columns
---@field height number a part of the lines, or lines
---@field prompt_height integer lines
---@field fold { thoughts: boolean, output: integer, diff: integer } longer than so many lines is folded
---@field redraws integer at most so many in a second
---@field complete boolean offer completion while `@` and `/` words are typed in the prompt
---@field insert boolean open the prompt in insert mode
---@field keys agls.Keys|false
local defaults = {
  env = {},
  settings = {},
  trusted = false,
  options = {},
  layout = "right",
  width = 0.42,
  height = 0.45,
  prompt_height = 4,
  fold = { thoughts = true, output = 8, diff = 40 },
  redraws = 30,
  complete = true,
  insert = true,
  keys = {
    submit = "<CR>",
    submit_insert = "<C-s>",
    previous = "<Up>",
    next = "<Down>",
    stop = "<C-c>",
    drop = "<BS>",
    question_allow = "ga",
    question_reject = "gr",
    question_reason = "gR",
    question_whole = "gK",
    question_diff = "gd",
    next_change = "]h",
    previous_change = "[h",
    keep = "<localleader>k",
    undo = "<localleader>u",
    refine = "<localleader>e",
  },
}

local LAYOUTS = { "right", "left", "below", "above", "tab", "float" }
local CHOICES = { layout = LAYOUTS, save_before_commands = { "edited", "all", "never" } }
-- Of options that have no default, and of those that may be of two types.
local TYPES = {
  cmd = "table",
  root = "function",
  key = "function",
  save_before_commands = "string",
  trusted = "any",
  keys = "any",
}
local ARGUMENTS = { "serve", "--stdio" }

local M = { layouts = LAYOUTS }

---@type agls.Config
M.current = vim.deepcopy(defaults)

---@param given table
---@return string? problem
local function problem_of(given)
  for name, value in pairs(given) do
    local kind, choices = TYPES[name] or type(defaults[name]), CHOICES[name]
    if kind == "nil" then
      local known = vim.tbl_keys(vim.tbl_extend("keep", TYPES, defaults))
      table.sort(known)
      return ("there is no option %q; there are %s"):format(name, table.concat(known, ", "))
    elseif kind ~= "any" and type(value) ~= kind then
      return ("%s must be a %s"):format(name, kind)
    elseif choices and not vim.list_contains(choices, value) then
      return name .. " must be one of " .. table.concat(choices, ", ")
    end
  end
  if given.cmd and #given.cmd == 0 then
    return 'cmd must name the server, as in { "agls", "serve", "--stdio" }'
  end
  if type(given.keys) == "table" then
    for name in pairs(given.keys) do
      if defaults.keys[name] == nil then
        return ("keys has no %q"):format(name)
      end
    end
  end
end

---Take in what the user gave to `setup`. Raises an error that names the option that is wrong.
---@param given? table
function M.set(given)
  given = given or {}
  local problem = problem_of(given)
  if problem then
    error("agls.setup: " .. problem, 0)
  end
  M.current = vim.tbl_deep_extend("force", vim.deepcopy(defaults), given)
end

---The command of the server: the user's, the one on the PATH, or the one that `:Agls install` made.
---@return string[]
function M.command()
  if M.current.cmd then
    return M.current.cmd
  end
  local own = require("agls.install").program()
  local program = vim.fn.executable("agls") == 0 and own or "agls"
  return vim.list_extend({ program }, ARGUMENTS)
end

---The settings that the server gets, as in the configuration file.
---@return table?
function M.settings()
  local settings = vim.deepcopy(M.current.settings)
  if M.current.save_before_commands then
    settings.shell = vim.tbl_extend("keep", settings.shell or {}, {
      save_before_commands = M.current.save_before_commands,
    })
  end
  return not vim.tbl_isempty(settings) and settings or nil
end

---@param name string
---@return string|false
function M.key(name)
  local keys = M.current.keys
  return keys and keys[name] or false
end

return M

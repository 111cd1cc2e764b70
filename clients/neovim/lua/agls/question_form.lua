-- A question with fields, asked one field after the other.

local secrets = require("agls.secrets")

---@class agls.FormHands what a form needs of who asks it
---@field put fun(open: agls.Open, body: { text: string, whole: boolean, choices: agls.Choice[] })
---@field answer fun(open: agls.Open, answer: table)
---@field later fun()

local M = {}

---@param field table
---@return string[]? the answers to choose from, of which one may be taken, or several of a list
local function answers_of(field)
  return field.enum or (field.items or {}).enum
end

---@param schema table
---@return string[] names, those with choices first
local function fields_of(schema)
  local names = vim.tbl_keys(schema.properties or {})
  table.sort(names, function(a, b)
    local has_a, has_b = answers_of(schema.properties[a]) ~= nil, answers_of(schema.properties[b]) ~= nil
    if has_a ~= has_b then
      return has_a
    end
    return a < b
  end)
  return names
end

local OWN_WORDS = "In your own words…"
local UNSEEN = "Type it, unseen…"

---@param hands agls.FormHands
---@param open agls.Open
---@param names string[]
---@param place integer
---@param content table
---@param picked? table<string, boolean> those that are chosen so far, where several may be
local function ask_field(hands, open, names, place, content, picked)
  local schema = open.params.schema
  local name = names[place]
  if not name then
    local given = next(content) ~= nil
    return hands.answer(open, given and { outcome = "accept", content = content } or { outcome = "decline" })
  end
  local field = schema.properties[name]
  local function go_on(value)
    if value == nil then
      return hands.answer(open, { outcome = "decline" })
    end
    if value ~= "" then
      content[name] = value
    end
    ask_field(hands, open, names, place + 1, content)
  end
  local choices = {}
  local function offer(words, act, role)
    choices[#choices + 1] = { text = words, act = act, role = role }
  end
  local more, answers = place < #names, answers_of(field)
  local function take(value)
    if more then -- it is answered: the other fields are for other words
      content[name] = value
      return hands.answer(open, { outcome = "accept", content = content })
    end
    go_on(value)
  end
  if field.type == "array" and answers then
    local chosen = {}
    for _, value in ipairs(answers) do
      local is_picked = picked ~= nil and picked[value] == true
      if is_picked then
        chosen[#chosen + 1] = value
      end
      offer((is_picked and "[x] " or "[ ] ") .. value, function()
        local now = vim.tbl_extend("force", picked or {}, { [value] = not is_picked })
        ask_field(hands, open, names, place, content, now)
      end)
    end
    if #chosen > 0 then
      offer("Done: " .. table.concat(chosen, ", "), function()
        take(chosen)
      end)
    end
  else
    for _, value in ipairs(answers or {}) do
      offer(value, function()
        take(value)
      end)
    end
  end
  if more and answers then
    offer(OWN_WORDS, function()
      go_on("")
    end)
  elseif not answers and field.format == "password" then
    offer(UNSEEN, function()
      local value = secrets.typed((field.title or "Your answer") .. ": ")
      if value then
        go_on(value)
      end
    end)
  elseif not answers then
    offer(OWN_WORDS, function()
      vim.ui.input({ prompt = (field.title or open.params.message or "Your answer") .. " " }, function(value)
        if value then
          go_on(value)
        end
      end)
    end)
  end
  offer("No answer", function()
    hands.answer(open, { outcome = "decline" })
  end, "reject")
  offer("Later  (:Agls answer)", hands.later)
  hands.put(open, { text = field.description or "", whole = true, choices = choices })
end

---Ask for the fields of a question.
---@param open agls.Open
---@param hands agls.FormHands
function M.ask(open, hands)
  ask_field(hands, open, fields_of(open.params.schema or {}), 1, {})
end

return M

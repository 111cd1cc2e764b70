-- A question with fields, asked one field after the other.

local secrets = require("agls.secrets")

---@class agls.FormHands what a form needs of who asks it
---@field put fun(open: agls.Open, body: { text: string, whole: boolean, choices: agls.Choice[] })
---@field answer fun(open: agls.Open, answer: table)
---@field later fun()

---@class agls.Form
---@field open agls.Open
---@field hands agls.FormHands
---@field names string[] the fields, in the order in which they are asked
---@field content table<string, any> what was answered so far
---@field of_agent boolean the agent asks, not a server: `answer` takes words other than the choices

local M = {}

local OWN_WORDS = "In your own words…"
local UNSEEN = "Type it, unseen…"
local TYPED = { string = "Type it…", number = "Type a number…", integer = "Type a whole number…" }
local LEFT_OUT = "Leave it out"

---@param field table
---@return string[]? the answers to choose from, of which one may be taken, or several of a list
local function answers_of(field)
  return field.enum or (field.items or {}).enum
end

---@param schema table
---@return string[] names, those that are needed first, and of these those with choices
local function fields_of(schema)
  local names = vim.tbl_keys(schema.properties or {})
  local function rank(name)
    local needed = vim.list_contains(schema.required or {}, name) and 0 or 2
    return needed + (answers_of(schema.properties[name]) and 0 or 1)
  end
  table.sort(names, function(a, b)
    local rank_a, rank_b = rank(a), rank(b)
    if rank_a ~= rank_b then
      return rank_a < rank_b
    end
    return a < b
  end)
  return names
end

---@param field table
---@param typed string
---@return any? value as the field wants it
local function value_of(field, typed)
  if field.type == "array" then
    return vim.split(typed, "%s*,%s*", { trimempty = true })
  elseif field.type ~= "number" and field.type ~= "integer" then
    return typed
  end
  local number = tonumber(vim.trim(typed))
  return (field.type == "number" or (number and number % 1 == 0)) and number or nil
end

local ask_field

---@param form agls.Form
---@param place integer
---@param value any
local function go_on(form, place, value)
  form.content[form.names[place]] = value
  ask_field(form, place + 1)
end

---@param form agls.Form
---@param place integer
---@param field table
local function type_answer(form, place, field)
  vim.ui.input({ prompt = (field.title or form.open.params.message or "Your answer") .. " " }, function(typed)
    if not typed or form.open.done then
      return
    end
    local value = value_of(field, typed)
    if value == nil then
      vim.notify("agls: that is not a number", vim.log.levels.WARN)
    end
    if value == nil or value == "" then
      return ask_field(form, place)
    end
    go_on(form, place, value)
  end)
end

---@param field table
---@param take fun(value: any) what follows an answer
---@param again fun(picked: table<string, boolean>) ask once more, with these chosen so far
---@param picked table<string, boolean>
---@return agls.Choice[]
local function choices_of(field, take, again, picked)
  local choices = {}
  local function offer(words, act)
    choices[#choices + 1] = { text = words, act = act }
  end
  local answers = answers_of(field)
  if field.type == "boolean" then
    for _, value in ipairs({ true, false }) do
      offer(value and "Yes" or "No", function()
        take(value)
      end)
    end
  elseif field.type == "array" and answers then
    local chosen = {}
    for _, value in ipairs(answers) do
      if picked[value] then
        chosen[#chosen + 1] = value
      end
      offer((picked[value] and "[x] " or "[ ] ") .. value, function()
        again(vim.tbl_extend("force", picked, { [value] = not picked[value] }))
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
  return choices
end

---@param form agls.Form
---@param place integer
---@param picked? table<string, boolean> those that are chosen so far, where several may be
function ask_field(form, place, picked)
  local open, hands = form.open, form.hands
  local schema = open.params.schema
  local name = form.names[place]
  if not name then
    return hands.answer(open, { outcome = "accept", content = form.content })
  end
  local field = schema.properties[name]
  local other_words = form.of_agent and place < #form.names
  local function take(value)
    if other_words then -- it is answered: the other field is for other words
      return hands.answer(open, { outcome = "accept", content = { [name] = value } })
    end
    go_on(form, place, value)
  end
  local choices = choices_of(field, take, function(now)
    ask_field(form, place, now)
  end, picked or {})
  local function offer(words, act, role)
    choices[#choices + 1] = { text = words, act = act, role = role }
  end
  if other_words then
    offer(OWN_WORDS, function()
      type_answer(form, 2, schema.properties[form.names[2]])
    end)
  elseif field.format == "password" then
    offer(UNSEEN, function()
      local value = secrets.typed((field.title or "Your answer") .. ": ")
      if value == "" then
        ask_field(form, place)
      elseif value then
        go_on(form, place, value)
      end
    end)
  elseif #choices == 0 then
    offer(#form.names == 1 and OWN_WORDS or TYPED[field.type] or TYPED.string, function()
      type_answer(form, place, field)
    end)
  end
  if #form.names > 1 and not form.of_agent and not vim.list_contains(schema.required or {}, name) then
    offer(LEFT_OUT, function()
      go_on(form, place, nil)
    end)
  end
  offer("No answer", function()
    hands.answer(open, { outcome = "decline" })
  end, "reject")
  offer("Later  (:Agls answer)", hands.later)
  local about = form.of_agent and field.description or field.title or name
  hands.put(open, { text = about or "", whole = true, choices = choices })
end

---Ask for the fields of a question.
---@param open agls.Open
---@param hands agls.FormHands
function M.ask(open, hands)
  local names = fields_of(open.params.schema or {})
  local of_agent = vim.iter(names):all(function(name)
    return name == "choice" or name == "answer"
  end)
  ask_field({ open = open, hands = hands, names = names, content = vim.empty_dict(), of_agent = of_agent }, 1)
end

return M

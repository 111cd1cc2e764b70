-- Going back to an earlier prompt: choose it, choose what goes back, see what would happen, do it.

local ask = require("agls.ask")
local notify = require("agls.notify")
local prompt = require("agls.prompt")
local text = require("agls.text")

local M = {}

local WHAT = {
  { what = "both", text = "conversation and files" },
  { what = "conversation", text = "only the conversation" },
  { what = "files", text = "only the files" },
}

---@class agls.RewindPlace
---@field text string the prompt on one line
---@field words string all of it
---@field before string the item before it

---The prompts of the user, newest first, each with the item before it.
---@param of agls.Session
---@return agls.RewindPlace[]
local function prompts(of)
  local found, before = {}, ""
  for _, item_id in ipairs(of.store.order) do
    local item = of.store.items[item_id]
    if item.kind == "userMessage" then
      local words = item.content[1] and item.content[1].text or item.content[1] and item.content[1].type or ""
      table.insert(found, 1, { text = text.clip(words, 70), words = words, before = of.store:spoken(before) })
    end
    before = item_id
  end
  return found
end

---What happens to the files.
---@param preview agls.SessionRewindResult
---@return string[]
local function of_files(preview)
  local parts = {}
  for _, file in ipairs(preview.files) do
    local name = vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ":.")
    parts[#parts + 1] = ("%s: %s, +%d -%d"):format(name, file.change, file.insertions, file.deletions)
  end
  for _, conflict in ipairs(preview.conflicts) do
    local name = vim.fn.fnamemodify(vim.uri_to_fname(conflict.uri), ":.")
    parts[#parts + 1] = ("%s stays as it is: %s"):format(name, (conflict.reason:gsub("%.$", "")))
  end
  return parts
end

---How many of these items are prompts of the user.
---@param of agls.Session
---@param item_ids string[]
---@return integer
local function prompts_in(of, item_ids)
  local count = 0
  for _, item_id in ipairs(item_ids) do
    local item = of.store.items[item_id]
    count = count + (item and item.kind == "userMessage" and 1 or 0)
  end
  return count
end

---@param of agls.Session
---@param preview agls.SessionRewindResult
---@return string
local function summary(of, preview)
  local parts = {}
  if #preview.droppedItemIds > 0 then
    local count = prompts_in(of, preview.droppedItemIds)
    parts[#parts + 1] = count == 1 and "1 prompt and its answer go" or ("%d prompts and their answers go"):format(count)
  end
  vim.list_extend(parts, of_files(preview))
  return #parts > 0 and table.concat(parts, "; ") or "nothing changes"
end

---@param of agls.Session
---@param params table
---@param done fun(result: agls.SessionRewindResult)
local function go(of, params, done)
  of:rewind(params, function(result, problem)
    if not result then
      return notify.failure(problem)
    end
    done(result)
  end)
end

---@param of agls.Session
---@param choice agls.RewindPlace
---@param what string
local function preview(of, choice, what)
  local params = { toItemId = choice.before, what = what }
  go(of, vim.tbl_extend("force", params, { dryRun = true }), function(would)
    local happens = summary(of, would)
    ask.choice({ "Go back", "Stay here" }, { prompt = happens, kind = "rewind" }, function(answer)
      if answer ~= "Go back" then
        return
      end
      go(of, params, function()
        if what ~= "files" and prompt.is_empty(of) then
          prompt.put_back(of, { choice.words }) -- to be said in another way
        end
        notify.info("went back: " .. happens .. ". `:Agls rewind undo` takes it back")
      end)
    end)
  end)
end

---@param choice { text: string }
---@return string
local function text_of(choice)
  return choice.text
end

---Ask where to go back to, and what; then do it.
---@param of agls.Session
---@param rest string `undo` takes the last one back
function M.ask(of, rest)
  if rest == "undo" then
    local last = of.store.rewound
    if not last then
      return notify.info("there is no rewind to take back")
    end
    local params = { undo = last.checkpointId, what = last.conversation and "both" or "files" }
    return go(of, params, function(result)
      local files = table.concat(of_files(result), "; ")
      notify.info("the rewind is taken back" .. (files ~= "" and ": " .. files or ""))
    end)
  end
  local found = prompts(of)
  if #found == 0 then
    return notify.info("there is no prompt yet")
  end
  ask.choice(found, { prompt = "Back to before", kind = "rewind", text = text_of }, function(place)
    ask.choice(WHAT, { prompt = "What goes back", kind = "rewind", text = text_of }, function(what)
      preview(of, place, what.what)
    end)
  end)
end

return M

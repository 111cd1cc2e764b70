-- Going back to an earlier prompt: choose it, choose what goes back, see what would happen, do it.

local ask = require("agls.ask")
local notify = require("agls.notify")
local text = require("agls.text")

local M = {}

local WHAT = {
  { what = "both", text = "conversation and files" },
  { what = "conversation", text = "only the conversation" },
  { what = "files", text = "only the files" },
}

---The prompts of the user, newest first, each with the item before it.
---@param of agls.Session
---@return { text: string, before: string }[]
local function prompts(of)
  local found, before = {}, ""
  for _, item_id in ipairs(of.store.order) do
    local item = of.store.items[item_id]
    if item.kind == "userMessage" then
      local words = item.content[1] and item.content[1].text or item.content[1] and item.content[1].type or ""
      table.insert(found, 1, { text = text.clip(words, 70), before = of.store:spoken(before) })
    end
    before = item_id
  end
  return found
end

---@param preview agls.SessionRewindResult
---@return string
local function summary(preview)
  local parts = {}
  if #preview.droppedItemIds > 0 then
    parts[#parts + 1] = ("%d items of the conversation go"):format(#preview.droppedItemIds)
  end
  for _, file in ipairs(preview.files) do
    parts[#parts + 1] = ("%s: %s, +%d -%d"):format(
      vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ":."),
      file.change,
      file.insertions,
      file.deletions
    )
  end
  for _, conflict in ipairs(preview.conflicts) do
    local name = vim.fn.fnamemodify(vim.uri_to_fname(conflict.uri), ":.")
    parts[#parts + 1] = ("%s stays as it is: %s"):format(name, (conflict.reason:gsub("%.$", "")))
  end
  return #parts > 0 and table.concat(parts, "; ") or "nothing changes"
end

---@param of agls.Session
---@param params table
local function go(of, params)
  of:rewind(params, function(result, problem)
    if not result then
      return notify.failure(problem)
    end
    notify.info("went back: " .. summary(result) .. ". `:Agls rewind undo` takes it back")
  end)
end

---@param of agls.Session
---@param params table
local function preview(of, params)
  of:rewind(vim.tbl_extend("force", params, { dryRun = true }), function(result, problem)
    if not result then
      return notify.failure(problem)
    end
    ask.choice({ "Go back", "Stay here" }, { prompt = summary(result), kind = "rewind" }, function(choice)
      if choice == "Go back" then
        go(of, params)
      end
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
    return go(of, { undo = last.checkpointId, what = last.conversation and "both" or "files" })
  end
  local found = prompts(of)
  if #found == 0 then
    return notify.info("there is no prompt yet")
  end
  ask.choice(found, { prompt = "Back to before", kind = "rewind", text = text_of }, function(prompt)
    ask.choice(WHAT, { prompt = "What goes back", kind = "rewind", text = text_of }, function(what)
      preview(of, { toItemId = prompt.before, what = what.what })
    end)
  end)
end

return M

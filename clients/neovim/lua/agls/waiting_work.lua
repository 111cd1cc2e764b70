-- What waits and what goes on beside the work: the queue of prompts, and the commands and helpers in the background.

local actions = require("agls.actions")
local ask = require("agls.ask")
local notify = require("agls.notify")
local outputs = require("agls.outputs")
local prompt = require("agls.prompt")
local store = require("agls.store")
local text = require("agls.text")

local M = {}

local WIDEST = 70

---@param entry table
---@return string
local function words_of(entry)
  return store.words(entry.content or {})
end

---@param of agls.Session
---@param entry table
---@param op table
---@param done? fun()
local function change(of, entry, op, done)
  of:request("agent/queue", vim.tbl_extend("force", { itemId = entry.itemId }, op), function(_, problem)
    if problem then
      notify.failure(problem)
    elseif done then
      done()
    end
  end)
end

---@param of agls.Session
---@param entry table
local function act_on_prompt(of, entry)
  local acts = {
    {
      text = "Send now: into the work that goes on",
      act = function()
        change(of, entry, { op = "remove" }, function()
          of:steer(entry.content)
        end)
      end,
    },
    {
      text = "First: before the others that wait",
      act = function()
        change(of, entry, { op = "move", to = 0 })
      end,
    },
    {
      text = "Edit: back into the prompt",
      act = function()
        change(of, entry, { op = "remove" }, function()
          prompt.put_back(of, { words_of(entry) })
        end)
      end,
    },
    {
      text = "Remove",
      act = function()
        change(of, entry, { op = "remove" })
      end,
    },
  }
  local function words(row)
    return row.text
  end
  ask.choice(acts, { prompt = text.clip(words_of(entry), WIDEST), kind = "queued", text = words }, function(row)
    row.act()
  end)
end

---The prompts that wait, to send one now, edit it, move it or take it away.
---@param of agls.Session
function M.queue(of)
  if #of.store.queue == 0 then
    return notify.info("no prompt waits")
  end
  local function words(entry)
    return text.clip(words_of(entry), WIDEST)
  end
  ask.choice(of.store.queue, { prompt = "Prompts that wait", kind = "queue", text = words }, function(entry)
    act_on_prompt(of, entry)
  end)
end

---@param of agls.Session
---@param task { taskId: string, title: string, state: string }
local function act_on_task(of, task)
  local acts = { "Show its output" }
  acts[2] = task.state == "running" and "Stop it, and all that it started" or nil
  ask.choice(acts, { prompt = text.clip(task.title, WIDEST), kind = "task" }, function(chosen)
    if chosen == acts[2] then
      return actions.invoke(of, "task.stop", { task_id = task.taskId }, function(data)
        local is_stopped = #(data.stopped or {}) > 0
        notify.info(is_stopped and "stopped: " .. task.title or "it has ended already")
      end)
    end
    actions.invoke(of, "task.output", { task_id = task.taskId }, function(data)
      outputs.open(task.title, data.output or "")
    end)
  end)
end

---The commands and helpers in the background, to see what one printed or to stop it.
---@param of agls.Session
---@param which string all|"" `stop` stops all of them
function M.tasks(of, which)
  if which == "stop" then
    return actions.invoke(of, "task.stop", vim.empty_dict(), function(data)
      local count = #(data.stopped or {})
      local words = "%d background task" .. (count == 1 and " is" or "s are") .. " stopped"
      notify.info(count == 0 and "nothing runs in the background" or words:format(count))
    end)
  end
  actions.invoke(of, "task.list", vim.empty_dict(), function(data)
    if #(data.tasks or {}) == 0 then
      return notify.info("nothing was begun in the background")
    end
    local function words(task)
      return ("%-9s  %s"):format(task.state, text.clip(task.title, WIDEST))
    end
    ask.choice(data.tasks, { prompt = "Background tasks", kind = "tasks", text = words }, function(task)
      act_on_task(of, task)
    end)
  end)
end

return M

-- The MCP servers of a session: which start or cannot be used, and what the user can do about one.

local actions = require("agls.actions")
local ask = require("agls.ask")
local notify = require("agls.notify")
local text = require("agls.text")

local M = {}

local WIDEST = 70

---Something keeps it from being used. One that is only not started needs nobody.
---@param server agls.McpServer
---@return boolean
local function is_away(server)
  return server.needsLogin == true
    or server.status == "failed"
    or (server.status == "stopped" and (server.message or "") ~= "")
end

---@param servers agls.McpServer[]
---@return string
local function names_of(servers)
  return table.concat(
    vim.tbl_map(function(server)
      return server.name
    end, servers),
    ", "
  )
end

---The names of those that start or cannot be used, for the bar of a chat; "" where there are none.
---@param servers agls.McpServer[]
---@return string
function M.line(servers)
  local away = vim.tbl_filter(is_away, servers)
  if #away > 0 then
    return "MCP ✗ " .. names_of(away)
  end
  local starting = vim.tbl_filter(function(server)
    return server.status == "connecting"
  end, servers)
  return #starting > 0 and "MCP … " .. names_of(starting) or ""
end

---@param of agls.Session
---@param server agls.McpServer
---@param action string
---@param input? table of the action, in place of the server's name
local function act(of, server, action, input)
  actions.invoke(of, action, input or { server = server.name }, function(data, said)
    local now = {}
    for _, one in ipairs(data.servers or {}) do
      now[one.name] = one
    end
    of.store.servers = vim
      .iter(of.store.servers)
      :filter(function(one)
        return action ~= "mcp.disable" or one.name ~= server.name
      end)
      :map(function(one)
        return now[one.name] or one
      end)
      :totable()
    require("agls.status").redraw()
    notify.info(said)
  end)
end

---@class agls.ListedServer: agls.McpServer
---@field origin string who configured it
---@field enabled? boolean false: the user switched it off

---@param server agls.ListedServer
---@return { text: string, action: string, input?: table }[]
local function acts_for(server)
  if server.enabled == false then
    return { { text = "Switch on", action = "mcp.enable" } }
  end
  if server.needsInput then
    local give = { text = "Give " .. server.needsInput, action = "mcp.input", input = { name = server.needsInput } }
    return { give, { text = "Switch off", action = "mcp.disable" } }
  end
  return {
    server.needsLogin and { text = "Log in", action = "mcp.login" } or { text = "Restart", action = "mcp.restart" },
    { text = "Switch off", action = "mcp.disable" },
  }
end

---@param server agls.McpServer
---@return string
local function words(server)
  local why = server.needsLogin and "you are not logged in" or server.message or ""
  return text.clip(("%s · %s%s"):format(server.name, server.status, why ~= "" and ": " .. why or ""), WIDEST)
end

---The MCP servers, to log in at one, restart it, or switch it off or on.
---@param of agls.Session
function M.choose(of)
  actions.invoke(of, "mcp", vim.empty_dict(), function(data)
    if #(data.servers or {}) == 0 then
      return notify.info("there are no MCP servers; `agls mcp add` in a shell adds one, and `agls mcp --help` says how")
    end
    ask.choice(data.servers, { prompt = "MCP servers", kind = "servers", text = words }, function(server)
      local function label(row)
        return row.text
      end
      local prompt = text.clip(words(server), WIDEST)
      ask.choice(acts_for(server), { prompt = prompt, kind = "server", text = label }, function(row)
        act(of, server, row.action, row.input)
      end)
    end)
  end)
end

return M

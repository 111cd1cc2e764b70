-- The server's life: started through vim.lsp, one per folder, and started again when it dies.

local config = require("agls.config")
local notify = require("agls.notify")

local FIRST_PAUSE = 500 -- milliseconds before the first restart; each further one waits twice as long
local MOST_RESTARTS = 5
local STEADY = 30000 -- milliseconds after which a server counts as one that works

---@class agls.Client
---@field root string
---@field state "stopped"|"starting"|"ready"|"failed"
---@field lsp? vim.lsp.Client
---@field block? agls.ServerBlock
---@field models string[] what it offers, the default first, once it was asked
---@field problem? string why no work could begin, when it was asked last
---@field private waiting { ready: fun(), failed: fun(problem: string) }[]
---@field private restarts integer
---@field private begun integer
---@field private spawned integer how many processes there were
---@field private leaving? "stop"|"restart" it ends because we want it to
---@field handlers table<string, function> its requests and notifications
---@field on_ready fun(client: agls.Client) a server is there, the first one or another one
---@field on_state fun(client: agls.Client)
local Client = {}
Client.__index = Client

local M = {}
local NEW = vim.fn.has("nvim-0.11") == 1 -- clients got methods

---@type table<string, agls.Client>
M.all = {}

---@param root string
---@param handlers table<string, function>
---@return agls.Client
function M.of(root, handlers)
  M.all[root] = M.all[root]
    or setmetatable({
      root = root,
      state = "stopped",
      models = {},
      waiting = {},
      restarts = 0,
      begun = 0,
      spawned = 0,
      handlers = handlers,
      on_ready = function() end,
      on_state = function() end,
    }, Client)
  return M.all[root]
end

---@return table
local function capabilities()
  local made = vim.lsp.protocol.make_client_capabilities()
  made.general = made.general or {}
  made.general.positionEncodings = { "utf-16" } -- what the other servers of a buffer speak
  made.workspace.workspaceEdit.documentChanges = true
  made.experimental = {
    agent = {
      protocolVersions = { 1 },
      events = { coalesceMs = math.floor(1000 / config.current.redraws) },
      permission = { remember = vim.empty_dict(), editInput = vim.empty_dict() },
      askUser = { form = vim.empty_dict() },
      edits = { save = vim.empty_dict(), fileEvents = vim.empty_dict() },
      secrets = vim.empty_dict(),
      diagnostics = vim.empty_dict(),
      codeQuery = vim.empty_dict(),
    },
  }
  return made
end

---@private
---@param state "stopped"|"starting"|"ready"|"failed"
function Client:become(state)
  self.state = state
  self:on_state()
end

---@private
---@param problem string
function Client:fail(problem)
  self:become("failed")
  local waiting = self.waiting
  self.waiting = {}
  for _, one in ipairs(waiting) do
    one.failed(problem)
  end
end

---Start the process. Its end is reported by `ended`, not by vim.lsp: shorter, and with what happens next.
---@private
---@param cmd string[]
---@param dispatchers table
---@return vim.lsp.rpc.PublicClient
function Client:spawn(cmd, dispatchers)
  if self.lsp then -- `:lsp restart`: Neovim itself starts the next one
    self.lsp = nil
    self:become("stopped")
  end
  self.begun, self.spawned = vim.uv.now(), self.spawned + 1
  self:become("starting")
  local mine = self.spawned
  local watched = vim.tbl_extend("force", dispatchers, {
    on_exit = function(code, signal)
      dispatchers.on_exit(0, 0)
      vim.schedule(function()
        if mine == self.spawned then
          self:ended(code, signal)
        end
      end)
    end,
  })
  return vim.lsp.rpc.start(cmd, watched, { cwd = self.root, env = config.current.env })
end

---@private
function Client:start()
  local cmd = config.command()
  if vim.fn.executable(cmd[1]) == 0 then
    local problem = cmd[1] .. " is not there or cannot be run: " .. require("agls.install").advice()
    notify.error(problem)
    return self:fail(problem)
  end
  local trusted = config.current.trusted
  local given = {
    name = "agls",
    cmd = function(dispatchers)
      return self:spawn(cmd, dispatchers)
    end,
    root_dir = self.root,
    workspace_folders = { { uri = vim.uri_from_fname(self.root), name = self.root } },
    capabilities = capabilities(),
    flags = { debounce_text_changes = 0 }, -- the agent reads what was typed, not what was typed a while ago
    init_options = {
      -- Without a yes the server asks what `agls trust` remembers.
      trusted = (type(trusted) == "function" and trusted(self.root) == true or trusted == true) or nil,
      settings = config.settings(),
    },
    handlers = self.handlers,
    on_init = function(client)
      self:begin(client)
    end,
  }
  local function never()
    return false
  end
  local id = NEW and vim.lsp.start(given, { attach = false, reuse_client = never }) or vim.lsp.start_client(given)
  if not id then
    self:fail("the server could not be started; :checkhealth agls says more")
  end
end

---@private
---@param client vim.lsp.Client
function Client:begin(client)
  self.lsp = client
  self.block = vim.tbl_get(client.server_capabilities, "experimental", "agent")
  if not self.block or self.block.mismatch then
    notify.error("this server speaks another version of the protocol: update agls or this plugin")
  end
  self:become("ready")
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    self:attach(buf)
  end
  self:on_ready()
  local waiting = self.waiting
  self.waiting = {}
  for _, one in ipairs(waiting) do
    one.ready()
  end
end

---@private
---@param code integer
---@param signal integer
function Client:ended(code, signal)
  self.lsp = nil
  local leaving = self.leaving
  self.leaving = nil
  if leaving == "restart" then
    return self:start()
  elseif leaving or vim.v.exiting ~= vim.NIL then
    return self:become("stopped")
  end
  if vim.uv.now() - self.begun > STEADY then
    self.restarts = 0
  end
  self.restarts = self.restarts + 1
  local how = signal ~= 0 and ("signal " .. signal) or ("exit code " .. code)
  if self.restarts > MOST_RESTARTS then
    notify.error(("the server ended again (%s); `:Agls restart` tries once more"):format(how))
    return self:fail("the server ends whenever it is started")
  end
  notify.warn(("the server ended (%s) and is started again"):format(how))
  self:become("stopped")
  vim.defer_fn(function()
    if self.state == "stopped" then
      self:start()
    end
  end, FIRST_PAUSE * 2 ^ (self.restarts - 1))
end

---Do something as soon as there is a server, or say why there is none.
---@param ready fun()
---@param failed? fun(problem: string)
function Client:with(ready, failed)
  if self.state == "ready" then
    return ready()
  end
  self.waiting[#self.waiting + 1] = { ready = ready, failed = failed or function() end }
  if self.state == "failed" or (self.state == "stopped" and self.restarts == 0) then
    self.restarts = 0
    self:start()
  end
end

---A request; `done` gets the result, or an error with `message` and `data`.
---@param method string
---@param params table
---@param done? fun(result: any, problem?: table)
---@return fun() cancel ask the server to cancel the request
function Client:request(method, params, done)
  done = done or notify.on_failure
  params = vim.tbl_isempty(params) and vim.empty_dict() or params -- an object, not a list
  local id ---@type integer?
  self:with(function()
    local function answered(problem, result)
      id = nil
      done(result, problem)
    end
    local _, sent
    if NEW then
      _, sent = self.lsp:request(method, params, answered)
    else
      _, sent = self.lsp.request(method, params, answered)
    end
    id = sent
  end, function(problem)
    done(nil, { message = problem })
  end)
  return function()
    if id and self.lsp then
      self:notify("$/cancelRequest", { id = id })
      id = nil
    end
  end
end

---A notification, to a server that is there.
---@param method string
---@param params table
function Client:notify(method, params)
  if NEW then
    self.lsp:notify(method, params)
  else
    self.lsp.notify(method, params)
  end
end

---Whether the agent should see this buffer: a file of the folder.
---@param buf integer
---@return boolean
function Client:wants(buf)
  if not vim.api.nvim_buf_is_loaded(buf) or vim.bo[buf].buftype ~= "" then
    return false
  end
  local name = vim.api.nvim_buf_get_name(buf)
  return vim.startswith(vim.fs.normalize(name), self.root .. "/")
end

---@param buf integer
function Client:attach(buf)
  if self.lsp and self:wants(buf) and not vim.lsp.buf_is_attached(buf, self.lsp.id) then
    vim.lsp.buf_attach_client(buf, self.lsp.id)
  end
end

---@private
function Client:shut_down()
  if NEW then
    self.lsp:stop()
  else
    self.lsp.stop()
  end
end

---End the server; the sessions are in its journals.
function Client:stop()
  if self.lsp then
    self.leaving = "stop"
    self:shut_down()
  end
end

---End the server and start it anew: what was open is resumed.
function Client:restart()
  self.restarts = 0
  if not self.lsp then
    return self:start()
  end
  self.leaving = "restart"
  self:shut_down()
end

return M

-- `:checkhealth agls`

local M = {}

---@param cmd string[]
---@return string? version
---@return string? problem
local function version_of(cmd)
  local asked = vim.list_slice(cmd)
  while #asked > 1 and (asked[#asked] == "--stdio" or asked[#asked] == "serve") do
    asked[#asked] = nil
  end
  asked[#asked + 1] = "--version"
  local ok, done = pcall(function()
    return vim.system(asked, { text = true }):wait(20000)
  end)
  if not ok then
    return nil, tostring(done)
  elseif done.code ~= 0 then
    return nil, vim.trim(done.stderr or "")
  end
  return vim.trim(done.stdout)
end

local function check_server()
  local cmd = require("agls.config").command()
  if vim.fn.executable(cmd[1]) == 0 then
    return vim.health.error(("%s cannot be run"):format(cmd[1]), {
      "A server is missing: " .. require("agls.install").advice(),
      'Or name it: require("agls").setup({ cmd = { "/path/to/agls", "serve", "--stdio" } })',
    })
  end
  local version, problem = version_of(cmd)
  if version then
    vim.health.ok(("%s (%s)"):format(version, vim.fn.exepath(cmd[1])))
  else
    vim.health.error(
      "the server does not start: " .. (problem or "?"),
      { "Run it in a terminal: " .. table.concat(cmd, " ") }
    )
  end
end

local function check_clients()
  local clients = require("agls.client").all
  if vim.tbl_isempty(clients) then
    return vim.health.info("no server was started yet; `:Agls open` starts one")
  end
  for root, client in pairs(clients) do
    local report = client.state == "ready" and vim.health.ok or vim.health.warn
    report(("%s: %s"):format(root, client.state))
    if client.state == "ready" then
      local done, status
      client:request("agent/status", {}, function(result, problem)
        status, done = result or { problem = problem and problem.message, models = {} }, true
      end)
      vim.wait(10000, function()
        return done
      end, 20)
      if status and status.problem then
        vim.health.warn(
          status.problem,
          { "`:Agls setup` chooses a model", "`agls config explain` in a terminal says where every setting comes from" }
        )
      elseif status and status.models[1] then
        vim.health.ok("the model is " .. status.models[1].name)
      else
        vim.health.warn("the server does not answer", { "`:Agls restart` starts it anew" })
      end
    end
  end
end

function M.check()
  vim.health.start("agls: Neovim")
  if vim.fn.has("nvim-0.10") == 1 then
    vim.health.ok("Neovim " .. tostring(vim.version()))
  else
    vim.health.error("Neovim 0.10 or newer is needed")
  end
  vim.health.start("agls: server")
  check_server()
  check_clients()
  vim.health.info("log: " .. vim.lsp.log.get_filename())
end

return M

-- `:Agls install`: the server in a Python environment of its own, from the repository that this plugin is a part of.

local notify = require("agls.notify")

local M = {}

---@type vim.SystemObj?
local running

---@return string? folder the repository, when the plugin was not taken out of it
local function repository()
  local here = vim.uv.fs_realpath(debug.getinfo(1, "S").source:sub(2))
  local folder = here and vim.fn.fnamemodify(here, ":h:h:h:h:h")
  return folder and vim.fn.executable(folder .. "/scripts/setup") == 1 and folder or nil
end

---@return string? path of the server that was installed here
function M.program()
  local folder = repository()
  local path = folder and (folder .. "/.venv/bin/agls")
  return path and vim.fn.executable(path) == 1 and path or nil
end

---What to do where there is no server.
---@return string
function M.advice()
  return repository() and "`:Agls install` sets it up"
    or "install it (`pipx install agls`), or name it: setup({ cmd = … })"
end

---@param line string
local function progress(line)
  notify.info(line)
end

---Set the server up, or bring it up to date. Nothing else waits for it.
---@param done? fun(problem?: string)
function M.run(done)
  done = done or function() end
  local folder = repository()
  if not folder then
    progress("this plugin is not in a clone of agls; " .. M.advice())
    return done("no repository")
  elseif running then
    return progress("it is being installed already")
  end
  progress("sets up its server in " .. folder .. "/.venv; this takes a minute …")
  running = vim.system({ folder .. "/scripts/setup", "runtime" }, { text = true, cwd = folder }, function(ended)
    vim.schedule(function()
      running = nil
      if ended.code ~= 0 or not M.program() then
        local output = vim.trim(ended.stderr ~= "" and ended.stderr or ended.stdout or "")
        notify.error("the server was not set up: " .. output)
        return done(output)
      end
      progress("the server is set up; `:Agls` begins")
      for _, one in pairs(require("agls.client").all) do
        one:restart()
      end
      done()
    end)
  end)
end

return M

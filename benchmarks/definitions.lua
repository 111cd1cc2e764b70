-- A warm Neovim: how long it takes for a definition itself, and a prompt whose tool calls ask agls for the same.
-- Arguments (the global MEASURE, JSON): file, line, character, server, command, count, prompt. Writes the
-- nanoseconds of its own requests to the file `out`, one in each line.

local given = vim.json.decode(vim.env.MEASURE)
local WAIT = 60000 -- milliseconds

local function check(condition, problem)
  if not condition then
    io.stderr:write(problem .. "\n")
    vim.cmd("cquit 1")
  end
end

local function measure()
  vim.cmd.edit(given.file)
  vim.bo.filetype = "python"
  local id = vim.lsp.start({ name = "pyright", cmd = given.server, root_dir = vim.fn.getcwd() })
  local client = assert(vim.lsp.get_client_by_id(id))
  check(vim.wait(WAIT, function() return client.initialized end, 5), "the language server did not start")
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(0) },
    position = { line = given.line, character = given.character },
  }

  local function define()
    local took, found
    local begun = vim.uv.hrtime()
    client:request("textDocument/definition", params, function(_, result)
      took, found = vim.uv.hrtime() - begun, result
    end, 0)
    check(vim.wait(WAIT, function() return took end, 1), "no definition came")
    return took, found
  end

  check(vim.wait(WAIT, function() return #(select(2, define()) or {}) > 0 end, 50), "nothing was found")
  local own = {}
  for _ = 1, given.count do
    own[#own + 1] = string.format("%d", (define()))
  end
  vim.fn.writefile(own, given.out)

  local ended
  vim.api.nvim_create_autocmd("User", { pattern = "AglsRunEnded", callback = function() ended = true end })
  require("agls").setup({ cmd = given.command })
  require("agls").run(given.prompt)
  check(vim.wait(WAIT, function() return ended end, 5), "the run did not end")
  vim.cmd("qall!")
end

vim.schedule(function()
  local ok, problem = pcall(measure)
  check(ok, tostring(problem))
end)

-- What Neovim shows as wrong, for `@diagnostics` in a prompt: the errors and warnings of the buffers of a folder.

local M = {}

---@param buf integer
---@param line integer from 0
---@param column integer in bytes
---@return lsp.Position
local function position(buf, line, column)
  local text = vim.api.nvim_buf_get_lines(buf, line, line + 1, false)[1] or ""
  return { line = line, character = vim.fn.strutf16len(text:sub(1, column)) }
end

---@param found vim.Diagnostic
---@return table diagnostic as LSP has it
local function of(found)
  local range = {
    start = position(found.bufnr, found.lnum, found.col),
    ["end"] = position(found.bufnr, found.end_lnum or found.lnum, found.end_col or found.col),
  }
  local code = found.code and tostring(found.code) or nil
  return { range = range, severity = found.severity, message = found.message, source = found.source, code = code }
end

---Wait until what is shown for a file changes.
---@param uri string
---@param most integer milliseconds
local function changed(uri, most)
  local thread, group = assert(coroutine.running()), nil
  local function go_on()
    if group then
      vim.api.nvim_del_autocmd(group)
      group = nil
      vim.schedule(function()
        coroutine.resume(thread)
      end)
    end
  end
  group = vim.api.nvim_create_autocmd("DiagnosticChanged", {
    callback = function(event)
      if vim.uri_from_bufnr(event.buf) == uri then
        go_on()
      end
    end,
  })
  vim.defer_fn(go_on, most)
  coroutine.yield()
end

---Whether anything may still say what is wrong in a file: a language server of it, or a linter.
---@param uri string
---@param at agls.Client
---@return boolean
local function is_checked(uri, at)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local is_meant = vim.api.nvim_buf_is_loaded(buf) and vim.uri_from_bufnr(buf) == uri
    for _, server in ipairs(is_meant and vim.lsp.get_clients({ bufnr = buf }) or {}) do
      if not at.lsp or server.id ~= at.lsp.id then
        return true
      end
    end
    for _, namespace in pairs(is_meant and vim.diagnostic.get_namespaces() or {}) do
      if not namespace.name:find("^n?vim%.lsp%.") then
        return true
      end
    end
  end
  return false
end

---Answer `agent/diagnostics`.
---@param params agls.DiagnosticsParams
---@param at agls.Client
---@return agls.DiagnosticsAnswer
function M.answer(params, at)
  local files = {}
  if params.uri and params.waitMs and is_checked(params.uri, at) then
    changed(params.uri, params.waitMs)
  end
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local found = at:wants(buf) and vim.diagnostic.get(buf, { severity = { min = vim.diagnostic.severity.WARN } }) or {}
    local uri = vim.uri_from_bufnr(buf)
    if #found > 0 and (params.uri or uri) == uri then
      files[#files + 1] = { uri = uri, diagnostics = vim.tbl_map(of, found) }
    end
  end
  return { files = files }
end

return M

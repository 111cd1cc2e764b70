-- What the language servers of Neovim know of code: they are asked for the agent, so that none runs twice.

local M = {}
local NEW = vim.fn.has("nvim-0.11") == 1 -- clients got methods

---@param lsp table
---@param method string
---@param buf integer?
local function supports(lsp, method, buf)
  if NEW then
    return lsp:supports_method(method, buf)
  end
  return lsp.supports_method(method, { bufnr = buf })
end

---The servers that know such a file, first those of its buffer; without a file all of them.
---@param uri string?
---@param method string
---@param ours integer the id of agls among them
local function servers(uri, method, ours)
  local buf = uri and vim.fn.bufnr(vim.uri_to_fname(uri)) or -1
  local loaded = buf >= 0 and vim.api.nvim_buf_is_loaded(buf)
  local kind = uri and not loaded and vim.filetype.match({ filename = vim.uri_to_fname(uri) })
  return vim.tbl_filter(function(lsp)
    if lsp.id == ours or lsp.name == "agls" or not supports(lsp, method, loaded and buf or nil) then
      return false
    end
    return not uri
      or vim.iter(pairs(lsp.attached_buffers)):any(function(attached)
        return attached == buf or (not loaded and vim.bo[attached].filetype == kind)
      end)
  end, vim.lsp.get_clients())
end

---@param uri string
---@param line integer
local function line_of(uri, line)
  local name = vim.uri_to_fname(uri)
  local buf = vim.fn.bufnr(name)
  if buf >= 0 and vim.api.nvim_buf_is_loaded(buf) then
    return vim.api.nvim_buf_get_lines(buf, line, line + 1, false)[1] or ""
  end
  local ok, lines = pcall(vim.fn.readfile, name, "", line + 1)
  return ok and lines[line + 1] or ""
end

---A position in another encoding.
---@param uri string
---@param place lsp.Position
---@param from string
---@param to string
local function converted(uri, place, from, to)
  if from == to then
    return place
  end
  local text = line_of(uri, place.line)
  local bytes = from == "utf-8" and place.character or vim.fn.byteidxcomp(text, place.character, from == "utf-16")
  local before = text:sub(1, bytes < 0 and #text or bytes)
  local units = to == "utf-8" and #before or to == "utf-16" and vim.fn.strutf16len(before) or vim.fn.strchars(before)
  return { line = place.line, character = units }
end

---The edits of a renaming with positions as we speak them.
---@param edit table a WorkspaceEdit
---@param from string
local function edit_for_us(edit, from)
  local function each(uri, edits)
    for _, one in ipairs(edits) do
      one.range.start = converted(uri, one.range.start, from, "utf-16")
      one.range["end"] = converted(uri, one.range["end"], from, "utf-16")
    end
  end
  for _, change in ipairs(edit.documentChanges or {}) do
    if change.textDocument then
      each(change.textDocument.uri, change.edits)
    end
  end
  for uri, edits in pairs(edit.changes or {}) do
    each(uri, edits)
  end
  return edit
end

---Ask one server, and wait for its answer.
---@return string? problem
---@return any result
local function ask(lsp, method, params, buf)
  local thread = assert(coroutine.running())
  local function answered(problem, result)
    local function go_on()
      coroutine.resume(thread, problem and (problem.message or tostring(problem)), result)
    end
    if coroutine.running() == thread then -- a server in Lua answers before we wait
      return vim.schedule(go_on)
    end
    go_on()
  end
  local sent
  if NEW then
    sent = lsp:request(method, params, answered, buf)
  else
    sent = lsp.request(method, params, answered, buf)
  end
  if not sent then
    return lsp.name .. " ended"
  end
  return coroutine.yield()
end

---Answer `agent/codeQuery`.
---@param query agls.CodeQueryParams
---@param ours integer the id of agls among the clients
---@return agls.CodeQueryAnswer?
---@return table? problem
function M.answer(query, ours)
  local given = query.params
  local uri = given.textDocument and given.textDocument.uri or given.item and given.item.uri
  local found, trouble, knows = {}, nil, false
  for _, lsp in ipairs(servers(uri, query.method, ours)) do
    local params = vim.deepcopy(given)
    if params.position then
      params.position = converted(uri, params.position, "utf-16", lsp.offset_encoding)
    end
    local problem, result = ask(lsp, query.method, params, next(lsp.attached_buffers))
    trouble = problem or trouble
    knows = knows or not problem
    if result and result ~= vim.NIL and next(result) ~= nil then
      if query.method ~= "workspace/symbol" then
        result = query.method == "textDocument/rename" and edit_for_us(result, lsp.offset_encoding) or result
        return { answered = true, result = result }
      end
      vim.list_extend(found, result)
    end
  end
  if trouble and not knows then
    return nil, vim.lsp.rpc_response_error(-32803, trouble) -- RequestFailed
  end
  return { answered = knows, result = #found > 0 and found or nil }
end

return M

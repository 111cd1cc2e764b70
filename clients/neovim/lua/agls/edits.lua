-- What the server does to documents: versioned edits, saving, and files that changed on the disk.

local M = {}

---@param buf integer
local function new_undo_step(buf)
  vim.api.nvim_buf_call(buf, function()
    vim.cmd("let &l:undolevels = &l:undolevels")
  end)
end

---@param buf integer
---@return string
local function last_line(buf)
  return vim.api.nvim_buf_get_lines(buf, -2, -1, false)[1]
end

---Why Neovim could not write these texts into the file of a buffer, or not as they are meant.
---@param buf integer
---@param texts string[]
---@return string?
function M.unwritable(buf, texts)
  local encoding = vim.bo[buf].fileencoding
  if vim.bo[buf].fileformat == "mac" then
    return "its lines end with CR alone ('fileformat' is mac), which language servers cannot edit"
  elseif encoding == "" or vim.startswith(encoding, "utf") then
    return nil
  end
  for _, new in ipairs(texts) do
    local written = vim.iconv(new, "utf-8", encoding)
    if not written or vim.iconv(written, encoding, "utf-8") ~= new then
      return ("the encoding of the file (%s) lacks a character of the new text"):format(encoding)
    end
  end
end

---@param change table a TextDocumentEdit
---@param encoding string
---@return string? problem
local function apply(change, encoding)
  local buf = vim.uri_to_bufnr(change.textDocument.uri)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return "the file is not open any more"
  end
  if not vim.bo[buf].modifiable or vim.bo[buf].readonly then
    return "the buffer is read-only"
  end
  local version, known = change.textDocument.version, vim.lsp.util.buf_versions[buf]
  if version and known and version ~= known then
    return "the buffer was changed meanwhile"
  end
  local function text_of(edit)
    return edit.newText
  end
  local problem = M.unwritable(buf, vim.tbl_map(text_of, change.edits))
  if problem then
    return problem
  end
  local ended = last_line(buf) ~= "" and not vim.bo[buf].eol and vim.bo[buf].fixeol and not vim.bo[buf].binary
  new_undo_step(buf)
  vim.lsp.util.apply_text_edits(change.edits, buf, encoding)
  if ended and last_line(buf) == "" and vim.api.nvim_buf_line_count(buf) > 1 then
    vim.api.nvim_buf_set_lines(buf, -2, -1, false, {}) -- Neovim itself writes the end of the last line
  end
  new_undo_step(buf)
  if vim.b[buf].agls_unseen and #vim.fn.win_findbuf(buf) == 0 then
    vim.api.nvim_buf_call(buf, function() -- it was opened for this edit alone, and nobody would save it
      vim.cmd("silent update")
    end)
  else
    vim.bo[buf].buflisted = true
  end
end

---Answer `workspace/applyEdit`: one undo step per edit, and none for a version that is not there any more.
---@param params table
---@param encoding string
---@return table
function M.apply(params, encoding)
  for number, change in ipairs(params.edit.documentChanges or {}) do
    if not (change.textDocument and change.edits) then
      return { applied = false, failureReason = "only edits of documents are made here", failedChange = number - 1 }
    end
    local ok, problem = pcall(apply, change, encoding)
    if not ok or problem then
      return { applied = false, failureReason = tostring(problem), failedChange = number - 1 }
    end
  end
  return { applied = true }
end

---@param document agls.DocumentVersion
---@return string? problem
local function save(document)
  local buf = vim.uri_to_bufnr(document.uri)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return "it is not open any more"
  end
  local known = vim.lsp.util.buf_versions[buf]
  if known and known ~= document.version then
    return "it was changed meanwhile"
  end
  local ok, problem = pcall(vim.api.nvim_buf_call, buf, function()
    vim.cmd("silent update")
  end)
  if not ok then
    return (tostring(problem):gsub("^.*Vim[^:]*:", ""))
  end
  return vim.bo[buf].modified and "Neovim could not write it" or nil
end

---Answer `agent/saveDocuments`: save these versions as the user would, formatters and all.
---@param params agls.SaveDocumentsParams
---@return agls.SaveDocumentsAnswer
function M.save(params)
  local answer = { saved = {}, failed = {} }
  for _, document in ipairs(params.documents) do
    local problem = save(document)
    if problem then
      table.insert(answer.failed, { uri = document.uri, message = problem })
    else
      table.insert(answer.saved, document.uri)
    end
  end
  return answer
end

---Files changed on the disk: buffers without changes of the user are read anew, all others stay as they are.
---@param params { changes: { uri: string, type: integer }[] }
function M.changed_on_disk(params)
  for _, change in ipairs(params.changes) do
    local name = vim.uri_to_fname(change.uri)
    local buf = vim.fn.bufnr("^" .. vim.fn.escape(name, "\\*?[]{},^$ ") .. "$")
    if buf > 0 and vim.api.nvim_buf_is_loaded(buf) and not vim.bo[buf].modified then
      local before = vim.bo[buf].autoread
      vim.bo[buf].autoread = true
      vim.cmd("silent! checktime " .. buf)
      vim.bo[buf].autoread = before
    end
  end
end

return M

-- Texts of models and terminals, made fit for a Markdown buffer.

local M = {}

---@param text string
---@return string[]
function M.lines(text)
  return vim.split((text:gsub("\r\n?", "\n")), "\n", { plain = true })
end

---Text of a terminal as plain text: no colours, and of a line that was written over the last writing.
---@param text string
---@return string
function M.plain(text)
  local clean = text
    :gsub("\27%[[%d;:?<=>]*[ -/]*[@-~]", "")
    :gsub("\27%][^\7\27]*\7", "")
    :gsub("\27%][^\7\27]*\27\\", "")
    :gsub("\27[@-Z\\-_]", "")
    :gsub("\r+\n", "\n")
  clean = clean:gsub("[^\n]*\r([^\r\n])", "%1")
  return (clean:gsub("[%z\1-\8\11-\31\127]", ""))
end

---A fenced block whose fence is longer than every one inside.
---@param text string
---@param language string
---@return string[]
function M.fenced(text, language)
  local fence = "```"
  for inside in text:gmatch("`+") do
    if #inside >= #fence then
      fence = inside .. "`"
    end
  end
  local made = { fence .. language }
  vim.list_extend(made, M.lines((text:gsub("\n+$", ""))))
  made[#made + 1] = fence
  return made
end

---One line, no wider than so many cells.
---@param text string
---@param width integer
---@return string
function M.clip(text, width)
  text = vim.trim((text:gsub("%s+", " ")))
  while vim.fn.strdisplaywidth(text) > width do
    text = vim.fn.strcharpart(text, 0, math.min(width, vim.fn.strchars(text) - 1) - 1) .. "…"
  end
  return text
end

---@param text string
---@return string
function M.code(text)
  text = text:gsub("%s+", " ")
  return text:find("`", 1, true) and ("`` " .. text .. " ``") or ("`" .. text .. "`")
end

---@param uri string
---@return string
function M.short_name(uri)
  local ok, path = pcall(vim.uri_to_fname, (uri:gsub("#.*$", "")))
  if not ok then
    return uri
  end
  local part = uri:match("#(.+)$") -- lines, or `diagnostics`
  return vim.fn.fnamemodify(path, ":.") .. (part and (" " .. part) or "")
end

return M

-- What goes with a prompt besides its words: files by name, lines and diagnostics by their text, images whole.

local text = require("agls.text")

local M = {}

local MOST_BYTES = 5 * 1024 * 1024 -- of an image; providers take no larger ones
local IMAGES = { png = "image/png", jpg = "image/jpeg", jpeg = "image/jpeg", gif = "image/gif", webp = "image/webp" }
local CLIPBOARD = { -- whichever is there
  { "wl-paste", "--no-newline", "--type", "image/png" },
  { "xclip", "-selection", "clipboard", "-target", "image/png", "-out" },
  { "pngpaste", "-" },
}

---Names that mean something else than a file.
M.SPECIAL = {
  buffer = "the file you came from",
  clipboard = "the image in the clipboard",
  diagnostics = "its diagnostics",
  quickfix = "the quickfix list",
}

---@class agls.Chip something that goes with a prompt
---@field label string
---@field block table

---The last ordinary file that was current, for people who write in a prompt.
---@return integer?
function M.last_file()
  local best, when = nil, -1
  for _, info in ipairs(vim.fn.getbufinfo({ bufloaded = 1 })) do
    if vim.bo[info.bufnr].buftype == "" and info.name ~= "" and info.lastused >= when then
      if info.lastused > when or #info.windows > 0 then
        best, when = info.bufnr, info.lastused
      end
    end
  end
  return best
end

---@param data string
---@param kind string
---@param label string
---@return agls.Chip? chip
---@return string? problem
local function image(data, kind, label)
  if #data > MOST_BYTES then
    return nil, ("%s has %.1f MB; an image may have 5"):format(label, #data / 1024 / 1024)
  end
  return { label = label, block = { type = "image", mimeType = kind, data = vim.base64.encode(data) } }
end

---@return agls.Chip? chip
---@return string? problem
local function clipboard()
  for _, command in ipairs(CLIPBOARD) do
    if vim.fn.executable(command[1]) == 1 then
      local done = vim.system(command, { text = false, timeout = 5000 }):wait()
      if done.code == 0 and vim.startswith(done.stdout or "", "\137PNG") then
        return image(done.stdout, "image/png", "clipboard.png")
      end
      return nil, "there is no image in the clipboard"
    end
  end
  return nil, "reading an image from the clipboard needs wl-paste, xclip or pngpaste"
end

---@param buf integer
---@return string
local function diagnostics(buf)
  local lines = {}
  for _, found in ipairs(vim.diagnostic.get(buf)) do
    local severity = vim.diagnostic.severity[found.severity] or ""
    lines[#lines + 1] = ("line %d: %s: %s"):format(found.lnum + 1, severity:lower(), found.message)
  end
  return #lines > 0 and table.concat(lines, "\n") or "none"
end

---@return agls.Chip
local function quickfix()
  local lines = vim.iter(vim.fn.getqflist()):map(function(entry)
    local file = entry.bufnr > 0 and vim.fn.fnamemodify(vim.fn.bufname(entry.bufnr), ":.") or ""
    return ("%s:%d: %s"):format(file, entry.lnum, entry.text)
  end)
  return { label = "quickfix", block = { type = "resource", uri = "agls:quickfix", text = lines:join("\n") } }
end

---@param name string
---@return agls.Chip? chip
---@return string? problem
local function special(name)
  if name == "quickfix" then
    return quickfix()
  elseif name == "clipboard" then
    return clipboard()
  end
  local buf = M.last_file()
  if not buf then
    return nil, "no file is open"
  end
  local uri = vim.uri_from_bufnr(buf)
  local label = text.short_name(uri)
  if name == "buffer" then
    return { label = label, block = { type = "resourceLink", uri = uri, name = label } }
  end
  local block = { type = "resource", uri = uri .. "#diagnostics", text = diagnostics(buf) }
  return { label = text.short_name(block.uri), block = block }
end

---@param name string
---@param root string
---@return string
local function path_of(name, root)
  local path = vim.fs.normalize(name)
  return vim.startswith(path, "/") and path or vim.fs.normalize(root .. "/" .. path)
end

---Why a path may not go with a prompt by this name: a link in the folder that leads out of it.
---@param path string
---@param root string
---@return string? problem
local function leads_out(path, root)
  local real = vim.uv.fs_realpath(path)
  local below = (vim.uv.fs_realpath(root) or root) .. "/" -- the folder may be gone
  if real and vim.startswith(path .. "/", root .. "/") and not vim.startswith(real .. "/", below) then
    return ("it leads to %s, outside the folder. Name that file to attach it."):format(real)
  end
end

---What a name stands for: one of `SPECIAL`, an address, or a path in the folder.
---@param name string
---@param root string
---@return agls.Chip? chip
---@return string? problem
function M.named(name, root)
  if M.SPECIAL[name] then
    return special(name)
  elseif name:match("^https?://") then
    return { label = name, block = { type = "resourceLink", uri = name } }
  end
  local path = path_of(name, root)
  local kind = IMAGES[(name:match("%.(%w+)$") or ""):lower()]
  local found = vim.uv.fs_stat(path)
  local out = leads_out(path, root)
  if not found then
    return nil, ("there is no file %s"):format(name)
  elseif out then
    return nil, ("%s is not attached: %s"):format(name, out)
  elseif not (kind and found.type == "file") then
    return { label = name, block = { type = "resourceLink", uri = vim.uri_from_fname(path), name = name } }
  end
  local file, problem = io.open(path, "rb")
  if not file then
    return nil, problem
  end
  local data = file:read(MOST_BYTES + 1) or ""
  file:close()
  return image(data, kind, name)
end

---What a buffer is called where it is the source of a text: one without a file by its kind.
---@param buf integer
---@return string uri
---@return string? kind
local function source(buf)
  local type = vim.bo[buf].buftype
  if (type == "" or type == "help") and vim.api.nvim_buf_get_name(buf) ~= "" then
    return vim.uri_from_bufnr(buf)
  end
  local kind = ({ [""] = "unnamed", acwrite = "text", nofile = "text", nowrite = "text" })[type] or type
  return "agls:" .. kind, kind
end

---Some lines of a buffer.
---@param buf integer
---@param first integer from 1
---@param last integer
---@return agls.Chip
function M.lines(buf, first, last)
  local words = table.concat(vim.api.nvim_buf_get_lines(buf, first - 1, last, false), "\n") .. "\n"
  local uri, kind = source(buf)
  local range = ("L%d-L%d"):format(first, last)
  uri = uri .. "#" .. range
  local label = kind and (kind .. " " .. range) or text.short_name(uri)
  return { label = label, block = { type = "resource", uri = uri, text = words } }
end

return M

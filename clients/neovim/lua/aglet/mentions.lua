-- What a prompt points at: `@` words become content blocks, and `@` and `/` words are completed.

local session = require("aglet.session")

local M = {}

local MOST_FILES = 2000 -- looked at for one completion
local MOST_SHOWN = 60
local SPECIAL = {
  buffer = "the file you came from",
  diagnostics = "its diagnostics",
  quickfix = "the quickfix list",
}

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

---@param buf integer
---@return string
local function diagnostics(buf)
  local told = {}
  for _, found in ipairs(vim.diagnostic.get(buf)) do
    local severity = vim.diagnostic.severity[found.severity] or ""
    told[#told + 1] = ("line %d: %s: %s"):format(found.lnum + 1, severity:lower(), found.message)
  end
  return #told > 0 and table.concat(told, "\n") or "none"
end

---@param name string
---@return table? block
local function special(name)
  if name == "quickfix" then
    local told = vim.iter(vim.fn.getqflist()):map(function(entry)
      local file = entry.bufnr > 0 and vim.fn.fnamemodify(vim.fn.bufname(entry.bufnr), ":.") or ""
      return ("%s:%d: %s"):format(file, entry.lnum, entry.text)
    end)
    return { type = "resource", uri = "aglet:quickfix", text = told:join("\n") }
  end
  local buf = M.last_file()
  if not buf then
    return nil
  end
  local uri = vim.uri_from_bufnr(buf)
  if name == "buffer" then
    return { type = "resourceLink", uri = uri, name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buf), ":.") }
  end
  return { type = "resource", uri = uri .. "#diagnostics", text = diagnostics(buf) }
end

---A prompt as content blocks: the text as it is, and what its `@` words name.
---@param text string
---@param root string
---@return table[]
function M.expand(text, root)
  local blocks, seen = { { type = "text", text = text } }, {}
  for word in (" " .. text):gmatch("%s@(%S+)") do
    local path = word:gsub("[,;:%.!%?%)]+$", "")
    if not seen[path] then
      seen[path] = true
      local full = path:sub(1, 1) == "/" and path or (root .. "/" .. path)
      if SPECIAL[path] then
        blocks[#blocks + 1] = special(path)
      elseif vim.uv.fs_stat(full) then
        blocks[#blocks + 1] = { type = "resourceLink", uri = vim.uri_from_fname(full), name = path }
      elseif path:match("^https?://") then
        blocks[#blocks + 1] = { type = "resourceLink", uri = path }
      end
    end
  end
  return blocks
end

---Some lines of a buffer as a block.
---@param buf integer
---@param first integer from 1
---@param last integer
---@return table
function M.lines(buf, first, last)
  local text = table.concat(vim.api.nvim_buf_get_lines(buf, first - 1, last, false), "\n") .. "\n"
  return { type = "resource", uri = ("%s#L%d-L%d"):format(vim.uri_from_bufnr(buf), first, last), text = text }
end

---@param root string
---@return string[] paths below the folder, without hidden ones
local function files(root)
  local found, looked = {}, 0
  for name, kind in
    vim.fs.dir(root, {
      depth = 8,
      skip = function(folder)
        local last = vim.fs.basename(folder)
        return looked < MOST_FILES and not vim.startswith(last, ".") and last ~= "node_modules"
      end,
    })
  do
    looked = looked + 1
    if looked > MOST_FILES then
      break
    end
    if not vim.startswith(vim.fs.basename(name), ".") then
      found[#found + 1] = kind == "directory" and name .. "/" or name
    end
  end
  return found
end

---@type table<string, aglet.Action[]> by session
local actions = {}

---@param base string with its sign
---@param of aglet.Session
---@return table[] complete-items
local function candidates(base, of)
  local sign, start = base:sub(1, 1), base:sub(2):lower()
  local made = {}
  local function add(word, menu)
    if #made < MOST_SHOWN and (start == "" or word:lower():find(start, 1, true)) then
      made[#made + 1] = { word = sign .. word, menu = menu, dup = 0 }
    end
  end
  if sign == "@" then
    for name, menu in vim.spairs(SPECIAL) do
      add(name, menu)
    end
    for _, path in ipairs(files(of.client.root)) do
      add(path, "")
    end
  else
    for _, action in ipairs(actions[of.id] or {}) do
      add((action.slash:gsub("^/", "")), action.title)
    end
  end
  return made
end

---The `@` or `/` word before the cursor: its first column (from 0) and itself.
---@return integer? column
---@return string base
local function word_before()
  local before = vim.api.nvim_get_current_line():sub(1, vim.api.nvim_win_get_cursor(0)[2])
  local column = before:find("@[^%s@]*$")
  if column and (column == 1 or before:sub(column - 1, column - 1):match("%s")) then
    return column - 1, before:sub(column)
  end
  if before:match("^/[%w%._-]*$") and vim.fn.line(".") == 1 then
    return 0, before
  end
  return nil, ""
end

---@return aglet.Session?
local function here()
  return session.all[vim.b.aglet_session or ""]
end

---Ask the server for its actions once, so that completion need not wait.
---@param of aglet.Session
---@param done? fun()
function M.know_actions(of, done)
  of:actions(function(found)
    actions[of.id] = found or actions[of.id] or {}
    if done then
      done()
    end
  end)
end

---@param of aglet.Session
---@return aglet.Action[]
function M.actions(of)
  return actions[of.id] or {}
end

---`omnifunc` and `completefunc` of the prompt.
---@param findstart integer
---@param base string
---@return integer|table
function M.omnifunc(findstart, base)
  if findstart == 1 then
    return word_before() or -3
  end
  local of = here()
  return of and candidates(base, of) or {}
end

---@type string what completion was offered for last
local offered = ""

---Offer completion for the word before the cursor, where it is one of ours. Nothing is inserted unasked.
function M.offer()
  local column, base = word_before()
  local of = here()
  if not (column and of) or base == offered or vim.fn.pumvisible() == 1 or vim.fn.mode() ~= "i" then
    offered = column and offered or ""
    return
  end
  offered = base
  local found = candidates(base, of)
  if #found > 0 and not (#found == 1 and found[1].word == base) then
    local before = vim.o.completeopt
    vim.o.completeopt = "menuone,noinsert,noselect"
    vim.fn.complete(column + 1, found)
    vim.o.completeopt = before
  end
end

return M

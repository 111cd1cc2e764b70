-- Setting an option of a session: mode, model.

local client = require("aglet.client")

local M = {}

---A subcommand that sets an option of the session, `default` takes it back; without a value it asks for one.
---@param name string
---@param values string[] to choose from; none is any text
---@return fun(rest: string)
function M.command(name, values)
  return function(rest)
    require("aglet").with(function(of)
      local function set(value)
        of:set(name, value ~= "" and value or nil, function(_, problem)
          if problem then
            return client.tell_problem(problem)
          end
          client.tell(("%s is %s from the next run on"):format(name, value ~= "" and value or "as configured"))
        end)
      end
      if rest ~= "" then
        return set(rest == "default" and "" or rest)
      elseif #values == 0 then
        return vim.ui.input({ prompt = name .. " (empty: as configured): " }, function(value)
          if value then
            set(value)
          end
        end)
      end
      vim.ui.select(values, { prompt = name .. ", now " .. (of.store.options[name] or "ask") }, function(value)
        if value then
          set(value)
        end
      end)
    end)
  end
end

return M

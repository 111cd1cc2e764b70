-- The least a test file needs: `check.test(name, function)`, `check.same(a, b)`, and `check.done()` at its end.
local M = { failed = 0, passed = 0 }

function M.test(name, body)
  local ok, problem = xpcall(body, debug.traceback)
  M[ok and "passed" or "failed"] = M[ok and "passed" or "failed"] + 1
  if not ok then
    io.stderr:write(("FAILED: %s\n%s\n"):format(name, problem))
  end
end

function M.same(got, wanted, about)
  if not vim.deep_equal(got, wanted) then
    error(("%s\nwanted: %s\ngot:    %s"):format(about or "not the same", vim.inspect(wanted), vim.inspect(got)), 2)
  end
end

function M.holds(value, about)
  if not value then
    error(about or "does not hold", 2)
  end
end

function M.done()
  io.stdout:write(("%d passed, %d failed\n"):format(M.passed, M.failed))
  os.exit(M.failed == 0 and M.passed > 0 and 0 or 1)
end

return M

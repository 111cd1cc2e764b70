-- `:Aglet` is there without `setup`; nothing else is loaded before it is used.

if vim.g.loaded_aglet then
  return
end
vim.g.loaded_aglet = true

vim.api.nvim_create_user_command("Aglet", function(given)
  require("aglet").ready()
  require("aglet.commands").run(given)
end, {
  nargs = "*",
  range = true,
  desc = "the agent in your editor; :help aglet",
  complete = function(start, line)
    return require("aglet.commands").complete(start, line)
  end,
})

for name, action in pairs({
  ["next-change"] = "next_change",
  ["previous-change"] = "previous_change",
  accept = "accept",
  reject = "reject",
}) do
  vim.keymap.set("n", "<Plug>(aglet-" .. name .. ")", function()
    require("aglet.review")[action]()
  end, { desc = "aglet: " .. action:gsub("_", " ") })
end

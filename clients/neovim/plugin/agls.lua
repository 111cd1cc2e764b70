-- `:Agls` is there without `setup`; nothing else is loaded before it is used.

if vim.g.loaded_agls then
  return
end
vim.g.loaded_agls = true

vim.api.nvim_create_user_command("Agls", function(given)
  require("agls").ready()
  require("agls.commands").run(given)
end, {
  nargs = "*",
  range = true,
  desc = "the agent in your editor; :help agls",
  complete = function(start, line)
    return require("agls.commands").complete(start, line)
  end,
})

-- `:mksession` keeps the windows of a chat, and nothing of what was in them. The buffers of a chat that lives
-- have a 'buftype'.
vim.api.nvim_create_autocmd("SessionLoadPost", {
  group = vim.api.nvim_create_augroup("agls_sessions", {}),
  desc = "agls: close the empty windows that a chat left in the session file",
  callback = function()
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.startswith(vim.api.nvim_buf_get_name(buf), "agls://") and vim.bo[buf].buftype == "" then
        vim.api.nvim_buf_delete(buf, { force = true })
      end
    end
  end,
})

for name, action in pairs({
  ["next-change"] = "next_change",
  ["previous-change"] = "previous_change",
  keep = "keep",
  undo = "undo",
}) do
  vim.keymap.set("n", "<Plug>(agls-" .. name .. ")", function()
    require("agls.review")[action]()
  end, { desc = "agls: " .. action:gsub("_", " ") })
end

vim.keymap.set({ "n", "x" }, "<Plug>(agls-edit)", ":Agls edit<CR>", { desc = "agls: edit the selected lines" })

for _, name in ipairs({ "allow", "reject", "reason", "whole", "diff" }) do
  vim.keymap.set("n", "<Plug>(agls-question-" .. name .. ")", function()
    require("agls.questions").act(name)
  end, { desc = "agls: the question that waits: " .. name })
end

std = "luajit"
read_globals = { "vim" }
globals = { "vim.b", "vim.bo", "vim.env", "vim.g", "vim.o", "vim.opt", "vim.ui", "vim.wo" }
max_line_length = 120
exclude_files = { "lua/agls/protocol_gen.lua" }

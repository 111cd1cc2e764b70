std = "luajit"
globals = { "vim" } -- some of it is taken by the tests
max_line_length = 120

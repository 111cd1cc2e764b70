---@meta
-- The types of what `require("agls")` takes and returns, for LuaLS. Nothing loads this file.

---What `setup` takes: all of it is optional.
---@class agls.SetupOptions
---@field cmd? string[] the server; `agls` on the PATH, or what `:Agls install` made
---@field env? table<string, string> added to the server's environment
---@field settings? table<string, any> as in config.toml, for this editor
---@field save_before_commands? "edited"|"all"|"never" which files are saved before a command runs
---@field trusted? boolean|fun(root: string): boolean whether the folder's own files may change anything
---@field root? fun(): string the folder of new sessions; the current one
---@field key? fun(host: string): string? the key of a model server, from wherever you keep it
---@field options? agls.SessionOptions of new sessions
---@field layout? agls.LayoutName
---@field width? number a part of the columns, or columns
---@field height? number a part of the lines, or lines
---@field prompt_height? integer lines
---@field fold? agls.FoldOptions
---@field redraws? integer at most so many in a second
---@field complete? boolean offer `@` and `/` words while they are typed
---@field insert? boolean open the prompt in insert mode
---@field keys? agls.SetupKeys|false false for none

---@alias agls.LayoutName "right"|"left"|"below"|"above"|"tab"|"float"

---@class agls.SessionOptions
---@field mode? "ask"|"acceptEdits"|"plan"|"allowAll"
---@field model? string
---@field effort? string
---@field [string] any

---@class agls.FoldOptions longer is folded
---@field thoughts? boolean
---@field output? integer lines
---@field diff? integer lines

---Keys of agls's own buffers, and of buffers with changes or an edit to review; false for none.
---@class agls.SetupKeys
---@field submit? string|false
---@field submit_insert? string|false
---@field previous? string|false
---@field next? string|false
---@field stop? string|false
---@field drop? string|false
---@field question_allow? string|false
---@field question_reject? string|false
---@field question_reason? string|false
---@field question_whole? string|false
---@field question_diff? string|false
---@field next_change? string|false
---@field previous_change? string|false
---@field keep? string|false
---@field undo? string|false
---@field refine? string|false

---@class agls.OpenOptions
---@field layout? agls.LayoutName
---@field new? boolean a new session
---@field beside? boolean leave the user in the window where they are

---@class agls.RunOptions
---@field blocks? table[] content beside the text
---@field hidden? boolean leave the windows alone
---@field admission? "queue"|"steer"|"interrupt"|"ifIdle" what happens while a run is on

---@class agls.EditOptions
---@field first? integer the first line; that of the cursor
---@field last? integer the last line
---@field wish? string what should become of them; it is asked for

---@alias agls.PieceName "state"|"queue"|"changes"|"questions"|"tasks"|"context"|"cost"|"mode"|"model"|"plan"|"servers"

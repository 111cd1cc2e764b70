"""What the tests of the client share: a file, what the model does to it, and a user who answers."""

import time
from collections.abc import Callable
from typing import Any

from support.model_server import ModelServer
from support.patience import PATIENCE
from support.wire import Message, turns

from .driver import Editor

CODE = "".join(f"def f{number}():\n    return {number}\n\n" for number in range(1, 13))
HANGING: Message = {"text": "I begin", "hang": True}
PICKING = {"c", "rm"}  # the mode in which a number is typed, in the newest Neovim and in 0.10
# A user who answers questions, and pickers as users have them: first with a column that begins with PICKS.
PICKER = """
ASKED, PICKS = {}, ...
local function answer(buf)
  local win = vim.fn.bufwinid(buf)
  if win < 0 then return end
  local texts, lines = {}, vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  for line = #lines, 1, -1 do
    local number, text = lines[line]:match('^(%d)  (.*)$')
    if not number then break end
    texts[tonumber(number)] = text
  end
  if lines[1]:find('Save your own changes', 1, true) and not SAVES then return vim.cmd('Agls answer 2') end
  table.insert(ASKED, { prompt = lines[1], items = texts })
  local wanted = #PICKS > 1 and table.remove(PICKS, 1) or PICKS[1]
  if wanted == 'nothing' then return end
  for _ = 1, 500 do -- they read all of it
    local last = vim.fn.line('w$', win)
    if last == #lines then break end
    vim.api.nvim_win_call(win, function() vim.cmd('normal! \\6') end)
    vim.cmd.redraw()
    vim.api.nvim_exec_autocmds('WinScrolled', { pattern = '*' })
    vim.wait(1)
  end
  for number, text in ipairs(texts) do
    if vim.startswith(text, wanted) then return vim.cmd('Agls answer ' .. number) end
  end
end
vim.api.nvim_create_autocmd('FileType', { pattern = 'aglsquestion', callback = function(event)
  vim.defer_fn(function() answer(event.buf) end, 10)
end })
vim.ui.select = function(items, options, on_choice)
  local texts = vim.tbl_map(options.format_item or tostring, items)
  table.insert(ASKED, { prompt = options.prompt, items = texts })
  local wanted = #PICKS > 1 and table.remove(PICKS, 1) or PICKS[1]
  vim.schedule(function()
    for number, text in ipairs(texts) do
      local at = text:find(wanted, 1, true) -- at its beginning, or in a column
      if at == 1 or (at and text:sub(at - 2, at - 1) == '  ') then return on_choice(items[number], number) end
    end
    on_choice(nil, nil)
  end)
end
"""


CHAT = (
    "vim.iter(pairs(require('agls.chat').all)):map(function(buf, chat) "
    "return chat.session == require('agls').current() and buf or nil end):next()"
)


# The last message of the user in the session that is meant.
USER = (
    "vim.iter(require('agls').current().store.order):map(function(id) "
    "return require('agls').current().store.items[id] end)"
    ":filter(function(item) return item.kind == 'userMessage' end):last()"
)


def call(name: str, **arguments: Any) -> Message:
    """A tool call."""
    return {"name": name, "arguments": arguments}


def edit(old: str, new: str) -> Message:
    """A turn that edits the file."""
    return {"text": "I edit.", "calls": [call("edit_file", path="code.py", old_text=old, new_text=new)]}


READ: Message = {"text": "I read.", "calls": [call("read_file", path="code.py")]}
TWO_EDITS = turns(READ, edit("return 2\n", "return 22\n"), edit("return 9\n", "return 99\n"), "All done.")


def opened(
    editor: Editor, *prompts: Message, picks: tuple[str, ...] = ("Allow once",), **options: Any
) -> Editor:
    """An editor whose user opened the file, typed a line that is not saved, and opened the chat.

    Without prompts the model is the one of the configuration file.
    """
    (editor.workspace / "code.py").write_text(CODE)
    if prompts:
        editor.play(*prompts)
    editor.setup(**options)
    editor.lua(PICKER, list(picks))
    editor.command("edit code.py")
    editor.keys("ggOmine = 1<Esc>")
    editor.until("vim.api.nvim_get_mode().mode == 'n' and vim.fn.getline(1) == 'mine = 1'")
    editor.command("Agls open")
    editor.until("vim.api.nvim_get_mode().mode == 'i'")
    editor.until("require('agls').current()")
    editor.keys("<Esc>")
    editor.until("vim.api.nvim_get_mode().mode == 'n'")
    return editor


def use_server(editor: Editor, server: ModelServer) -> None:
    """The real server talks to a real model server."""
    (editor.folder / "config.toml").write_text(
        f'model = "local"\n[models.local]\ndialect = "chat"\nbase_url = "{server.url}"\nmodel = "m"\n'
    )


def prompt(editor: Editor, text: str) -> None:
    """Type a prompt and send it, with the keys a user has."""
    editor.until("vim.b.agls_prompt")
    editor.keys(f"<Esc>cc{text}<Esc><CR>")


def ended(editor: Editor, reason: str, runs: int = 1) -> None:
    """Wait until so many runs have ended, the last one like this, and the screen shows it."""
    store = "(require('agls').current() or { store = { runs = {} } }).store"  # a new chat has none at once
    editor.until(f"vim.tbl_count({store}.runs) == {runs} and {store}.state == 'idle'")
    editor.until(
        "not vim.iter(pairs(require('agls.chat').all)):any(function(_, chat) return chat.waiting end)"
    )
    found = editor.lua(f"return vim.tbl_map(function(run) return run.stopReason end, {store}.runs)")
    assert reason in found.values(), (found, editor.told())


def transcript(editor: Editor) -> str:
    """The text of the chat buffer of the session that is meant."""
    return "\n".join(editor.lines(editor.lua(f"return {CHAT} or 0")))


def code(editor: Editor) -> str:
    """The text of the file as the user sees it."""
    return "\n".join(editor.lines(editor.lua("return vim.fn.bufnr('code.py')"))) + "\n"


def said(editor: Editor, text: str) -> None:
    """Wait until the chat buffer of the session that is meant has this text."""
    lines = f"vim.api.nvim_buf_get_lines({CHAT} or 0, 0, -1, false)"
    editor.until(f"table.concat({lines}, '\\n'):find(..., 1, true)", text)


def gone(editor: Editor, text: str) -> None:
    """Wait until the chat buffer of the session that is meant has this text no more."""
    lines = f"vim.api.nvim_buf_get_lines({CHAT} or 0, 0, -1, false)"
    editor.until(f"not table.concat({lines}, '\\n'):find(..., 1, true)", text)


def waiting(editor: Editor, count: int) -> None:
    """Wait until so many changes wait to be judged."""
    editor.until("#require('agls.changes').all == ...", count)


def watch_pickers(editor: Editor) -> None:
    """Have Neovim tell when its own picker comes up; it answers nothing else then."""
    editor.lua(
        "local channel = ... OWN = OWN or vim.ui.select "
        "vim.ui.select = function(...) vim.rpcnotify(channel, 'picker') return OWN(...) end",
        editor.call("nvim_get_api_info")[0],  # to all of them, 0.10 tells only who subscribed
    )


def at_the_picker(editor: Editor, count: int) -> None:
    """Wait until Neovim's own picker came up so many times since Neovim started, and waits for a number."""
    deadline = time.monotonic() + PATIENCE
    while True:
        mode = editor.call("nvim_get_mode")["mode"]
        if editor.rpc and editor.rpc.told.count("picker") == count and mode in PICKING:
            return
        assert time.monotonic() < deadline, f"the picker did not come, mode {mode}"
        time.sleep(0.02)


def restarted(editor: Editor, act: Callable[[], None]) -> None:
    """Do something that ends the server, and wait until another one is ready."""
    editor.lua(
        "READY = false vim.api.nvim_create_autocmd('User', { pattern = 'AglsReady', once = true, "
        "callback = function() READY = true end })"
    )
    act()
    editor.until("READY")


def leave_and_come_back(editor: Editor) -> None:
    """End Neovim, start it again, and resume."""
    editor.quit()
    editor.start()
    editor.setup()
    editor.command("edit code.py")
    editor.command("Agls resume")
    editor.until("require('agls').current()")

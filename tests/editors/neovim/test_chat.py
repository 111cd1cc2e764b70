"""The chat buffer: streaming, cursor, folds, prompt, layouts."""

import json

import pytest

from support.model_server import Failure, ModelServer, Reply
from support.patience import wait_until
from support.wire import Message, turns

from .driver import Editor
from .scene import (
    CODE,
    HANGING,
    READ,
    call,
    ended,
    gone,
    leave_and_come_back,
    opened,
    prompt,
    restarted,
    said,
    transcript,
    use_server,
    waiting,
)

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
CHAT = "require('agls.chat').all[next(require('agls.chat').all)]"
# Ten thousand deltas, as fast as Neovim takes them from its LSP client. What is drawn is counted three ways:
# by the plugin, by changes of the buffer, and by the moments at which it is brought up to date.
FLOOD = r"""
local chat, session = require('agls.chat').all[next(require('agls.chat').all)], require('agls').current()
local server = session.client.handlers['agent/event']
local function tell(type, data)
  local event = { v = 1, type = type, sessionId = session.id, after = session.store.seq, data = data }
  event.itemId = 'flood'
  server(nil, { events = { event } })
end
local function now() return vim.uv.hrtime() / 1e6 end
tell('itemStarted', { item = { itemId = 'flood', kind = 'message', status = 'running' } })
FLOOD = { redraws = chat.redraws, tick = vim.b[chat.buf].changedtick, begun = now(), sent = 0, moments = {} }
local draw = chat.draw
chat.draw = function(self)
  table.insert(FLOOD.moments, now())
  draw(self)
end
local timer = vim.uv.new_timer()
timer:start(0, 1, vim.schedule_wrap(function()
  if timer:is_closing() then return end
  for _ = 1, 50 do
    local piece = FLOOD.sent % 20 == 19 and 'word\n' or 'word '
    tell('itemDelta', { field = 'text', offset = FLOOD.sent * 5, append = piece })
    FLOOD.sent = FLOOD.sent + 1
  end
  if FLOOD.sent >= 10000 then
    timer:close()
    FLOOD.took = now() - FLOOD.begun
    FLOOD.redraws = chat.redraws - FLOOD.redraws
    FLOOD.changes = vim.b[chat.buf].changedtick - FLOOD.tick
  end
end))
"""


def test_ten_thousand_deltas_are_drawn_thirty_times_a_second(editor: Editor) -> None:
    opened(editor, turns("One line.\n" * 60))
    prompt(editor, "talk")
    ended(editor, "endTurn")
    said(editor, "One line.")
    editor.command("wincmd k")
    editor.keys("20ggzt")
    editor.until("vim.fn.line('.') == 20")
    before = editor.lua("return vim.fn.winsaveview()")
    editor.lua(FLOOD)
    editor.until("FLOOD.took")
    flood = editor.lua("return FLOOD")
    assert flood["sent"] == 10_000
    assert 1 <= flood["redraws"] <= flood["took"] / 1000 * 30 + 2, flood
    assert flood["changes"] <= flood["redraws"] * 2, "a redraw ends the last line and adds those below it"
    moments = flood["moments"]
    busiest = max(sum(begin <= moment < begin + 1000 for moment in moments) for begin in moments)
    assert 1 <= busiest <= 30, moments
    editor.until(f"vim.api.nvim_buf_line_count({CHAT}.buf) > 500")
    said(editor, "word word")
    text = f"table.concat(vim.api.nvim_buf_get_lines({CHAT}.buf, 0, -1, false), ' ')"
    editor.until(f"select(2, {text}:gsub('word', '')) == 10000")  # nothing is missing, nor there twice
    assert editor.lua("return vim.fn.winsaveview()") == before, "who reads above is left alone"


def test_who_looks_at_the_end_follows_it(editor: Editor) -> None:
    opened(editor, turns({"text": "".join(f"line {n}\n" for n in range(200)), "chunk": 7}, "Ready."))
    prompt(editor, "talk")
    ended(editor, "endTurn")
    editor.until(f"vim.fn.line('w$', vim.fn.bufwinid({CHAT}.buf)) == vim.api.nvim_buf_line_count({CHAT}.buf)")
    editor.shows("line 199")
    assert not editor.lua(f"return vim.bo[{CHAT}.buf].modifiable")


def test_thoughts_and_long_outputs_are_folded(editor: Editor) -> None:
    command: Message = {"text": "I run.", "thinking": "a\nb\nc", "calls": [call("shell", command="seq 1 50")]}
    opened(editor, turns(command, "Ready."))
    prompt(editor, "run it")
    ended(editor, "endTurn")
    said(editor, "Ready.")
    folded = "function() return vim.fn.foldclosed(vim.fn.search('^50$', 'nw')) > 0 end"
    editor.until(f"vim.api.nvim_win_call(vim.fn.bufwinid({CHAT}.buf), {folded})")
    screen = "\n".join(editor.screen())
    assert "▸ Thought, 3 lines" in screen, screen
    assert "▸ output, " in screen, screen
    assert "exit code 0" not in screen
    assert "✓" in screen
    editor.command("wincmd k")
    editor.keys("zR")
    editor.until("vim.fn.foldclosed('.') == -1")
    assert "> b" in transcript(editor)


def test_edit_of_a_notebook_is_shown_by_cell_and_reviewed_in_its_file(editor: Editor) -> None:
    cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["one\n", "two"]}
    whole = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (editor.workspace / "n.ipynb").write_text(json.dumps(whole, indent=1))
    read = call("read_file", path="n.ipynb")
    edit = call("edit_notebook", path="n.ipynb", cell=0, source="one\nthree")
    opened(editor, turns({"calls": [read]}, {"calls": [edit]}, "Ready."))
    prompt(editor, "change it")
    ended(editor, "endTurn")
    said(editor, "-two\n+three")
    assert '"source"' not in transcript(editor)
    waiting(editor, 1)
    editor.command("wincmd t | edit n.ipynb")
    assert '    "three"' in editor.lines()


@pytest.mark.parametrize("layout", ["right", "below", "tab", "float"])
def test_it_opens_wherever_the_user_wants_it(editor: Editor, layout: str) -> None:
    opened(editor, turns("Hello there."), layout=layout)
    prompt(editor, "hi")
    ended(editor, "endTurn")
    said(editor, "Hello there.")
    editor.shows("Hello there.")
    floats = editor.lua(
        "return #vim.tbl_filter(function(w) return vim.api.nvim_win_get_config(w).relative ~= '' end, "
        "vim.api.nvim_list_wins())"
    )
    assert floats == (2 if layout == "float" else 0)
    assert editor.lua("return vim.fn.tabpagenr('$')") == (2 if layout == "tab" else 1)
    editor.command("Agls close")
    assert editor.lua("return vim.fn.bufwinid((next(require('agls.chat').all)))") == -1


def test_command_in_the_command_line_window_says_why_it_does_nothing(editor: Editor) -> None:
    opened(editor, turns("Ready."))
    editor.keys("q:")
    editor.until("vim.fn.getcmdwintype() == ':'")
    editor.command("Agls")
    editor.until("vim.fn.execute('messages'):find('the command-line window', 1, true)")
    editor.command("quit")


def test_what_cannot_be_done_is_said_in_the_words_of_this_editor(editor: Editor) -> None:
    opened(editor, turns("Ready."))
    said_last = "vim.fn.execute('messages'):find(..., 1, true)"
    editor.command("Agls continue")
    editor.until(said_last, "Write what you want to have done.")
    editor.command("Agls mode nonsense")
    editor.until(said_last, "agls: there is no mode")
    editor.command("Agls resume nonsense")
    editor.until(said_last, "agls: There is no session nonsense.")
    editor.command("Agls undo all")
    editor.until(said_last, "there is no change to review")
    assert "agent/" not in editor.lua("return vim.fn.execute('messages')")
    prompt(editor, "/help")
    editor.shows("help, q closes")
    assert editor.lua("return vim.wo.conceallevel") == 2, "no marks of Markdown are seen"


def test_new_session_takes_the_place_of_one_whose_windows_are_kept_for_it(editor: Editor) -> None:
    opened(editor, turns("Ready."))
    before = editor.lua("return require('agls').current().id")
    editor.command("setlocal winfixbuf | wincmd k | setlocal winfixbuf | Agls open new")
    editor.until("require('agls').current().id ~= ... and vim.b.agls_prompt", before)
    editor.until("vim.b.agls_session == require('agls').current().id")
    assert editor.lua("return #vim.api.nvim_tabpage_list_wins(0)") == 3
    assert editor.lua("return vim.wo.winfixbuf")


def test_the_prompt_remembers_and_completes(editor: Editor) -> None:
    opened(editor, turns("One."), turns("Two."))
    prompt(editor, "the first")
    ended(editor, "endTurn")
    prompt(editor, "the second")
    ended(editor, "endTurn", 2)
    editor.keys("ahalf<Esc><Up>")
    editor.until("vim.fn.getline(1) == 'the second'")
    editor.keys("<Up>")
    editor.until("vim.fn.getline(1) == 'the first'")
    editor.keys("<Down><Down>")
    editor.until("vim.fn.getline(1) == 'half'")
    editor.keys("ccsee @cod")
    editor.until("vim.fn.pumvisible() == 1")
    editor.keys("<C-n>")
    editor.until("vim.fn.getline(1) == 'see @code.py'")
    editor.keys("<C-y><Esc>cc/usa")
    editor.until("vim.fn.pumvisible() == 1")
    editor.keys("<C-n>")
    editor.until("vim.startswith(vim.fn.getline(1), '/usage')")
    editor.keys("<C-y><Esc>")


def test_what_is_mentioned_goes_with_the_prompt(editor: Editor) -> None:
    opened(editor, turns(READ, "Seen."))
    prompt(editor, "look at @code.py, please")
    ended(editor, "endTurn")
    said(editor, "- [code.py](file://")
    editor.command("wincmd t")
    editor.command("2,3Agls run and these lines")
    said(editor, "code.py L2-L3")


def test_the_prompt_names_the_key_that_sends_now(editor: Editor) -> None:
    opened(editor, turns("Sent.", "Sent again."))
    editor.shows("<CR> sends")
    editor.keys("ithis")
    editor.shows("<C-s> sends")
    assert not any("<CR> sends" in row for row in editor.screen()), "there it makes a new line"
    editor.keys("<C-s>")
    ended(editor, "endTurn")
    editor.shows("<CR> sends")
    editor.command("wincmd t")
    editor.keys("i")
    editor.until("vim.api.nvim_get_mode().mode == 'i'")
    assert not any("<C-s> sends" in row for row in editor.screen()), "this key is the prompt's"
    editor.keys("<Esc>")


def test_a_prompt_that_is_refused_is_not_lost(editor: Editor) -> None:
    opened(editor, turns("One."))
    (editor.folder / "config.toml").write_text("model = 7\n")
    restarted(editor, lambda: editor.command("Agls restart"))
    prompt(editor, "precious words")
    editor.until("vim.fn.execute('messages'):find('agls: ') and vim.fn.getline(1) == 'precious words'")


def test_a_message_can_be_put_into_the_run(editor: Editor) -> None:
    command: Message = {"text": "I run.", "calls": [call("shell", command="touch made.txt")]}
    opened(editor, turns(command), turns("Quick, then."), picks=("Later",))
    prompt(editor, "run it")
    editor.until("#ASKED == 1")
    before = editor.lua("return require('agls').current().store.seq")
    editor.command("Agls sendnow be quick")
    editor.until("require('agls').current().store.seq > ...", before)  # it is in the journal of the run
    editor.lua("PICKS = { 'Allow once' }")
    editor.command("Agls answer")
    ended(editor, "endTurn")
    said(editor, "## You, meanwhile")
    assert "be quick" in transcript(editor)


def test_what_is_said_meanwhile_is_visible_at_once(editor: Editor) -> None:
    opened(editor, turns(HANGING))
    prompt(editor, "begin")
    said(editor, "I begin")
    editor.command("Agls sendnow look at the second file")
    said(editor, "> **You, meanwhile (read with the next step)**\n> look at the second file")
    editor.command("Agls stop")
    ended(editor, "cancelled")
    gone(editor, "(read with the next step)")


def test_stop_starts_nothing_and_gives_the_waiting_prompts_back(editor: Editor) -> None:
    opened(editor, turns(HANGING), turns("This must not be said."))
    prompt(editor, "begin")
    said(editor, "I begin")
    prompt(editor, "and then this")
    editor.until("require('agls').status().queued == 1")
    editor.command("Agls stop")
    editor.until("require('agls').current().store.state == 'idle' and require('agls').status().queued == 0")
    editor.until(
        "vim.iter(vim.api.nvim_list_bufs()):any(function(buf) return vim.b[buf].agls_prompt "
        "and vim.api.nvim_buf_get_lines(buf, 0, -1, false)[1] == 'and then this' end)"
    )
    assert "This must not be said." not in transcript(editor)


def test_error_of_the_model_says_what_to_do_and_continue_tries_again(editor: Editor) -> None:
    with ModelServer([Failure(400), Reply("Now it works.")]) as server:
        use_server(editor, server)
        opened(editor)
        prompt(editor, "say it")
        ended(editor, "error")
        said(editor, "`:Agls continue` tries again")
        editor.command("Agls continue")
        said(editor, "Now it works.")


def test_limit_says_how_to_go_on_also_after_a_restart_of_neovim(editor: Editor) -> None:
    editor.play(turns(READ, READ, READ, "Done."))
    (editor.folder / "config.toml").write_text(
        (editor.folder / "config.toml").read_text() + "\n[budget]\nmax_turns = 1\n"
    )
    (editor.workspace / "code.py").write_text(CODE)
    editor.setup()
    editor.command("Agls open")
    editor.keys("<Esc>")
    prompt(editor, "read")
    ended(editor, "maxTurns")
    said(editor, "`:Agls continue` goes on")
    leave_and_come_back(editor)
    said(editor, "`:Agls continue` goes on")


def test_session_file_brings_back_the_files_and_no_empty_chat(editor: Editor) -> None:
    opened(editor, turns("Hello."))
    prompt(editor, "greet")
    ended(editor, "endTurn")
    editor.command("wincmd t | silent write | mksession! kept.vim")
    editor.quit()
    editor.start()
    editor.setup()
    editor.command("source kept.vim")
    names = editor.lua("return vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())")
    assert [name for name in names if name.startswith("agls://")] == []
    assert editor.lua("return #vim.api.nvim_tabpage_list_wins(0)") == 1
    editor.command("Agls resume")
    editor.until("require('agls').current()")
    said(editor, "Hello.")


def test_torn_answer_is_marked_and_the_next_one_follows(editor: Editor) -> None:
    torn = Reply("Half of what", cut_after=2, then="close")
    with ModelServer([torn, Reply("All of it.")]) as server:
        use_server(editor, server)
        opened(editor)
        prompt(editor, "talk")
        ended(editor, "endTurn")
        said(editor, "All of it.")
    text = transcript(editor)
    assert text.index("Half of what") < text.index("All of it.")
    wait_until(lambda: "✗ cut off: not part of the conversation" in editor.drawn.text())


@pytest.mark.parametrize("away", ["quit!", "bdelete!"])
def test_chat_and_prompt_whose_buffers_were_emptied_are_back(editor: Editor, away: str) -> None:
    opened(editor, turns({"text": "I was here."}), turns({"text": "And I still am."}))
    prompt(editor, "where are you?")
    ended(editor, "endTurn")
    editor.keys("<C-w>k")
    for _ in range(2):
        editor.command(f"{away}")
    editor.until("vim.fn.expand('%:t') == 'code.py'")
    editor.command("Agls open")
    said(editor, "I was here.")
    editor.shows("I was here.")
    editor.keys("<Esc>")
    prompt(editor, "and now?")
    ended(editor, "endTurn", runs=2)
    said(editor, "And I still am.")

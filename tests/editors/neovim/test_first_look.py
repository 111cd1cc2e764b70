"""What a newcomer sees: an empty chat, a narrow terminal, lists without a picker of their own."""

import sys
import time
from pathlib import Path

import pytest

from support.model_server import Failure, ModelServer, Reply
from support.patience import PATIENCE
from support.wire import turns

from .driver import Editor
from .scene import HANGING, TWO_EDITS, USER, call, ended, gone, opened, prompt, said, use_server, waiting

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
ALL = "vim.ui.select = function(items, options) FLAT = vim.tbl_map(options.format_item, items) end"
TABLE = "| Name | What it does | Cost |\n|---|---|--:|\n| area | multiplies the two sides of it | 1 |\n"


def resized(editor: Editor, columns: int) -> None:
    """The terminal gets another width."""
    editor.call("nvim_ui_try_resize", columns, 36)
    editor.until(f"vim.o.columns == {columns}")


def drawn(editor: Editor, text: str) -> None:
    """Wait until this is on the screen, also while Neovim waits for a number."""
    deadline = time.monotonic() + PATIENCE
    while text not in editor.drawn.text():
        assert time.monotonic() < deadline, f"never {text}\n{editor.drawn.text()}"
        editor.call("nvim_get_mode")  # what was to be drawn has arrived
        time.sleep(0.02)


def test_empty_chat_without_a_model_names_the_command_that_chooses_one(editor: Editor) -> None:
    (editor.folder / "config.toml").write_text("")
    editor.setup()
    editor.command("Agls")
    editor.shows("No model is chosen yet.")
    editor.shows("choose one")
    editor.shows("✗ not ready")
    with ModelServer([Reply("Hello.")]) as server:
        use_server(editor, server)
        editor.shows("Write below what you want to have done.")  # the file is read again by itself
        editor.shows("○ ready")
        editor.shows("> Ask first · local")
        prompt(editor, "hello")
        ended(editor, "endTurn")
    assert not any("Write below" in row for row in editor.screen())


def test_prompt_without_a_model_fails_in_words_for_this_editor(editor: Editor) -> None:
    (editor.folder / "config.toml").write_text("")
    editor.setup()
    editor.command("Agls")
    editor.until("vim.b.agls_prompt")
    prompt(editor, "hello")
    editor.until("vim.fn.execute('messages'):find('no model is chosen yet; `:Agls setup`', 1, true)")
    assert "--base-url" not in editor.call("nvim_exec2", "messages", {"output": True})["output"]
    editor.until("vim.fn.getline(1) == 'hello'")  # the prompt is not lost


def late_server(editor: Editor) -> str:
    """The user has a server that starts when a file is there; gives its path."""
    gate = editor.folder / "gate"
    wait = f"until [ -e {gate} ]; do sleep 0.05; done; exec {sys.executable} -m agls serve --stdio"
    editor.setup(cmd=["sh", "-c", wait])
    return str(gate)


def test_prompt_is_there_before_the_server_has_started(editor: Editor) -> None:
    """What was sent by then is sent; the commands that came meanwhile are for the same session."""
    editor.play(turns("Hello you."))
    (editor.workspace / "code.py").touch()
    gate = late_server(editor)
    editor.command("Agls open")
    assert editor.lua("return vim.b.agls_prompt")
    editor.until("vim.api.nvim_get_mode().mode == 'i'")
    editor.shows("◌ starting")
    editor.keys("hello<C-s>")
    editor.shows("is sent when agls has started")
    editor.command("Agls add code.py")
    editor.command("wincmd p | Agls open")
    assert editor.lua("return vim.fn.getline(1)") == "hello"
    Path(gate).touch()
    editor.until("require('agls').current()")
    ended(editor, "endTurn")
    said(editor, "Hello you.")
    assert editor.lua("return vim.tbl_count(require('agls.session').all)") == 1
    assert editor.lua("return #vim.api.nvim_tabpage_list_wins(0)") == 3
    assert "code.py" in editor.lua(f"return vim.inspect({USER})")


def test_what_is_written_while_the_server_starts_stays_under_the_cursor(editor: Editor) -> None:
    editor.play(turns("Hello you."))
    gate = late_server(editor)
    editor.command("Agls open")
    editor.keys("fix the bug<Left><Left><Left>")
    editor.until("vim.fn.getline(1) == 'fix the bug'")
    Path(gate).touch()
    editor.until("require('agls').current()")
    editor.shows("○ ready")
    editor.keys("big ")
    editor.until("vim.fn.getline(1) == 'fix the big bug'")
    assert editor.lua("return vim.b.agls_session == require('agls').current().id")


def test_what_was_written_is_kept_where_no_session_comes_of_it(editor: Editor) -> None:
    editor.setup(cmd=["sh", "-c", "sleep 1; exit 3"])
    editor.command("Agls open")
    editor.keys("hello")
    editor.shows("agls cannot begin")
    assert editor.lua("return #vim.api.nvim_tabpage_list_wins(0)") == 2
    editor.play(turns("Hello you."))
    editor.setup()
    editor.command("stopinsert | Agls restart")
    editor.command("Agls open")
    editor.until("vim.b.agls_prompt and vim.fn.getline(1) == 'hello'")


def test_chat_goes_below_in_a_narrow_terminal_and_stays_wide_enough_beside_a_file(editor: Editor) -> None:
    resized(editor, 60)
    opened(editor, turns("One."))
    assert editor.lua("return vim.api.nvim_win_get_width(0)") == 60
    editor.shows("Write below what you want to have done.")
    editor.command("Agls close")
    resized(editor, 84)
    editor.command("Agls open")
    assert editor.lua("return vim.api.nvim_win_get_width(0)") == 40
    editor.command("Agls close")
    resized(editor, 60)
    editor.command("Agls open right")  # who says where gets it
    assert editor.lua("return vim.api.nvim_win_get_width(0)") == 40
    editor.command("Agls close")
    resized(editor, 110)
    editor.command("Agls open right")
    resized(editor, 40)
    assert editor.lua("return vim.api.nvim_win_get_width(0)") == 24, (
        "the chat can be read, and the file is there"
    )


def test_bar_leaves_out_whole_pieces_that_do_not_fit(editor: Editor) -> None:
    opened(editor, TWO_EDITS, width=34)
    prompt(editor, "change two")
    ended(editor, "endTurn")
    waiting(editor, 2)
    editor.shows("2 to review")
    (bar,) = [row for row in editor.screen() if "2 to review" in row]
    assert "tokens" not in bar
    assert "<" not in bar
    assert any(row.rstrip().endswith("<CR> sends") for row in editor.screen())


def test_end_of_a_stopped_answer_is_seen_whole_however_long_its_line_is(editor: Editor) -> None:
    opened(editor, turns({"text": "x" * 42, "hang": True}))
    prompt(editor, "go")
    said(editor, "x" * 42)
    prompt(editor, "and on")
    editor.until("#require('agls').current().store.queue == 1")
    editor.command("Agls stop")
    ended(editor, "cancelled", runs=2)
    editor.until("vim.fn.execute('messages'):find('the prompt that waited is back below', 1, true)")
    editor.command("wincmd k")
    editor.until("not require('agls.prompt').is_empty(require('agls').current())")
    editor.shows("stopped")


def test_table_that_is_wider_than_the_chat_is_a_list(editor: Editor) -> None:
    opened(editor, turns(TABLE))
    prompt(editor, "go")
    ended(editor, "endTurn")
    said(editor, "- **area**\n  - What it does: multiplies the two sides of it\n  - Cost: 1")


def test_wide_table_of_a_command_is_a_list_in_a_narrow_window(editor: Editor) -> None:
    resized(editor, 60)
    opened(editor, turns("One."), picks=("nothing",))
    editor.command("Agls agents")
    editor.until("vim.api.nvim_win_get_config(0).relative ~= '' and vim.fn.search('explore', 'w') > 0")
    lines = editor.lines()
    assert "- **explore**" in lines
    assert not any(line.startswith("|") for line in lines)


def test_long_entry_of_a_list_goes_on_below_its_text(editor: Editor) -> None:
    opened(editor, turns("- " + "word " * 20 + "\n1. " + "text " * 20))
    prompt(editor, "go")
    ended(editor, "endTurn")
    rows = [row.partition("│")[2] for row in editor.screen()]
    assert [row.find("word") for row in rows if "word" in row][:2] == [2, 2]
    assert [row.find("text") for row in rows if "text" in row][:2] == [3, 3]


def test_nothing_lies_over_a_question_that_was_announced(editor: Editor) -> None:
    """In a narrow window, after the note that it waits."""
    resized(editor, 40)
    opened(editor, TWO_EDITS, picks=("nothing",))
    prompt(editor, "change two")
    editor.keys("i")
    editor.shows("waits for your answer")
    editor.keys("<Esc>")
    editor.shows("1  Allow once")
    assert not any("waits for your answer" in row for row in editor.screen()[:-3])


def test_question_is_announced_once_to_who_leaves_the_typing_for_a_moment(editor: Editor) -> None:
    """As `:normal` in an autocommand does: no second note stays over the question."""
    notes = (
        "vim.iter(vim.api.nvim_list_wins()):map(vim.api.nvim_win_get_config)"
        ":filter(function(config) return config.zindex == 200 end):totable()"
    )
    resized(editor, 40)
    opened(editor, TWO_EDITS, picks=("nothing",))
    prompt(editor, "change two")
    editor.keys("i")
    editor.shows("waits for your answer")
    editor.lua("vim.cmd('normal! l')")
    editor.lua(
        "local done; vim.schedule(function() done = true end); vim.wait(1000, function() return done end)"
    )
    assert editor.lua(f"return #({notes})") == 1
    editor.keys("<Esc>")
    editor.shows("1  Allow once")
    assert editor.lua(f"return #({notes})") == 0


def test_rewound_prompt_is_back_in_the_empty_prompt(editor: Editor) -> None:
    opened(editor, turns("One."), picks=("do it", "conversation and files", "Go back"))
    prompt(editor, "do it")
    ended(editor, "endTurn")
    editor.command("Agls rewind")
    editor.until("vim.fn.execute('messages'):find('went back: 1 prompt and its answer go', 1, true)")
    assert editor.lua("return ASKED[#ASKED].prompt") == "1 prompt and its answer go"
    editor.until("vim.fn.getline(1) == 'do it'")


def test_modes_and_models_are_chosen_by_their_names(editor: Editor) -> None:
    opened(editor, turns("One."), picks=("only reads",))
    editor.command("Agls mode")
    editor.until("require('agls').status().mode == 'plan'")
    names = [row.split("  ")[0].strip() for row in editor.lua("return ASKED[#ASKED].items")]
    assert names == ["As configured", "Ask first", "Accept edits", "Plan", "Allow all"]
    editor.shows("> Plan · play")
    editor.until("vim.fn.execute('messages'):find('Mode: Plan, from the next prompt on', 1, true)")


def test_actions_are_asked_for_by_heading_where_there_is_no_picker(editor: Editor) -> None:
    editor.lua("OWN = vim.ui.select")
    opened(editor, turns(HANGING))
    editor.lua(ALL)
    editor.command("Agls actions")  # a picker of the user's: all of them, to search in
    editor.until("FLAT and #FLAT > 50")
    assert editor.lua("return FLAT")[0].startswith("/clear"), "the conversation comes first"
    editor.lua("vim.ui.select = OWN")
    editor.keys(":Agls actions<CR>")
    drawn(editor, "1: Conversation ")
    drawn(editor, "2: Changes ")
    editor.keys("1<CR>")
    drawn(editor, "1: /clear ")
    editor.keys("q<CR>")
    editor.until("vim.api.nvim_get_mode().mode == 'n'")


def test_keys_of_a_question_fit_a_narrow_terminal(editor: Editor) -> None:
    resized(editor, 60)
    opened(editor, TWO_EDITS, picks=("nothing",))
    prompt(editor, "change two")
    editor.shows("ga allow · gr reject · gK all of it · gd diff")


def test_question_takes_the_shape_of_a_terminal_that_becomes_narrow(editor: Editor) -> None:
    """Its rows are cut anew, and its keys are those that fit."""
    opened(editor, TWO_EDITS, picks=("nothing",))
    prompt(editor, "change two")
    editor.shows("gR with a reason")
    resized(editor, 44)
    editor.shows("╰ ga allow · gr reject · gK all of it ─")
    editor.shows("↪ ")
    resized(editor, 110)
    editor.shows("gR with a reason")


def test_end_of_a_paragraph_that_is_higher_than_the_chat_is_seen(editor: Editor) -> None:
    opened(editor, turns("word " * 400 + "THE-END"))
    prompt(editor, "go")
    ended(editor, "endTurn")
    editor.shows("THE-END")


def test_end_of_a_call_with_a_long_title_is_seen_whole(editor: Editor) -> None:
    command = "echo " + "x" * 30 + " && false"
    opened(editor, turns({"text": "I run.", "calls": [call("shell", command=command)]}, "Ok."))
    prompt(editor, "go")
    ended(editor, "endTurn")
    editor.shows("  ✗ exit code 1")


def test_chat_says_that_the_model_is_asked_again_and_takes_it_away(editor: Editor) -> None:
    with ModelServer([Failure(429, headers={"Retry-After": "4"}), Reply("At last.")]) as server:
        use_server(editor, server)
        opened(editor)
        prompt(editor, "go")
        said(editor, "> Trying again in ")
        ended(editor, "endTurn")
        said(editor, "At last.")
        gone(editor, "Trying again")

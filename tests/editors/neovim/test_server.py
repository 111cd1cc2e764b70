"""The server's life, the commands, and what a new user meets first."""

import os
import signal
from pathlib import Path

import pytest

from support.patience import wait_until
from support.wire import turns

from .driver import Editor
from .scene import (
    CODE,
    HANGING,
    PICKER,
    TWO_EDITS,
    ended,
    leave_and_come_back,
    opened,
    prompt,
    restarted,
    said,
    transcript,
    waiting,
)

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
WRONG = {
    "Agls kep": "there is no :Agls kep; there are",
    "Agls undo al": '`:Agls undo` takes all, not "al"',
    "Agls stop it": '`:Agls stop` takes nothing more, not "it"',
    "Agls answer x": '`:Agls answer` takes the number of an answer, not "x"',
}
# As `:lsp restart` does; where Neovim has none, as the commands of plugins do.
RESTART = """
if vim.fn.exists(':lsp') == 2 then return vim.cmd('lsp restart agls') end
vim.lsp.get_clients({ name = 'agls' })[1].stop()
"""
SERVER = "return vim.lsp.get_clients({ name = 'agls' })[1].rpc.is_closing() == false"


def kill_server(editor: Editor) -> None:
    """The server dies, as by a power cut. Neovim's children are asked for: nobody else's is killed."""
    children = editor.call("nvim_get_proc_children", editor.lua("return vim.uv.os_getpid()"))
    assert len(children) == 1, children
    os.kill(children[0], signal.SIGKILL)


def test_a_server_that_dies_is_started_again_and_nothing_is_missing(editor: Editor) -> None:
    opened(editor, turns(HANGING), turns("I am back."))
    prompt(editor, "hang")
    said(editor, "I begin")
    restarted(editor, lambda: kill_server(editor))
    ended(editor, "interrupted")
    said(editor, "> Interrupted")
    assert "hang" in transcript(editor)
    prompt(editor, "and now?")
    ended(editor, "endTurn", 2)
    said(editor, "I am back.")


def test_restart_by_neovim_itself_leaves_one_server_and_the_conversation(editor: Editor) -> None:
    opened(editor, turns(HANGING), turns("I am back."))
    prompt(editor, "hang")
    said(editor, "I begin")
    editor.lua(
        "STARTS = 0 local start = vim.lsp.rpc.start "
        "vim.lsp.rpc.start = function(...) STARTS = STARTS + 1 return start(...) end"
    )
    restarted(editor, lambda: editor.lua(RESTART))
    ended(editor, "interrupted")
    prompt(editor, "and now?")
    ended(editor, "endTurn", 2)
    said(editor, "I am back.")
    assert editor.lua("return STARTS") == 1


def test_sessions_are_listed_forked_and_opened(editor: Editor) -> None:
    opened(editor, turns("One."), turns("Two."))
    prompt(editor, "the first")
    ended(editor, "endTurn")
    first = editor.lua("return require('agls').current().id")
    editor.command("Agls fork")
    editor.until("require('agls').current().id ~= ...", first)
    said(editor, "the first")
    editor.lua("PICKS = { '' }")
    editor.command("Agls sessions first")
    editor.until("#ASKED == 1")
    assert len(editor.lua("return ASKED")[0]["items"]) == 2
    editor.command("Agls open new")
    editor.until("vim.tbl_count(require('agls.session').all) == 3")
    leave_and_come_back(editor)


def test_chat_that_was_never_used_is_neither_listed_nor_gone_on_with(editor: Editor) -> None:
    opened(editor, turns("One."), picks=("nothing",))
    prompt(editor, "the first")
    ended(editor, "endTurn")
    first = editor.lua("return require('agls').current().id")
    editor.command("Agls open new")
    editor.until("require('agls').current().id ~= ...", first)
    leave_and_come_back(editor)
    said(editor, "One.")
    assert editor.lua("return require('agls').current().id") == first
    editor.lua(PICKER, ["nothing"])
    editor.command("Agls sessions")
    editor.until("#ASKED == 1")
    (row,) = editor.lua("return ASKED")[0]["items"]
    assert "the first" in row


def test_sessions_beyond_the_first_page_are_reached(editor: Editor) -> None:
    opened(editor, turns("One."), picks=("Older",))
    prompt(editor, "the oldest of them all")
    ended(editor, "endTurn")
    oldest = editor.lua("return require('agls').current().id")
    editor.lua(
        "MADE = 0 local at = require('agls').client() for _ = 1, 120 do "
        "require('agls.session').new(at, {}, function(made) MADE = MADE + (made and 1 or 0) end) end"
    )
    editor.until("MADE == 120")
    editor.command("Agls open new")
    editor.until("require('agls').current().id ~= ...", oldest)
    editor.lua("PICKS = { 'Older sessions…', 'the oldest of them all' }")
    editor.command("Agls sessions")
    editor.until("#ASKED == 2 and require('agls').current().id == ...", oldest)
    newer, older = (asked["items"] for asked in editor.lua("return ASKED"))
    assert len(newer) == 101
    assert len(older) == 22
    assert "Older sessions…" not in older


def test_modes_models_and_actions(editor: Editor) -> None:
    opened(editor, turns("One."), picks=("/usage",))
    editor.command("Agls mode plan")
    editor.until("require('agls').status().mode == 'plan'")
    editor.shows("> Plan")
    editor.command("Agls mode default")
    editor.until("require('agls').status().mode == 'ask'")
    editor.command("Agls model nothing-like-it")
    editor.until("vim.fn.execute('messages'):find('nothing%-like%-it')")
    editor.command("Agls actions")
    editor.until("#ASKED == 1")
    assert any(item.startswith("/usage") for item in editor.lua("return ASKED")[0]["items"])


def test_action_of_the_menu_is_done_with_what_was_asked_for(editor: Editor) -> None:
    opened(editor, turns("One."), picks=("/tag",))
    editor.lua(
        "local answer = ... vim.ui.input = function(options, done) "
        "vim.schedule(function() done(options.prompt:lower():find('add') and answer or '') end) end "
        "require('agls.session').on_command = function(command) DONE = command end",
        'one, "two" \\ 3,four five',
    )
    editor.command("Agls actions")
    editor.until("DONE")
    done = editor.lua("return DONE")
    assert (done["name"], done["input"]) == ("tag", {"add": ["one", '"two" \\ 3', "four five"]})
    editor.lua("DONE = nil")
    editor.command("Agls tag six")
    editor.until("DONE")
    assert editor.lua("return DONE.input") == {"add": ["six"]}, "a command of the server is one of :Agls"
    editor.command("Agls nonsense")
    editor.until("vim.fn.execute('messages'):find('there is no :Agls nonsense', 1, true)")


def test_commands_are_completed(editor: Editor) -> None:
    editor.setup()
    names = editor.lua("return vim.fn.getcompletion('Agls ', 'cmdline')")
    wanted = "open ask run stop sendnow sessions resume fork rewind review mode model actions keep undo"
    assert set(wanted.split()) <= set(names)
    assert editor.lua("return vim.fn.getcompletion('Agls mode p', 'cmdline')") == ["plan"]
    editor.command("Agls nonsense")
    assert "there is no :Agls nonsense" in editor.lua("return vim.fn.execute('messages')")


def test_message_that_does_not_fit_is_read_to_its_end(editor: Editor) -> None:
    editor.setup()
    editor.call("nvim_ui_try_resize", 60, 16)
    editor.command("Agls nonsense")
    editor.shows("│undo")
    editor.command("only")
    editor.call("nvim_ui_try_resize", 40, 10)
    editor.command("Agls nonsense")
    editor.shows("more: <C-w>w enters, q closes")
    editor.keys("<C-w>wG")
    editor.until("vim.fn.line('w$') == vim.fn.line('$') and vim.fn.getline('.'):find('undo$')")
    editor.keys("q")
    editor.until("#vim.api.nvim_list_wins() == 1")


def test_nothing_is_mapped_and_nothing_is_started_by_setup(editor: Editor) -> None:
    mapped = "return #vim.api.nvim_get_keymap('n') + #vim.api.nvim_get_keymap('i')"
    before = editor.lua(mapped)
    editor.setup()
    assert editor.lua(mapped) == before
    assert editor.lua("return require('agls').statusline()") == ""
    assert editor.lua("return vim.tbl_isempty(require('agls.client').all)")


def test_what_is_wrong_in_setup_is_said(editor: Editor) -> None:
    wrong = {"colour": 1}, {"layout": "sideways"}, {"cmd": "agls"}, {"keys": {"jump": "x"}}
    for options in wrong:
        problem = editor.lua(
            "local ok, why = pcall(require('agls').setup, ...); return ok and '' or why", options
        )
        assert problem.startswith("agls.setup: "), options


def test_unreachable_server_is_reported_with_the_remedy(editor: Editor) -> None:
    editor.setup(cmd=["/no/such/agls"])
    editor.command("Agls open")
    editor.until("vim.fn.execute('messages'):find('cannot be run')")
    editor.command("checkhealth agls")
    report = "\n".join(editor.lines())
    assert "/no/such/agls cannot be run" in report
    assert "setup({ cmd = " in report


def test_what_keeps_a_run_from_beginning_is_said_when_the_chat_opens(editor: Editor) -> None:
    opened(editor, turns("One."))
    (editor.folder / "config.toml").write_text("model = 7\n")
    restarted(editor, lambda: editor.command("Agls restart"))
    editor.command("Agls close")
    editor.command("Agls open")
    editor.until("vim.fn.execute('messages'):find('config.toml', 1, true)")
    wait_until(
        lambda: any("config.toml" in row for row in editor.screen()[:8])
    )  # all of it, above the prompt
    editor.command("checkhealth agls")
    assert "config.toml" in "\n".join(editor.lines())


def test_server_of_another_folder_that_dies_takes_nothing_of_this_one(editor: Editor) -> None:
    opened(editor, TWO_EDITS)
    prompt(editor, "change two")
    ended(editor, "endTurn")
    waiting(editor, 2)
    other = editor.folder / "other"
    other.mkdir()
    (other / "code.py").write_text(CODE)
    editor.command(f"tabnew | tcd {other}")
    editor.lua("require('agls').open({ new = true })")
    editor.until("require('agls').current().client.root == vim.fn.getcwd()")
    prompt(editor, "change two")
    ended(editor, "endTurn")
    waiting(editor, 4)
    children = editor.call("nvim_get_proc_children", editor.lua("return vim.uv.os_getpid()"))
    (there,) = [child for child in children if Path(f"/proc/{child}/cwd").readlink() == other]
    os.kill(there, signal.SIGSTOP)
    editor.lua("require('agls.changes').refresh()")  # which the stopped one never answers
    restarted(editor, lambda: os.kill(there, signal.SIGKILL))
    waiting(editor, 4)
    editor.lua("require('agls.changes').undo(vim.list_slice(require('agls.changes').all))")
    waiting(editor, 0)
    assert (other / "code.py").read_text() == CODE


def test_config_file_that_is_corrected_is_noticed_without_a_restart(editor: Editor) -> None:
    opened(editor, turns("One."))
    config = editor.folder / "config.toml"
    right = config.read_text()
    config.write_text("model = 7\n")
    restarted(editor, lambda: editor.command("Agls restart"))
    editor.command("Agls close")
    editor.command("Agls open")
    editor.until("vim.fn.execute('messages'):find('config.toml', 1, true)")
    config.write_text(right)
    editor.until("vim.fn.execute('messages'):find('the configuration is read', 1, true)")
    prompt(editor, "go")
    ended(editor, "endTurn")
    config.write_text("[permissions]\n")
    editor.until("vim.fn.execute('messages'):find('no model is chosen yet', 1, true)")


def test_setting_that_cannot_be_used_is_a_card_and_the_chat_opens_once_it_is_corrected(
    editor: Editor,
) -> None:
    editor.play(turns("One."))
    config = editor.folder / "config.toml"
    right = config.read_text()
    config.write_text("# mine\nmodel = 7\n")
    editor.setup()
    editor.command("Agls")
    editor.shows("A setting cannot be used")
    editor.shows("model")
    editor.keys("<CR>")
    editor.until("vim.fn.expand('%:t') == 'config.toml' and vim.fn.line('.') == 2")
    config.write_text(right)
    editor.shows("Write below what you want to have done.")
    assert editor.lua("return vim.fn.expand('%:t')") == "config.toml"  # nobody was taken out of it
    assert not any("A setting cannot be used" in row for row in editor.screen())


def test_command_with_a_wrong_word_does_nothing_and_says_what_it_takes(editor: Editor) -> None:
    for line, words in WRONG.items():
        editor.command(line)
        editor.until("vim.fn.execute('messages'):find(..., 1, true)", words)
    assert editor.lua("return vim.tbl_count(require('agls.client').all)") == 0


def test_health_says_what_works(editor: Editor) -> None:
    opened(editor, turns("One."))
    editor.command("checkhealth agls")
    report = "\n".join(editor.lines())
    assert "agls 0." in report
    assert "the model is play" in report
    assert "ERROR" not in report, report


def test_events_are_emitted_as_user_autocommands(editor: Editor) -> None:
    opened(editor, turns("One."))
    editor.lua(
        "TOLD = {}; vim.api.nvim_create_autocmd('User', { pattern = 'Agls*', "
        "callback = function(event) TOLD[event.match] = true end })"
    )
    prompt(editor, "go")
    ended(editor, "endTurn")
    told = editor.lua("return TOLD")
    assert {"AglsRunStarted", "AglsRunEnded", "AglsState", "AglsItem", "AglsDrawn"} <= set(told)
    assert editor.lua("return require('agls').statusline()") == "agls ○ ready"

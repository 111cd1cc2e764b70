"""What other plugins have: Lua functions, a statusline component, `User` autocommands, as `:help` says."""

import json
import re

import pytest

from support.model_server import ModelServer, Reply
from support.wire import Message, turns

from .driver import CLIENT, Editor
from .scene import HANGING, TWO_EDITS, call, ended, opened, prompt, said, use_server, waiting

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
HELP = (CLIENT / "doc" / "aglet.txt").read_text()
INTERNAL = {"client", "ready"}  # for the parts of the plugin
WINDOWS = "return vim.tbl_map(vim.api.nvim_win_get_buf, vim.api.nvim_list_wins())"
ASKING: Message = {"text": "I run.", "calls": [call("shell", command="echo one")]}


def section(title: str) -> str:
    """One section of the help page."""
    found = re.search(rf"^\d\. {title}.*?\n(.*?)(?:^=====|\Z)", HELP, re.MULTILINE | re.DOTALL)
    assert found, title
    return found[1]


def lua_of(title: str) -> list[str]:
    """The Lua that a section has in its examples."""
    return re.findall(r"^>lua\n(.*?)^<$", section(title), re.MULTILINE | re.DOTALL)


def test_the_help_page_has_every_command_option_function_and_highlight(editor: Editor) -> None:
    commands = set(re.findall(r"^(?::\[range\])?:?Aglet (\w+)", section("COMMANDS"), re.MULTILINE))
    assert commands == set(editor.lua("return vim.tbl_keys(require('aglet.commands').subcommands)"))
    functions = editor.lua(
        "return vim.tbl_filter(function(name) return type(require('aglet')[name]) == 'function' end, "
        "vim.tbl_keys(require('aglet')))"
    )
    tags = set(re.findall(r"\*aglet\.(\w+)\(\)\*", HELP))
    assert tags == set(functions) - INTERNAL
    defaults = editor.lua("return vim.inspect(require('aglet.config').current)")
    editor.lua(lua_of("OPTIONS")[0])
    assert editor.lua("return vim.inspect(require('aglet.config').current)") == defaults
    listed = section("OPTIONS").partition("Highlights")[2]
    editor.lua("require('aglet').setup()")
    groups = editor.lua("return vim.fn.getcompletion('Aglet', 'highlight')")
    assert set(re.findall(r"\bAglet\w+", listed)) == set(groups)


def test_a_session_can_be_worked_with_from_lua(editor: Editor) -> None:
    with ModelServer([Reply(f"Answer {number}.") for number in range(3)]) as server:
        use_server(editor, server)
        opened(editor)
        editor.lua("require('aglet').close()")
        windows = editor.lua(WINDOWS)
        assert len(windows) == 1, "chat and prompt are closed"
        editor.lua(
            "HEARD = {} require('aglet').current():on(function(events) vim.list_extend(HEARD, events) end)"
        )
        block = {"type": "resource", "uri": "test:report", "text": "canary of the report"}
        editor.lua("require('aglet').run('read it', { hidden = true, blocks = { ... } })", block)
        ended(editor, "endTurn")
        assert editor.lua(WINDOWS) == windows, "they are left alone"
        assert "canary of the report" in json.dumps(server.posts[-1].body)
        assert {"runStarted", "runEnded"} <= {event["type"] for event in editor.lua("return HEARD")}
        known = editor.lua(
            "local of = require('aglet').current() return { of.id, of:title(), of.store:view() }"
        )
        assert known[1] == "read it"
        assert [item["kind"] for item in known[2]["items"]] == ["userMessage", "message"]
        editor.lua(
            "require('aglet').add({ label = 'my own', block = ... })", block | {"text": "second canary"}
        )
        assert any(" my own" in row for row in editor.screen())
        editor.lua("require('aglet').open({ layout = 'tab' })")
        assert editor.lua("return vim.fn.tabpagenr('$')") == 2
        prompt(editor, "and this?")
        ended(editor, "endTurn", 2)
        assert "second canary" in json.dumps(server.posts[-1].body)
        editor.lua("require('aglet').open({ new = true })")
        editor.until("require('aglet').current().id ~= ...", known[0])
        editor.lua("require('aglet').resume(..., function(of) RESUMED = of.id end)", known[0])
        editor.until("RESUMED")
        assert editor.lua("return RESUMED") == known[0]
        editor.lua("require('aglet').with(function(of) WITH = of.id end)")
        assert editor.lua("return WITH") == known[0]


def test_a_run_is_steered_refused_and_stopped_from_lua(editor: Editor) -> None:
    opened(editor, turns(ASKING), turns(HANGING), picks=("Later",))
    prompt(editor, "run it")
    editor.until("#ASKED == 1")
    status = editor.lua("return require('aglet').status()")
    assert status["state"] == "requiresAction"
    assert (status["questions"], status["queued"], status["mode"]) == (1, 0, "ask")
    editor.lua("require('aglet').run('only if nothing is on', { admission = 'ifIdle' })")
    editor.until("vim.fn.execute('messages'):find('admission')")
    editor.lua("require('aglet').run('and then', { admission = 'queue' })")
    editor.until("require('aglet').status().queued == 1")
    editor.lua("require('aglet').steer('be quick')")
    editor.lua("PICKS = { 'Allow once' } require('aglet.questions').again()")
    said(editor, "## You, meanwhile")
    editor.lua("require('aglet').stop()")
    ended(editor, "cancelled", 2)


def test_the_statusline_shows_what_is_on(editor: Editor) -> None:
    editor.lua(lua_of("LUA FUNCTIONS")[0])
    shown = "return vim.api.nvim_eval_statusline(vim.o.statusline, {}).str"
    assert "aglet" not in editor.lua(shown), "nothing was started"
    opened(editor, turns(ASKING, HANGING), picks=("Later",))
    editor.command("wincmd t")
    for word, act in (
        ("aglet ○ ready", "require('aglet').run('run it')"),
        ("aglet ? waits for you", "PICKS = { 'Allow once' } require('aglet.questions').again()"),
        ("aglet ● running", "require('aglet').stop()"),
    ):
        editor.until("vim.api.nvim_eval_statusline(vim.o.statusline, {}).str:find(..., 1, true)", word)
        assert any(word in row for row in editor.screen()), editor.screen()
        editor.lua(act)
    ended(editor, "cancelled")
    editor.until("vim.api.nvim_eval_statusline(vim.o.statusline, {}).str:find('aglet ○ ready', 1, true)")


def test_every_event_of_the_help_page_is_told(editor: Editor) -> None:
    listed = re.findall(r"^    (Aglet\w+)", section("EVENTS"), re.MULTILINE)
    assert len(listed) == 10
    editor.lua(
        "TOLD = {}; vim.api.nvim_create_autocmd('User', { pattern = 'Aglet*', "
        "callback = function(event) TOLD[event.match] = vim.deepcopy(event.data) end })"
    )
    opened(editor, TWO_EDITS)
    editor.lua(lua_of("EVENTS")[0])
    prompt(editor, "change two")
    ended(editor, "endTurn")
    waiting(editor, 2)
    editor.until("vim.fn.execute('messages'):find('aglet: endTurn')")
    told = editor.lua("return TOLD")
    assert set(told) == set(listed)
    session = editor.lua("return require('aglet').current().id")
    assert told["AgletReady"] == {"root": str(editor.workspace)}
    assert told["AgletSession"] == {"sessionId": session}
    assert told["AgletState"]["data"]["state"] == "idle"
    assert told["AgletRunStarted"]["runId"] == told["AgletRunEnded"]["runId"]
    assert told["AgletRunEnded"]["data"]["stopReason"] == "endTurn"
    assert told["AgletItem"]["data"]["item"]["status"] == "completed"
    assert told["AgletQuestion"]["sessionId"] == session
    assert told["AgletAnswered"]["data"]["requestId"] == told["AgletQuestion"]["requestId"]
    assert told["AgletChanges"] == {"count": 2}
    assert told["AgletDrawn"]["session"] == session

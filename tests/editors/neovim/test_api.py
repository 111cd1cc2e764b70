"""What other plugins have: Lua functions, a statusline component, `User` autocommands, as `:help` says."""

import json
import re

import pytest

from support.model_server import ModelServer, Reply
from support.wire import Message, turns

from .driver import CLIENT, Editor
from .scene import HANGING, TWO_EDITS, call, ended, opened, prompt, said, use_server, waiting

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
HELP = (CLIENT / "doc" / "agls.txt").read_text()
TYPES = (CLIENT / "lua" / "agls" / "types.lua").read_text()
UNKNOWN = "return select(2, pcall(function() require('agls').{} end))"
INTERNAL = {"client", "ready"}  # for the parts of the plugin
WINDOWS = "return vim.tbl_map(vim.api.nvim_win_get_buf, vim.api.nvim_list_wins())"
ASKING: Message = {"text": "I run.", "calls": [call("shell", command="touch made.txt")]}


def section(title: str) -> str:
    """One section of the help page."""
    found = re.search(rf"^\d\. {title}.*?\n(.*?)(?:^=====|\Z)", HELP, re.MULTILINE | re.DOTALL)
    assert found, title
    return found[1]


def lua_of(title: str) -> list[str]:
    """The Lua that a section has in its examples."""
    return re.findall(r"^>lua\n(.*?)^<$", section(title), re.MULTILINE | re.DOTALL)


def test_the_help_page_has_every_command_option_function_and_highlight(editor: Editor) -> None:
    commands = set(re.findall(r"^(?::\[range\])?:?Agls (\w+)", section("COMMANDS"), re.MULTILINE))
    assert commands == set(editor.lua("return vim.tbl_keys(require('agls.commands').subcommands)"))
    functions = editor.lua(
        "return vim.tbl_filter(function(name) return type(require('agls')[name]) == 'function' end, "
        "vim.tbl_keys(require('agls')))"
    )
    tags = set(re.findall(r"\*agls\.(\w+)\(\)\*", HELP))
    assert tags == set(functions) - INTERNAL
    defaults = editor.lua("return vim.inspect(require('agls.config').current)")
    editor.lua(lua_of("OPTIONS")[0])
    assert editor.lua("return vim.inspect(require('agls.config').current)") == defaults
    listed = section("OPTIONS").partition("Highlights")[2]
    editor.lua("require('agls').setup()")
    groups = editor.lua("return vim.fn.getcompletion('Agls', 'highlight')")
    assert set(re.findall(r"\bAgls\w+", listed)) == set(groups)


def test_every_command_and_mapping_has_a_tag_and_every_link_of_the_help_leads_somewhere(
    editor: Editor,
) -> None:
    (editor.folder / "plugin" / "doc").mkdir(parents=True)
    (editor.folder / "plugin" / "doc" / "agls.txt").write_text(HELP)
    editor.command(f"set runtimepath+={editor.folder}/plugin")
    editor.command(f"helptags {editor.folder}/plugin/doc")
    subcommands = editor.lua("return vim.tbl_keys(require('agls.commands').subcommands)")
    mapped = editor.lua(
        "return vim.tbl_map(function(each) return each.lhs end, vim.tbl_filter(function(each) "
        "return vim.startswith(each.lhs, '<Plug>(agls') end, vim.api.nvim_get_keymap('n')))"
    )
    links = re.findall(r"(?<![|\w])\|([^|\s]+)\|", HELP)
    assert links
    for topic in (*mapped, *links, *(f":Agls-{name}" for name in subcommands)):
        found = editor.lua("return vim.fn.getcompletion(..., 'help')", topic)
        assert topic in found, topic


def fields_of(name: str) -> set[str]:
    """The fields that LuaLS knows of a class."""
    found = re.search(rf"^---@class agls\.{name}\b.*\n((?:---@field .*\n)+)", TYPES, re.MULTILINE)
    assert found, name
    return set(re.findall(r"@field (\w+)\?", found[1]))


def test_types_for_language_servers_name_every_option_key_and_piece(editor: Editor) -> None:
    assert TYPES.startswith("---@meta\n")
    (listing,) = re.findall(r"there are (.*)", editor.lua(UNKNOWN.format("setup({ none = 1 })")))
    assert fields_of("SetupOptions") == set(listing.split(", "))
    keys = editor.lua("return vim.tbl_keys(require('agls.config').current.keys)")
    assert fields_of("SetupKeys") == set(keys)
    assert fields_of("FoldOptions") == set(
        editor.lua("return vim.tbl_keys(require('agls.config').current.fold)")
    )
    (alias,) = re.findall(r"^---@alias agls\.PieceName (.*)$", TYPES, re.MULTILINE)
    editor.lua("require('agls').current = function() return { store = {} } end")
    (pieces,) = re.findall(r"there are (.*)", editor.lua(UNKNOWN.format("piece('none')")))
    assert alias.replace('"', "").split("|") == sorted(pieces.split(", "), key=alias.index)
    api = (CLIENT / "lua" / "agls" / "init.lua").read_text()
    for name in set(re.findall(r"\bagls\.(?:Setup|Open|Run|Edit)Options\b", api)):
        assert fields_of(name.removeprefix("agls."))


def test_a_session_can_be_worked_with_from_lua(editor: Editor) -> None:
    with ModelServer([Reply(f"Answer {number}.") for number in range(3)]) as server:
        use_server(editor, server)
        opened(editor)
        editor.lua("require('agls').close()")
        windows = editor.lua(WINDOWS)
        assert len(windows) == 1, "chat and prompt are closed"
        editor.lua(
            "HEARD = {} require('agls').current():on(function(events) vim.list_extend(HEARD, events) end)"
        )
        block = {"type": "resource", "uri": "test:report", "text": "canary of the report"}
        editor.lua("require('agls').run('read it', { hidden = true, blocks = { ... } })", block)
        ended(editor, "endTurn")
        assert editor.lua(WINDOWS) == windows, "they are left alone"
        assert "canary of the report" in json.dumps(server.posts[-1].body)
        assert {"runStarted", "runEnded"} <= {event["type"] for event in editor.lua("return HEARD")}
        known = editor.lua(
            "local of = require('agls').current() return { of.id, of:title(), of.store:view() }"
        )
        assert known[1] == "read it"
        assert [item["kind"] for item in known[2]["items"]] == ["userMessage", "message"]
        editor.lua(
            "require('agls').add({ label = 'my own', block = ... })", block | {"text": "second canary"}
        )
        editor.shows(" my own")
        editor.lua("require('agls').open({ layout = 'tab' })")
        assert editor.lua("return vim.fn.tabpagenr('$')") == 2
        prompt(editor, "and this?")
        ended(editor, "endTurn", 2)
        assert "second canary" in json.dumps(server.posts[-1].body)
        editor.lua("require('agls').open({ new = true })")
        editor.until("require('agls').current().id ~= ...", known[0])
        editor.lua("require('agls').resume(..., function(of) RESUMED = of.id end)", known[0])
        editor.until("RESUMED")
        assert editor.lua("return RESUMED") == known[0]
        editor.lua("require('agls').with(function(of) WITH = of.id end)")
        assert editor.lua("return WITH") == known[0]


def test_a_run_is_steered_refused_and_stopped_from_lua(editor: Editor) -> None:
    opened(editor, turns(ASKING), turns(HANGING), picks=("Later",))
    prompt(editor, "run it")
    editor.until("#ASKED == 1")
    status = editor.lua("return require('agls').status()")
    assert status["state"] == "requiresAction"
    assert (status["questions"], status["queued"], status["mode"]) == (1, 0, "ask")
    editor.lua("require('agls').run('only if nothing is on', { admission = 'ifIdle' })")
    editor.until("vim.fn.execute('messages'):find('admission')")
    editor.lua("require('agls').run('and then', { admission = 'queue' })")
    editor.until("require('agls').status().queued == 1")
    editor.lua("require('agls').send_now('be quick')")
    editor.lua("PICKS = { 'Allow once' } require('agls.questions').again()")
    said(editor, "## You, meanwhile")
    editor.lua("require('agls').stop()")
    ended(editor, "cancelled", 2)


def test_the_statusline_shows_what_is_on(editor: Editor) -> None:
    editor.lua(lua_of("LUA FUNCTIONS")[0])
    shown = "return vim.api.nvim_eval_statusline(vim.o.statusline, {}).str"
    assert "agls" not in editor.lua(shown), "nothing was started"
    opened(editor, turns(ASKING, HANGING), picks=("Later",))
    editor.command("wincmd t")
    for word, act in (
        ("agls ○ ready", "require('agls').run('run it')"),
        ("agls ? waiting for you", "PICKS = { 'Allow once' } require('agls.questions').again()"),
        ("agls ● working", "require('agls').stop()"),
    ):
        editor.until("vim.api.nvim_eval_statusline(vim.o.statusline, {}).str:find(..., 1, true)", word)
        editor.shows(word)
        editor.lua(act)
    ended(editor, "cancelled")
    editor.until("vim.api.nvim_eval_statusline(vim.o.statusline, {}).str:find('agls ○ ready', 1, true)")


def test_every_event_of_the_help_page_is_emitted(editor: Editor) -> None:
    listed = re.findall(r"^    (Agls\w+)", section("EVENTS"), re.MULTILINE)
    assert len(listed) == 10
    editor.lua(
        "TOLD = {}; vim.api.nvim_create_autocmd('User', { pattern = 'Agls*', "
        "callback = function(event) TOLD[event.match] = vim.deepcopy(event.data) end })"
    )
    opened(editor, TWO_EDITS)
    editor.lua(lua_of("EVENTS")[0])
    prompt(editor, "change two")
    ended(editor, "endTurn")
    waiting(editor, 2)
    editor.until("vim.fn.execute('messages'):find('agls: endTurn')")
    told = editor.lua("return TOLD")
    assert set(told) == set(listed)
    session = editor.lua("return require('agls').current().id")
    assert told["AglsReady"] == {"root": str(editor.workspace)}
    assert told["AglsSession"] == {"sessionId": session}
    assert told["AglsState"]["data"]["state"] == "idle"
    assert told["AglsRunStarted"]["runId"] == told["AglsRunEnded"]["runId"]
    assert told["AglsRunEnded"]["data"]["stopReason"] == "endTurn"
    assert told["AglsItem"]["data"]["item"]["status"] == "completed"
    assert told["AglsQuestion"]["sessionId"] == session
    assert told["AglsAnswered"]["data"]["requestId"] == told["AglsQuestion"]["requestId"]
    assert told["AglsChanges"] == {"count": 2}
    assert told["AglsDrawn"]["session"] == session


def test_nothing_of_the_folder_chooses_mode_model_or_effort(editor: Editor) -> None:
    for name, text in {
        ".agls/config.toml": 'model = "theirs"\nmode = "allowAll"\n[permissions]\nmode = "allowAll"\n',
        ".agls/settings.json": '{"mode": "allowAll"}',
        ".vscode/settings.json": '{"agls.mode": "allowAll", "agls.model": "theirs", "agls.effort": "high"}',
        ".nvim.lua": 'require("agls").setup({ options = { mode = "allowAll" } })',
    }.items():
        file = editor.workspace / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    opened(
        editor,
        turns({"text": "I run.", "calls": [call("shell", command="touch ran")]}, "Ready."),
        picks=("nothing",),
    )
    prompt(editor, "run it")
    editor.until("#require('agls.questions').waiting == 1")
    assert not (editor.workspace / "ran").exists()
    status = editor.lua("return require('agls').status()")
    assert status["mode"] == "ask"
    assert editor.lua("return vim.tbl_isempty(require('agls').current().store.options)")


def test_fork_shows_the_new_session_and_exit_leaves_it(editor: Editor) -> None:
    with ModelServer([Reply("Answer.")]) as server:
        use_server(editor, server)
        opened(editor)
        current = "require('agls').current()"
        editor.lua("require('agls').run('Say it.')")
        editor.until(f"next({current}.store.runs) and {current}.store.state == 'idle'")
        before = editor.lua(f"return {current}.id")
        editor.lua("require('agls').run('/fork')")
        editor.until(f"{current} and {current}.id ~= ...", before)
        assert editor.lua(f"return {current}.store.order[1] ~= nil"), "with the conversation"
        editor.lua(f"require('agls').run('/resume {before}')")
        editor.until(f"{current} and {current}.id == ...", before)
        editor.lua("require('agls').run('/exit')")
        editor.until(f"{current} == nil")

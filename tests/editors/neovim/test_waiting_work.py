"""What waits and goes on beside the work: queue, background tasks, plan, sessions by day, and the bars."""

import json
import sys
from pathlib import Path

import pytest

from support.published_servers import SHOP, published
from support.wire import turns

from .driver import Editor
from .scene import HANGING, call, ended, opened, prompt, said, transcript

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
TABLE = "| Name | Size |\n|:--|--:|\n| a | 1 |\n| longer | 23 |\n\nThat is all."
QUEUE = "vim.tbl_map(function(entry) return entry.content[1].text end, require('agls').current().store.queue)"


def queued(editor: Editor, *texts: str) -> None:
    """Wait until exactly these prompts wait."""
    editor.until(f"vim.deep_equal({QUEUE}, ...)", list(texts))


def picks(editor: Editor, *wanted: str) -> None:
    """What the user will choose, one after the other."""
    editor.lua("PICKS = ...", list(wanted))


def test_prompts_that_wait_are_moved_edited_and_taken_away(editor: Editor) -> None:
    opened(editor, turns(HANGING))
    prompt(editor, "begin")
    said(editor, "I begin")
    for text in ("one", "two", "three"):
        prompt(editor, text)
        editor.until(f"vim.list_contains({QUEUE}, ...)", text)
    picks(editor, "three", "First")
    editor.command("Agls queue")
    queued(editor, "three", "one", "two")
    picks(editor, "one", "Remove")
    editor.command("Agls queue")
    queued(editor, "three", "two")
    picks(editor, "two", "Edit")
    editor.command("Agls queue")
    queued(editor, "three")
    editor.until("vim.b.agls_prompt and vim.fn.getline(1) == 'two'")
    picks(editor, "three", "Send now")
    editor.command("Agls queue")
    queued(editor)
    said(editor, "> three")
    editor.command("Agls stop")
    editor.until("require('agls').current().store.state == 'idle'")
    editor.command("Agls queue")
    editor.until("vim.fn.execute('messages'):find('no prompt waits', 1, true)")


def test_background_task_is_listed_looked_at_and_stopped(editor: Editor) -> None:
    begun = call("shell", command="echo begun; sleep 300", background=True)
    opened(editor, turns({"text": "I begin.", "calls": [begun]}, "It runs."), picks=("Allow once",))
    prompt(editor, "begin")
    ended(editor, "endTurn")
    editor.until("require('agls').piece('tasks') == '1 task'")
    editor.shows("1 task")
    picks(editor, "running", "Show its output")
    editor.command("Agls tasks")
    editor.until("vim.fn.getline(1) == 'begun'")
    editor.keys("q")
    editor.until("vim.fn.getline(1) ~= 'begun'")
    picks(editor, "running", "Stop it")
    editor.command("Agls tasks")
    editor.until("vim.fn.execute('messages'):find('stopped: ', 1, true)")
    editor.until("require('agls').piece('tasks') == ''")
    editor.command("Agls tasks stop")
    editor.until("vim.fn.execute('messages'):find('nothing runs in the background', 1, true)")


def test_next_step_of_the_plan_is_pinned_above_the_prompt(editor: Editor) -> None:
    plan = call("plan", entries=[{"text": "Write it"}, {"text": "Test it", "after": [1]}])
    opened(editor, turns({"text": "I plan.", "calls": [plan]}, "Planned."))
    editor.command("Agls plan")
    editor.until("vim.fn.execute('messages'):find('this session has no plan', 1, true)")
    prompt(editor, "plan it")
    ended(editor, "endTurn")
    editor.shows("plan 0 of 2: Write it")
    assert editor.lua("return require('agls').piece('plan')") == "0 of 2: Write it"
    editor.command("Agls plan")
    editor.shows("Plan: 0 of 2 done")
    assert editor.lines() == ["- [ ] 1. Write it", "- [ ] 2. Test it (after 1)"]
    editor.keys("q")
    editor.until("vim.b.agls_prompt")


def test_sessions_are_listed_by_day_and_a_table_is_aligned(editor: Editor) -> None:
    opened(editor, turns(TABLE), picks=("nothing",))
    prompt(editor, "list the files")
    ended(editor, "endTurn")
    assert "| Name   | Size |\n| :----- | ---: |\n| a      |    1 |\n| longer |   23 |\n" in transcript(
        editor
    )
    editor.command("Agls sessions")
    editor.until("#ASKED == 1")
    (row,) = editor.lua("return ASKED")[0]["items"]
    day, time, title = row.split("  ")[0].strip(), *[part for part in row.split("  ")[1:] if part.strip()][:2]
    assert day in ("Today", "Yesterday")
    assert len(time.strip()) == len("12:00")
    assert title.strip().startswith("list the files")
    assert row.endswith("(open)")


def test_pieces_are_for_the_users_own_statusline(editor: Editor) -> None:
    assert editor.lua("return require('agls').piece('state')") == ""
    opened(editor, turns(HANGING))
    prompt(editor, "begin")
    said(editor, "I begin")
    assert editor.lua("return require('agls').piece('state')") == "● working"
    assert editor.lua("return require('agls').piece('mode')") == "Ask first"
    prompt(editor, "and then")
    editor.until("require('agls').piece('queue') == '1 waiting'")
    problem = editor.lua("return select(2, pcall(require('agls').piece, 'nothing'))")
    assert problem.startswith('agls: there is no piece "nothing"; there are changes, context, cost')


def test_server_that_cannot_be_used_is_named_in_the_bar_and_restarted(editor: Editor) -> None:
    mended = editor.folder / "mended"
    program = Path(__file__).parents[2] / "support/mcp_program.py"
    command = f"test -e {mended} && exec {sys.executable} {program} {editor.folder}"
    editor.play(turns("I have looked."))
    with (editor.folder / "config.toml").open("a") as config:
        config.write(f'\n[mcp.servers.notes]\ncommand = "sh"\nargs = ["-c", {json.dumps(command)}]\n')
    opened(editor)
    prompt(editor, "look")
    ended(editor, "endTurn")
    editor.until("require('agls').piece('servers') == 'MCP ✗ notes'")
    editor.shows("MCP ✗ notes")
    mended.touch()
    picks(editor, "notes", "Restart")
    editor.command("Agls mcp")
    editor.until("vim.fn.execute('messages'):find('notes runs and offers', 1, true)")
    editor.until("require('agls').piece('servers') == ''")
    picks(editor, "notes", "Switch off")
    editor.command("Agls mcp")
    editor.until("vim.fn.execute('messages'):find('notes is switched off', 1, true)")
    picks(editor, "notes", "Switch on")
    editor.command("Agls mcp")
    editor.until("vim.fn.execute('messages'):find('notes is used from the next run on', 1, true)")


def test_published_server_is_called_and_its_question_is_answered(editor: Editor) -> None:
    """One that others wrote, and one of the newest revision."""
    servers = {"every": [*published("everything"), "stdio"], SHOP: published(SHOP)}
    calls = [call("mcp__every__get-sum", a=2, b=3), call("mcp__shop__send", thing="apple")]
    editor.play(turns({"text": "I send it.", "calls": calls}, "It is sent."))
    with (editor.folder / "config.toml").open("a") as config:
        for name, (command, *words) in servers.items():
            config.write(
                f"\n[mcp.servers.{name}]\ncommand = {json.dumps(command)}\nargs = {json.dumps(words)}\n"
            )
    opened(editor, picks=("Allow once", "Allow once", "Yes"))
    prompt(editor, "send it")
    ended(editor, "endTurn")
    said(editor, "The sum of 2 and 3 is 5.")
    said(editor, "apple was sent")
    assert editor.lua("return ASKED[#ASKED].prompt") == "The MCP server shop asks:"


def test_form_of_a_server_is_filled_in_field_by_field(editor: Editor) -> None:
    """Choices, a whole number, a yes or no that may be left out, and words; each is asked for by its name."""
    editor.play(turns({"text": "I pack it.", "calls": [call("mcp__shop__pack")]}, "It is packed."))
    command, *words = published(SHOP)
    with (editor.folder / "config.toml").open("a") as config:
        config.write(f"\n[mcp.servers.{SHOP}]\ncommand = {json.dumps(command)}\nargs = {json.dumps(words)}\n")
    opened(editor, picks=("Allow once", "large", "Type a whole number", "Leave it out", "Type it"))
    editor.lua("TYPED = { 'three', '3', 'fragile' }")
    editor.lua("vim.ui.input = function(options, done) done(table.remove(TYPED, 1)) end")
    editor.lua("table.insert(PICKS, 4, 'Type a whole number')")  # what is no number is asked for again
    prompt(editor, "pack it")
    ended(editor, "endTurn")
    said(editor, "3 large, gift: true, note: fragile")
    asked = editor.lua("return ASKED")
    assert asked[1]["items"][:2] == ["small", "large"]
    assert asked[-2]["items"][:3] == ["Yes", "No", "Leave it out"]

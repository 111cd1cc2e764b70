"""P10: a key that stands in files of the workspace leaves through no door, whatever is done to them."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from support.model_server import ModelServer, Reply, Request
from support.patience import PATIENCE
from support.processes import PROGRAM, run
from support.wire import AGENT, Message, Wire

from .attacker import KEY, Call, House, call

pytestmark = pytest.mark.promise("P10")

TEXT = f'a = 1\nkey = "{KEY}"\nb = 2\n'
NOTEBOOK: dict[str, Any] = {
    "cells": [{"cell_type": "raw", "id": "a", "metadata": {}, "source": f"x = 1\nkey = '{KEY}'\nz = 2"}],
    "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
}  # fmt: skip
FILES = ("edited.py", "written.py", "patched.py", "moved.py", "by-command.py")
MOVE = "*** Begin Patch\n*** Update File: moved.py\n*** Move to: there.py\n@@\n-b = 2\n+b = 3\n*** End Patch"
PATCH = "*** Begin Patch\n*** Update File: patched.py\n@@\n-b = 2\n+b = 3\n*** End Patch"
WORK: tuple[Call, ...] = (
    *(call("read_file", path=name) for name in (*FILES, "n.ipynb")),
    call("edit_file", path="edited.py", old_text="a = 1", new_text="a = 2"),
    call("write_file", path="written.py", content="a = 1\nb = 2\n"),
    call("apply_patch", patch=PATCH),
    call("apply_patch", patch=MOVE),
    call("edit_notebook", path="n.ipynb", cell=0, source="x = 1\nz = 2"),
    call("shell", command="env; cat by-command.py; sed -i s/2/3/ by-command.py"),
)
ACTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("changes", {"scope": "session"}),
    ("changes", {"scope": "session", "patch": True}),
    ("changes.list", {}),
    ("checkpoint.list", {}),
    ("checkpoint.diff", {"toItemId": ""}),
    ("changes.undo", {"change": "edited.py"}),
    ("changes.redo", {"change": "edited.py"}),
    ("changes.revert", {"uri": "written.py", "scope": "session"}),
    ("checkpoint.restore", {"toItemId": "", "dryRun": True}),
    ("checkpoint.restore", {"toItemId": ""}),
)
COMMANDS = (
    ("changes",), ("changes", "list"), ("sessions", "list", "--json"), ("sessions", "search", "canary"),
    *(("sessions", *words) for words in (
        ("show", "{}", "--json"), ("audit", "{}", "--json"), ("trace", "{}", "--json"),
        ("export", "{}"), ("export", "{}", "--format", "md"), ("export", "{}", "--format", "html"),
    )),
)  # fmt: skip


def take_first(asked: Message) -> Message:
    """Answer a question with its first option."""
    return {"outcome": "selected", "optionId": asked["options"][0]["optionId"]}


def fill(workspace: Path) -> None:
    """Files with the key; a test never gives it to the model otherwise."""
    for name in FILES:
        (workspace / name).write_text(TEXT)
    (workspace / "n.ipynb").write_text(json.dumps(NOTEBOOK))


def kept(state: Path) -> str:
    """All that is kept, but for what files were before they were changed, as the user may want them back."""
    files = (file for file in state.rglob("*") if file.is_file() and "blobs" not in file.parts)
    return "".join(file.read_text(errors="replace") for file in files)


@pytest.mark.item(45)
@pytest.mark.parametrize("mode", ["ask", "acceptEdits"])
def test_key_in_an_edited_file_leaves_through_no_door(tmp_path: Path, mode: str) -> None:
    """In no event, question, answer, journal, log, export, nor environment of a child; the file has it."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    fill(workspace)
    told: list[str] = []
    replies = [*(Reply(calls=[each]) for each in WORK), Reply("Done.")]
    with ModelServer(replies) as model:
        variables = {"AGLS_API_KEY": KEY, "AGLS_BASE_URL": model.url, "AGLS_MODEL": "m", "AGLS_LOG": "debug"}
        dump = tmp_path / "wire.jsonl"
        serve = [*PROGRAM, "serve", "--stdio", "--wire-dump", str(dump)]
        with Wire(tmp_path, command=serve, variables=variables) as wire:
            wire.answers["agent/requestPermission"] = take_first
            wire.initialize(AGENT)
            session = wire.session(options={"mode": mode})
            assert wire.run(session)["stopReason"] == "endTurn"
            assert (workspace / "edited.py").read_text() == TEXT.replace("a = 1", "a = 2")
            assert KEY in (workspace / "there.py").read_text()
            if mode == "ask":
                asked = json.dumps(wire.of_method("agent/requestPermission"))
                assert asked.count("[secret]") >= 5, "the user sees where a key stands"
            for name, given in ACTIONS:
                params = {"sessionId": session, "name": name, "input": given}
                told.append(json.dumps(wire.call("agent/action/invoke", params)))
            for name in FILES:
                assert (workspace / name).read_text() == TEXT, "all is back, with the key"
            told += [json.dumps(wire.messages), wire.errors()]
    assert '"turnDiff"' in told[-2]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "AGLS_STATE_DIR": str(tmp_path / "state"),
    }
    for words in COMMANDS:
        asked_for = [sys.executable, "-P", "-m", "agls", *(word.format(session) for word in words)]
        done = run(asked_for, timeout=PATIENCE, env=environment, cwd=workspace)
        told.append(done.stdout + done.stderr)
    assert "[secret]" in told[-1], "the export has the changes"
    told += [
        "".join(post.content.decode() for post in model.posts),
        kept(tmp_path / "state"),
        dump.read_text(),
    ]
    assert [place for place, text in enumerate(told) if KEY in text] == []


def test_taking_back_a_change_never_writes_a_mark_in_the_place_of_a_key(house: House) -> None:
    """P12 too: the record has no key, so its line comes back from what the file was, or not at all."""
    fill(house.workspace)
    loot = house.attacks([[call("read_file", path=name)] for name in FILES] + [
        [call("edit_file", path="edited.py", old_text="a = 1", new_text="a = 2")],
        [call("write_file", path="written.py", content="a = 1\nb = 2\n")],
    ], mode="acceptEdits")  # fmt: skip
    assert loot.code == 0
    patch = house.run("changes", "show")
    assert "[secret]" not in patch.stdout, "git would write it"
    assert "one of your keys" in patch.stdout + patch.stderr
    assert house.run("changes", "undo", "edited.py").returncode == 0
    assert (house.workspace / "edited.py").read_text() == TEXT, "the line beside it is no hindrance"
    refused = house.run("changes", "undo", "written.py")
    assert "/changes.revert" in refused.stdout + refused.stderr
    assert (house.workspace / "written.py").read_text() == "a = 1\nb = 2\n"


ADDED = '*** Begin Patch\n*** Add File: patched.py\n+a = 3\n+key = "[secret]"\n*** End Patch'
WITH_MARK: tuple[Call, ...] = (
    call("write_file", path="written.py", content=TEXT.replace(KEY, "[secret]").replace("1", "3")),
    call("apply_patch", patch=ADDED),
    call("edit_notebook", path="n.ipynb", cell=0, source="x = 3\nkey = '[secret]'\nz = 2"),
)


def test_what_the_model_sees_in_the_place_of_a_key_is_not_written_over_it(house: House) -> None:
    """It is told what to do instead. Where no key stands the mark is a text like any other."""
    fill(house.workspace)
    reads = [[call("read_file", path=name)] for name in (*FILES, "n.ipynb")]
    new = call("write_file", path="new.py", content="mark = '[secret]'\n")
    loot = house.attacks([*reads, *[[each] for each in WITH_MARK], [new]], mode="acceptEdits")
    assert loot.code == 0
    assert (house.workspace / "written.py").read_text() == TEXT
    assert (house.workspace / "patched.py").read_text() == TEXT
    assert json.loads((house.workspace / "n.ipynb").read_text()) == NOTEBOOK
    assert (house.workspace / "new.py").read_text() == "mark = '[secret]'\n"
    refused = [answer for answer in loot.answers if "Change the lines around it with edit_file" in answer]
    assert len(refused) == len(WITH_MARK)


POINTED_AT = ("look at @edited.py#L1-3", "look at @diff", "/look")


def test_key_in_what_a_prompt_points_at_and_in_a_trusted_folder_reaches_nobody(house: House) -> None:
    """Lines of files, what is not committed, instructions, and what a command of the folder prints."""
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b.example")
    house.put("edited.py", "a = 1\n")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "begin")):
        run((*git, *words), timeout=PATIENCE, cwd=house.workspace, env=house.variables)
    fill(house.workspace)
    house.put("AGENTS.md", f"Our key is {KEY}.\n")
    house.put("below/AGENTS.md", f"Here too: {KEY}.\n")
    house.put("below/a.py", "a = 1\n")
    house.put(".agls/commands/look.md", "It says:\n!`cat edited.py`\n")
    assert house.run("trust").returncode == 0
    told: list[str] = []
    with ModelServer([Reply(calls=[call("read_file", path="below/a.py")]), *[Reply("Done.")] * 9]) as model:
        given = {"AGLS_CONFIG": house.config, "AGLS_STATE_DIR": house.state, "AGLS_API_KEY": KEY}
        variables = {name: str(value) for name, value in given.items()}
        variables |= {"AGLS_BASE_URL": model.url, "AGLS_MODEL": "m", "AGLS_LOG": "debug"}
        with Wire(house.folder, variables=variables) as wire:
            wire.answers["agent/requestPermission"] = take_first
            wire.initialize(AGENT)
            session = wire.session(cwd=house.workspace.as_uri())
            for words in POINTED_AT:
                params = {"sessionId": session, "input": [{"type": "text", "text": words}], "wait": True}
                assert wire.call("agent/run", {**params, "expand": True})["stopReason"] == "endTurn"
            told += [json.dumps(wire.messages), wire.errors()]
    seen = "".join(post.content.decode() for post in model.posts)
    last = json.dumps(model.posts[-1].body["messages"])
    assert "Our key is [secret]." in last
    assert "Here too: [secret]." in last
    assert last.count("[secret]") >= 2 + len(POINTED_AT), "in what each prompt brought, too"
    told += [seen, kept(house.state)]
    assert [place for place, text in enumerate(told) if KEY in text] == []


NOTE = "canary-note-of-the-user-4711"
# What it gets is kept: its variables, those of the process that started it, its arguments and all messages.
LISTENS = """env > {0}/heard.env; tr '\\0' '\\n' < /proc/$PPID/environ > {0}/heard.parent
echo "$0 $@" > {0}/heard.words; tee {0}/heard.in | {1} {2} {0}
"""


@pytest.mark.parametrize("origin", ["folder", "user"])
def test_mcp_server_gets_neither_a_key_nor_what_is_remembered(house: House, origin: str) -> None:
    """Its calls have what the model says, and the model sees marks in the place of keys."""
    fill(house.workspace)
    listener = house.folder / "listens.sh"
    program = Path(__file__).parents[1] / "support" / "mcp_program.py"
    listener.write_text(LISTENS.format(house.folder, sys.executable, program))
    if origin == "folder":
        entry = {"command": "sh", "args": [str(listener)]}
        house.put(".mcp.json", json.dumps({"mcpServers": {"ears": entry}}))
    else:
        house.configure(f'[mcp.servers.ears]\ncommand = "sh"\nargs = ["{listener}"]\n')
    assert house.run("memory", "add", NOTE).returncode == 0
    assert house.run("trust").returncode == 0
    said: list[str] = []

    def answer(request: Request) -> Reply:
        said.append(request.content.decode())
        key = "\n".join(str(message["content"]) for message in request.body["messages"][-1:])
        calls = {1: call("read_file", path="edited.py"), 2: call("mcp__ears__echo", number=1, text=key)}
        return Reply(calls=[calls[len(said)]]) if len(said) in calls else Reply("Done.")

    given = {"AGLS_CONFIG": house.config, "AGLS_STATE_DIR": house.state, "AGLS_API_KEY": KEY}
    with ModelServer(answer) as model:
        variables = {name: str(value) for name, value in given.items()}
        variables |= {"AGLS_BASE_URL": model.url, "AGLS_MODEL": "m", "HOME": str(house.home)}
        with Wire(house.folder, variables=variables) as wire:
            wire.answers["agent/requestPermission"] = take_first
            wire.initialize(AGENT)
            session = wire.session(cwd=house.workspace.as_uri())
            assert wire.run(session)["stopReason"] == "endTurn"
    assert NOTE in said[0], "the model gets what is remembered"
    heard = {file.name: file.read_text() for file in house.folder.glob("heard.*")}
    assert "tools/call" in heard["heard.in"]
    assert "[secret]" in heard["heard.in"], "it was called with what the model read"
    assert "PATH=" in heard["heard.env"]
    assert [name for name, text in heard.items() if KEY in text or NOTE in text] == []

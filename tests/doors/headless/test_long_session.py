"""Sixty steps of work on a real repository, this one: a rename in many files, new code, a crash, an end.

The model is a real server on loopback that works as a person would: it reads what it will change, edits one
file at a time or many by one patch, makes mistakes that are refused, tests, and keeps a plan. In the middle
the context is compacted, and the process is killed while a command runs.
"""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply, Request
from support.patience import PATIENCE, wait_until

pytestmark = pytest.mark.timeout(240)  # some sixty requests and a dozen processes, on a slow machine
HERE = Path(__file__).parents[3]
OLD, NEW = "escape_controls", "spell_out_controls"
HOME = "server/agls/views/escape.py"
BY_PATCH = "server/agls/doors/headless/"  # these are changed by one patch, the others one by one
CONFIG = """\
model = "served"
[history]
titles = false
[models.served]
dialect = "chat"
model = "test-model"
base_url = "{}"
context_window = 200000
"""
MODULE = '''\
"""The initials of a title."""


def initials(title: str) -> str:
    """Return the first letter of each word, as capitals."""
    return "".join(word[0] for word in title.split())
'''
CHECK = """\
from agls.initials import initials


def test_initials_of_small_words_are_capitals() -> None:
    assert initials("an agent language server") == "AALS"
"""
TASK = "Rename escape_controls to spell_out_controls everywhere, and then add initials() with a test."
SECOND = "Now add initials() with its test."
CONSTRAINT = "Keep each public docstring. Never touch the file LICENSE."
NOTEBOOK: dict[str, Any] = {
    "cells": [
        {"cell_type": "code", "source": ["1 + 1"], "metadata": {}, "outputs": [], "execution_count": None}
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 4,
}
Step = Reply | Callable[[Request], Reply]


def call(name: str, **arguments: Any) -> Reply:
    """One turn of the model with one tool call."""
    return Reply(calls=[(name, arguments)])


def shell(command: str) -> Reply:
    """A turn that runs a command."""
    return call("shell", command=command)


def git(folder: Path, *arguments: str) -> str:
    """What git prints."""
    argv = ["git", "-c", "user.name=Tester", "-c", "user.email=tester@example.org", *arguments]
    return subprocess.run(argv, cwd=folder, check=True, capture_output=True, text=True).stdout


def renamed(text: str) -> str:
    """The text as it shall be."""
    return re.sub(rf"\b{OLD}\b", NEW, text)


def patch_of(folder: Path, files: Sequence[str]) -> str:
    """One unified diff that renames in all these files."""
    parts: list[str] = []
    for file in files:
        old = (folder / file).read_text()
        lines = old.splitlines(keepends=True), renamed(old).splitlines(keepends=True)
        parts += unified_diff(*lines, f"a/{file}", f"b/{file}")
    return "".join(parts)


def read_on(request: Request) -> Reply:
    """Read the whole of the output that was just cut, where the answer says it is."""
    text = str(request.body["messages"][-1]["content"])
    found = re.search(r"(\S+/outputs/\S+?\.txt)", text)
    assert found, f"the answer names the file with the whole output: {text[-600:]}"
    return call("read_file", path=found[1], offset=300, limit=20)


def renaming(folder: Path, files: Sequence[str], python: str = sys.executable) -> list[Step]:
    """Plan, look, one refused edit, each file, one patch, and the check."""
    alone = [file for file in files if not file.startswith(BY_PATCH) and file != HOME]
    together = [file for file in files if file.startswith(BY_PATCH)]
    plan = [{"text": text} for text in ("Rename", "Compile", "Write initials()", "Test it", "Clean up")]
    edit = {"old_text": OLD, "new_text": NEW, "replace_all": True}
    reads = [call("read_file", path=file) for file in alone]
    edits = [call("edit_file", path=file, **edit) for file in alone]
    return [
        call("plan", entries=plan),
        call("glob", pattern="**/escape.py"),
        call("grep", pattern=rf"\b{OLD}\b", output="files"),
        call("list_dir", path="server/agls/views"),
        call("read_file", path=HOME),
        call("edit_file", path=HOME, old_text=f"def {OLD}(texts: str):", new_text=f"def {NEW}(texts: str):"),
        call("edit_file", path=HOME, **edit),
        *(step for pair in zip(reads, edits, strict=True) for step in pair),
        call("plan", entries=[{"id": 1, "state": "inProgress"}]),
        call("apply_patch", patch=patch_of(folder, together)),
        *(call("grep", pattern=NEW, path=file, context=1) for file in together[:15]),
        call("grep", pattern=rf"\b{OLD}\b", path="server"),
        shell(f"{python} -m compileall -q server/agls/views server/agls/doors && echo compiled"),
        call("plan", entries=[{"id": 1, "state": "done"}, {"id": 2, "state": "done"}]),
        shell("git diff --stat | tail -1"),
        shell("git ls-files; git ls-files"),
        read_on,
        Reply("The name is changed everywhere; the rest comes next."),
    ]


def writing(python: str = sys.executable) -> list[Step]:
    """A module with a mistake, its test, the repair, a move, a notebook, a deletion, a command that hangs."""
    test = f"PYTHONPATH=server:protocol {python} -m pytest -q -p no:cacheprovider -c /dev/null "
    added = "".join(f"+{line}\n" for line in CHECK.splitlines())
    new = f"*** Begin Patch\n*** Add File: tests/test_first.py\n{added}*** End Patch"
    move = (
        "*** Begin Patch\n*** Update File: tests/test_first.py\n*** Move to: tests/test_initials.py\n"
        '@@\n def test_initials_of_small_words_are_capitals() -> None:\n+    """Each word counts."""\n'
        '     assert initials("an agent language server") == "AALS"\n*** End Patch'
    )
    away = "*** Begin Patch\n*** Delete File: scrap.ipynb\n*** End Patch"
    return [
        call("plan", entries=[{"id": 3, "state": "inProgress"}]),
        call("read_file", path="server/agls/titles.py"),
        call("write_file", path="server/agls/initials.py", content=MODULE),
        call("apply_patch", patch=new),
        shell(f"{test} tests/test_first.py"),
        call(
            "edit_file",
            path="server/agls/initials.py",
            old_text="word[0] for",
            new_text="word[0].upper() for",
        ),
        shell(f"{test} tests/test_first.py"),
        call("apply_patch", patch=move),
        shell(f"{test} tests/test_initials.py"),
        call("plan", entries=[{"id": 3, "state": "done"}, {"id": 4, "state": "done"}]),
        call("write_file", path="scrap.ipynb", content=json.dumps(NOTEBOOK)),
        call("edit_notebook", path="scrap.ipynb", cell=0, source="2 + 2"),
        call("read_file", path="scrap.ipynb"),
        call("apply_patch", patch=away),
        call("grep", pattern="def initials", type="py", context=1),
        call("edit_file", path="server/agls/nowhere.py", old_text="a", new_text="b"),
        call("plan", entries=[{"id": 5, "state": "inProgress"}]),
        shell("touch begun && sleep 600"),
    ]


def ending() -> list[Step]:
    """Look at what there is after the crash, clean up, finish."""
    return [
        shell("rm begun; git status --short | wc -l"),
        call("read_file", path="server/agls/initials.py"),
        call("plan", entries=[{"id": 5, "state": "done"}]),
        Reply("All is done."),
    ]


class Worker:
    """Plays the steps in their order, and writes the summary when that is asked for."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = iter(steps)

    @property
    def is_through(self) -> bool:
        """Whether no step is left."""
        return next(self._steps, None) is None

    def __call__(self, request: Request) -> Reply:
        """Return the next turn."""
        if "memory of a coding agent" in str(request.body["messages"][0]["content"]):
            return Reply("The rename is done and compiled. initials() is still to be written.")
        step = next(self._steps)
        return step if isinstance(step, Reply) else step(request)


def cloned(agls: Agls) -> list[str]:
    """Clone this repository as the workspace. **Returns** its files that hold the old name."""
    if not (HERE / ".git").exists():
        pytest.skip("the tests do not lie in a git repository, so there is none to work on")
    git(agls.workspace.parent, "clone", "-q", "--shared", str(HERE), agls.workspace.name)
    files = git(agls.workspace, "grep", "-lw", OLD, "--", "server").split()
    assert files, f"{OLD} is gone from this repository: name a function here that many files use"
    return files


def tools(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tool calls that ended, in their order."""
    ends = (event["data"]["item"] for event in events if event["type"] == "itemCompleted")
    return [item for item in ends if item["kind"] == "toolCall"]


def check_renaming(done: Sequence[dict[str, Any]]) -> None:
    """The one mistake was refused with the lines that are there; nothing of the old name is left."""
    refused = [item for item in done if item["status"] == "failed"]
    assert [item["name"] for item in refused] == ["edit_file"], refused
    assert f"def {OLD}(text: str)" in refused[0]["output"]
    left, compiled = done[-6], done[-5]
    assert (left["name"], left["output"].count(f":{OLD}")) == ("grep", 0), left
    assert "compiled" in compiled["output"], compiled


def kill_in_a_command(agls: Agls) -> None:
    """Go on with the second task, and kill the process while its last command runs."""
    process = agls.start("resume", SECOND, "--mode", "allowAll")
    wait_until(lambda: (agls.workspace / "begun").exists() or process.poll() is not None)
    assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE)


def check_repository(repository: Path, wanted: Mapping[str, str]) -> None:
    """The repository has the wanted changes, two new files, and nothing else."""
    assert {file: (repository / file).read_text() for file in wanted} == wanted
    new = ["server/agls/initials.py", "tests/test_initials.py"]
    changed = git(repository, "status", "--short", "--untracked-files=all").splitlines()
    assert sorted(changed) == sorted([f" M {file}" for file in wanted] + [f"?? {file}" for file in new])
    assert "word[0].upper()" in (repository / new[0]).read_text()


def test_sixty_steps_on_this_repository_end_with_exactly_the_wanted_changes(agls: Agls) -> None:
    files = cloned(agls)
    wanted = {file: renamed((agls.workspace / file).read_text()) for file in files}
    worker = Worker([*renaming(agls.workspace, files), *writing(), *ending()])
    with ModelServer(worker) as server:
        agls.configure(CONFIG.format(server.url))
        assert agls.run("trust").code == 0
        begun = agls.run("run", f"{TASK} {CONSTRAINT}", "--mode", "allowAll", "--output", "jsonl")
        assert begun.code == 0, begun.err
        check_renaming(tools(begun.events))
        before = server.posts[-1]
        compacted = agls.run("resume", "/compact keep the names")
        assert compacted.code == 0, compacted.err
        kill_in_a_command(agls)
        assert len(server.posts[-1].content) < len(before.content), "the compaction made room"
        ended = agls.run("resume", "The machine stopped. Go on.", "--mode", "allowAll")
        assert ended.out == "All is done.\n", ended.err
        context = str(server.posts[-1].body["messages"])
    assert worker.is_through, "each step was taken"
    assert [kept for kept in (TASK, CONSTRAINT, SECOND, "unknown") if kept not in context] == []
    check_repository(agls.workspace, wanted)
    assert agls.run("resume", "/plan").out.startswith("Plan: 5 of 5 done")
    (session,) = agls.sessions()
    journal = agls.run("sessions", "export", session["sessionId"], "--format", "jsonl").out
    assert journal.count('"tool_started"') >= 60

"""A user who types while the agent edits: no keystroke is lost, and the text is what both made.

Every line of the document is `<typed>slot0=<what the agent wrote last>|<typed>`. Agent and user write in
different places of the same lines, so the right end of the document is known whatever crosses what.
"""

import asyncio
import random
import re
import tempfile
import threading
import time
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from itertools import count, cycle
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agls.doors.lsp import editor, pending_edits
from agls.engine.ports import Stale, WorkspaceError
from agls.views.transcript import fold
from support.lsp_editor import LspEditor, Manners, attach
from support.lsp_link import Link
from support.wire import Wire, events_in, script, turns

pytestmark = pytest.mark.promise("P12")

SLOTS = 3
LAST = "the end, without one"
MANNERS: dict[str, Manners] = {
    "good": Manners(),
    "late": Manners(late=True),
    "shrugging": Manners(shrugs=True),
    "lying": Manners(lies=True),
    "refusing": Manners(refusal={"applied": False, "failureReason": "read-only"}),
    "whole": Manners(whole=True, step=3),
    "in pieces": Manners(pieces=True, step=2),
    "late and shrugging": Manners(late=True, shrugs=True, step=7),
}
STEPS = st.one_of(
    st.tuples(
        st.sampled_from(["type before", "type behind"]),
        st.integers(0, SLOTS - 1),
        st.sampled_from(["a", "é", "😋", "x😋y"]),
    ),
    st.tuples(st.just("edit"), st.integers(0, SLOTS - 1), st.sampled_from(["", "1", "😋", "ä b"])),
    st.tuples(st.just("mind"), st.just(0), st.sampled_from(sorted(MANNERS))),
    st.tuples(st.just("answers"), st.just(0), st.sampled_from(["once", "twice", "later", "never"])),
    st.tuples(st.sampled_from(["editor", "server", "server", "flush", "answer"]), st.just(0), st.just("")),
    st.tuples(st.sampled_from(["save", "close", "discard", "open", "rename"]), st.just(0), st.just("")),
)


@dataclass
class Expected:
    """What the document may hold: for each slot every value it may have, and what the user typed."""

    values: list[set[str]] = field(default_factory=lambda: [{"0"} for _ in range(SLOTS)])
    before: list[str] = field(default_factory=lambda: [""] * SLOTS)
    behind: list[str] = field(default_factory=lambda: [""] * SLOTS)

    def check(self, text: str, end: str) -> None:
        """Whether the text is what both made."""
        lines = text.split(end)
        for number in range(SLOTS):
            found = re.fullmatch(r"(.*?)slot\d=(.*?)\|(.*)", lines[number])
            assert found, text
            typed = (self.before[number], self.behind[number])
            assert (found[1], found[3]) == typed, "a keystroke was lost or moved"
            assert found[2] in self.values[number]
        assert lines[SLOTS:] == [LAST]


class Typing:
    """One document between a user and an agent."""

    def __init__(self, root: Path, encoding: str, end: str) -> None:
        self.end = end
        self.link = Link(root, encoding)
        self.files = cycle((root / "b.txt", root / "a.txt"))
        self.file = root / "a.txt"
        text = "".join(f"slot{number}=0|{end}" for number in range(SLOTS)) + LAST
        self.file.write_bytes(text.encode())
        self.document = self.link.editor.open_file(self.file)
        self.link.reach_server()
        self.expected, self.saved = Expected(), Expected()
        self.agent: asyncio.Task[None] | None = None
        self.numbers = count(1)  # no two edits write the same

    @property
    def is_open(self) -> bool:
        """Whether the editor shows the document."""
        return self.document.uri in self.link.editor.documents

    async def do(self, what: str, number: int, text: str) -> None:
        """One step."""
        link = self.link
        match what:
            case "edit":
                await self._begin(number, text)
            case "mind":
                link.editor.manners = MANNERS[text]
            case "answers":
                link.answers = text
            case "answer":
                link.answer()
            case "editor":
                link.reach_editor()
            case "server":
                link.reach_server()
            case "flush":
                link.editor.flush()
            case _:
                self._user(what, number, text)
        await asyncio.sleep(0)

    def _user(self, what: str, number: int, text: str) -> None:
        editor, uri = self.link.editor, self.document.uri
        match what, self.is_open:
            case "type before", True:
                self.expected.before[number] = text + self.expected.before[number]
                editor.type(uri, self._lines(number), text)
            case "type behind", True:
                self.expected.behind[number] += text
                editor.type(uri, self._lines(number + 1) - len(self.end), text)
            case "save" | "close", True:
                editor.save(uri)
                self.saved = deepcopy(self.expected)
                if what == "close":
                    editor.close(uri)
            case "discard", True:
                editor.close(uri)
                self.expected = deepcopy(self.saved)
            case "open", False:
                self.document = editor.open_file(self.file, version=self.document.version + 1)
            case "rename", True:
                self.file = next(self.files)
                editor.rename(uri, self.file.as_uri())
                self.document = editor.documents[self.file.as_uri()]
            case _:
                pass

    async def finish(self) -> None:
        """Deliver everything; then the server holds the same text as the editor, and it is the right one."""
        link = self.link
        if self.agent:
            await link.settle(self.agent)
            self.agent.result()
        self._user("open", 0, "")
        link.editor.flush()
        while link.to_server:
            link.reach_server()
        buffer = link.door.buffer(self.document.uri)
        assert buffer
        assert buffer.text == self.document.text
        self.expected.check(self.document.text, self.end)

    async def _begin(self, number: int, value: str) -> None:
        if self.agent:
            await self.link.settle(self.agent)
            self.agent.result()
        self.agent = asyncio.ensure_future(self._edit(number, value))
        while not (self.link.to_editor or self.agent.done()):
            await asyncio.sleep(0.001)

    async def _edit(self, number: int, value: str) -> None:
        workspace, name, value = self.link.workspace, self.file.name, f"{value}{next(self.numbers)}"
        try:
            seen = await workspace.read(name)
        except WorkspaceError:  # it was renamed before
            return
        self.link.reach_server()  # what the user typed meanwhile
        lines = seen.text.split(self.end)
        lines[number] = re.sub(r"slot\d=.*?\|", f"slot{number}={value}|", lines[number], count=1)
        document = self.document
        for place in (self.expected, self.saved):
            place.values[number].add(value)  # while it is on its way
        try:
            change = await workspace.write(name, self.end.join(lines), expected=seen.version, label="Edit")
        except WorkspaceError as problem:
            if not isinstance(problem, Stale) or problem.effects == "none":
                for place in (self.expected, self.saved):
                    place.values[number].discard(value)
        else:
            if change.via == "editor" and document is self.document and self.is_open:
                self.expected.values[number] = {value}

    def _lines(self, count: int) -> int:
        """Where that many lines end."""
        return sum(len(line + self.end) for line in self.document.text.split(self.end)[:count])


class SteadyLoop(asyncio.SelectorEventLoop):
    """Its time stands still while the machine does, so that no message is late only because of that."""

    def __init__(self) -> None:
        self._seen, self._steady = time.monotonic(), 0.0
        super().__init__()

    def time(self) -> float:
        """Seconds; from one look to the next a few milliseconds at most."""
        now = time.monotonic()
        self._steady += min(now - self._seen, 0.005)
        self._seen = now
        return self._steady


def play(steps: list[tuple[str, int, str]], encoding: str, end: str) -> None:
    """Play the steps in a folder of their own."""

    async def run(root: Path) -> None:
        typing = Typing(root, encoding, end)
        for step in steps:
            await typing.do(*step)
        await typing.finish()

    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=SteadyLoop) as runner:
        runner.run(run(Path(folder)))


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor that lies or is silent is found out sooner."""
    monkeypatch.setattr(editor, "ANSWER_PATIENCE", 0.1)
    monkeypatch.setattr(pending_edits, "CHANGE_PATIENCE", 0.05)
    monkeypatch.setattr(pending_edits, "STRAY_PATIENCE", 0.02)


WHATEVER = given(
    steps=st.lists(STEPS, min_size=4, max_size=30),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-32"]),
    end=st.sampled_from(["\n", "\r\n"]),
)
FIXTURE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


MISSED = [("mind", 0, "shrugging"), ("edit", 0, "1"), ("type behind", 0, "a"), ("editor", 0, "")]


@pytest.mark.item(29)
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=FIXTURE)
@example(steps=MISSED, encoding="utf-16", end="\r\n")
@WHATEVER
def test_no_keystroke_is_ever_lost(steps: list[tuple[str, int, str]], encoding: str, end: str) -> None:
    play(steps, encoding, end)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@settings(max_examples=500, deadline=None, suppress_health_check=FIXTURE)
@WHATEVER
def test_no_keystroke_is_ever_lost_in_very_many_ways(
    steps: list[tuple[str, int, str]], encoding: str, end: str
) -> None:
    play(steps, encoding, end)


class Typist(threading.Thread):
    """Types before and behind every slot as fast as the editor takes it, until it is told to stop."""

    def __init__(self, editor: LspEditor, uri: str, seed: int) -> None:
        super().__init__()
        self.expected = Expected()
        self.stop = threading.Event()
        self._editor, self._uri, self._random = editor, uri, random.Random(seed)

    def run(self) -> None:
        """Type."""
        keys = count()
        while not self.stop.wait(self._random.random() / 30):
            text, number = f"{next(keys)}😋", self._random.randrange(SLOTS)
            if self._random.random() < 0.5:
                self.expected.before[number] = text + self.expected.before[number]
                self._editor.type_where(self._uri, partial(lines_end, count=number), text)
            else:
                self.expected.behind[number] += text
                self._editor.type_where(self._uri, partial(slot_end, number=number), text)


def lines_end(text: str, count: int) -> int:
    return sum(len(line) + 1 for line in text.split("\n")[:count])


def slot_end(text: str, number: int) -> int:
    return lines_end(text, number + 1) - 1


def race(folder: Path, runs: int) -> None:
    """Let a real agent edit, run after run, while the user types."""
    calls = [
        {"calls": [{"name": name, "arguments": {"path": "a.txt", **arguments}}]}
        for number in range(SLOTS)
        for name, arguments in (
            ("read_file", {}),
            ("edit_file", {"old_text": f"slot{number}=0|", "new_text": f"slot{number}=ä 😋|"}),
        )
    ]
    with Wire(folder, script(folder, turns(*calls, "done"))) as wire:
        editor, file = attach(wire), wire.workspace / "a.txt"
        done = 0
        for seed in range(runs):
            file.write_text("".join(f"slot{number}=0|\n" for number in range(SLOTS)) + LAST)
            uri = editor.open_file(file).uri
            typist = Typist(editor, uri, seed)
            typist.start()
            first = len(wire.messages)
            try:
                wire.run(wire.session(clientKey=f"{seed}", options={"mode": "acceptEdits"}))
            finally:
                typist.stop.set()
                typist.join()
            told = [event for message in wire.messages[first:] for event in events_in(message)]
            edits = [i for i in fold(told).items.values() if i.get("name") == "edit_file"]
            for number, item in enumerate(edits):
                done += item["status"] == "completed"
                values = {"applied": {"ä 😋"}, "none": {"0"}, "partial": {"0", "ä 😋"}}
                typist.expected.values[number] = values[item["effects"]]
            typist.expected.check(editor.documents[uri].text, "\n")
            editor.close(uri)
        assert done or runs < 10, "the user was too fast for every edit"


def test_no_keystroke_is_lost_to_a_real_agent(tmp_path: Path) -> None:
    race(tmp_path, 4)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_no_keystroke_is_lost_to_a_real_agent_in_many_runs(tmp_path: Path) -> None:
    race(tmp_path, 40)

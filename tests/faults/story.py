"""A session of twelve steps and what must be true of it, wherever its process died.

The steps: streamed text, four edits, three commands, questions with a yes and a no, a message in the middle
of a run, a smaller budget that is used up, a run that is cancelled, and a prompt that waited behind it.
"""

import asyncio
import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from agls.config import ConfigInputs, read
from agls.engine.facts import (
    Admitted,
    Asked,
    Entry,
    TextDelta,
    ToolFinished,
    ToolStarted,
)
from agls.engine.log import Event
from agls.engine.ports import JournalError
from agls.engine.recovery import continue_interrupted
from agls.engine.session import Session
from agls.engine.state import State, fold_all
from agls.engine.vocabulary import Answer, Text, UserMessage
from agls.stores.files import FileStore
from agls.workspace.editor import NoEditor
from agls.world import World, open_world
from support.pairing import refused
from support.scenario import paired

LINES = 400
ROUND = 20.0  # seconds for one prompt; nothing waits so long
FIRST, SECOND, THIRD = ("first\n" * LINES, "second\n" * LINES, "first\n" * (LINES - 1) + "last\n")
GLOB = {"name": "glob", "arguments": {"pattern": "**"}}
CHANGED = "changed\n" + FIRST
VERSIONS = {
    "a.txt": {FIRST, "changed\n" + FIRST},
    "b.txt": {SECOND, SECOND + "more\n", THIRD},
    "c.txt": {THIRD},
}
PROMPTS = ("build it", "ask me", "be brief", "wait for ever", "the last one")
OPTIONS: dict[str, dict[str, Any]] = {
    "build it": {"mode": "allowAll"},
    "ask me": {"mode": "ask"},
    "be brief": {"mode": "allowAll", "maxTurns": 2},
    "wait for ever": {"mode": "allowAll"},
    "the last one": {"mode": "allowAll"},
}


def shell(word: str) -> dict[str, Any]:
    return {"name": "shell", "arguments": {"command": f"echo {word} >> log"}}


def write(path: str, content: str) -> dict[str, Any]:
    return {"name": "write_file", "arguments": {"path": path, "content": content}}


SCRIPT: dict[str, Any] = {
    "chunk": 8,
    "prompts": [
        {"match": "build it", "repeat": True, "turns": [
            {"text": "I begin with a file.", "calls": [write("a.txt", FIRST), shell("one")]},
            {"text": "Built."}]},
        {"match": "also this", "repeat": True, "turns": [
            {"text": "Heard.", "calls": [write("a.txt", CHANGED)]}, {"text": "Built."}]},
        {"match": "ask me", "repeat": True, "turns": [
            {"text": "May I?", "calls": [write("b.txt", SECOND)]},
            {"text": "And this?", "calls": [shell("refused")]},
            {"text": "Then this.", "calls": [shell("two")]},
            {"text": "Asked."}]},
        {"match": "be brief", "repeat": True, "turns": [
            {"text": "One.", "calls": [shell("three")]},
            {"text": "Two.", "calls": [write("c.txt", THIRD)]},
            {"text": "There is no third turn."}]},
        {"match": "wait for ever", "repeat": True, "turns": [{"text": "I wait and wait.", "hang": True}]},
        {"match": "the last one", "repeat": True, "turns": [
            {"text": "I look.", "calls": [GLOB]}, {"text": "Done."}]},
    ],
}  # fmt: skip


class Place:
    """The folders of one telling."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.workspace, self.state = folder, folder / "work", folder / "state"
        self.acknowledged = folder / "acknowledged"
        self.is_cut = False  # whether the power failed: then facts that were not flushed may be gone

    def make(self) -> None:
        """Make them, with a configuration that plays the story."""
        self.workspace.mkdir(parents=True)
        (self.folder / "script.json").write_text(json.dumps(SCRIPT))
        config = 'model = "play"\n[models.play]\ndialect = "scripted"\nscript = "script.json"\n'
        config += '[permissions]\nmode = "allowAll"\n'  # also for who goes on after a crash
        (self.folder / "config.toml").write_text(config)

    def acknowledge(self, **what: Any) -> None:
        """What agls said has happened; it survives the death of this process."""
        fd = os.open(self.acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.writev(fd, [(json.dumps(what) + "\n").encode()])  # a call that no fault is planned for
        finally:
            os.close(fd)

    def heard(self) -> list[dict[str, Any]]:
        """All that was acknowledged."""
        if not self.acknowledged.exists():
            return []
        told = [json.loads(line) for line in self.acknowledged.read_text().splitlines()]
        return [each for each in told if not (self.is_cut and "seq" in each)]


def tell(place: Place, worker: ThreadPoolExecutor | None = None) -> None:
    """Tell the story, or what is left of it after a crash; what is acknowledged is written down.

    What blocks is done by `worker`, by whatever threads there are else.
    """
    asyncio.run(_tell(place, worker))


async def _tell(place: Place, worker: ThreadPoolExecutor | None) -> None:
    if worker:
        asyncio.get_running_loop().set_default_executor(worker)
    told = ConfigInputs(config_file=str(place.folder / "config.toml"), state_dir=str(place.state))
    setup = read(told, str(place.workspace), lambda _: False, {"PATH": os.environ["PATH"]})
    async with open_world(setup, editor=NoEditor(), headless=False) as world:
        session = await _session(world, place)
        session.log.subscribe(lambda event, state: _listen(place, session, event))
        session.questions.attend(True)
        if run_id := await continue_interrupted(session):
            waiting = (admitted.run_id for admitted in session.state.queue)
            for next_id in dict.fromkeys((run_id, *waiting)):
                await _finish(session, next_id)
        for prompt in PROMPTS:
            if prompt not in _asked(session):
                await _prompt(place, session, prompt)
        with suppress(JournalError):  # a disk that refuses
            await world.sessions.list(search=PROMPTS[-1])


async def _session(world: World, place: Place) -> Session:
    rows, _ = await world.sessions.list()
    if rows:
        return await world.sessions.open(rows[0].session_id)
    assert not place.heard(), "what was acknowledged is lost"
    return await world.sessions.create(str(place.workspace))


def _asked(session: Session) -> set[str]:
    """The prompts that were admitted."""
    facts = [entry.fact for entry in session.log.journal.entries()]
    said = [part for fact in facts if isinstance(fact, Admitted) for part in fact.content]
    return {part.text for part in said if isinstance(part, Text)}


async def _prompt(place: Place, session: Session, prompt: str) -> None:
    admission = await session.prompt((Text(prompt),), options=OPTIONS[prompt])
    place.acknowledge(run=admission.run_id, text=prompt)
    if prompt == "wait for ever":
        last = PROMPTS[-1]
        waiting = await session.prompt((Text(last),), options=OPTIONS[last])
        place.acknowledge(run=waiting.run_id, text=last)
        await _finish(session, waiting.run_id)
    await _finish(session, admission.run_id)


async def _finish(session: Session, run_id: str) -> None:
    async with asyncio.timeout(ROUND):
        await session.finished(run_id)


def _listen(place: Place, session: Session, event: Event) -> None:
    """The human: answers, puts a word in, stops what waits for ever."""
    loop = asyncio.get_running_loop()
    if not isinstance(event, Entry):
        said = [m for m in session.state.transcript if isinstance(m, UserMessage) and m.origin == "user"]
        if isinstance(event, TextDelta) and PROMPTS[3] in str(said[-1:]):
            loop.call_soon(session.cancel)
        return
    place.acknowledge(seq=event.seq, kind=type(event.fact).__name__)
    if isinstance(event.fact, Asked):
        wanted = "reject" if "refused" in json.dumps(event.fact.question.subject) else "allow"
        chosen = next(o.option_id for o in event.fact.question.options if o.decision == wanted)
        loop.call_soon(session.questions.answer, event.fact.request_id, Answer("selected", chosen))
    if isinstance(event.fact, ToolFinished) and session.state.total.tool_calls == 1:
        STEERING.append(loop.create_task(_steer(place, session)))


STEERING: list[Any] = []


async def _steer(place: Place, session: Session) -> None:
    with suppress(Exception):
        done = await session.steer((Text("also this, please"),), if_ended="return")
        if done.outcome == "injected":
            place.acknowledge(item=done.item_id)


# --- what must be true afterwards ------------------------------------------------------------------


def problems(place: Place) -> Iterator[str]:
    """What is wrong with a story that was told to its end, after whatever happened in between."""
    store = FileStore(place.state)
    rows, _ = store.list()
    if len(rows) != 1:
        yield f"{len(rows)} sessions"
        return
    entries = list(store.peek(rows[0].session_id))
    state = fold_all(entries)
    yield from _lost(place, entries)
    yield from _repeated(place, entries)
    yield from _torn(place)
    yield from _left_over(place)
    yield from _unfinished(state)
    yield from refused(entries)


def _lost(place: Place, entries: list[Entry]) -> Iterator[str]:
    kinds = {entry.seq: type(entry.fact).__name__ for entry in entries}
    text = repr(entries)
    for heard in place.heard():
        if "seq" in heard and kinds.get(heard["seq"]) != heard["kind"]:
            yield f"lost: fact {heard}"
        for name in ("run", "item"):
            if name in heard and heard[name] not in text:
                yield f"lost: {heard}"


def _repeated(place: Place, entries: list[Entry]) -> Iterator[str]:
    started = [entry.fact.call_id for entry in entries if isinstance(entry.fact, ToolStarted)]
    if len(started) != len(set(started)):
        yield f"a recorded call ran again: {started}"
    log = place.workspace / "log"
    words = log.read_text().split() if log.exists() else []
    if len(words) != len(set(words)) or "refused" in words:
        yield f"commands ran: {words}"


def _torn(place: Place) -> Iterator[str]:
    for name, versions in VERSIONS.items():
        file = place.workspace / name
        if file.exists() and file.read_text() not in versions:
            yield f"{name} is torn: {file.stat().st_size} bytes"


def _left_over(place: Place) -> Iterator[str]:
    known = {"log", *VERSIONS}
    yield from (f"left over: {p.name}" for p in place.workspace.iterdir() if p.name not in known)
    for path in place.state.rglob("*"):
        if path.name.startswith(("new-", "tmp", ".")) or path.suffix in {".tmp", ".part"}:
            yield f"left over: {path.relative_to(place.state)}"
        if ".damaged-" in path.name and not place.is_cut:  # what was not flushed is set aside, and told
            yield f"damaged: {path.name}"


def _unfinished(state: State) -> Iterator[str]:
    if state.running or state.queue or state.calls or state.questions:
        yield "not resumed to its end"
    if not paired(state.transcript):
        yield "a call without its result, or a result without its call"
    said = repr(state.transcript)
    yield from (f"never asked: {prompt}" for prompt in PROMPTS if repr(prompt)[1:-1] not in said)
    if "Done." not in said:
        yield "the last answer is missing"

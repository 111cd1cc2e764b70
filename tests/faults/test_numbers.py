"""The numbers of durable sessions: how fast one is resumed, how many live at once, what a long one costs.

What takes time is judged by the processor time that was used, which a busy machine does not add to.
"""

import json
import os
import re
import statistics
import time
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from agls.config import ConfigInputs, read
from agls.engine.facts import (
    Admitted,
    Fact,
    Replied,
    RunEnded,
    RunStarted,
    SessionChanged,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from agls.engine.session import Session
from agls.engine.vocabulary import Stop, StopReason, Text, ToolCall, ToolOutcome
from agls.stores.files import FileStore
from agls.workspace.editor import NoEditor
from agls.world import World, open_world
from support.family import config_for
from support.model_server import Answer, ModelServer, Reply, Request
from support.patience import wait_until
from support.rich_run import allow
from support.store_samples import entries_of
from support.wire import Message, Wire, script, turns

DONE = Stop(StopReason.END_TURN)


def run_of(number: int) -> Iterator[Fact]:
    """The ten facts of a run that makes four items: a prompt, a reply, a call, a reply."""
    name = f"{number:05}"
    call = ToolCall(f"call_{name}", "glob", {"pattern": "*"})
    yield Admitted(f"run_{name}", f"item_{name}", (Text(f"question {name}"),))
    yield RunStarted(f"run_{name}", item_ids=(f"item_{name}",))
    yield TurnStarted(f"turn_{name}a", "play")
    yield Replied(f"said_{name}a", "I look.", tool_calls=(call,), finish="tool_calls")
    yield ToolStarted(call.call_id, "glob", call.arguments)
    yield ToolFinished(call.call_id, ToolOutcome("a.txt"))
    yield TurnStarted(f"turn_{name}b", "play")
    yield Replied(f"said_{name}b", "One file.")
    yield RunEnded(f"run_{name}", DONE)


def kept_session(place: Path, runs: int) -> None:
    """A session `ses_long` of so many runs, as a process left it."""
    journal = FileStore(place / "state").create("ses_long")
    facts = [fact for number in range(runs) for fact in run_of(number)]
    journal.append(*entries_of([SessionChanged(str(place / "work")), *facts]))
    journal.close()


def world_in(place: Path) -> AbstractAsyncContextManager[World]:
    """Where that session can be gone on with."""
    (place / "work").mkdir()
    config = script(
        place, {"match": "again", "repeat": True, **turns({"text": "Again.", "calls": [GLOB]}, "Done.")}
    )
    told = ConfigInputs(config_file=str(config), state_dir=str(place / "state"))
    setup = read(told, str(place / "work"), lambda _: True, {})
    return open_world(setup, editor=NoEditor(), headless=True)


GLOB: Message = {"name": "glob", "arguments": {"pattern": "*.txt"}}


async def test_a_session_of_a_thousand_facts_is_resumed_in_less_than_a_second(tmp_path: Path) -> None:
    """By a new process: its journal read, checked and folded; then it takes the next prompt."""
    kept_session(tmp_path, 120)
    async with world_in(tmp_path) as world:
        before = time.process_time()
        session = await world.sessions.open("ses_long")
        used = time.process_time() - before
        assert len(session.log.journal.entries()) > 1000
        await ask(session)
    assert used < 1.0


async def ask(session: Session) -> None:
    admission = await session.prompt((Text("again"),))
    assert (await session.finished(admission.run_id)).stop.reason is StopReason.END_TURN


async def test_turn_writes_as_much_in_a_long_session_as_in_a_short_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same run, with one call, behind 4 and behind 10,000 items: as many writes, of as many bytes."""
    written: list[tuple[int, int]] = []  # the file, and how many bytes
    write = os.write

    def counted(fd: int, data: bytes) -> int:
        written.append((os.fstat(fd).st_ino, len(data)))
        return write(fd, data)

    costs: list[tuple[int, int]] = []
    for runs in (1, 2500):
        place = tmp_path / str(runs)
        place.mkdir()
        kept_session(place, runs)
        async with world_in(place) as world:
            session = await world.sessions.open("ses_long")
            await ask(session)  # what a process does once is not counted
            assert len(session.state.transcript) > 4 * runs
            with monkeypatch.context() as patch:
                written.clear()
                patch.setattr(os, "write", counted)
                await ask(session)
        journal = (place / "state" / "sessions" / "ses_long.jsonl").stat().st_ino
        sizes = [size for file, size in written if file == journal]
        costs.append((len(sizes), sum(sizes)))
    (few_writes, few_bytes), (many_writes, many_bytes) = costs
    assert few_writes == many_writes > 5
    assert abs(many_bytes - few_bytes) < 200, "the numbers in them have a few more digits"


# --- a turn late in a session --------------------------------------------------------------------

TURNS, AROUND = 400, 10
LATE = 1.2  # times the processor time of an early turn


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_late_turn_costs_what_an_early_one_does(tmp_path: Path) -> None:
    """Around the 400th prompt of one session and, in turn with those, around the 10th of another one."""
    done = Reply("Done.")
    with ModelServer(lambda request: done) as server, Wire(tmp_path, config_for(tmp_path, server)) as wire:
        wire.initialize()
        old, young = wire.session(), wire.session(clientKey="young")
        for _ in range(TURNS - AROUND):
            cost_of_a_turn(wire, old)
        early, late = costs_in_turn(wire, young, old)
    assert late / early < LATE, f"{early:.1f} ms became {late:.1f} ms"


def costs_in_turn(wire: Wire, young: str, old: str) -> tuple[float, float]:
    """The medians of what turns of these sessions cost (ms); whatever the machine does, both suffer it."""
    both = [(cost_of_a_turn(wire, young), cost_of_a_turn(wire, old)) for _ in range(2 * AROUND + 1)]
    early, late = (statistics.median(used) / 1e6 for used in zip(*both, strict=True))
    return early, late


def cost_of_a_turn(wire: Wire, session: str) -> int:
    """Processor time (ns) of the server for one prompt."""
    before = processor_time(wire.process.pid)
    assert wire.run(session, "go")["stopReason"] == "endTurn"
    return processor_time(wire.process.pid) - before


def processor_time(process_id: int) -> int:
    """What a process has used so far, in ns (clock_getcpuclockid(3))."""
    return time.clock_gettime_ns((~process_id << 3) | 2)


# --- many at once --------------------------------------------------------------------------------

SESSIONS, MEMORY = 50, 300.0  # MiB
MARK = re.compile(r"mark\d\d\d")


def marked(request: Request) -> Answer:
    """Three turns, in which everything carries the mark of the session."""
    mark = MARK.findall(request.content.decode())[0]
    place = sum(message["role"] == "assistant" for message in request.body["messages"])
    write = ("write_file", {"path": f"{mark}.txt", "content": f"content of {mark}\n"})
    return [
        Reply(f"{mark} writes.", calls=[write]),
        Reply(f"{mark} reads.", calls=[("read_file", {"path": f"{mark}.txt"})]),
        Reply(f"{mark} is done."),
    ][place]


@pytest.mark.promise("P8")
def test_fifty_sessions_at_once_get_only_their_own_events(tmp_path: Path) -> None:
    """All of them stand before their first write at the same time; then each goes on to its end."""
    asking = "agent/requestPermission"
    with ModelServer(marked) as server, Wire(tmp_path, config_for(tmp_path, server)) as wire:
        wire.initialize()
        marks: dict[str, str] = {}
        for number in range(SESSIONS):
            mark = f"mark{number:03}"
            folder = wire.workspace / mark
            folder.mkdir()
            marks[wire.session(cwd=folder.as_uri(), clientKey=f"new {mark}")] = mark
        runs = [
            wire.post("agent/run", {"sessionId": session, "input": f"do {mark}", "wait": True})
            for session, mark in marks.items()
        ]
        wait_until(lambda: len(wire.of_method(asking)) == SESSIONS)
        wire.answers[asking] = allow
        for question in wire.of_method(asking):
            wire.send({"jsonrpc": "2.0", "id": question["id"], "result": allow(question["params"])})
        ended = [wire.answer_of(run)["result"] for run in runs]
        used = memory(wire.process.pid)
        for event in wire.events:
            assert set(MARK.findall(json.dumps(event))) <= {marks[event["sessionId"]]}
        for session, mark in marks.items():
            said = [
                e["data"]["item"]
                for e in wire.events
                if (e["sessionId"], e["type"]) == (session, "itemCompleted")
            ]
            assert f"{mark} is done." in str(said[-1])
            assert (wire.workspace / mark / f"{mark}.txt").read_text() == f"content of {mark}\n"
            assert len(list((wire.workspace / mark).iterdir())) == 1
    assert {one["stopReason"] for one in ended} == {"endTurn"}
    asked = [set(MARK.findall(request.content.decode())) for request in server.posts]
    assert {len(of) for of in asked} == {1}
    assert used < MEMORY


def memory(process_id: int) -> float:
    """The most memory (MiB) that the process had so far; 0 where the system does not tell."""
    status = Path(f"/proc/{process_id}/status")
    told = re.findall(r"VmHWM:\s+(\d+)", status.read_text()) if status.exists() else ["0"]
    return int(told[0]) / 1024

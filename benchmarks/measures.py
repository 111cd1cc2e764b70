"""What is measured. Every measure drives both servers in turns, so that a noisy moment meets both.

A chunk that does not arrive, or not in order, is a failure and no measurement.
"""

import itertools
import statistics
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from benchmarks import definitions, extending, sandboxing, searching
from benchmarks.client import Broken, Stamped
from benchmarks.machine import peak, resident, size_of
from benchmarks.parsing import cost, reads
from benchmarks.peers import Bench, Conversation, Name

NAMES: tuple[Name, Name] = ("floor", "agls")
SETTLED = 1.5  # seconds a new server is left alone before its memory is read, or before it counts as ready
CALLS = 100  # of tools for one prompt of a long session
BLOCK = 15  # prompts that follow one another before it is the other server's turn
EARLY = slice(5, 15)  # the turns around the tenth
LATE = slice(-10, None)
MS = 1e6


class Sizes(NamedTuple):
    """How much is done: repetitions of each measure, and what one repetition is."""

    starts: int
    memories: int
    firsts: int
    bursts: int
    burst: int  # chunks
    paces: int
    pace: int  # chunks, 1,000 a second
    tool_runs: int
    tool_turns: int
    cancels: int
    histories: int
    turns: int
    together: int
    share: int  # chunks in each of eight sessions
    resumes: int
    long: int  # items of a long session
    searches: int
    files: int  # that are searched
    folders: int  # of the project with a sandbox


FULL = Sizes(11, 2, 60, 15, 5_000, 5, 3_000, 7, 50, 25, 2, 400, 9, 2_000, 5, 10_000, 7, 100_000, 500)
QUICK = Sizes(4, 1, 30, 4, 5_000, 1, 2_000, 2, 50, 6, 1, 400, 2, 2_000, 3, 2_000, 3, 100_000, 500)
TINY = Sizes(1, 1, 2, 1, 100, 1, 50, 1, 3, 1, 1, 16, 1, 50, 1, 100, 1, 1_000, 50)


class Values:
    """The values that were measured, by row and server."""

    def __init__(self) -> None:
        self._all: dict[str, dict[Name, list[float]]] = {}

    def add(self, row: str, name: Name, value: float) -> None:
        """Add a value."""
        self._all.setdefault(row, {"floor": [], "agls": []})[name].append(value)

    def of(self, row: str) -> Mapping[Name, Sequence[float]]:
        """Return the values of a row."""
        return self._all[row]

    def rows(self) -> Sequence[str]:
        """Return the rows that were measured."""
        return list(self._all)


Measure = Callable[[Bench, Sizes, Values], None]


@contextmanager
def both(bench: Bench) -> Generator[Mapping[Name, Conversation]]:
    """Run both servers, warm, each with a session."""
    talking: dict[Name, Conversation] = {}
    try:
        for name in NAMES:
            talking[name] = bench.ready(name)
            for _ in range(3):
                talking[name].run("hello")
        bench.model.log()
        yield talking
    finally:
        for conversation in talking.values():
            conversation.client.close()


def start(bench: Bench, sizes: Sizes, values: Values) -> None:
    """From the start of the process to the answer of `initialize`, and to a session."""
    for repetition, name in itertools.product(range(sizes.starts + 1), NAMES):
        client = bench.spawn(name)
        try:
            initialized = bench.initialize(client)
            ready, _ = bench.session(client)
        finally:
            client.close()
        if repetition:  # the first one writes bytecode and makes folders
            values.add("initialize", name, (initialized - client.spawned) / MS)
            values.add("ready", name, (ready - client.spawned) / MS)


def memory(bench: Bench, sizes: Sizes, values: Values) -> None:
    """Resident memory with a new session, and its peak after three bursts."""
    for _, name in itertools.product(range(sizes.memories), NAMES):
        talking = bench.ready(name)
        try:
            talking.client.idle(SETTLED)
            values.add("resident", name, resident(talking.client.process_id))
            for _ in range(3):
                talking.run("stream", count=sizes.burst)
            values.add("peak", name, peak(talking.client.process_id))
        finally:
            talking.client.close()
    bench.model.log()


def first(bench: Bench, sizes: Sizes, values: Values) -> None:
    """From the prompt to the whole request at the model, and from its first chunk to the client."""
    with both(bench) as talking:
        for name in _in_blocks(sizes.firsts):
            sent, _ = talking[name].run("hello")
            asked = bench.model.log()[0]["received"]
            begun = chunks_of(talking[name], 3)[0]
            values.add("request", name, (asked - sent) / MS)
            values.add("first", name, (asked - sent + begun.came - begun.sent) / MS)


def _in_blocks(count: int) -> Iterator[Name]:
    """Yield each server so many times: what one prompt leaves to be done falls on its own next one."""
    for start in range(0, count, BLOCK):
        for name in NAMES:
            for _ in range(min(BLOCK, count - start)):
                yield name


def burst(bench: Bench, sizes: Sizes, values: Values) -> None:
    """Chunks as fast as they are taken: how many a second arrive, one in each HTTP chunk, and joined."""
    with both(bench) as talking:
        for _, row, name in itertools.product(range(sizes.bursts), ("burst", "joined"), NAMES):
            talking[name].run("stream", count=sizes.burst, join=row == "joined")
            chunks = chunks_of(talking[name], sizes.burst)
            values.add(row, name, sizes.burst / (chunks[-1].came - chunks[0].sent) * 1e9)


def paced(bench: Bench, sizes: Sizes, values: Values) -> None:
    """1,000 chunks a second: how long each is on its way."""
    with both(bench) as talking:
        for _, name in itertools.product(range(sizes.paces), NAMES):
            talking[name].run("stream", count=sizes.pace, pause=0.001)
            late = sorted((c.came - c.sent) / MS for c in chunks_of(talking[name], sizes.pace))
            values.add("p50", name, statistics.median(late))
            values.add("p99", name, late[int(len(late) * 0.99)])


def tools(bench: Bench, sizes: Sizes, values: Values) -> None:
    """From the end of an answer that calls a tool to the whole next request: the median of a run."""
    with both(bench) as talking:
        for _, name in itertools.product(range(sizes.tool_runs), NAMES):
            bench.model.log()
            session = talking[name].another()
            session.run("tools", count=sizes.tool_turns, folder=str(bench.workspace))
            log = bench.model.log()
            if len(log) != sizes.tool_turns + 1 or not log[-1]["messages"] > 2 * sizes.tool_turns:
                raise Broken(f"{name} asked {len(log)} times for {sizes.tool_turns} tool calls: {log[-1]}")
            turns = [(after["received"] - before["ended"]) / MS for before, after in itertools.pairwise(log)]
            values.add("tool", name, statistics.median(turns))


def cancel(bench: Bench, sizes: Sizes, values: Values) -> None:
    """From `agent/cancel` to the answer to the run, while the model is in the middle of its own."""
    with both(bench) as talking:
        for _, name in itertools.product(range(sizes.cancels), NAMES):
            values.add("cancel", name, talking[name].cancel() / MS)
        bench.model.log()


def history(bench: Bench, sizes: Sizes, values: Values) -> None:
    """Many turns of one session, and the same session in new processes."""
    for _ in range(sizes.histories):
        with both(bench) as talking:
            talking["agls"].client.idle(SETTLED)  # at its start it lists the earlier sessions
            fresh = {name: talking[name].another() for name in NAMES}
            before = {name: size_of(bench.home(name)) for name in NAMES}
            took: dict[Name, list[float]] = {"floor": [], "agls": []}
            for name in _in_blocks(sizes.turns):
                took[name].append(_turn(bench, fresh[name]))
        for name in NAMES:
            early, late = statistics.median(took[name][EARLY]), statistics.median(took[name][LATE])
            values.add("turn10", name, early)
            values.add("turn400", name, late)
            values.add("growth", name, late / early)
            values.add("disk", name, size_of(bench.home(name)) - before[name])
        for _, name in itertools.product(range(sizes.resumes), NAMES):
            _resumes(bench, fresh[name].session_id, sizes.turns, values, name)


def _turn(bench: Bench, talking: Conversation) -> float:
    """Run a short turn. Returns what it took until its answer, in ms, without the model's time."""
    sent, ended = talking.run("hello")
    asked = bench.model.log()[0]
    return (ended - sent - asked["ended"] + asked["received"]) / MS


def _resumes(bench: Bench, session_id: str, turns: int, values: Values, name: Name) -> None:
    """Take the session up in a new process at once, and in one that is ready."""
    with _resumed(bench, name, session_id, "all", wait=0) as (talking, _, came):
        values.add("resume from spawn", name, (came - talking.client.spawned) / MS)
        talking.run("hello")
        if (sent := bench.model.log()[0]["messages"]) < 2 * turns:
            raise Broken(f"{name} sent {sent} messages after {turns} turns")
    with _resumed(bench, name, session_id, "all", wait=SETTLED) as (_, asked, came):
        values.add("resume", name, (came - asked) / MS)


@contextmanager
def _resumed(
    bench: Bench, name: Name, session_id: str, replay: str, wait: float
) -> Generator[tuple[Conversation, int, int]]:
    """Resume a session in a new process. Yields it, when that was asked for, and when the answer came."""
    client = bench.spawn(name)
    try:
        bench.initialize(client)
        client.idle(wait)
        talking = Conversation(bench, client, session_id)
        yield talking, *talking.resume(replay)
    finally:
        client.close()


def long(bench: Bench, sizes: Sizes, values: Values) -> None:
    """A session of many items: a turn beside one of a session whose only item is as long, and its tail.

    What the model is asked with has the same bytes in both: so what differs comes from the number of items.
    """
    with both(bench) as talking:
        for name in NAMES:
            for _ in range(sizes.long // CALLS):
                talking[name].run("tools", count=CALLS, per=50, folder=str(bench.workspace))
            longest = bench.model.log()[-1]["bytes"]
            single = talking[name].another()
            single.run("hello", padding="lorem ipsum " * (longest // 12))
            bench.model.log()
            took: dict[bool, list[float]] = {True: [], False: []}
            for is_long in [True, False] * EARLY.stop:
                took[is_long].append(_turn(bench, talking[name] if is_long else single))
            late, early = (statistics.median(took[is_long][EARLY]) for is_long in (True, False))
            values.add("long turn", name, late / early)
    for _, name in itertools.product(range(sizes.resumes), NAMES):
        with _resumed(bench, name, talking[name].session_id, "tail", wait=SETTLED) as (_, asked, came):
            values.add("long tail", name, (came - asked) / MS)


def together(bench: Bench, sizes: Sizes, values: Values) -> None:
    """Eight sessions of one server stream at once: how many chunks a second arrive, of all."""
    with both(bench) as talking:
        for _, name in itertools.product(range(sizes.together), NAMES):
            sessions = [talking[name].another() for _ in range(8)]
            client = talking[name].client
            client.forget()
            posted = [session.post("stream", count=sizes.share)[1] for session in sessions]
            for session, request_id in zip(sessions, posted, strict=True):
                session.end(request_id, "endTurn")
            chunks = [chunks_of(session, sizes.share) for session in sessions]
            took = max(c[-1].came for c in chunks) - min(c[0].sent for c in chunks)
            values.add("together", name, 8 * sizes.share / took * 1e9)
        bench.model.log()


def chunks_of(talking: Conversation, count: int) -> Sequence[Stamped]:
    """Return the chunks that came, which are all. Raises `Broken`."""
    chunks = talking.client.stamps().get(talking.session_id, [])
    if [chunk.number for chunk in chunks] != list(range(count)):
        raise Broken(f"of {count} chunks {len(chunks)} came, or not in order")
    return chunks


def parse(bench: Bench, sizes: Sizes, values: Values) -> None:
    """What reading a chunk costs, without a connection."""
    answer = reads(sizes.burst)
    for repetition, name in itertools.product(range(sizes.bursts + 1), NAMES):
        took = cost(name, answer, sizes.burst)
        if repetition:  # the first one loads what the others use
            values.add("parse", name, took)


def search(bench: Bench, sizes: Sizes, values: Values) -> None:
    """Search a large tree, with ripgrep itself as the floor."""
    if not searching.ripgrep():
        sys.stderr.write("skipped: search (there is no ripgrep on the PATH to compare with)\n")
        return
    root = bench.folder / "tree"
    searching.make_tree(root, sizes.files)
    for repetition, (key, case) in itertools.product(range(sizes.searches + 1), searching.CASES.items()):
        floor = searching.beside(root, case)
        took = {way: searching.called(root, case, alone=way == "alone") for way in ("with rg", "alone")}
        if key == "glob":
            took["first"] = searching.called_first(root)
        for way, value in took.items():
            if repetition:  # the first one reads the folders, and loads what the others use
                values.add(f"{key} {way}", "floor", floor)
                values.add(f"{key} {way}", "agls", value)


MEASURES: Mapping[str, Measure] = {
    "start": start,
    "memory": memory,
    "first": first,
    "burst": burst,
    "parse": parse,
    "paced": paced,
    "tools": tools,
    "cancel": cancel,
    "history": history,
    "long": long,
    "together": together,
    "definitions": definitions.define,
    "extending": extending.extend,
    "search": search,
    "sandbox": sandboxing.sandbox,
}

"""Journals of sessions in which much happened, made without a model: runs, calls, tasks, rewinds."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from agls.engine.background import BackgroundTask
from agls.engine.facts import (
    Admitted,
    Entry,
    Fact,
    Replied,
    Rewound,
    RunEnded,
    RunStarted,
    SessionChanged,
    Steered,
    TakenIn,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from agls.engine.ports import Journal
from agls.engine.vocabulary import Stop, StopReason, Terminal, Text, ToolCall, ToolOutcome, Usage
from agls.stores.memory import MemoryStore

END = Stop(StopReason.END_TURN)
SERVE = Terminal("serve", "/project")


def journal_of(entries: Sequence[Entry]) -> Journal:
    """A journal in memory that holds these entries."""
    journal = MemoryStore().create("ses_1")
    journal.append(*entries)
    return journal


def _run(name: str, calls: int, aside: Iterable[Fact]) -> Iterator[Fact]:
    """One run, from its prompt to its end; `aside` happens in its middle."""
    run_id, prompt = f"run_{name}", f"item_u{name}"
    yield Admitted(run_id, prompt, (Text(f"Prompt {name}"),))
    yield RunStarted(run_id, item_ids=(prompt,))
    for number in range(calls):
        call = ToolCall(f"call_{name}_{number}", "read_file", {"path": "a.py"})
        yield TurnStarted(f"turn_{name}_{number}", "model", 100_000)
        used = Usage(input_tokens=100 + number, output_tokens=10)
        yield Replied(f"item_m{name}_{number}", "I look.", "", (call,), "tool_calls", used, 0.01)
        yield ToolStarted(call.call_id, call.name, call.arguments)
        yield ToolFinished(call.call_id, ToolOutcome(f"output of {call.call_id}"))
    yield from aside
    yield TurnStarted(f"turn_{name}_end", "model", 100_000)
    yield Replied(f"item_m{name}_end", f"Answer {name}", "I thought.", usage=Usage(input_tokens=200))
    yield RunEnded(run_id, END)


def eventful_session(random: Random, runs: int) -> list[Entry]:
    """Runs, also empty and queued ones, with tasks that outlive them, steered words, rewinds and undos."""
    return [Entry(seq, 1.7e9 + seq, fact) for seq, fact in enumerate(_eventful(random, runs), 1)]


def _eventful(random: Random, runs: int) -> Iterator[Fact]:
    yield SessionChanged("/project", "Eventful", options={"model": "strong"})
    rewinds: list[str] = []
    tasks: list[BackgroundTask] = []
    for number in range(runs):
        yield from _run(f"{number}", random.randrange(3), _aside(random, number, tasks))
        if random.random() < 0.2:
            yield from _ended(tasks)
        if random.random() < 0.2:
            yield SessionChanged(title=f"Title {number}", options={"mode": "plan"})
        if random.random() < 0.3:
            yield _rewind(random, number, rewinds)
        if random.random() < 0.2:
            yield Admitted(f"run_w{number}", f"item_w{number}", (Text("waits"),))
            yield RunEnded(f"run_w{number}", Stop(StopReason.CANCELLED))


def _aside(random: Random, number: int, tasks: list[BackgroundTask]) -> Iterator[Fact]:
    """What happens in the middle of a run."""
    if random.random() < 0.3:
        tasks.append(BackgroundTask(f"task_{number}", "Serve", "call", f"run_{number}", SERVE))
        yield tasks[-1].began()
    if random.random() < 0.3:
        yield Steered(f"item_s{number}", f"run_{number}", (Text("also"),))
        if random.random() < 0.7:
            yield TakenIn((f"item_s{number}",))
    if random.random() < 0.4:
        yield from _ended(tasks)


def _ended(tasks: list[BackgroundTask]) -> Iterator[Fact]:
    """The end of the oldest task that goes on."""
    if tasks:
        yield tasks.pop(0).ended(ToolOutcome("served", terminal=SERVE))


def _rewind(random: Random, number: int, rewinds: list[str]) -> Rewound:
    """A rewind to one of the last prompts or to the beginning, or the undo of an earlier one."""
    undone = random.choice(rewinds) if rewinds and random.random() < 0.4 else ""
    rewinds.append(f"rewind_{number}")
    back_to = random.choice(["", *(f"item_u{before}" for before in range(max(0, number - 3), number + 1))])
    return Rewound(rewinds[-1], "" if undone else back_to, None if undone else 0, undone)

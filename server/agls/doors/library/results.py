"""The result of a run, as programs get it."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from agls.doors.library.foreign_code import called, within
from agls.engine.facts import Entry, Fact, Replied, RunStarted, ToolFinished
from agls.engine.history import last_words
from agls.engine.limits import Totals
from agls.engine.loop import RunResult
from agls.engine.vocabulary import (
    CallStatus,
    FileChange,
    Message,
    Stop,
    StopReason,
    ToolCall,
    ToolResult,
)

AFTER = 60.0  # seconds for one hook after the run


@dataclass(frozen=True, slots=True)
class Artifact:
    """Something that a run made for you: text or bytes with a name."""

    name: str
    content: str | bytes
    media_type: str = "text/plain"


@dataclass(frozen=True, slots=True)
class Step:
    """One reply of the model, and how each of its calls ended: completed, failed, rejected or cancelled."""

    text: str
    calls: tuple[tuple[ToolCall, CallStatus], ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """How a run ended, and what came of it; filled as far as the run got, also when it failed.

    `text` is the answer of this run, `usage` what it used, `changes` the files that its calls changed,
    `messages` the whole conversation so far, `steps` the replies of the model in this run and their calls.
    """

    run_id: str
    stop: Stop
    text: str
    usage: Totals
    changes: tuple[FileChange, ...]
    messages: tuple[Message, ...]
    artifacts: tuple[Artifact, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the run came to its own end."""
        return self.stop.reason is StopReason.END_TURN


After = Callable[[Result], Iterable[Artifact] | Awaitable[Iterable[Artifact]]]


def result_of(run_id: str, ended: RunResult, entries: Sequence[Entry], made: Sequence[Artifact]) -> Result:
    """Return the result of the run that just ended, with the artifacts that its tools made."""
    state = ended.state
    began = next(
        n for n, e in enumerate(entries) if isinstance(e.fact, RunStarted) and e.fact.run_id == run_id
    )
    facts = [entry.fact for entry in entries[began:]]
    changes = [c for fact in facts if isinstance(fact, ToolFinished) for c in fact.outcome.changes]
    text = last_words(state.transcript)
    steps = tuple(_steps(facts, {m.call_id: m.status for m in state.transcript if isinstance(m, ToolResult)}))
    return Result(run_id, ended.stop, text, state.run, tuple(changes), state.transcript, tuple(made), steps)


def _steps(facts: Sequence[Fact], ends: Mapping[str, CallStatus]) -> Iterator[Step]:
    for fact in facts:
        if isinstance(fact, Replied):
            yield Step(
                fact.text, tuple((call, ends.get(call.call_id, "cancelled")) for call in fact.tool_calls)
            )


async def with_hooks(result: Result, hooks: Iterable[After]) -> Result:
    """Call the hooks. One that fails, or never returns, changes nothing.

    **Returns** the result with the artifacts of the hooks.
    """
    for hook in hooks:
        made = await within(AFTER, "a hook after the run", _artifacts(hook, result))
        result = replace(result, artifacts=(*result.artifacts, *(made or ())))
    return result


async def _artifacts(hook: After, result: Result) -> tuple[Artifact, ...]:
    return tuple(await called(partial(hook, result)))

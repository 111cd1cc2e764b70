"""What a run gave."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from agls.doors.library.bounded import called, within
from agls.engine.facts import Entry, RunStarted, ToolFinished
from agls.engine.history import last_words
from agls.engine.limits import Totals
from agls.engine.loop import RunResult
from agls.engine.vocabulary import FileChange, Message, Stop, StopReason
from agls.frozen import frozen

AFTER = 60.0  # seconds for one hook after the run


@frozen
class Artifact:
    """Something that a run made for you: text or bytes with a name."""

    name: str
    content: str | bytes
    media_type: str = "text/plain"


@frozen
class Result:
    """How a run ended, and what came of it; filled as far as the run got, also when it failed.

    `text` is what was said last, `usage` what this run used, `changes` the files that its calls changed,
    `messages` the whole conversation so far.
    """

    run_id: str
    stop: Stop
    text: str
    usage: Totals
    changes: tuple[FileChange, ...]
    messages: tuple[Message, ...]
    artifacts: tuple[Artifact, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it came to its own end."""
        return self.stop.reason is StopReason.END_TURN


After = Callable[[Result], Iterable[Artifact] | Awaitable[Iterable[Artifact]]]


def result_of(run_id: str, ended: RunResult, entries: Sequence[Entry], made: Sequence[Artifact]) -> Result:
    """The result of the run that just ended, with the artifacts that its tools made."""
    state = ended.state
    began = next(
        n for n, e in enumerate(entries) if isinstance(e.fact, RunStarted) and e.fact.run_id == run_id
    )
    facts = [entry.fact for entry in entries[began:]]
    changes = [c for fact in facts if isinstance(fact, ToolFinished) for c in fact.outcome.changes]
    text = last_words(state.transcript)
    return Result(run_id, ended.stop, text, state.run, tuple(changes), state.transcript, tuple(made))


async def with_hooks(result: Result, hooks: Iterable[After]) -> Result:
    """The result with the artifacts of the hooks; one that fails, or never returns, changes nothing."""
    for hook in hooks:
        made = await within(AFTER, "a hook after the run", _artifacts(hook, result))
        result = replace(result, artifacts=(*result.artifacts, *(made or ())))
    return result


async def _artifacts(hook: After, result: Result) -> tuple[Artifact, ...]:
    return tuple(await called(partial(hook, result)))

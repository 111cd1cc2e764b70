"""A long session on the disk, as its runs would have left it."""

from pathlib import Path
from typing import Any

from agls.engine.facts import (
    Admitted,
    Entry,
    Replied,
    RunEnded,
    RunStarted,
    SessionChanged,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from agls.engine.vocabulary import Limits, Stop, StopReason, Text, ToolCall, ToolOutcome, Usage
from agls.stores.files import FileStore


def plant(state: Path, folder: Path, runs: int, calls: int, output: int) -> str:
    """A session on the disk in which each of these runs made so many calls that gave so many bytes."""
    journal = FileStore(state).create("ses_planted")
    journal.append(*long_session(folder, runs, calls, output))
    journal.close()
    return journal.session_id


def long_session(folder: Path, runs: int, calls: int, output: int) -> list[Entry]:
    """The facts of such a session. A run has two items, and two for each call."""
    facts: list[Any] = [SessionChanged(str(folder), "Planted")]
    for run in (f"run_{number}" for number in range(runs)):
        facts += [Admitted(run, f"item_{run}", (Text("go"),)), RunStarted(run, Limits(), (f"item_{run}",))]
        for number in range(calls):
            call = ToolCall(f"call_{run}_{number}", "grep", {"pattern": str(number)})
            text = f"{number:08d}\n" * (output // 9)
            facts += [TurnStarted(f"turn_{run}_{number}", "play")]
            facts += [Replied(f"item_{run}_{number}", "I look.", tool_calls=(call,), usage=Usage(9, 9))]
            facts += [ToolStarted(call.call_id, "grep", call.arguments)]
            facts += [ToolFinished(call.call_id, ToolOutcome(text))]
        facts += [TurnStarted(f"turn_{run}", "play"), Replied(f"item_{run}_end", "Done.")]
        facts += [RunEnded(run, Stop(StopReason.END_TURN))]
    return [Entry(seq, 1.7e9 + seq, fact) for seq, fact in enumerate(facts, 1)]

"""agls in another Python program: run, resume, subscribe, steer, cancel, tools of your own, artifacts.

`docs/library.md` shows each in a few lines. Nothing is kept unless a state folder is named, nobody is asked
unless `answer` is given, and a run is bounded (12 model requests, 60 seconds) unless you say otherwise.
"""

from agls.config import ConfigError
from agls.doors.library.agent import Agent, Conversation
from agls.doors.library.results import Artifact, Result, Step
from agls.doors.library.tools import tool
from agls.engine.actions import ActionError, ActionOutcome
from agls.engine.facts import (
    Fact,
    Notice,
    Replied,
    RunEnded,
    Shown,
    TextDelta,
    ThinkingDelta,
    ToolDelta,
    ToolFinished,
    ToolStarted,
)
from agls.engine.limits import Totals
from agls.engine.ports import JournalBusy, JournalError, ModelError
from agls.engine.vocabulary import FileChange, Question, Stop, StopReason

__all__ = [
    "ActionError",
    "ActionOutcome",
    "Agent",
    "Artifact",
    "ConfigError",
    "Conversation",
    "Fact",
    "FileChange",
    "JournalBusy",
    "JournalError",
    "ModelError",
    "Notice",
    "Question",
    "Replied",
    "Result",
    "RunEnded",
    "Shown",
    "Step",
    "Stop",
    "StopReason",
    "TextDelta",
    "ThinkingDelta",
    "ToolDelta",
    "ToolFinished",
    "ToolStarted",
    "Totals",
    "tool",
]

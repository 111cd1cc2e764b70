"""aglet in another Python program: run, resume, subscribe, steer, cancel, tools of your own, artifacts.

`docs/library.md` shows each in a few lines. Nothing is kept unless a state folder is named, nobody is asked
unless `answer` is given, and a run is bounded (12 model requests, 60 seconds) unless you say otherwise.
"""

from aglet.config import ConfigError
from aglet.doors.library.agent import Agent, Conversation
from aglet.doors.library.results import Artifact, Result
from aglet.doors.library.tools import tool
from aglet.engine.facts import (
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
from aglet.engine.limits import Totals
from aglet.engine.ports import JournalBusy, JournalError, ModelError
from aglet.engine.vocabulary import FileChange, Question, Stop, StopReason

__all__ = [
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

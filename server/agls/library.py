"""agls in another Python program: run, resume, subscribe, steer, cancel, own tools and rooms, artifacts.

`docs/library.md` shows each in a few lines. Nothing is kept unless a state folder is named, nobody is asked
unless `answer` is given, and a run is bounded (12 model requests, 60 seconds) unless you say otherwise.
"""

from agls.commands import CommandError
from agls.config import ConfigError
from agls.doors.library.agent import Agent
from agls.doors.library.conversation import Conversation
from agls.doors.library.results import Artifact, Result, Step
from agls.doors.library.tools import tool
from agls.engine.actions import ActionContext, ActionError, ActionOutcome
from agls.engine.admission import Refused as ActionRefused
from agls.engine.facts import (
    Fact,
    Notice,
    Replied,
    RunEnded,
    TextDelta,
    ThinkingDelta,
    ToolDelta,
    ToolFinished,
    ToolStarted,
    Transient,
)
from agls.engine.feature import Feature
from agls.engine.limits import Totals
from agls.engine.ports import Effect, JournalBusy, JournalError, ModelError, ToolContext
from agls.engine.vocabulary import FileChange, Question, Stop, StopReason, ToolOutcome
from agls.room import NoSettings, PromptRefused, Room
from agls.toolkit import Arguments, TypedAction, TypedTool

Shown = Transient
"""The former name of `Transient`. It is kept for one more release."""

__all__ = [
    "ActionContext",
    "ActionError",
    "ActionOutcome",
    "ActionRefused",
    "Agent",
    "Arguments",
    "Artifact",
    "CommandError",
    "ConfigError",
    "Conversation",
    "Effect",
    "Fact",
    "Feature",
    "FileChange",
    "JournalBusy",
    "JournalError",
    "ModelError",
    "NoSettings",
    "Notice",
    "PromptRefused",
    "Question",
    "Replied",
    "Result",
    "Room",
    "RunEnded",
    "Shown",
    "Step",
    "Stop",
    "StopReason",
    "TextDelta",
    "ThinkingDelta",
    "ToolContext",
    "ToolDelta",
    "ToolFinished",
    "ToolOutcome",
    "ToolStarted",
    "Totals",
    "Transient",
    "TypedAction",
    "TypedTool",
    "tool",
]

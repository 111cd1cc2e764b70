"""The hooks of plugins that are ever run: the others are shown as what they are, of no effect."""

from collections.abc import Mapping

from agls.json_values import object_in

_SESSION = ("SessionStart", "SessionEnd", "UserPromptSubmit", "UserPromptSubmitted", "Notification")
_TOOLS = ("PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "PostToolBatch")
_RUN = (
    "Stop",
    "AgentStop",
    "StopFailure",
    "ErrorOccurred",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
)
_BESIDE = (
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "WorktreeCreate",
    "WorktreeRemove",
    "ConfigChange",
    "Setup",
)
EVENTS = frozenset({*_SESSION, *_TOOLS, *_RUN, *_BESIDE})
_BEFORE = ("beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeSubmitPrompt")
OF_CURSOR = frozenset({*_BEFORE, "afterFileEdit", "afterShellExecution", "afterMCPExecution", "stop"})
_AROUND = ("BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "PreCompress")
OF_GEMINI = frozenset({*_AROUND, "SessionStart", "SessionEnd", "Notification"})
OF_PRODUCTS: Mapping[str, frozenset[str]] = {"cursor": EVENTS | OF_CURSOR, "gemini": OF_GEMINI}
TYPES = frozenset({"command", "http", "prompt", "agent", "mcp_tool"})
NO_EVENT = "of no effect: agls has no such event"
NO_TYPE = "of no effect: agls has no hooks of the type {}"


def why_never(event: str, handler: object, dialect: str) -> str:
    """**Returns** why a hook of a plugin for this product never runs, "" where it does."""
    known = OF_PRODUCTS.get(dialect, EVENTS)
    if not {event, event[:1].upper() + event[1:]} & known:
        return NO_EVENT
    kind = object_in(handler).get("type", "command")
    return "" if kind in TYPES else NO_TYPE.format(kind)

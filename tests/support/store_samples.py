"""One full sample of every fact, and a session made of plain ones."""

from collections.abc import Sequence

from agls.engine.facts import (
    Admitted,
    Answered,
    Asked,
    Cleared,
    Compacted,
    Cut,
    Entry,
    Expanded,
    Fact,
    Injected,
    LimitsChanged,
    Noted,
    Overflowed,
    PhaseStarted,
    QueueChanged,
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
    Unknown,
    Used,
)
from agls.engine.vocabulary import (
    Answer,
    FileChange,
    FileVersion,
    Image,
    KeptOutput,
    Limits,
    Option,
    Question,
    Resource,
    ResourceLink,
    Stop,
    StopReason,
    Terminal,
    Text,
    ToolCall,
    ToolOutcome,
    Usage,
    UserMessage,
)

CONTENT = (
    Text("Grüße, 世界 \u2028 \x00 \x1b[0m 🙂"),
    Image("aGk=", "image/png"),
    Resource("file:///src/a.py", "print('a')\r\n"),
    ResourceLink("file:///src/b.py", "b.py"),
)
LIMITS = Limits(1, 2, 3, 4, 5, 6, 7.5)
USAGE = Usage(10, 20, 3, 4, 5)
CHANGE = FileChange(
    "file:///src/b.py", "modified", FileVersion("ab12", 3), FileVersion("cd34"), "@@ -1 +1 @@", "editor",
    1, 2,
)  # fmt: skip
OUTCOME = ToolOutcome("done", "failed", "partial", (CHANGE,), Terminal("ls", "/src", None, "SIGKILL"), 12)
QUESTION = Question(
    "permission", "Run ls?", "it executes", "call_1", {"type": "command", "command": "ls"},
    (Option("yes", "Yes", "allow", "project", "ls *"), Option("no", "No", "reject")), {"type": "object"},
)  # fmt: skip

SAMPLES: tuple[Fact, ...] = (
    SessionChanged("/src", "A title", "ses_parent", ("/src", "/lib"), {"model": "strong", "n": [1, None]}),
    Admitted("run_1", "item_1", CONTENT, "key_1", {"mode": "plan"}, "run_0"),
    QueueChanged(("run_2", "run_1")),
    RunStarted("run_1", LIMITS),
    Steered("item_2", "run_1", (Text("also this"),), "key_2", "critic"),
    Injected((UserMessage("item_1", CONTENT), UserMessage("item_2", (), "hooks"))),
    TurnStarted("turn_1", "big-model"),
    Replied(
        "item_3", "Let me see.", "hmm",
        (ToolCall("call_1", "shell", {"command": "ls"}), ToolCall("call_2", "read", {}, "{broken")),
        "tool_calls", USAGE, 0.25, "big-model-2", {"signature": "x", "parts": [{"a": 1.5}]},
    ),
    Cut("item_4", "I was say", "well", USAGE, "failed"),
    Overflowed("too long", 100, 120),
    Used("critic", USAGE, 0.5),
    ToolStarted("call_1", "shell", {"command": "ls", "timeout": 1}),
    ToolFinished("call_1", OUTCOME),
    Asked("req_1", QUESTION),
    Answered("req_1", Answer("selected", "yes", "fine", {"command": "ls -l"}, {"name": "x"}, "the user")),
    Compacted("item_5", "It was about ls.", 3),
    PhaseStarted("build", "You build.", "fast", ("read", "shell")),
    LimitsChanged(LIMITS),
    Noted("permissions", "granted", {"rule": "ls *", "count": 3}),
    RunEnded("run_1", Stop(StopReason.MODEL_ERROR, "no route to host", "network")),
    Unknown("teleported", {"v": 2, "to": ["the moon", 1e100], "when": {"soon": True}}),
    Rewound("rewind_1", "item_5", 2, "rewind_0", (CHANGE,)),
    TakenIn(("item_1", "item_2")),
    TurnStarted("turn_2", "big-model", 200_000),
    Compacted("item_6", "It was about ls.", 9, ("item_1", "item_5"), "threshold", 7_000, 900),
    Cleared("item_7", ("call_1", "call_2"), "idle", 7_000, 900),
    SessionChanged(parent="ses_parent", parent_item="call_1", depth=2),
    RunEnded("run_2", Stop(StopReason.MODEL_ERROR, "wait", "rateLimit", 429, "host", 5, 1_795_250_090.5)),
    Used("subagents", Usage(), 0.0, 0, 2, 1),
    LimitsChanged(Limits(1, 2, 3, 4, 5, 6, 7.5, 8, 9, 10, 11.5)),
    RunStarted("run_2", LIMITS, ("item_8",)),
    ToolFinished("call_3", ToolOutcome("done", terminal=Terminal("ls", "/src", 0, unsaved=("a.py",)))),
    ToolFinished("call_4", ToolOutcome("a.png", images=(Image("iVBO", "image/png"),))),
    ToolFinished("call_5", ToolOutcome("a", truncated=7, kept=KeptOutput("shell-1.txt", 3))),
    Expanded("item_8", "item_5", 900, 7_000),
)  # fmt: skip


def entries_of(facts: Sequence[Fact], after: int = 0, at: float = 1_795_250_000.5) -> list[Entry]:
    """The facts as entries behind number `after`, one second apart."""
    return [Entry(after + index, at + after + index, fact) for index, fact in enumerate(facts, 1)]


def conversation(
    text: str, cwd: str = "/src", title: str = "", reply: str = "All done.", at: float = 1_795_250_000.5
) -> list[Entry]:
    """A whole little session: made, prompted with `text`, answered with `reply`."""
    return entries_of(
        [
            SessionChanged(cwd, title),
            Admitted("run_1", "item_1", (Text(text),)),
            RunStarted("run_1"),
            TakenIn(("item_1",)),
            TurnStarted("turn_1", "fake"),
            Replied("item_2", reply),
            RunEnded("run_1", Stop(StopReason.END_TURN)),
        ],
        at=at,
    )

"""The `[hooks]` section of the configuration. Project files cannot set it."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from pydantic import Field, model_validator

from agls.room import Table

Event = Literal[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "Notification",
    "PreCompact",
    "PostCompact",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "WorktreeCreate",
    "WorktreeRemove",
    "ConfigChange",
    "Setup",
    "SessionEnd",
]
EVENTS: tuple[Event, ...] = get_args(Event)
OnFailure = Literal["open", "ask", "closed"]
OURS = (".agls/hooks.json",)
GEMINI = ".gemini/settings.json"  # in a form of its own, as the next one
OF_CLAUDE = (".claude/settings.json", ".claude/settings.local.json")
OF_OTHERS = (*OF_CLAUDE, ".codex/hooks.json", ".codex/config.toml", GEMINI)
CURSOR = ".cursor/hooks.json"
FOLDER = ".github/hooks"  # of JSON files
PROJECT_FILES = (*OURS, *OF_OTHERS, CURSOR, FOLDER)
OF_HELPERS = frozenset({"SubagentStart", "SubagentStop"})  # a judge is none
OUTSIDE_RUNS = frozenset({"UserPromptSubmit", "SessionEnd"})
ALL = ("", "*")  # matchers for anything
WITHOUT_MATCHER = frozenset(  # nothing is compared
    {
        "UserPromptSubmit",
        "PostToolBatch",
        "Stop",
        "TaskCreated",
        "TaskCompleted",
        "WorktreeCreate",
        "WorktreeRemove",
    }
)
SETUPS = ("init", "maintenance")  # what a Setup is for
LONGEST_TIME = 600.0  # seconds
LONGEST_PATTERN = 200  # characters
LONGEST_PROMPT = 20_000  # characters


class HookSetting(Table):
    """A hook: what it waits for, and the program, service, question or tool of a server that it is.

    Of the calls that fit the `matcher` it sees those that fit the `condition`: a tool with a pattern, such as
    `Bash(git push *)` or `Edit(*.py)`. With `agent` whoever answers the question may read files first.
    """

    event: Event
    name: str = Field(default="", max_length=60)
    matcher: str = Field(default="", max_length=LONGEST_PATTERN)
    condition: str = Field(default="", max_length=LONGEST_PATTERN)
    command: str = ""
    args: tuple[str, ...] = ()
    url: str = ""
    headers: Mapping[str, str] = Field(default_factory=dict[str, str])
    prompt: str = Field(default="", max_length=LONGEST_PROMPT)
    agent: bool = False
    model: str = ""
    server: str = ""
    tool: str = ""
    input: Mapping[str, Any] = Field(default_factory=dict[str, Any])
    timeout: float = Field(default=60.0, gt=0, le=LONGEST_TIME)
    on_failure: OnFailure | None = None
    background: bool = False
    once: bool = False

    @model_validator(mode="after")
    def _can_be_run(self) -> "HookSetting":
        if sum(map(bool, (self.command, self.url, self.prompt, self.server))) != 1:
            raise ValueError("a hook has a command or a url or a prompt or a server with a tool: one of them")
        if bool(self.server) != bool(self.tool) or (self.input and not self.server):
            raise ValueError("a tool of a server needs both: server and tool, and only it has an input")
        if self.agent and not self.prompt:
            raise ValueError("an agent needs a prompt, by which it judges")
        if self.agent and self.event in OUTSIDE_RUNS:
            raise ValueError(f"agents judge in runs only, and {self.event} is not in one: leave out agent")
        if self.server and self.event in OUTSIDE_RUNS:
            raise ValueError(f"servers are called in runs only, and {self.event} is not in one")
        if self.url and not self.url.startswith(("http://", "https://")):
            raise ValueError("the url of a hook begins with http:// or https://")
        if self.matcher not in ALL:
            from agls.features.hooks.matching import check_matcher  # noqa: PLC0415 - few sessions have one

            check_matcher(self.matcher)
        return self


class Settings(Table):
    """Programs that run before and after tool calls, at the beginning and the end of runs, and so on."""

    handlers: tuple[HookSetting, ...] = ()
    managed: tuple[HookSetting, ...] = ()
    only_managed: bool = False
    other_tools: bool = True

"""What tests of rooms need besides `scenario.check`: tools with targets, a workspace, turns with calls."""

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from agls.engine.facts import Notice, Replied
from agls.engine.ports import DirEntry, Effect, FileText, PathInfo, Preview, Target, ToolContext, ToolSpec
from agls.engine.ports import WorkspaceError as Trouble
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import (
    FileVersion,
    Focus,
    JsonObject,
    Text,
    ToolCall,
    ToolOutcome,
    ToolResult,
    Usage,
    UserMessage,
)
from agls.workspace.paths import Ground
from support.scenario import Meanwhile, Part


def use(*calls: ToolCall, usage: Usage | None = None, cost: float | None = None) -> list[Part]:
    """A turn that makes these calls."""
    return [Replied("", "", tool_calls=calls, finish="tool_calls", usage=usage or Usage(), cost=cost)]


def do(call_id: str, name: str, value: str = "", **more: Any) -> ToolCall:
    """A call of a `FakeDoer`."""
    return ToolCall(call_id, name, {"value": value, **more} if value else more)


def results(state: State) -> dict[str, str]:
    """What the model read of each call."""
    return {m.call_id: m.text for m in state.transcript if isinstance(m, ToolResult)}


def injected(state: State, origin: str) -> list[str]:
    """What a room said in the user's place."""
    messages = (m for m in state.transcript if isinstance(m, UserMessage) and m.origin == origin)
    return ["".join(part.text for part in m.content if isinstance(part, Text)) for m in messages]


@dataclass
class FakeDoer:
    """A tool that does one kind of thing to `value` and remembers what it was given."""

    name: str
    effect: Effect
    effects: frozenset[Effect] | None = None
    outcome: Callable[[ToolCall], ToolOutcome] = lambda call: ToolOutcome("ok")
    done: list[JsonObject] = field(default_factory=list[JsonObject])
    polls: bool = False

    @property
    def spec(self) -> ToolSpec:
        """Its name and effects."""
        effects = frozenset({self.effect}) if self.effects is None else self.effects
        return ToolSpec(self.name, "", {"type": "object"}, effects, self.polls)

    async def preview(self, call: ToolCall, context: ToolContext) -> Preview:
        """The command it would run, or the call as it is."""
        value = str(call.arguments.get("value", ""))
        targets = (Target(self.effect, value),) if value else ()
        subject = {"type": "tool", "name": call.name, "input": call.arguments}
        if self.effect is Effect.EXECUTES:
            subject = {"type": "command", "command": value, "cwd": call.arguments.get("cwd", "")}
        problem = str(call.arguments.get("problem", ""))
        return Preview(f"{self.name} {value}", subject, targets, problem)

    async def __call__(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Remember the arguments."""
        self.done.append(call.arguments)
        return self.outcome(call)


class FakeWorkspace:
    """A folder without an editor. Paths are the real ones; `opened` lists everything that was looked into."""

    def __init__(self, root: Path, unsaved: Sequence[str] = ()) -> None:
        self._ground, self._unsaved = Ground(str(root)), list(unsaved)
        self.root, self.roots = str(root), (str(root),)
        self.looking_at: Focus | None = None
        self.opened: list[str] = []
        self.allowed: list[str] = []

    def place(self, path: str) -> PathInfo:
        """Where it leads."""
        return self._ground.place(path)

    def holds_hidden(self, path: str) -> bool:
        """Nothing is hidden here."""
        return False

    def allow(self, path: str) -> None:
        """Remember the permission."""
        self._ground.allow(path)
        self.allowed.append(path)

    async def read(self, path: str, *, max_bytes: int = 10_000_000) -> FileText:
        """The text of a file."""
        self.opened.append(path)
        place = self._ground.enter(path).place
        try:
            data = Path(place.path).read_bytes()
        except OSError as error:
            raise Trouble(str(error)) from None
        if len(data) > max_bytes:
            raise Trouble("too large")
        return FileText(place, data.decode(), FileVersion(sha256(data).hexdigest()), "disk")

    async def read_each(self, *paths: str) -> Sequence[FileText | Trouble | None]:
        """The texts of files."""
        found: list[FileText | Trouble | None] = []
        for path in paths:
            try:
                missing = not Path(self.root, path).exists()
                found.append(None if missing else await self.read(path))
            except Trouble as problem:
                found.append(problem)
        return found

    async def list(self, path: str = "") -> Sequence[DirEntry]:
        """The names in a folder."""
        self.opened.append(path)
        try:
            return [
                DirEntry(p.name, "dir" if p.is_dir() else "file") for p in Path(self.root, path).iterdir()
            ]
        except OSError as error:
            raise Trouble(str(error)) from None

    async def walk(self, under: str = "", glob: str = "", exclude: str = "") -> AsyncGenerator[Sequence[str]]:
        """All files below."""
        self.opened.append(under)
        root = Path(self.root)
        yield sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file())

    def unsaved(self) -> Sequence[str]:
        """What a test said is unsaved."""
        return list(self._unsaved)

    def focus(self) -> Focus | None:
        """Where a test said the user looks."""
        return self.looking_at

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"a room used the workspace: {name}")


class Notices:
    """Collects the notices of a scenario: `meanwhile=Notices()`."""

    def __init__(self) -> None:
        self.titles: list[str] = []
        self.texts: list[str] = []

    async def __call__(self, scene: Meanwhile) -> None:
        """Listen from now on."""
        self.listen(scene.session)

    def listen(self, session: Session) -> None:
        """The same without a scenario."""

        def look(event: Any, state: State) -> None:
            if isinstance(event, Notice):
                self.titles.append(event.title)
                self.texts.append(event.text)

        session.log.subscribe(look)

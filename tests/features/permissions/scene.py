"""A folder, tools of every kind, and a session with somebody (or nobody) to ask."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from agls.engine.facts import Asked, Entry
from agls.engine.feature import CallTool, Feature, Invocation, Permit, RunSetup, RunView
from agls.engine.ports import Effect
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import State
from agls.engine.vocabulary import Answer, JsonObject, Question, Text, ToolOutcome, ToolResult
from agls.features.permissions.feature import build
from agls.features.permissions.settings import Settings
from agls.modes import MODES
from agls.room.mode_choices import Choices, SessionChoices
from agls.room.permission_memory import PermissionMemory
from agls.stores.memory import MemoryStore
from support.rooms import FakeDoer, FakeWorkspace, Notices, do, use
from support.scenario import FakeClock, FakeModel, Part, prove, say

Reply = Callable[[Question], Answer]


@dataclass
class FakeGrants:
    """The user's file of project rules."""

    rules: list[str] = field(default_factory=list[str])
    broken: bool = False
    ignored: str = ""

    def load(self) -> Sequence[str]:
        """What was saved."""
        return list(self.rules)

    def save(self, rules: Sequence[str]) -> None:
        """Keep them."""
        if self.broken:
            raise OSError("the disk is full")
        self.rules += rules

    def remove(self, rules: Sequence[str]) -> None:
        """Forget them."""
        if self.broken:
            raise OSError("the disk is full")
        self.rules = [rule for rule in self.rules if rule not in rules]

    def mark(self, rules: Sequence[str]) -> str:
        """The mark of the user's word."""
        return "marked"

    def vouch(self, rules: Sequence[str], mark: str) -> bool:
        """Whether it is there."""
        return mark == "marked"


@dataclass
class FakeTraces:
    """What commands leave: `then` is left by the next one."""

    then: list[str] = field(default_factory=list[str])
    lasting = True

    def begin(self) -> None:
        """A command begins."""

    def end(self, *, lasting: bool) -> Sequence[str]:
        """It ended."""
        found, self.then = self.then, []
        return found

    def look(self) -> Sequence[str]:
        """Nothing else changes."""
        return ()


@dataclass
class FakeFiles:
    """agls's own files: `then` change while the next command runs."""

    changed: list[str] = field(default_factory=list[str])
    then: list[str] = field(default_factory=list[str])
    broken: bool = False
    lasting = True

    def begin(self) -> None:
        """A command begins."""

    def end(self, *, lasting: bool) -> Sequence[str]:
        """It ended."""
        self.changed += self.then
        found, self.then = self.then, []
        return found

    def look(self) -> Sequence[str]:
        """Nothing else changes."""
        return ()

    def accept(self) -> None:
        """The user looked."""
        self.changed.clear()
        if self.broken:
            raise OSError("the disk is full")


def pick(option: str, feedback: str = "", new: JsonObject | None = None) -> Reply:
    return lambda question: Answer("selected", option, feedback, new)


@dataclass
class NoSandbox:
    """There is no sandbox, or one that `works`; `says` is what questions say of that."""

    says: str = ""
    works: bool = False

    async def missing(self) -> str:
        """Why."""
        return "this is a test"

    async def lacking(self) -> str:
        """Nothing is."""
        return ""

    def after_crash(self) -> Sequence[str]:
        """Nothing died."""
        return ()

    async def unavailable(self) -> str:
        """Why."""
        return "" if self.works else "this is a test"

    async def remark(self, *, confined: bool = False) -> str:
        """What questions say of it."""
        return self.says

    def enter(self, writable: Sequence[str]) -> Any:
        """Nobody can."""
        raise AssertionError

    async def accept(self, writable: Sequence[str]) -> None:
        """Nothing was made in it."""


class NothingKnown:
    """Nothing is known of any program."""

    def is_foreign(self, program: str, folder: str) -> bool:
        """Whether it lies outside the workspace."""
        return False

    def obeyed(self, folder: str, names: Iterable[str]) -> str:
        """The first file with such a name."""
        return ""

    def expand(self, pattern: str, folder: str) -> Sequence[str]:
        """The names for a pattern."""
        return (pattern,)

    def programs_of_git(self, folder: str) -> str:
        """Why git might run another program."""
        return "nobody looked"

    def below(self, folder: str) -> Iterable[tuple[str, Literal["file", "folder", "link"]]]:
        """Everything in a folder."""
        return ()

    def held_below(self, folder: str, is_meant: Callable[[str], bool]) -> str:
        """The first file with such a name."""
        return ""


class Scene:
    """A folder, tools of every kind, a session with somebody (or nobody) to ask."""

    def __init__(self, tmp_path: Path) -> None:
        self.root = tmp_path / "w"
        self.root.mkdir()
        self.shell = FakeDoer("shell", Effect.EXECUTES)
        self.write = FakeDoer("write", Effect.WRITES)
        self.read = FakeDoer("read", Effect.READS)
        self.poke = FakeDoer("poke", Effect.READS, frozenset(Effect))
        self.think = FakeDoer("think", Effect.READS, frozenset())
        self.workspace = FakeWorkspace(self.root)
        self.grants, self.settings, self.store = FakeGrants(), Settings(), MemoryStore()
        chosen = Choices()
        for mode in MODES:
            chosen.choose("here", {"mode": mode})
        self.files, self.traces = FakeFiles(), FakeTraces()
        choices, facts = SessionChoices(chosen, ("here",)), MemoryStore().create("none")
        self.memory = PermissionMemory(self.grants, choices, self.files, self.traces, facts)
        self.asked: list[Question] = []
        self.sandbox = NoSandbox()
        self.seen = Notices()
        self.session_id = ""
        self.permits: list[Permit] = []

    async def run(
        self, *script: list[Part], reply: Reply | None = None, options: JsonObject | None = None,
    ) -> State:  # fmt: skip
        """Run one prompt in the (same) session; `reply` answers what is asked."""
        self.asked.clear()
        doers = (self.shell, self.write, self.read, self.poke, self.think)
        tools = Feature(name="tools", tools=doers, around_tool=self._remember)
        model = FakeModel([*script, say()])

        def build_run(session: Session, admitted: object) -> RunSetup:
            known = (replace(self.memory, facts=session.log.journal), NothingKnown(), self.sandbox)
            room = build(self.settings, session.questions, self.workspace, *known)
            return RunSetup((room, tools), model, self.workspace)

        async with Sessions(self.store, build_run, FakeClock()) as sessions:
            opened = (
                sessions.open(self.session_id) if self.session_id else sessions.create("/w", options=options)
            )
            session = await opened
            self.session_id = session.session_id
            self._answer_with(reply, session)
            self.seen.listen(session)
            run = await session.prompt((Text("go"),))
            await session.finished(run.run_id)
            state, entries = session.state, list(session.log.journal.entries())
        await prove(entries, state, build_run)
        return state

    async def _remember(self, invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        self.permits.append(invocation.permit)
        return await inner(invocation)

    def _answer_with(self, reply: Reply | None, session: Session) -> None:
        def look(event: object, state: State) -> None:
            if not isinstance(event, Entry) or not isinstance(event.fact, Asked):
                return
            self.asked.append(event.fact.question)
            if reply:
                asked = event.fact
                loop = asyncio.get_running_loop()
                loop.call_soon(session.questions.answer, asked.request_id, reply(asked.question))

        session.questions.attend(reply is not None)
        session.log.subscribe(look)


def result(state: State, call_id: str = "c1") -> ToolResult:
    return next(m for m in state.transcript if isinstance(m, ToolResult) and m.call_id == call_id)


def run(command: str, call_id: str = "c1") -> list[Part]:
    return use(do(call_id, "shell", command))

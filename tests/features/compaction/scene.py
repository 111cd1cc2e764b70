"""A session whose model has a small window, with a tool `look` that gives long results."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agls.assembly import SessionLog
from agls.engine.actions import ActionOutcome
from agls.engine.facts import Admitted, Cleared, Compacted, Fact, Noted, Used
from agls.engine.feature import Feature, RunSetup
from agls.engine.ports import ModelClient, ModelInfo
from agls.engine.run_action import invoke
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Limits, Message, Text, Usage, UserMessage
from agls.features.compaction.feature import build
from agls.features.compaction.settings import Settings
from agls.room.run_ports import HookPoints, RunInfo
from agls.stores.memory import MemoryStore
from support.rooms import Notices
from support.scenario import NOWHERE, FakeClock, FakeModel, FakeTool, Part, prove, say, words

WINDOW = 8_000  # tokens: room is made from 5,600, a warning comes over 5,952, the end over 6,976
TOKEN = 3.6  # bytes


@dataclass
class Scene:
    """What happens is what the turns of the model say, and those of the writer of summaries."""

    session: Session
    model: FakeModel
    writer: FakeModel
    seen: Notices = field(default_factory=Notices)

    async def prompt(self, text: str = "go") -> State:
        """One run."""
        admission = await self.session.prompt((Text(text),))
        return (await self.session.finished(admission.run_id)).state

    async def act(self, name: str, **arguments: JsonObject | str) -> ActionOutcome:
        """Follow an action."""
        return await invoke(self.session, name, dict(arguments))

    @property
    def shortened(self) -> list[Compacted | Cleared]:
        """The facts that made room."""
        return [fact for fact in self.facts if isinstance(fact, Compacted | Cleared)]

    @property
    def spent(self) -> list[Used]:
        """What the summaries cost."""
        return [fact for fact in self.facts if isinstance(fact, Used)]

    @property
    def failures(self) -> list[str]:
        """Why summaries were not written."""
        return [fact.data["why"] for fact in self.facts if isinstance(fact, Noted) and fact.kind == "failed"]

    @property
    def facts(self) -> list[Fact]:
        return [entry.fact for entry in self.session.log.journal.entries()]

    @property
    def visible(self) -> list[str]:
        """What the model would see, message by message."""
        return said(self.session.state.context.messages)

    @property
    def stop(self) -> str:
        """Why the last run ended."""
        return str(self.session.state.stop.reason) if self.session.state.stop else ""


def said(messages: Sequence[Message]) -> list[str]:
    """What each message says."""
    return [words(m.content) if isinstance(m, UserMessage) else m.text for m in messages]


def of(tokens: int, letter: str = "x") -> str:
    """A text of about so many tokens."""
    return letter * round(tokens * TOKEN)


@dataclass
class Models:
    """The tier `fast` writes the summaries."""

    model: FakeModel
    writer: FakeModel

    def resolve(self, name: str) -> ModelClient:
        """The writer or the other."""
        return self.writer if name == "fast" else self.model


SUMMARY = say("All was well.", usage=Usage(900, 20))


@asynccontextmanager
async def scene(
    *turns: list[Part],
    summaries: Sequence[list[Part]] | None = None,
    results: Sequence[int] = (),
    settings: Settings | None = None,
    window: int | None = WINDOW,
    limits: Limits | None = None,
    clock: FakeClock | None = None,
    others: Sequence[Feature] = (),
    behind: Callable[[Session], Sequence[Feature]] = lambda session: (),
) -> AsyncIterator[Scene]:
    """The scene; `results` are how many tokens the results of `look` have, one after the other."""
    model = FakeModel(list(turns), info=ModelInfo("small", context_window=window))
    writer = FakeModel([SUMMARY] * 50 if summaries is None else list(summaries), info=ModelInfo("writer"))
    models = Models(model, writer)
    left, time = list(results), clock or FakeClock()

    async def next_result(context: object) -> None:
        look.text = of(left.pop(0)) if left else "found"

    look = FakeTool("look", body=next_result, description="The tool look. It looks.")

    def build_run(session: Session, admitted: Admitted) -> RunSetup:
        room = build(settings or Settings(), models, SessionLog(session.log), time, RunInfo(), HookPoints())
        tools = Feature(name="tools", tools=(look,))
        return RunSetup((*others, room, *behind(session), tools), models, NOWHERE, limits or Limits())

    async with Sessions(MemoryStore(), build_run, time) as sessions:
        made = Scene(await sessions.create("/project"), model, writer)
        made.seen.listen(made.session)
        yield made
        state, entries = made.session.state, list(made.session.log.journal.entries())
    await prove(entries, state, build_run)

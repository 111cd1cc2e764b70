"""Answers that go wrong, heard in any dialect, and whole runs with such a model."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from agls.engine.facts import Admitted, Entry, Transient
from agls.engine.feature import Feature, RunSetup
from agls.engine.ports import Effect, Tool
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Limits, Text, ToolCall, ToolOutcome
from agls.models.endpoint import DialectName, Endpoint
from agls.models.resolver import Models
from agls.models.retry import RetryPolicy
from agls.stores.memory import MemoryStore
from support.model_asking import Asking, Heard, hear
from support.model_dialects import Said
from support.model_server import Answer, ModelServer, Raw
from support.rooms import FakeDoer
from support.scenario import NOWHERE, FakeClock


async def _at_once(seconds: float) -> None:
    """No pause."""


QUICK = RetryPolicy(tries=3, sleep=_at_once)
KEY = "sk-canary-1234567890"
HELLO = Said("Grüße 😀 an alle", [("c1", "read", '{"path":"ä"}')], usage=(7, 3))


async def heard_of(dialect: DialectName, *answers: Answer, **more: Any) -> tuple[Heard, ModelServer]:
    """What a client hears of these answers, and the server that gave them. `more` is of its endpoint."""
    async with ModelServer(answers) as server, Asking() as asking:
        return await hear(asking.model(server.url, QUICK, dialect=dialect, **more)), server


def raw(dialect: DialectName, said: Said = HELLO, **more: Any) -> Raw:
    """The answer as it goes over the wire."""
    return Raw(said.events(dialect), **more)


def check_hello(heard: Heard) -> None:
    """`HELLO` came, all of it."""
    assert heard.reply, heard.error
    assert (heard.text, heard.reply.text) == ("Grüße 😀 an alle",) * 2
    (call,) = heard.reply.tool_calls
    assert (call.call_id, call.name, call.arguments, call.malformed) == ("c1", "read", {"path": "ä"}, "")
    assert (heard.reply.finish, heard.reply.usage.input_tokens, heard.reply.usage.output_tokens) == (
        "tool_calls", 7, 3
    )  # fmt: skip


@dataclass(frozen=True)
class Ran:
    """A run that is over: the state, what its tool was called with, and the server that it asked."""

    state: State
    done: Sequence[JsonObject]
    server: ModelServer

    @property
    def ended(self) -> str:
        """The reason and, for errors, the kind."""
        assert self.state.stop
        return f"{self.state.stop.reason} {self.state.stop.kind}".strip()


async def run_with(
    dialect: DialectName,
    answers: Sequence[Answer] | Callable[[Any], Answer],
    *,
    features: Sequence[Feature] = (),
    limits: Limits | None = None,
    body: Callable[[ToolCall], ToolOutcome] = lambda call: ToolOutcome("ok"),
) -> Ran:
    """A whole run with one tool, `read`, and a model that answers so."""
    tool = FakeDoer("read", Effect.READS, outcome=body)
    rooms = (*features, with_tools(tool))
    async with ModelServer(answers) as server, opened(server, dialect, rooms, limits) as session:
        admission = await session.prompt((Text("go"),))
        await session.finished(admission.run_id)
        return Ran(session.state, tool.done, server)


def heard_from(session: Session) -> list[Transient]:
    """What is shown of a session from now on."""
    shown: list[Transient] = []

    def look(event: Entry | Transient, state: State) -> None:
        if not isinstance(event, Entry):
            shown.append(event)

    session.log.subscribe(look)
    return shown


def with_tools(*tools: Tool) -> Feature:
    """A feature that is nothing but tools."""
    return Feature(name="tools", tools=tools)


@asynccontextmanager
async def opened(
    server: ModelServer, dialect: DialectName, features: Sequence[Feature] = (), limits: Limits | None = None
) -> AsyncGenerator[Session]:
    """A session whose model is at this server."""
    endpoint = Endpoint(name="m", model="test-model", base_url=server.url, dialect=dialect)
    models = Models([endpoint], policy=RetryPolicy(tries=3, first=0.01))

    def build_run(session: Session, admitted: Admitted) -> RunSetup:
        return RunSetup(tuple(features), models, NOWHERE, limits or Limits())

    try:
        async with Sessions(MemoryStore(), build_run, FakeClock()) as sessions:
            yield await sessions.create("/project")
    finally:
        await models.aclose()

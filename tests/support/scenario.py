"""Engine scenarios: a scripted model in, facts out, through one `check`.

A scenario says what the model does turn by turn, which features and tools there are, and what
happens meanwhile. `check` runs it through real `Sessions` and proves, for every scenario, that the
state is the fold of the journal at every cut point, and that a crash at any of them leaves a
session whose calls all have their results.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

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
    ModelDelta,
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
    TextDelta,
    ToolFinished,
    ToolStarted,
    Transient,
    TurnStarted,
    Unknown,
    Used,
)
from agls.engine.feature import Feature, RunSetup
from agls.engine.ports import (
    Effect,
    ModelClient,
    ModelError,
    ModelInfo,
    ModelRequest,
    Preview,
    Reply,
    ToolContext,
    ToolSpec,
)
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import State, fold, fold_all
from agls.engine.vocabulary import (
    AssistantMessage,
    Content,
    JsonObject,
    Limits,
    Message,
    Stop,
    StopReason,
    Text,
    TokenCount,
    ToolCall,
    ToolOutcome,
    ToolResult,
    Usage,
)
from agls.stores.memory import MemoryStore
from support.journal_rules import check_entries
from support.pairing import broken_rules
from support.patience import PATIENCE, become

Part = ModelDelta | Reply | BaseException | Callable[[], Awaitable[None]]


@dataclass
class FakeModel:
    """Plays its turns in order. A part is yielded, raised, or awaited."""

    turns: list[list[Part]]
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])
    closed: int = 0
    info: ModelInfo = field(default_factory=lambda: ModelInfo("fake"))
    has_tokenizer: bool = False

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta | Reply, None]:
        """The next turn."""
        self.requests.append(request)
        try:
            for part in self.turns.pop(0):
                if isinstance(part, BaseException):
                    raise part
                if isinstance(part, TextDelta | Replied):
                    yield _named(part, request.reply_id)
                elif callable(part):
                    await part()
                else:
                    yield part
        finally:
            self.closed += 1

    async def count(self, request: ModelRequest) -> TokenCount:
        """One token a message."""
        return TokenCount(len(request.messages), "guess")

    async def tokens_of(self, texts: Sequence[str]) -> int | None:
        """Count words with a tokenizer of words, where `has_tokenizer`."""
        return sum(len(text.split()) for text in texts) if self.has_tokenizer else None

    def resolve(self, name: str) -> ModelClient:
        """Every name is this model, except `nowhere`."""
        if name == "nowhere":
            raise ModelError("there is no model called 'nowhere'", kind="modelNotFound", hint="Use 'fake'.")
        return self


def _named(part: TextDelta | Replied, reply_id: str) -> ModelDelta | Replied:
    if isinstance(part, TextDelta):
        return TextDelta(reply_id, part.text)
    return Replied(reply_id, *[getattr(part, name) for name in REPLIED_FIELDS])


REPLIED_FIELDS = ("text", "thinking", "tool_calls", "finish", "usage", "cost", "model", "opaque")


def say(text: str = "done", finish: Any = "stop", usage: Usage | None = None) -> list[Part]:
    """A turn that says something and ends."""
    return [TextDelta("", text), Replied("", text, finish=finish, usage=usage or Usage())]


def call(*calls: tuple[str, str], text: str = "") -> list[Part]:
    """A turn that calls tools: (call id, tool name) each."""
    made = tuple(ToolCall(call_id, name, {}) for call_id, name in calls)
    return [Replied("", text, tool_calls=made, finish="tool_calls")]


def overflow() -> list[Part]:
    """A turn whose request did not fit."""
    return [Overflowed("too long", limit=100, used=120)]


@dataclass
class FakeTool:
    """A tool that runs `body` and gives `text`."""

    name: str
    effects: frozenset[Effect] = frozenset({Effect.READS})
    body: Callable[[ToolContext], Awaitable[None]] | None = None
    text: str = "ok"
    ran: int = 0
    description: str = ""

    @property
    def spec(self) -> ToolSpec:
        """Its name and effects."""
        return ToolSpec(
            self.name, self.description or f"The tool {self.name}.", {"type": "object"}, self.effects
        )

    async def preview(self, call: ToolCall, context: ToolContext) -> Preview:
        """Its name is all there is to know."""
        return Preview(self.name, {"type": "tool", "name": self.name, "input": call.arguments})

    async def __call__(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Run the body."""
        self.ran += 1
        if self.body:
            await self.body(context)
        return ToolOutcome(self.text)


class FakeClock:
    """Time that goes on by one second whenever somebody looks."""

    def __init__(self) -> None:
        self._now = 1_000_000.0

    def now(self) -> float:
        """One second later than before."""
        self._now += 1
        return self._now

    monotonic = now


@dataclass
class Meanwhile:
    """What a scenario can do while a run is running."""

    session: Session
    sessions: Sessions
    model: FakeModel

    async def until(self, seen: Callable[[Entry | Transient], bool]) -> None:
        """Wait for an event (from now on)."""
        happened = asyncio.Event()

        def look(event: Entry | Transient, state: State) -> None:
            if seen(event):
                happened.set()

        leave = self.session.log.subscribe(look)
        try:
            await asyncio.wait_for(happened.wait(), PATIENCE)
        finally:
            leave()

    async def until_fact(self, kind: type[Fact]) -> None:
        """Wait for a fact of this kind."""
        await self.until(lambda event: isinstance(event, Entry) and isinstance(event.fact, kind))


async def check(
    *turns: list[Part],
    facts: Sequence[str] | None,
    features: Sequence[Feature] | Callable[[Session], Sequence[Feature]] = (),
    meanwhile: Callable[[Meanwhile], Awaitable[None]] | None = None,
    limits: Limits | None = None,
    options: JsonObject | None = None,
    attended: bool = False,
) -> State:
    """Run one prompt through the engine and compare the facts after its admission with `facts`."""
    model, store = FakeModel(list(turns)), MemoryStore()

    def build_run(session: Session, admitted: Admitted) -> RunSetup:
        made = features(session) if callable(features) else features
        return RunSetup(tuple(made), model, NOWHERE, limits or Limits())

    async with Sessions(store, build_run, FakeClock()) as sessions:
        session = await sessions.create("/project", options=options)
        if attended:
            session.questions.attend(True)
        scene = Meanwhile(session, sessions, model)
        watching = asyncio.ensure_future(meanwhile(scene) if meanwhile else asyncio.sleep(0))
        await asyncio.sleep(0)  # let it subscribe first
        admission = await session.prompt((Text("go"),))
        try:
            await session.finished(admission.run_id)
        finally:
            await watching
        state, entries = session.state, list(session.log.journal.entries())
    if facts is not None:
        assert described(entries)[2:] == facts
    assert model.closed == len(model.requests), "every stream is closed"
    await prove(entries, state, build_run)
    return state


async def prove(entries: Sequence[Entry], state: State, build_run: Any) -> None:
    """The property: fold(journal) == state at every cut, and every cut can be opened again whole."""
    assert fold_all(entries) == state
    check_entries(entries)
    assert not state.calls
    assert not state.questions
    assert paired(state.transcript)
    partial = State()
    for index, entry in enumerate(entries, 1):
        partial = fold(partial, entry)
        store = MemoryStore()
        journal = store.create("ses_cut")
        journal.append(*entries[:index])
        journal.close()
        async with Sessions(store, build_run, FakeClock()) as sessions:
            session = await sessions.open("ses_cut")
            assert not session.state.running
            assert not session.state.calls
            assert not session.state.questions
            assert paired(session.state.transcript)
            assert list(broken_rules(session.state.context.messages)) == []
            assert fold_all(session.log.journal.entries()) == session.state
    assert partial == state


async def asked(session: Session, times: int = 1) -> None:
    """Wait until the model was asked so many times."""

    def turns() -> int:
        return sum(isinstance(entry.fact, TurnStarted) for entry in session.log.journal.entries())

    await become(lambda: turns() >= times)


def paired(messages: Sequence[Message]) -> bool:
    """Whether every call has exactly one result, right behind its reply and in its order."""
    expected: list[str] = []
    for message in messages:
        if isinstance(message, ToolResult):
            if not expected or expected.pop(0) != message.call_id:
                return False
        elif expected:
            return False
        elif isinstance(message, AssistantMessage):
            expected = [call.call_id for call in message.tool_calls]
    return not expected


def described(entries: Sequence[Entry]) -> list[str]:
    """The facts in one line each, without ids and times; messages that are taken in by their words."""
    said: dict[str, str] = {}
    prompts: dict[str, str] = {}
    lines: list[str] = []
    for entry in entries:
        match entry.fact:
            case Admitted(run_id, item_id, content):
                prompts[run_id] = item_id
                said[item_id] = f"user: {words(content)}"
            case Steered(item_id=item_id, content=content, origin=origin):
                said[item_id] = f"{origin}: {words(content)}"
            case _:
                pass
        if not isinstance(entry.fact, TakenIn):
            lines.append(describe(entry.fact))
        match entry.fact:
            case RunStarted(run_id) if entry.fact.took(prompts.get(run_id, "")) and run_id in prompts:
                lines.append(f"took in {said[prompts[run_id]]}")
            case TakenIn(item_ids):
                lines.append("took in " + ", ".join(said[item_id] for item_id in item_ids))
            case _:
                pass
    return lines


def describe(fact: Fact) -> str:  # noqa: PLR0911, PLR0912, C901 - one line per kind of fact
    """A fact in one line without ids and times."""
    match fact:
        case SessionChanged(cwd, title, options=options):
            return f"session {cwd}{title}{options or ''}"
        case Admitted(content=content):
            return f"admitted {words(content)}"
        case QueueChanged(run_ids):
            return f"queue of {len(run_ids)}"
        case RunStarted():
            return "run started"
        case Steered(content=content):
            return f"steered {words(content)}"
        case TakenIn(item_ids):
            return f"took in {len(item_ids)}"
        case Injected(messages):
            return "injected " + ", ".join(f"{m.origin}: {words(m.content)}" for m in messages)
        case TurnStarted():
            return "turn"
        case Replied(text=text, tool_calls=calls):
            return " ".join(["replied", text or "-", *(f"{c.name}({c.call_id})" for c in calls)])
        case Cut(text=text, cause=cause):
            return f"cut {cause} {text or '-'}"
        case Overflowed(message):
            return f"overflowed {message}"
        case Used(by):
            return f"used by {by}"
        case ToolStarted(call_id):
            return f"started {call_id}"
        case ToolFinished(call_id, outcome):
            return f"finished {call_id} {outcome.status}: {outcome.text}"
        case Asked(_, question):
            return f"asked {question.title}"
        case Answered(_, answer):
            return f"answered {answer.outcome}"
        case Compacted(_, summary, keep_from):
            return f"compacted to {summary!r} keeping from {keep_from}"
        case Cleared(_, call_ids):
            return f"cleared {', '.join(call_ids)}"
        case Expanded(undoes=undoes):
            return f"undid the summary {undoes}"
        case Rewound(_, item_id, keep, undoes):
            return f"rewound to {item_id} keeping {keep} undoing {undoes}"
        case PhaseStarted(name):
            return f"phase {name}"
        case LimitsChanged(limits):
            return f"limits {limits.max_turns}"
        case Noted(feature, kind):
            return f"noted {feature}.{kind}"
        case RunEnded(_, stop):
            return f"ended {stop.reason}" + (f" [{stop.kind}]" if stop.kind else "")
        case Unknown(kind):
            return f"unknown {kind}"


def words(content: Sequence[Content]) -> str:
    """The text of a message."""
    return " ".join(part.text for part in content if isinstance(part, Text))


def stop_with(reason: StopReason) -> Stop:
    """A stop to give, with a detail that says where it came from."""
    return Stop(reason, "by the scenario")


class FakeWorkspace:
    """Scenarios have no files; a tool that wanted some would fail loudly."""

    root = "/project"
    roots = ("/project",)

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"a scenario used the workspace: {name}")


NOWHERE: Any = FakeWorkspace()

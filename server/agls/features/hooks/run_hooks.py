"""Hooks at the beginning and the end of runs, between turns, and beside questions and summaries."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise, takewhile

from agls.engine.facts import Asked, Compacted, Entry, GateFact, Injected, Notice, Replied
from agls.engine.feature import Attempt, RunView
from agls.engine.ports import new_id, process_id
from agls.engine.state import State
from agls.engine.vocabulary import (
    AssistantMessage,
    JsonObject,
    Message,
    Stop,
    StopReason,
    Text,
    ToolResult,
    UserMessage,
)
from agls.features.hooks.events import ROOM, EventHooks
from agls.features.hooks.offered_hook import OfferedHook, event_named
from agls.features.hooks.settings import Event
from agls.features.hooks.spelling import agent_names_of, notice_names_of
from agls.features.hooks.tool_hooks import as_input, response
from agls.room.offers import Consents
from agls.room.run_ports import NO_OBJECTION, HookVerdict, RunInfo

STARTED, CONTINUED = "started", "continued"
MOST_CONTINUED = 8  # times in a row, without a call of a tool between
MOST_IN_RUN = 200
PUT_OFF = (
    "The run ends, whatever its hooks say",
    f"They put its end off {MOST_CONTINUED} times in a row without a call of a tool between, or {MOST_IN_RUN}"
    " times. To go on, give another prompt.",
)
INACTIVE = "Hooks that this folder offers do not run"
LAST_S = 3.0  # seconds that the end of a run waits for the hooks beside it
FINE = frozenset({StopReason.END_TURN, StopReason.CANCELLED, StopReason.KILLED})


class RunHooks:
    """Lets the hooks see one run."""

    def __init__(
        self, hooks: EventHooks, run: RunInfo, offered: Sequence[OfferedHook], consents: Consents
    ) -> None:
        self._hooks, self._run = hooks, run
        self._offered, self._consents = offered, consents
        self._view: RunView | None = None
        self._beside_run: list[asyncio.Event] = []  # set when the hooks beside the run have ended

    async def around_run(self, attempt: Attempt, view: RunView) -> Stop:
        """Do the run, let the hooks see a failure, and let those beside it come to their end."""
        self._view = view
        stop = await attempt()
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_S):
                for ended in self._beside_run:
                    await ended.wait()
        if stop.reason not in FINE:
            data: JsonObject = {"reason": stop.reason.value, "error": stop.detail}
            await self._hooks.answer("StopFailure", (stop.reason.value,), data, view)
        return stop

    async def before_turn(self, view: RunView) -> Sequence[Stop | GateFact]:
        """Let the hooks see the beginning of the session or of a helper, and the last turn's calls."""
        state = view.state
        if not state.running:  # a request that is only shown
            return ()
        if state.run.turns:
            text = "" if self._run.works_for else await self._begun(view)
            return [*([Injected((_message(text),))] if text else ()), *await self._after_calls(view)]
        await self._settle(view)
        said: list[str] = []
        if self._run.works_for:
            names = agent_names_of(self._run.agent)
            said.append(await self._context("SubagentStart", names, {"agent_type": names[0]}, view))
        else:
            said.append(await self._begun(view))
        return [Injected((_message(text),)) for text in said if text]

    async def _begun(self, view: RunView) -> str:
        """Let the hooks see that the session begins, or that its model begins with less than was said.

        **Returns** what they say.
        """
        state, session = view.state, self._run.session_id
        source = source_of(state, session)
        if not source:
            return ""
        seen: JsonObject = {"summaries": len(state.summaries), "rewinds": len(state.rewinds)}
        view.note(ROOM, STARTED, {"process": process_id(), "session": session, **seen})
        data: JsonObject = {"source": source, "model": self._run.model}
        return await self._context("SessionStart", (source,), data, view)

    async def at_point(self, event: str, subjects: Sequence[str], data: JsonObject) -> HookVerdict:
        """Let the hooks see what another room is about to do, or did, in the run or while none is there."""
        known = event_named(event)
        if not self._view:
            await self._hooks.join_given(self._offered, known)
        if not self._hooks.has(known):
            return NO_OBJECTION
        from agls.features.hooks.session_view import SessionView  # noqa: PLC0415 - few have such a hook

        view = self._view or SessionView(self._hooks.runner.ports)
        answer = await self._hooks.answer(known, subjects, data, view)
        against = answer.decision == "deny" or answer.stop
        objection = f"The hook {answer.by} is against it: {answer.reason or answer.stop}" if against else ""
        return HookVerdict(objection, answer.context, answer.reply, answer.by)

    async def before_stop(self, reply: Replied, view: RunView) -> Sequence[Injected]:
        """Let the hooks see the end, which they may put off."""
        event: Event = "SubagentStop" if self._run.works_for else "Stop"
        state = view.state
        notes = state.notes.get(ROOM, ())
        times = sum(note.kind == CONTINUED and note.data["run"] == state.run_id for note in notes)
        if times >= MOST_IN_RUN or _in_a_row(state.transcript) >= MOST_CONTINUED:
            view.show(Notice("warning", *PUT_OFF))
            return ()
        data: JsonObject = {
            "stop_hook_active": times > 0,
            "last_assistant_message": reply.text,
            "agls_continued": times,
            "agls_prompt": _prompt(state),
        }
        answer = await self._hooks.answer(event, agent_names_of(self._run.agent), data, view)
        if answer.decision != "deny" or answer.stop or answer.is_failure:  # no model can mend a hook
            return ()
        view.note(ROOM, CONTINUED, {"run": state.run_id})
        return (Injected((_message(f"The hook {answer.by} says: {answer.reason}"),)),)

    def on_fact(self, entry: Entry, state: State) -> None:
        """Let the hooks see questions and summaries, beside the run."""
        match entry.fact:
            case Asked(_, question):
                kind = f"{question.kind}_prompt"
                data: JsonObject = {"message": question.title, "notification_type": kind}
                self._beside("Notification", notice_names_of(kind), data)
            case Compacted(summary=summary, cause=cause):
                trigger = "manual" if cause == "asked" else "auto"
                data = {"trigger": trigger, "compact_summary": summary}
                self._beside("PostCompact", (trigger,), data)
            case _:
                pass

    async def _settle(self, view: RunView) -> None:
        """Let those of a folder join that the user consented to, or consents to now."""
        inactive: list[str] = []
        for each in self._offered:
            if await self._consents.settle(each.offer):
                self._hooks.join(each)
            else:
                inactive.append(each.offer.name)
        if inactive:
            view.show(Notice("warning", INACTIVE, f"You did not consent to: {', '.join(inactive)}"))

    async def _after_calls(self, view: RunView) -> Sequence[Stop | GateFact]:
        calls = last_calls(view.state)
        if not calls:
            return ()
        answer = await self._hooks.answer("PostToolBatch", (), {"tool_calls": calls}, view)
        if answer.decision == "deny":
            return (Stop(StopReason.GUARD, f"The hook {answer.by} ended the run: {answer.reason}"),)
        return [Injected((_message(answer.context),))] if answer.context else ()

    async def _context(self, event: Event, subjects: Sequence[str], data: JsonObject, view: RunView) -> str:
        answer = await self._hooks.answer(event, subjects, data, view)
        return f"The hook {answer.by} says: {answer.context}" if answer.context else ""

    def _beside(self, event: Event, subjects: Sequence[str], data: JsonObject) -> None:
        if self._view and self._hooks.has(event):
            ended = asyncio.Event()
            self._beside_run.append(ended)
            self._view.spawn(self._shown(event, subjects, data, self._view, ended), "run")

    async def _shown(
        self, event: Event, subjects: Sequence[str], data: JsonObject, view: RunView, ended: asyncio.Event
    ) -> None:
        try:
            await self._hooks.answer(event, subjects, data, view)
        finally:
            ended.set()


def has_begun_here(state: State) -> bool:
    """**Returns** whether the hooks saw the session begin in this process."""
    return _last_beginning(state).get("process") == process_id()


def source_of(state: State, session: str) -> str:
    """**Returns** how the session, or what its model sees, began for hooks: "" when they saw that."""
    last = _last_beginning(state)
    is_fork = state.parent and not state.parent_item
    if is_fork and last.get("session") != session:
        return "fork"
    if last.get("process") != process_id():
        return "resume" if _has_answer(state.transcript) else "startup"
    if len(state.summaries) > last.get("summaries", 0):
        return "compact"
    is_clear = len(state.rewinds) > last.get("rewinds", 0) and not _has_answer(state.context.messages)
    return "clear" if is_clear else ""


def _last_beginning(state: State) -> JsonObject:
    started = [note.data for note in state.notes.get(ROOM, ()) if note.kind == STARTED]
    return started[-1] if started else {}


def _has_answer(messages: Sequence[Message]) -> bool:
    return any(isinstance(each, AssistantMessage) for each in messages)


def _prompt(state: State) -> str:
    """Return what the run was asked."""
    content = state.admitted.content if state.admitted else ()
    return "\n".join(part.text for part in content if isinstance(part, Text))


def last_calls(state: State) -> Sequence[JsonObject]:
    """Return the calls of the last answer that have a result, as hooks get them with it."""
    messages = reversed(state.transcript)
    last = next((each for each in messages if isinstance(each, AssistantMessage)), None)
    if last is None:
        return ()
    results = {each.call_id: each for each in state.transcript if isinstance(each, ToolResult)}
    return [
        {**as_input(call), **response(result.text, result.status)}
        for call in last.tool_calls
        if (result := results.get(call.call_id))
    ]


def _message(text: str) -> UserMessage:
    return UserMessage(new_id("item"), (Text(text),), ROOM)


def _in_a_row(messages: Sequence[Message]) -> int:
    """Return how often hooks put the end off since the agent last called a tool."""
    recent = takewhile(lambda message: not isinstance(message, ToolResult), reversed(messages))
    return sum(
        isinstance(message, UserMessage) and message.origin == ROOM and isinstance(before, AssistantMessage)
        for message, before in pairwise(recent)
    )

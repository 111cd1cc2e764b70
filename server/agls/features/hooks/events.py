"""The hooks of a run by what happens: run, recorded, and shown where the user should know."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, Literal, Protocol

from agls.engine.facts import Notice, Transient
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Stop, StopReason
from agls.features.hooks.answers import NOTHING, HookAnswer
from agls.features.hooks.hook import Hook
from agls.features.hooks.offered_hook import OfferedHook
from agls.features.hooks.runner import HookRunner, answer_of
from agls.features.hooks.settings import Event
from agls.room.offers import Consents, Offer

ROOM, RAN = "hooks", "ran"
CHANGED = "A hook of this folder no longer runs"
ASKED_AGAIN = "{} is no longer what you consented to, or you withdrew that. The next prompt asks about it."


class Witness(Protocol):
    """What happens is recorded and shown through this: the run, or the session where there is none."""

    @property
    def state(self) -> State: ...
    def note(self, feature: str, kind: str, data: JsonObject) -> None: ...
    def show(self, event: Transient) -> None: ...
    def stop(self, stop: Stop) -> None: ...
    def spawn(self, work: Coroutine[Any, Any, None], scope: Literal["run", "session"]) -> None: ...


class EventHooks:
    """The hooks of a run, and what runs them. Those that a folder offers join when the user consents.

    A consent is for the files as they were: it is looked at again before each start.
    """

    def __init__(self, hooks: Sequence[Hook], runner: HookRunner, consents: Consents) -> None:
        self.hooks = list(hooks)
        self.runner = runner
        self._consents, self._offers = consents, dict[Hook, Offer]()

    def join(self, offered: OfferedHook) -> None:
        """Let one join that the user consented to."""
        self.hooks.append(offered.hook)
        self._offers[offered.hook] = offered.offer

    async def join_given(self, offered: Sequence[OfferedHook], event: Event) -> None:
        """Let those for an event join whose consents are given: the user is not asked now."""
        for each in offered:
            if (
                each.hook.setting.event == event
                and each.hook not in self._offers
                and await asyncio.to_thread(self._is_given, each.offer)
            ):
                self.join(each)

    def _is_given(self, offer: Offer) -> bool:
        return self._consents.look(offer).is_given

    def has(self, *events: Event) -> bool:
        """**Returns** whether there is a hook for one of these events."""
        return any(hook.setting.event in events for hook in self.hooks)

    async def answer(
        self, event: Event, subjects: Sequence[str], data: JsonObject, view: Witness
    ) -> HookAnswer:
        """Run the hooks of this event, and record that. **Returns** what they answered together."""
        hooks = self._due(event, subjects, data, view.state)
        waited_for = [hook for hook in hooks if not hook.setting.background]
        beside = [hook for hook in hooks if hook.setting.background]
        if beside:
            view.spawn(self._beside(beside, event, data, view), "run")
        answer = await self._record(waited_for, event, data, view) if waited_for else NOTHING
        if answer.stop:
            view.stop(Stop(StopReason.GUARD, f"The hook {answer.by} ended the run: {answer.stop}"))
        return answer

    async def _record(
        self, hooks: Sequence[Hook], event: Event, data: JsonObject, view: Witness
    ) -> HookAnswer:
        hooks = [hook for hook in hooks if await self._holds(hook, view)]
        ran = await self.runner.ran(hooks, event, data, view.state)
        for each in ran:
            view.note(ROOM, RAN, each.note(event))
            if each.problem:
                view.show(Notice("warning", "A hook failed", f"{each.hook.name}: {each.problem}"))
            elif each.answer.message:
                view.show(Notice("info", f"The hook {each.hook.name}", each.answer.message))
        return answer_of(ran)

    async def _beside(self, hooks: Sequence[Hook], event: Event, data: JsonObject, view: Witness) -> None:
        await self._record(hooks, event, data, view)

    async def _holds(self, hook: Hook, view: Witness) -> bool:
        """**Returns** whether a hook is what the user consented to; one that is not leaves."""
        offer = self._offers.get(hook)
        if offer is None or await asyncio.to_thread(self._consents.holds, offer):
            return True
        if hook in self.hooks:
            self.hooks.remove(hook)
            view.show(Notice("warning", CHANGED, ASKED_AGAIN.format(offer.name)))
        return False

    def _due(self, event: Event, subjects: Sequence[str], data: JsonObject, state: State) -> Sequence[Hook]:
        ran = ran_in(state)
        matching = [
            hook
            for hook in self.hooks
            if hook.matches(event, *subjects) and self.runner.is_wanted(hook, subjects, data)
        ]
        return [hook for hook in matching if not (hook.setting.once and hook.digest in ran)]


def ran_in(state: State) -> frozenset[str]:
    """**Returns** the digests of the hooks that ran in a session."""
    return frozenset(note.data["hook"] for note in state.notes.get(ROOM, ()) if note.kind == RAN)

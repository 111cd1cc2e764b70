"""From phase to phase: the first as a run begins, each further one when the model has no more to say."""

from collections.abc import Sequence

from agls.engine.facts import GateFact, Injected, Notice, PhaseStarted, Replied
from agls.engine.feature import RunView
from agls.engine.ports import new_id
from agls.engine.vocabulary import Stop, StopReason, Text, UserMessage
from agls.features.phases.progress import (
    BEGUN,
    ENDED,
    ROOM,
    RUN,
    Progress,
    filled,
    is_in_transcript,
    last_said,
    last_words_of,
    progress_in,
)
from agls.features.phases.settings import PhaseSettings

USED_UP = "The phase {} has used its {} turns."


class Steps:
    """The phases of one run; each begins with the agent's system prompt."""

    def __init__(self, phases: Sequence[PhaseSettings]) -> None:
        self._phases = phases
        self._now = -1  # the number of the phase, -1 before the first gate
        self._since = 0  # the turns of the session before the phase
        self._base = ""

    async def before_turn(self, view: RunView) -> Sequence[Stop | GateFact]:
        """Begin, or go on in the phase in which the run was cut off; later only watch its limit."""
        begun = self._begin(view) if self._now < 0 else ()
        return (*begun, *self._used_up(view))

    async def before_stop(self, reply: Replied, view: RunView) -> Sequence[Injected | PhaseStarted]:
        """End the phase, and begin the next one; after the last one the run is over."""
        if self._now + 1 >= len(self._phases) or reply.finish in {"refusal", "content_filter"}:
            return ()
        view.note(ROOM, ENDED, {"phase": self._phases[self._now].name, "itemId": reply.item_id})
        return self._enter(self._now + 1, view)

    def _begin(self, view: RunView) -> Sequence[Stop | GateFact]:
        state = view.state
        self._base = state.context.system
        recovers = state.admitted.recovers if state.admitted else ""
        asked = last_said(state)
        view.note(ROOM, RUN, {"runId": state.run_id, "recovers": recovers, "asked": asked})
        ended = _progress(view).ended
        left = [number for number, phase in enumerate(self._phases) if phase.name not in ended]
        return self._enter(left[0] if left else len(self._phases) - 1, view)

    def _enter(self, number: int, view: RunView) -> list[Injected | PhaseStarted]:
        """Return the facts that begin the phase; its prompt is sent once, also when the run is continued."""
        self._now, phase = number, self._phases[number]
        progress = _progress(view)
        own = filled(phase.system, progress, view.state)
        system = f"{self._base}\n\n# Phase: {phase.name}\n{own}" if own else self._base
        started = PhaseStarted(phase.name, system, phase.tier, phase.tools)
        item_id, turns = progress.begun.get(phase.name, ("", view.state.total.turns))
        self._since = turns
        if item_id and is_in_transcript(item_id, view.state):
            return [started]
        item_id = new_id("item")
        view.note(ROOM, BEGUN, {"phase": phase.name, "itemId": item_id, "turns": turns})
        prompt = filled(phase.prompt, progress, view.state)
        return [started, Injected((UserMessage(item_id, (Text(prompt),), ROOM),))]

    def _used_up(self, view: RunView) -> Sequence[Stop | GateFact]:
        """Let a phase without turns left hand over to the next one; the last one ends the run."""
        phase = self._phases[self._now]
        if phase.max_turns is None or view.state.total.turns - self._since < phase.max_turns:
            return ()
        why = USED_UP.format(phase.name, phase.max_turns)
        if self._now + 1 >= len(self._phases):
            return (Stop(StopReason.MAX_TURNS, why),)
        view.show(Notice("warning", why, f"The phase {self._phases[self._now + 1].name} goes on from there."))
        last = last_words_of(phase.name, _progress(view), view.state)
        view.note(ROOM, ENDED, {"phase": phase.name, "itemId": last})
        return self._enter(self._now + 1, view)


def _progress(view: RunView) -> Progress:
    return progress_in(view.state.notes.get(ROOM, ()))

"""The watch over one run: when the critic wakes, and what its verdicts do."""

import asyncio
import logging
from dataclasses import replace

from agls.engine.facts import Entry, LimitsChanged, Steered, Transient, Used
from agls.engine.feature import RunView
from agls.engine.limits import tightest
from agls.engine.ports import ModelError, ModelResolver, new_id
from agls.engine.state import State
from agls.engine.vocabulary import Limits, Stop, StopReason, Text
from agls.features.critic.model_verdict import ROOM, ask, can_pay
from agls.features.critic.settings import Settings
from agls.features.critic.verdicts import Look, Occasion, Verdict, by_rules
from agls.frozen import frozen
from agls.timer import Timer

_log = logging.getLogger(__name__)


@frozen(kw_only=True)
class Means:
    """What a critic works with: `most` is above all that it may give, `ceiling` (seconds) above all time."""

    settings: Settings
    models: ModelResolver
    most: Limits
    ceiling: float


class Watch:
    """Wakes when nothing happens for a while, or when the run's time is over, and follows the verdict.

    All times are seconds since the run began, those of open questions not counted.
    """

    def __init__(self, means: Means, view: RunView) -> None:
        self._means = means
        self._settings = means.settings
        self._view = view
        self._soft = view.state.limits.max_seconds
        self._ceiling = max(means.ceiling, self._soft or 0.0)
        self._ring, self._over = asyncio.Event(), False
        self._timer = Timer(self._ring.set)
        self._active = self._looked = 0.0  # when something happened last, when the critic looked last
        self._fruitless = 0  # looks since then
        self._move(max(self._settings.deadline or self._ceiling, self._soft or 0.0))
        self._set()

    async def keep(self) -> None:
        """Watch until it is cancelled. What goes wrong here ends nothing but the watch."""
        while True:
            await self._ring.wait()
            self._ring.clear()
            if occasion := self._due():
                await self._judge(occasion)
            self._set()

    def see(self, event: Entry | Transient, state: State) -> None:
        """Something happened. While a question is open, time stands still."""
        if state.questions:
            self._timer.hold()
            return
        self._timer.go_on()
        if not (isinstance(event, Entry) and isinstance(event.fact, LimitsChanged | Used | Steered)):
            self._active, self._fruitless = self._timer.elapsed, 0

    async def look_at_turns(self) -> None:
        """If the turns of the run are used up, give it more when it does well."""
        limits, more = self._view.state.limits, self._settings.more_turns
        if not more or limits.max_turns is None or self._view.state.run.turns < limits.max_turns:
            return
        if (await self._verdict("turns")).action == "extend":
            self._limit(replace(self._view.state.limits, max_turns=limits.max_turns + more))

    def end(self) -> None:
        """Wake no more."""
        self._over = True
        self._timer.set(None)

    def _set(self) -> None:
        due = max(self._active, self._looked) + self._settings.wake_after
        soon = self._soft is not None and self._timer.elapsed < self._soft < due
        self._timer.set(None if self._over else self._soft if soon else due)

    def _due(self) -> Occasion | None:
        now = self._timer.elapsed
        if now - self._active >= self._settings.wake_after:
            self._fruitless += 1
            return "stalled"
        return "time" if self._soft is not None and now >= self._soft else None

    async def _judge(self, occasion: Occasion) -> None:
        self._looked, active = self._timer.elapsed, self._active
        verdict = await self._verdict(occasion)
        if self._over or (occasion == "stalled" and self._active != active):
            return  # it goes on by itself
        match verdict.action:
            case "nudge":
                said = (Text(verdict.text),)
                self._view.record(Steered(new_id("item"), self._view.state.run_id, said, origin=ROOM))
            case "extend":
                self._soft = self._timer.elapsed + self._settings.extend_by
                self._move(max(self._view.state.limits.max_seconds or 0.0, self._soft))
            case "kill":
                self._view.stop(Stop(StopReason.KILLED, verdict.text))
            case "wait":
                pass

    async def _verdict(self, occasion: Occasion) -> Verdict:
        state, now = self._view.state, self._timer.elapsed
        look = Look(occasion, now - self._active, self._fruitless, now, _doing(state))
        if self._settings.model and can_pay(state):
            try:
                verdict = await ask(self._means.models, self._settings.model, look, state, self._view.record)
            except (ModelError, TimeoutError) as problem:
                _log.info("the critic goes by its rules: %s", problem)
            else:
                if verdict:
                    return verdict
        return by_rules(look, self._settings)

    def _move(self, seconds: float) -> None:
        """Let the run end, at the latest, when it has taken so long."""
        self._limit(replace(self._view.state.limits, max_seconds=min(seconds, self._ceiling)))

    def _limit(self, limits: Limits) -> None:
        limits = tightest(limits, self._means.most)
        if limits != self._view.state.limits:
            self._view.record(LimitsChanged(limits))


def _doing(state: State) -> str:
    running = [open_call.call.name for open_call in state.calls.values() if open_call.started]
    return f"{', '.join(running)} is running" if running else "the model is being asked"

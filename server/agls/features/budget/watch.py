"""The seconds of a session, of a day, of a caller: a run that passes them ends, also amid an answer."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from agls.engine.facts import Answered, Asked, Entry
from agls.engine.feature import RunView
from agls.engine.state import State
from agls.features.budget.scopes import CLOCK, Scope
from agls.timer import Timer


class SecondsWatch:
    """Ends the run when the seconds of one of the scopes are over.

    While a question is open, time stands still. The run's own seconds are watched by `deadline`.
    """

    def __init__(self, scopes: Sequence[Scope]) -> None:
        self._scopes = scopes
        self._running: list[Timer] = []

    @contextmanager
    def on(self, view: RunView) -> Generator[None]:
        """Watch the run while the context is open."""
        timer = Timer(lambda: self._end(view))
        self._running.append(timer)
        self.set(view.state)
        try:
            yield
        finally:
            self._running.clear()
            timer.set(None)

    def set(self, state: State) -> None:
        """Take into account what is left now: others spend from the same day."""
        left = min((self._left(scope, state) for scope in self._limited(state)), default=None)
        for timer in self._running:
            timer.set(None if left is None else timer.elapsed + left)

    def on_fact(self, entry: Entry, state: State) -> None:
        """Let the time stand still while a question is open."""
        if isinstance(entry.fact, Asked | Answered):
            for timer in self._running:
                timer.hold() if state.questions else timer.go_on()

    def _end(self, view: RunView) -> None:
        state = view.state
        view.stop(min(self._limited(state), key=lambda scope: self._left(scope, state)).stop(CLOCK, state))

    def _limited(self, state: State) -> Sequence[Scope]:
        return [scope for scope in self._scopes if scope.limits(state).max_seconds is not None]

    def _left(self, scope: Scope, state: State) -> float:
        return (scope.limits(state).max_seconds or 0.0) - scope.used(state).seconds

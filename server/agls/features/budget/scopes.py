"""What limits hold for: a run, its session, a day, a caller on a day."""

from collections.abc import Callable, Iterator

from agls.engine.limits import KINDS, Kind, Totals, limited_kinds, tightest
from agls.engine.state import State
from agls.engine.vocabulary import Limits, Stop, StopReason
from agls.frozen import frozen
from agls.room.budgets import NO_LIMITS

TURNS, SECONDS = "max_turns", "max_seconds"
CLOCK = next(kind for kind in KINDS if kind.field == SECONDS)
COUNTED = frozenset({"max_tool_calls", "max_delegated_tasks"})  # refused one by one, not at the gate


@frozen
class Scope:
    """One thing that limits hold for: what it is called, its limits, what was used of them.

    `hint` says for a field of `Limits` how its limit is raised; the fields in `elsewhere` are not looked at
    before a model is asked.
    """

    name: str
    limits: Callable[[State], Limits]
    used: Callable[[State], Totals]
    hint: Callable[[str], str]
    elsewhere: frozenset[str] = COUNTED

    def is_used_up(self, kind: Kind, state: State) -> bool:
        """Return whether nothing of this kind is left."""
        most = getattr(self.limits(state), kind.field)
        return most is not None and kind.used(self.used(state)) >= most

    def stops(self, state: State) -> Iterator[Stop]:
        """Return why no model can be asked any more: one for each kind of which nothing is left."""
        used = self.used(state)
        for kind, most in limited_kinds(self.limits(state)):
            if kind.used(used) >= most and kind.field not in self.elsewhere:
                yield self.stop(kind, state)

    def stop(self, kind: Kind, state: State) -> Stop:
        """That nothing of this kind is left, with the numbers and what to do."""
        used, most = kind.used(self.used(state)), getattr(self.limits(state), kind.field)
        name = f" of {self.name}" if self.name else ""
        exact = round(used, 2) if kind is CLOCK else used
        text = f"The budget of {kind.label}{name} is used up: {exact:g} of {most:g}. {self.hint(kind.field)}"
        own_turns = kind.field == TURNS and not self.name
        return Stop(StopReason.MAX_TURNS if own_turns else StopReason.BUDGET, text)


def of_run() -> Scope:
    """Return the limits of the run, which are in its state.

    Its seconds are watched all the time (`deadline`).
    """

    def hint(field: str) -> str:
        return f"Raise the limit ({flag(field)}, or [budget] {field})."

    return Scope("", lambda state: state.limits, lambda state: state.run, hint, COUNTED | {SECONDS})


def of_session(limits: Limits, used: Callable[[State], Totals]) -> Scope:
    """Return the limits of the session; those of its turns may be in the state of the run."""

    def with_turns(state: State) -> Limits:
        turns = state.limits.max_session_turns
        return limits if turns is None else tightest(limits, Limits(max_turns=turns))

    def hint(field: str) -> str:
        option = f"maxSessionTurns ({flag('max_session_turns')}) or " if field == TURNS else ""
        return f"Begin a new session, or raise {option}[budget.session] {field}."

    return Scope("this session", with_turns, used, hint)


def of_day(limits: Limits, used: Callable[[State], Totals]) -> tuple[Scope, ...]:
    """Return the limits of a day, for everybody together, if there are any."""
    return _on_a_day("today", "[budget.day]", limits, used)


def of_caller(limits: Limits, used: Callable[[State], Totals], who: str) -> tuple[Scope, ...]:
    """Return the limits of a caller on a day, if there are any."""
    name = f"the caller {who} today" if who else "callers without a name today"
    return _on_a_day(name, "[budget.callers]", limits, used)


def _on_a_day(name: str, table: str, limits: Limits, used: Callable[[State], Totals]) -> tuple[Scope, ...]:
    def always(state: State) -> Limits:
        return limits

    def hint(field: str) -> str:
        return f"Raise {field} in {table}, or wait: a new day begins at 00:00 UTC."

    return (Scope(name, always, used, hint),) if limits != NO_LIMITS else ()


def flag(field: str) -> str:
    """Return the option of the command line that sets a limit."""
    return f"--{field.replace('_', '-')}"

"""What the user may ask and change: the limits that hold, and what is left of them."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome
from agls.engine.ledger import Ledger, day_of, used_in
from agls.engine.limits import KINDS, Totals, left, tightest
from agls.engine.state import seconds_since
from agls.engine.vocabulary import JsonObject, Limits
from agls.names import camel
from agls.room.budgets import Allowance
from agls.room.limit_options import OPTIONS, limits_from, to_options
from agls.toolkit import Arguments, TypedAction

Now = Callable[[], float]  # Unix time in seconds
IDLE = "No run is active. Set the option for the next ones instead: {}. For all of them: agls config {}"
UNKNOWN = "There is no limit {!r}. There are: {}."


class Change(Arguments):
    """Show what may be spent and what is left of it; or change the limits of the run that is active."""

    set: dict[str, float | None] = Field(
        default={},
        description=f"new limits of the active run, null for none, by name: {', '.join(OPTIONS)}",
    )


def actions(allowance: Allowance, ledger: Ledger, now: Now) -> tuple[Action, ...]:
    """Return the actions of the room."""
    work = partial(_follow, allowance=allowance, ledger=ledger, now=now)
    return (TypedAction("limits", "Show or change limits", Change, work, group="Model and context"),)


async def _follow(
    arguments: Change,
    context: ActionContext,
    *,
    allowance: Allowance,
    ledger: Ledger,
    now: Callable[[], float],
) -> ActionOutcome:
    state, limits = context.state, context.state.limits
    if arguments.set:
        limits = tightest(_changed(limits, arguments.set), allowance.most)
        if not state.running:
            named = ", ".join(map(camel, arguments.set))
            raise ActionError(IDLE.format(named, _setting(*next(iter(arguments.set.items())))))
        context.limit(limits)
    try:
        rows = await ledger.rows(day_of(now()))
    except OSError as error:
        raise ActionError(f"Today's spending cannot be read: {error.strerror}.") from error
    passed = seconds_since(state, now())
    session = tightest(allowance.session, Limits(max_turns=limits.max_session_turns))
    scopes = {
        "run": (limits, state.run.later(passed)),
        "session": (session, state.total.later(passed)),
        "day": (allowance.day, used_in(rows)),
        "caller": (allowance.caller, used_in([row for row in rows if row.caller == allowance.who])),
    }
    data = {name: _limits_and_rest(*scope) for name, scope in scopes.items()}
    return ActionOutcome(_table(scopes), data)


def _setting(name: str, most: float | None) -> str:
    """Return what `agls config` is told of a limit."""
    key = f"budget.{OPTIONS[camel(name)]}"
    return f"unset {key}" if most is None else f"set {key} {most:g}"


def _changed(limits: Limits, said: JsonObject) -> Limits:
    """Return the limits with those of the arguments. **Raises** `ActionError`."""
    said = {camel(name): most for name, most in said.items()}  # `max_turns`, as in the config file
    if unknown := next((name for name in said if name not in OPTIONS), None):
        raise ActionError(UNKNOWN.format(unknown, ", ".join(OPTIONS)))
    whole = {name: int(most) if most is not None and most % 1 == 0 else most for name, most in said.items()}
    lifted = replace(limits, **{OPTIONS[name]: None for name in said})
    try:
        return limits_from(whole, lifted)
    except ValueError as problem:
        raise ActionError(str(problem)) from None


def _limits_and_rest(limits: Limits, used: Totals) -> JsonObject:
    """Return the limits that are set and the rest of them, by the names of the options."""
    return {"limits": to_options(limits), "left": to_options(left(limits, used))}


def _table(scopes: dict[str, tuple[Limits, Totals]]) -> str:
    rows = [
        f"| {name} | {kind.label} | {kind.used(used):g} | {most:g} | {max(0, most - kind.used(used)):g} |"
        for name, (limits, used) in scopes.items()
        for kind in KINDS
        if (most := getattr(limits, kind.field)) is not None
    ]
    if not rows:
        return "Nothing is limited."
    return "\n".join(["| Of the | What | Used | Limit | Left |", "|---|---|--:|--:|--:|", *rows])

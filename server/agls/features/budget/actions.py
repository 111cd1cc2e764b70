"""What the user may ask and change: the limits that hold, and what is left of them."""

from collections.abc import Callable, Mapping
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
from agls.room.session_ports import SessionControl
from agls.toolkit import Arguments, TypedAction

Now = Callable[[], float]  # Unix time in seconds
IDLE = "No run is active. For the next runs of this session: /limits {} next=true. For every session: {}"
NEXT = "From the next run of this session on: {}. For every session: {}"
NOTHING = "No limit is set."
LABELS = {"nextRun": "next run"}
UNKNOWN = "There is no limit {!r}. There are: {}."


class Change(Arguments):
    """Show the limits and what is left of them, or change those of the active run or of the next ones.

    For example: `/limits max_turns=20 max_cost_usd=2`, or `/limits max_turns=20 next=true`.
    """

    set: dict[str, float | None] = Field(
        default={}, description=f"new limits by name, null for none: {', '.join(OPTIONS)}"
    )
    next: bool = Field(default=False, description="of the session's next runs, not of the active one")


def actions(allowance: Allowance, ledger: Ledger, now: Now, control: SessionControl) -> tuple[Action, ...]:
    """Return the actions of the room."""
    work = partial(_follow, allowance=allowance, ledger=ledger, now=now, control=control)
    return (TypedAction("limits", "Show or change limits", Change, work, group="Model and context"),)


async def _follow(
    arguments: Change,
    context: ActionContext,
    *,
    allowance: Allowance,
    ledger: Ledger,
    now: Now,
    control: SessionControl,
) -> ActionOutcome:
    state, limits = context.state, context.state.limits
    options, changed = state.options, ""
    if arguments.set and arguments.next:
        new = _options(arguments.set)
        await control.set(new)
        options = {**options, **new}
        changed = NEXT.format(_listed(new), _setting(new)) + "\n\n"
    elif arguments.set and not state.running:
        raise ActionError(IDLE.format(_typed(arguments.set), _setting(_options(arguments.set))))
    elif arguments.set:
        limits = tightest(_changed(limits, arguments.set), allowance.most)
        context.limit(limits)
    try:
        rows = await ledger.rows(day_of(now()))
    except OSError as error:
        raise ActionError(f"Today's spending cannot be read: {error.strerror}.") from error
    passed = seconds_since(state, now())
    session = tightest(allowance.session, Limits(max_turns=limits.max_session_turns))
    coming = limits_from(options, Limits()) if arguments.next or not state.running else Limits()
    scopes = {
        "run": (limits, state.run.later(passed)),
        "nextRun": (coming, Totals()),
        "session": (session, state.total.later(passed)),
        "day": (allowance.day, used_in(rows)),
        "caller": (allowance.caller, used_in([row for row in rows if row.caller == allowance.who])),
    }
    data = {name: _limits_and_rest(*scope) for name, scope in scopes.items()}
    return ActionOutcome(changed + _table(scopes), data)


def _typed(said: Mapping[str, float | None]) -> str:
    """Return limits as they are typed."""
    return " ".join(f"{name}={'null' if most is None else f'{most:g}'}" for name, most in said.items())


def _setting(options: Mapping[str, float | None]) -> str:
    """Return the command that sets the first of these limits for every session."""
    name, most = next(iter(options.items()))
    key = f"budget.{OPTIONS[name]}"
    return f"agls config unset {key}" if most is None else f"agls config set {key} {most:g}"


def _listed(options: Mapping[str, float | None]) -> str:
    return ", ".join(f"{name} {'none' if most is None else f'{most:g}'}" for name, most in options.items())


def _options(said: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return the limits of the arguments by the names of options. **Raises** `ActionError`."""
    said = {camel(name): most for name, most in said.items()}  # `max_turns`, as in the config file
    if unknown := next((name for name in said if name not in OPTIONS), None):
        raise ActionError(UNKNOWN.format(unknown, ", ".join(OPTIONS)))
    return {name: int(most) if most is not None and most % 1 == 0 else most for name, most in said.items()}


def _changed(limits: Limits, said: Mapping[str, float | None]) -> Limits:
    """Return the limits with those of the arguments. **Raises** `ActionError`."""
    new = _options(said)
    lifted = replace(limits, **{OPTIONS[name]: None for name in new})
    try:
        return limits_from(new, lifted)
    except ValueError as problem:
        raise ActionError(str(problem)) from None


def _limits_and_rest(limits: Limits, used: Totals) -> JsonObject:
    """Return the limits that are set and the rest of them, by the names of the options."""
    return {"limits": to_options(limits), "left": to_options(left(limits, used))}


def _table(scopes: dict[str, tuple[Limits, Totals]]) -> str:
    rows = [
        f"| {LABELS.get(name, name)} | {kind.label}"
        f" | {kind.used(used):g} | {most:g} | {max(0, most - kind.used(used)):g} |"
        for name, (limits, used) in scopes.items()
        for kind in KINDS
        if (most := getattr(limits, kind.field)) is not None
    ]
    if not rows:
        return NOTHING
    return "\n".join(["| Of the | What | Used | Limit | Left |", "|---|---|--:|--:|--:|", *rows])

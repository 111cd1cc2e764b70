"""A plan: its entries, what comes next, and how it changes. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from typing import Annotated

from pydantic import BeforeValidator, Field

from agls.engine.note_items import EntryState, PlanEntry
from agls.frozen import frozen
from agls.names import camel
from agls.toolkit import Arguments

MOST_ENTRIES = 100
LONGEST = 300  # characters of an entry
TITLE = "Plan: "
MARKS: dict[EntryState, str] = {"pending": " ", "inProgress": ">", "done": "x", "cancelled": "-"}
SPELLINGS = {"completed": "done", "complete": "done", "canceled": "cancelled"}  # elsewhere, and here
OPEN: frozenset[EntryState] = frozenset({"pending", "inProgress"})
BEGUN: frozenset[EntryState] = frozenset({"inProgress", "done"})


class PlanError(ValueError):
    """The plan cannot be changed like this; the message says what to do."""


def _spelled(state: object) -> object:
    """Return the state as it is spelled here: many models write `in_progress` and `completed`."""
    return SPELLINGS.get(camel(state), camel(state)) if isinstance(state, str) else state


class EntryChange(Arguments):
    """With an id that entry changes, without one it is new."""

    id: int | None = None
    text: str = Field(default="", max_length=LONGEST)
    state: Annotated[EntryState, BeforeValidator(_spelled)] | None = None
    after: tuple[int, ...] | None = Field(default=None, description="ids that must be done first")


@frozen
class Plan:
    """The entries in their order; `last` is the highest id that one of them had.

    `document` is the plan that the user approved in plan mode, as Markdown, and `file` where it is kept ("":
    nowhere else).
    """

    entries: tuple[PlanEntry, ...] = ()
    last: int = 0
    document: str = ""
    file: str = ""

    @property
    def is_open(self) -> bool:
        """Whether anything is left to do."""
        return any(entry.state in OPEN for entry in self.entries)

    @property
    def is_over(self) -> bool:
        """Whether it had entries, and nothing of them is left to do."""
        return bool(self.entries) and not self.is_open

    @property
    def next(self) -> PlanEntry | None:
        """The entry to work on: the first that was begun, or else the first that may begin."""
        begun = (entry for entry in self.entries if entry.state == "inProgress")
        ready = (entry for entry in self.entries if entry.state == "pending" and not self.before(entry))
        return next(chain(begun, ready), None)

    def before(self, entry: PlanEntry) -> list[int]:
        """Return the ids of what must be done before this entry, and is not."""
        left = {other.id for other in self.entries if other.state in OPEN}
        return [each for each in entry.after if each in left]


# --- as text -------------------------------------------------------------------------------------


def title_of(plan: Plan) -> str:
    """Return how far the plan is."""
    counted = [entry for entry in plan.entries if entry.state != "cancelled"]
    done = sum(entry.state == "done" for entry in counted)
    return f"{TITLE}{done} of {len(counted)} done"


def checklist(plan: Plan) -> str:
    """Return the entries, a line each."""
    return "\n".join(_line(plan, entry) for entry in plan.entries)


def rendered(plan: Plan) -> str:
    """Return the whole plan; no other plan has this text as a part of its own."""
    if not plan.entries:
        return "The plan is empty."
    upcoming = f"Next: {plan.next.id}." if plan.next else "Nothing is left to do."
    return f"{title_of(plan)}\n{checklist(plan)}\n\n{upcoming}"


def only(plan: Plan, ids: Sequence[int]) -> str:
    """Return these entries, a line each. **Raises** `PlanError` for one that is not there."""
    return "\n".join(_line(plan, _found(plan, each)) for each in ids)


def _line(plan: Plan, entry: PlanEntry) -> str:
    left = plan.before(entry) if entry.state in OPEN else ()
    waits = f" (after {_listed(left)})" if left else ""
    return f"- [{MARKS[entry.state]}] {entry.id}. {entry.text}{waits}"


def _listed(ids: Sequence[int]) -> str:
    return ", ".join(map(str, ids))


# --- changes -------------------------------------------------------------------------------------


def changed(plan: Plan, changes: Sequence[EntryChange]) -> Plan:
    """Return the plan with these changes, all of them or none. What they do not name stays.

    New entries begin a new plan when nothing of the old one is left to do. A new entry with the words of one
    that is there changes that one, so a list that is sent whole again does not double.

    **Raises** `PlanError`.
    """
    if plan.is_over and any(change.id is None for change in changes):
        plan = Plan()
    after = plan
    for change in changes:
        after = _with(after, change)
    if len(after.entries) > MOST_ENTRIES:
        raise PlanError(f"A plan has at most {MOST_ENTRIES} entries. Put several into one.")
    _check_order(after)
    _check_begun(plan, after)
    return after


def without(plan: Plan, ids: Sequence[int]) -> Plan:
    """Return the plan without these entries. **Raises** `PlanError`."""
    for each in ids:
        _found(plan, each)
    kept = (entry for entry in plan.entries if entry.id not in ids)
    entries = tuple(replace(entry, after=_unlike(entry.after, ids)) for entry in kept)
    return replace(plan, entries=entries)


def _with(plan: Plan, change: EntryChange) -> Plan:
    text = " ".join(change.text.split())
    old = _found(plan, change.id) if change.id is not None else _named(plan, text)
    if old is None and not text:
        raise PlanError("A new entry needs a text; to change one, give its id.")
    entry = old or PlanEntry(plan.last + 1, text)
    entry = replace(
        entry,
        text=text or entry.text,
        state=change.state or entry.state,
        after=entry.after if change.after is None else tuple(dict.fromkeys(change.after)),
    )
    if old is None:
        return replace(plan, entries=(*plan.entries, entry), last=entry.id)
    return replace(plan, entries=tuple(entry if other is old else other for other in plan.entries))


def _named(plan: Plan, text: str) -> PlanEntry | None:
    same = (entry for entry in plan.entries if entry.text.casefold() == text.casefold())
    return next(same, None)


def _found(plan: Plan, entry_id: int) -> PlanEntry:
    for entry in plan.entries:
        if entry.id == entry_id:
            return entry
    known = _listed([entry.id for entry in plan.entries])
    raise PlanError(
        f"There is no entry {entry_id}. {f'There are: {known}.' if known else 'The plan is empty.'}"
    )


def _unlike(ids: Sequence[int], others: Sequence[int]) -> tuple[int, ...]:
    return tuple(each for each in ids if each not in others)


def _check_order(plan: Plan) -> None:
    for entry in plan.entries:
        for each in entry.after:
            _found(plan, each)
    try:
        TopologicalSorter({entry.id: entry.after for entry in plan.entries}).prepare()
    except CycleError as problem:
        circle: list[int] = problem.args[1]
        who = (
            f"Entry {circle[0]} waits for itself"
            if len(circle) == 2
            else f"Entries wait for each other: {_listed(circle)}"
        )
        raise PlanError(f"{who}. Change `after`.") from None


def _check_begun(before: Plan, plan: Plan) -> None:
    """Check that nothing was begun now that must wait."""
    begun = {entry.id for entry in before.entries if entry.state in BEGUN}
    for entry in plan.entries:
        left = plan.before(entry)
        if entry.state in BEGUN and entry.id not in begun and left:
            raise PlanError(f"Entry {entry.id} comes after {_listed(left)}: do or cancel that first.")

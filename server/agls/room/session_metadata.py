"""What is noted of a session's place among the others, and what may be noted. Pure."""

from collections.abc import Iterable, Sequence

from agls.engine.facts import Admitted, Entry, Noted, RunStarted
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject
from agls.titles import one_line

ROOM = "history"
TAGS = "tags"
ARCHIVED = "archived"
LEFT = "leftInterrupted"
TOLD = "toldInterrupted"
LONGEST_TAG = 40  # characters
MOST_TAGS = 20


def tagged(tags: Iterable[str]) -> Noted:
    """Return the fact that these are the session's tags.

    **Raises** `ValueError`, which says what a tag may be.
    """
    plain = dict.fromkeys(map(one_line, tags))
    if wrong := next((tag for tag in plain if not tag or len(tag) > LONGEST_TAG), None):
        raise ValueError(f"A tag has 1 to {LONGEST_TAG} characters, not {wrong[: LONGEST_TAG * 2]!r}.")
    if "" in plain:
        raise ValueError("A tag must not be empty.")
    if len(plain) > MOST_TAGS:
        raise ValueError(f"A session has at most {MOST_TAGS} tags.")
    return Noted(ROOM, TAGS, {"tags": list(plain)})


def archived(put_away: bool) -> Noted:
    """Return the fact that the session is archived, or back again."""
    return Noted(ROOM, ARCHIVED, {"archived": put_away})


def left_interrupted() -> Noted:
    """Return the fact that somebody was asked whether the interrupted run continues, and leaves it."""
    return Noted(ROOM, LEFT, {})


def told_interrupted() -> Noted:
    """Return the fact that a client which cannot ask said how the interrupted run is continued."""
    return Noted(ROOM, TOLD, {})


def noted_of_last_run(entries: Iterable[Entry]) -> frozenset[str]:
    """Return which of `LEFT` and `TOLD` were noted of the last run."""
    noted: frozenset[str] = frozenset()
    for entry in entries:
        match entry.fact:
            case Noted(feature=feature, kind=kind) if feature == ROOM and kind in (LEFT, TOLD):
                noted |= {kind}
            case Admitted() | RunStarted():
                noted = frozenset()
            case _:
                pass
    return noted


def tags_of(state: State) -> tuple[str, ...]:
    """Return the session's tags, in the order in which they were given."""
    return tuple(str(tag) for tag in _last(state, TAGS).get("tags", ()))


def changed(tags: Sequence[str], add: Sequence[str], remove: Sequence[str]) -> Noted:
    """Return the fact that these were added and those removed. **Raises** `ValueError`."""
    return tagged([tag for tag in (*tags, *add) if tag not in remove])


def _last(state: State, kind: str) -> JsonObject:
    notes = [note.data for note in state.notes.get(ROOM, ()) if note.kind == kind]
    return notes[-1] if notes else {}

"""The meaning of the editor's own undo and redo for changes of the agent that were undone."""

from collections.abc import Iterable, Iterator, Sequence

from agls.diff import Hunk, find, is_made
from agls.engine.facts import Noted
from agls.room.agent_changes import JUDGED, ROOM, AgentChange, Verdict, verdict


def verdicts(changes: Iterable[AgentChange], lines: Sequence[str]) -> Iterator[Noted]:
    """Yield what an edit of a document changed for these of its changes, which were undone in this order.

    A change that stands again waits again; one that was taken away again is undone. Nothing is said where
    the user went on.
    """
    in_order = [(change, change.undone or change.hunk) for change in changes]
    made = _matching(in_order, lines, made=True)
    undone = _matching([*reversed(in_order)], lines, made=False)
    for change, _ in in_order:
        if change.waits and change.hunk_id in undone - made:
            yield _seen(change, "reverted")
        if not change.waits and change.hunk_id in made - undone:
            yield _seen(change, "restored")


def _seen(change: AgentChange, said: Verdict) -> Noted:
    return Noted(ROOM, JUDGED, verdict(change.hunk_id, said))


def _matching(changes: Sequence[tuple[AgentChange, Hunk]], lines: Sequence[str], *, made: bool) -> set[str]:
    """Return the changes that stand in the text (`made`), or that are undone in it.

    The lines around a change are those of the moment when it was undone: with the changes before it undone,
    and those behind it made. So what is found first is undone (or made) here, before the next is looked for.
    """
    found: set[str] = set()
    then = list(lines)
    for change, hunk in changes:
        seen = is_made(hunk, lines)
        if (is_made(hunk, then) if seen is None else seen) is made:
            found.add(change.hunk_id)
            there = hunk if made else hunk._replace(old=hunk.new, new=hunk.old)
            if (at := find(there, then, change.line)) is not None:
                then[at : at + len(there.new)] = there.old
    return found

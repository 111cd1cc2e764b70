"""How a session stood at its rests, kept beside its journal: who opens it again can show its end at once.

The file is made of the journal, and only read to show something sooner: what a session does follows from
its facts alone. It counts when this version of the fold made it; an outline in it counts when the journal has
an entry of the same number and time in the same epoch. Without it all is folded: delete it whenever you like.
"""

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, cast, get_type_hints
from zlib import crc32

from agls.engine.facts import Entry
from agls.engine.limits import Totals
from agls.engine.ports import JournalError
from agls.engine.rests import Rests
from agls.engine.state import NO_HISTORY, State
from agls.engine.vocabulary import JsonObject
from agls.stores.codec import converter, sealed, unsealed
from agls.stores.disk import READ, read_all, replace_whole
from agls.stores.journal_reader import open_file

FOLD = 3  # to be raised when a fact is folded in another way
SUFFIX = ".outlines"
SAID = {"seq", "updated_at", *NO_HISTORY} - {"notes"}  # these stand elsewhere in the line, or not at all
MEMBERS = [name for name in State._fields if name not in SAID]
_NOTHING = object()
_log = logging.getLogger(__name__)


def read_outlines(journal: Path, epoch: str, entries: Sequence[Entry]) -> Rests:
    """Return the rests of the session that count; only its beginning when there are none to read."""
    known: list[tuple[int, Callable[[], State]]] = []
    try:
        fd = open_file(journal.with_suffix(SUFFIX), READ)
        try:
            header, *lines = read_all(fd).splitlines()
        finally:
            os.close(fd)
        if unsealed(header) != _header(epoch):
            return Rests()
        outline: JsonObject = {}
        for line in lines:
            seq, at, changes = cast(tuple[int, float, JsonObject], unsealed(line))
            if seq > len(entries) or entries[seq - 1].at != at:
                break
            outline = {**outline, **changes}
            known.append((seq, partial(_state, seq, at, outline)))
    except (OSError, JournalError, ValueError):  # there is none, or not to its end
        pass
    return Rests(known)


def write_outlines(journal: Path, epoch: str, rests: Rests) -> None:
    """Keep these for who opens the session next. What the disk refuses is logged, and no loss."""
    lines = [sealed(_header(epoch))]
    last: JsonObject = {}
    for place in range(1, len(rests)):
        outline = _outline(rests[place])
        changes = {name: value for name, value in outline.items() if value != last.get(name, _NOTHING)}
        lines.append(sealed([rests[place].seq, rests[place].updated_at, changes]))
        last = outline
    try:
        replace_whole(journal.with_suffix(SUFFIX), b"".join(lines))
    except OSError as error:
        _log.warning("the outlines of %s cannot be kept: %s", journal.stem, error)


def _header(epoch: str) -> list[Any]:
    return [{"outlines": FOLD, "members": crc32(" ".join(MEMBERS).encode()), "epoch": epoch}]


def _outline(state: State) -> JsonObject:
    return {
        name: converter().unstructure(getattr(state, name), unstructure_as=kind)
        for name, kind in _members().items()
    }


def _state(seq: int, at: float, outline: JsonObject) -> State:
    members = {name: _structured(outline[name], kind) for name, kind in _members().items()}
    return State(seq=seq, updated_at=at, **members)


def _structured(value: Any, kind: Any) -> Any:
    if kind == Totals:
        return kind(*value)
    if kind == Mapping[str, Totals]:
        return {name: Totals(*each) for name, each in value.items()}
    if kind == Mapping[str, object]:
        return value
    return converter().structure(value, kind)


@cache
def _members() -> dict[str, Any]:
    """Return the kind of each member of an outline."""
    kinds = get_type_hints(State)
    return {name: kinds[name] for name in MEMBERS}

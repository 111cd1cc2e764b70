"""`agent/focus`: where the user looks, read leniently: what makes no sense is as if it was not said."""

from agls.doors.messages import JsonObject
from agls.engine.vocabulary import Focus
from agls.json_values import object_in, objects_in

Lines = tuple[int, int]


def read_focus(params: JsonObject) -> Focus | None:
    """Return the focus of a client's user; `None` for no document."""
    uri = params.get("uri")
    if not isinstance(uri, str) or not uri:
        return None
    selection = object_in(params, "selection")
    seen = [lines for given in objects_in(params.get("visible")) if (lines := _lines(given))]
    return Focus(
        path=uri,
        lines=_lines(selection),
        selected=selection.get("start") != selection.get("end"),
        visible=(min(first for first, _ in seen), max(last for _, last in seen)) if seen else None,
    )


def _lines(given: JsonObject) -> Lines | None:
    """Return the lines of an LSP range, from 1. One that ends where a line begins has none of that line."""
    start, end = object_in(given, "start"), object_in(given, "end")
    first, last = start.get("line"), end.get("line")
    if not (isinstance(first, int) and isinstance(last, int) and 0 <= first <= last):
        return None
    last -= last > first and end.get("character") == 0
    return first + 1, last + 1

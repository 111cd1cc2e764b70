"""Places in files, as language servers name them (LSP 3.17) and as the model reads them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen

_KINDS = """
    symbol file module namespace package class method property field constructor enum interface function
    variable constant string number boolean array object key null member struct event operator type
"""
KINDS = tuple(_KINDS.split())  # by SymbolKind
SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}


@frozen
class Place:
    """Lines of a file, from 0.

    `label` is what stands there; "": the line itself. `name` is that of a symbol.
    """

    uri: str
    line: int
    character: int = 0
    end: int = 0
    name: str = ""
    label: str = ""


@frozen
class CodeAnswer:
    """Groups of places, each under its heading, and a text."""

    groups: Sequence[tuple[str, Sequence[Place]]] = ()
    text: str = ""

    @property
    def places(self) -> Sequence[Place]:
        """The places of all groups."""
        return [place for _, places in self.groups for place in places]


def rows_of(value: Any) -> list[JsonObject]:
    """Return the objects in an answer that may be one, several or none."""
    rows = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [cast("JsonObject", row) for row in rows if isinstance(row, dict)]


def member(value: Any, *names: str) -> Any:
    """Return a member of a member; `None` where there is none."""
    for name in names:
        value = cast("JsonObject", value).get(name) if isinstance(value, dict) else None
    return value


def number(value: Any) -> int:
    """Return a number that is not negative; 0 for anything else."""
    return value if isinstance(value, int) and value >= 0 else 0


def locations(answer: Any) -> list[Place]:
    """Return the places of `Location`, `Location[]` or `LocationLink[]`."""
    found = [
        _place(row.get("targetUri"), row.get("targetSelectionRange"))
        if "targetUri" in row
        else _place(row.get("uri"), row.get("range"))
        for row in rows_of(answer)
    ]
    return list(dict.fromkeys(place for place in found if place.uri))


def symbols(answer: Any, uri: str = "", depth: int = 0) -> Iterator[Place]:
    """Yield the symbols of a file (`uri`) or of the workspace, those inside others behind them."""
    rows = rows_of(answer)
    for row in sorted(rows, key=lambda row: number(member(_range(row), "start", "line"))):
        span = _range(row)
        place = _place(uri or member(row, "location", "uri"), row.get("selectionRange") or span)
        name = str(row.get("name", ""))
        inside = row.get("containerName") if not uri or "location" in row else ""
        label = f"{'  ' * depth}{_kind(row)} {name}{f' (in {inside})' if inside else ''}"
        yield replace(place, end=number(member(span, "end", "line")), name=name, label=label)
        yield from symbols(row.get("children"), uri, depth + 1)


def called(row: JsonObject, side: str) -> Iterator[Place]:
    """Yield the calls of `CallHierarchyIncomingCall` (`from`: where they stand) or the callee (`to`).

    None for an answer that names no file.
    """
    item = member(row, side)
    if not isinstance(member(item, "uri"), str):
        return
    name = str(member(item, "name") or "")
    if side == "to":
        yield callable_of(cast("JsonObject", item))
        return
    for span in rows_of(row.get("fromRanges")):
        yield replace(_place(member(item, "uri"), span), name=name)


def callable_of(item: JsonObject) -> Place:
    """Return what a `CallHierarchyItem` is."""
    place = _place(item.get("uri"), item.get("selectionRange") or item.get("range"))
    name = str(item.get("name", ""))
    return replace(place, name=name, label=f"{_kind(item)} {name}")


def problem(uri: str, row: JsonObject) -> Place:
    """Return a diagnostic."""
    severity = SEVERITIES.get(number(row.get("severity")), "error")
    source = f" ({row['source']})" if isinstance(row.get("source"), str) else ""
    message = " ".join(str(row.get("message", "")).split())
    return replace(_place(uri, row.get("range")), label=f"{severity}: {message}{source}")


def hover_text(answer: Any) -> str:
    """Return the words of a `Hover`."""
    contents = member(answer, "contents")
    parts = cast("list[Any]", contents) if isinstance(contents, list) else [contents]
    return "\n\n".join(filter(None, map(_words, parts))).strip()


def _words(part: Any) -> str:
    return part if isinstance(part, str) else str(member(part, "value") or "")


def _range(row: JsonObject) -> Any:
    return row.get("range") or member(row, "location", "range")


def _kind(row: JsonObject) -> str:
    kind = number(row.get("kind"))
    return KINDS[kind] if kind < len(KINDS) else KINDS[0]


def _place(uri: Any, span: Any) -> Place:
    line = number(member(span, "start", "line"))
    character = number(member(span, "start", "character"))
    return Place(uri if isinstance(uri, str) else "", line, character, number(member(span, "end", "line")))

"""The symbols of texts, found by tree-sitter. A program of its own.

Grammars are foreign code, and texts may be made to keep them busy, so a process reads them that can be
ended. It gets one question as JSON on its standard input, `{"seconds", "files": [{"grammar", "text"}]}`, and
writes one answer to its standard output: for each file its symbols (LSP 3.17, `DocumentSymbol`), `null` where
there was no time for it.
"""

import json
import re
import sys
import time
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "java": ("tree_sitter_java", "language"),
}
QUERIES = {"tsx": "typescript"}  # where the name of the file is another
KINDS = {
    "module": 2,
    "namespace": 3,
    "class": 5,
    "method": 6,
    "property": 7,
    "field": 8,
    "constructor": 9,
    "enum": 10,
    "interface": 11,
    "function": 12,
    "variable": 13,
    "constant": 14,
    "object": 19,
    "struct": 23,
    "type": 26,
}
OWNERS = frozenset(
    {"class", "interface", "struct", "enum", "object"}
)  # a function in one of these is a method
MOST_MEMORY = 1_000_000_000  # bytes
LINE_END = re.compile(r"\r\n|\r")

Symbol = dict[str, Any]


class DefiningNode(NamedTuple):
    """A node that defines a symbol, by its bytes in the text; an outer one sorts before those in it."""

    start: int
    behind: int  # its end, negated
    name_start: int
    kind: str
    node: Any
    name: Any


def main() -> None:
    """Read the question and write the answer."""
    _bound()
    asked = json.load(sys.stdin)
    deadline = time.monotonic() + asked["seconds"]
    files = (file if time.monotonic() < deadline else None for file in asked["files"])
    answers = [outline(file["grammar"], file["text"]) if file else None for file in files]
    sys.stdout.write(json.dumps(answers))


def _bound() -> None:
    """Bound the memory that the grammars may take."""
    try:
        import resource  # noqa: PLC0415 - not on every platform
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def outline(grammar: str, text: str) -> list[Symbol]:
    """Return the symbols of a text."""
    parser, query = _tools(grammar)
    data = LINE_END.sub("\n", text).encode("utf-8", "replace")
    tree = parser.parse(data)
    matches = import_module("tree_sitter").QueryCursor(query).matches(tree.root_node)
    found = {(each.start, each.behind, each.name_start): each for each in _definitions(matches)}
    return _nested([found[key] for key in sorted(found)], data)


@cache
def _tools(grammar: str) -> tuple[Any, Any]:
    """Return the parser of a grammar, and the query that finds definitions in its trees."""
    ts = import_module("tree_sitter")
    module, function = GRAMMARS[grammar]
    language = ts.Language(getattr(import_module(module), function)())
    file = Path(__file__).parent / "queries" / f"{QUERIES.get(grammar, grammar)}.scm"
    return ts.Parser(language), ts.Query(language, file.read_text("utf-8"))


def _definitions(matches: list[tuple[int, dict[str, list[Any]]]]) -> Iterator[DefiningNode]:
    """Yield the definitions, for a node that fits several patterns the first of them last."""
    for _, captures in sorted(matches, key=lambda match: -match[0]):
        name = captures.pop("name")[0]
        for kind, (node, *_) in captures.items():
            yield DefiningNode(node.start_byte, -node.end_byte, name.start_byte, kind, node, name)


def _nested(found: list[DefiningNode], data: bytes) -> list[Symbol]:
    roots: list[Symbol] = []
    around: list[tuple[DefiningNode, Symbol]] = []
    for each in found:
        while around and each.start >= -around[-1][0].behind:
            around.pop()
        owner = around[-1][0].kind if around else ""
        kind = "method" if each.kind == "function" and owner in OWNERS else each.kind
        symbol = _symbol(each, kind, data)
        (around[-1][1]["children"] if around else roots).append(symbol)
        around.append((each, symbol))
    return roots


def _symbol(found: DefiningNode, kind: str, data: bytes) -> Symbol:
    name = data[found.name.start_byte : found.name.end_byte].decode("utf-8", "replace")
    return {
        "name": " ".join(name.split()),
        "kind": KINDS[kind],
        "range": _span(found.node, data),
        "selectionRange": _span(found.name, data),
        "children": [],
    }


def _span(node: Any, data: bytes) -> dict[str, Any]:
    return {
        "start": _position(node.start_point, node.start_byte, data),
        "end": _end(node, data),
    }


def _end(node: Any, data: bytes) -> dict[str, int]:
    """Return where a node ends: one that takes the end of its line with it, at the end of that line."""
    (row, column), offset = node.end_point, node.end_byte
    if column or offset == node.start_byte:
        return _position((row, column), offset, data)
    return _position((row - 1, offset - 1 - (data.rfind(b"\n", 0, offset - 1) + 1)), offset - 1, data)


def _position(point: Any, offset: int, data: bytes) -> dict[str, int]:
    """Return a position in UTF-16, of which the column is given in bytes."""
    before = data[offset - point[1] : offset].decode("utf-8", "replace")
    return {"line": point[0], "character": len(before.encode("utf-16-le")) // 2}


if __name__ == "__main__":
    main()

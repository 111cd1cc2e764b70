"""Expressions that are compiled at their first use: all of them can be, and few are when a process begins."""

import ast
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import cast

import pytest

from agls.regex import Regex, regex

SERVER = Path(__file__).parents[1] / "server" / "agls"
STANDARD_LIBRARY_ALONE = {  # needed for the first answer, or in a program of its own
    "conversion/program.py",
    "doors/agent/stream/framing.py",
    "outline/program.py",
}


def modules() -> list[str]:
    named = [path.relative_to(SERVER.parent).with_suffix("") for path in sorted(SERVER.rglob("*.py"))]
    return [".".join(name.parts).removesuffix(".__init__") for name in named if name.name != "__main__"]


def test_an_expression_is_compiled_at_its_first_use_and_once() -> None:
    word = regex(r"(\w+)", re.ASCII)
    assert vars(word).keys() == {"pattern", "_flags"}
    assert [found[1] for found in word.finditer("one two")] == ["one", "two"]
    assert vars(word)["finditer"] == re.compile(r"(\w+)", re.ASCII).finditer
    assert word.flags == re.ASCII
    assert regex(rb"\d").sub(b"", b"a1") == b"a"


def test_a_wrong_expression_is_found_out_at_its_first_use() -> None:
    wrong = regex("(")
    with pytest.raises(re.error, match="unterminated"):
        wrong.match("")


def test_every_expression_of_the_server_can_be_compiled() -> None:
    expressions = [each for name in modules() for each in found_in(vars(import_module(name)).values())]
    assert len(expressions) > 150
    assert all(each.flags & (re.UNICODE | re.ASCII) for each in expressions if isinstance(each.pattern, str))


def found_in(values: Iterable[object]) -> Iterator[Regex]:
    for value in values:
        if isinstance(value, Regex):
            yield value
        elif isinstance(value, (tuple, list, frozenset)):
            yield from found_in(cast("Iterable[object]", value))
        elif isinstance(value, dict):
            yield from found_in(cast("dict[object, object]", value).values())


def test_no_module_compiles_an_expression_when_it_is_imported() -> None:
    found = {
        str(path.relative_to(SERVER)) for path in SERVER.rglob("*.py") if compiles_at_import(path.read_text())
    }
    assert found == STANDARD_LIBRARY_ALONE, "write regex(…) (server/agls/regex.py)"


def compiles_at_import(source: str) -> bool:
    def calls(node: ast.AST) -> bool:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                return False
            case ast.Attribute(value=ast.Name(id="re"), attr="compile"):
                return True
            case _:
                return any(map(calls, ast.iter_child_nodes(node)))

    return "re.compile" in source and calls(ast.parse(source))

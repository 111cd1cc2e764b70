"""The conformance list of `tests/README.md` names every item, and only tests that exist."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
LIST = (TESTS / "README.md").read_text().partition("## The conformance list")[2].partition("\n## ")[0]
ROWS = {int(number): row for number, row in re.findall(r"^\| (\d+) \|(.*)$", LIST, re.MULTILINE)}


def test_every_item_of_the_list_has_a_row() -> None:
    assert list(ROWS) == list(range(23, 46))


def test_every_item_names_tests_that_exist() -> None:
    trees = [ast.parse(path.read_text()) for path in TESTS.rglob("test_*.py")]
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    there = {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, functions)}
    for number, row in ROWS.items():
        named = set(re.findall(r"`(test_\w+)`", row))
        assert named <= there, (number, named - there)
        assert named, number

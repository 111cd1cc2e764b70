"""The catalogue of faults has 45 cases, each with its test in each dialect, and the page names them all."""

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
FILES = ("test_catalogue_connection.py", "test_catalogue_answer.py")


def numbered() -> dict[str, ast.AsyncFunctionDef]:
    """The numbered tests by name."""
    nodes = [node for name in FILES for node in ast.parse((HERE / name).read_text(encoding="utf-8")).body]
    found = [node for node in nodes if isinstance(node, ast.AsyncFunctionDef)]
    return {node.name: node for node in found if re.match(r"test_\d\d_", node.name)}


def test_every_case_has_its_tests_and_every_test_its_case() -> None:
    page = (HERE / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| [^|]+ \| ([^|]+) \|$", page, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 46))
    named = {name: int(number) for number, cell in rows for name in re.findall(r"`(\w+)`", cell)}
    assert named == {name: int(name[5:7]) for name in numbered()}
    assert set(named.values()) == set(range(1, 46))


def test_every_case_is_tried_in_every_dialect() -> None:
    for name, test in numbered().items():
        assert "dialect" in {argument.arg for argument in test.args.args}, name

"""The page of faults names tests that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.findall(
    r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / "docs/tool-faults.md").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(("file", "test"), sorted(set(NAMED)))
def test_test_of_a_fault_exists(file: str, test: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert not test or test in names

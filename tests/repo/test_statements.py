"""The length of a file is what it does, not how it is laid out."""

import ast

import pytest

from support.statements import statements


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('"""A page."""\nimport os\nfrom sys import argv\n', 0),
        ("a = 1\nb = 2\nc = 3\n", 3),
        ("a, b, c = 1, 2, 3\n", 3),
        ("a = 1; b = 2; c = 3\n", 3),
        ("a, b = pair\n", 1),
        ('def f():\n    """What it does."""\n    return 1\n', 2),
        ("if a:\n    b()\nelse:\n    c(\n        1,\n        2,\n    )\n", 3),
    ],
)
def test_statements_are_counted_independently_of_layout(source: str, expected: int) -> None:
    assert statements(ast.parse(source)) == expected

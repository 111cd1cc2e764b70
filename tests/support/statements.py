"""How long a Python file is: in statements, whatever their layout."""

import ast
from collections.abc import Iterator

IMPORTS = (ast.Import, ast.ImportFrom)
BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")  # members of a statement that hold others


def statements(tree: ast.AST) -> int:
    """Return how many statements a file has, without imports and docstrings; a packing counts each target."""
    written = [node for node in walk(tree) if not (isinstance(node, IMPORTS) or _is_text(node))]
    return len(written) + sum(len(targets) - 1 for _, targets in packings(tree))


def walk(tree: ast.AST) -> Iterator[ast.stmt]:
    """Return all statements. Their expressions, which are most of a tree, hold none."""
    for name in BLOCKS:
        for node in getattr(tree, name, ()):
            if isinstance(node, ast.stmt):
                yield node
            yield from walk(node)


def packings(tree: ast.AST) -> Iterator[tuple[ast.Assign, list[ast.expr]]]:
    """Return the assignments of several values at once, as in `a, b = 1, 2`, with their targets."""
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple()):
                yield node, targets
            case _:
                pass


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)

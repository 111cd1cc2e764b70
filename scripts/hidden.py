#!/usr/bin/env python3
"""Write the server's list of hidden characters for the VS Code client's page; `--check` only compares.

The page's list is one regular expression in the words of JavaScript. Categories of Unicode stay
categories, so that the file is the same whatever Unicode this Python knows.
"""

import json
import sys
from itertools import chain
from pathlib import Path

from agls.features.permissions.visible import (
    BLANK_CODES,
    BLANK_RANGES,
    HIDDEN_CATEGORIES,
    MARKS,
    MOST_MARKS,
    SELECTORS,
    SYMBOLS,
)

BLANK = frozenset(map(chr, chain(BLANK_CODES, *BLANK_RANGES)))
CLIENT = Path(__file__).parents[1] / "clients" / "vscode" / "src" / "webview" / "hidden.gen.ts"
PAGE = """/** Written by scripts/hidden.py from the list in features/permissions/visible.py: do not edit. */

/** Matches, with the flag `u`, one character that readers overlook or that reorders others. */
export const HIDDEN = {};
"""


def main(arguments: list[str]) -> int:
    """Write the file, or check it. Return the exit code."""
    page = PAGE.format(json.dumps(expression()))
    if "--check" not in arguments:
        CLIENT.write_text(page, encoding="utf-8")
    elif not CLIENT.exists() or CLIENT.read_text(encoding="utf-8") != page:
        print(f"{CLIENT.name} is stale: run .venv/bin/python scripts/hidden.py", file=sys.stderr)
        return 1
    return 0


def expression() -> str:
    """Return what `visible` looks for, as a regular expression of JavaScript."""
    blank, marks = _ranges(BLANK), _categories(MARKS)
    symbol = rf"(?![\0-\x7f{blank}])[{_categories(SYMBOLS)}]"
    hidden = rf"(?![\n\t ]|\r\n)[{_categories(HIDDEN_CATEGORIES)}{_ranges(BLANK - SELECTORS)}]"
    selector = rf"(?<!{symbol})[{_ranges(SELECTORS)}]"
    return rf"{hidden}|{selector}|(?<=[{marks}]{{{MOST_MARKS}}})[{marks}]"


def _categories(names: frozenset[str]) -> str:
    return "".join(rf"\p{{{name}}}" for name in sorted(names))


def _ranges(characters: frozenset[str]) -> str:
    runs: list[list[int]] = []
    for code in sorted(map(ord, characters)):
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return "".join(rf"\u{{{first:x}}}-\u{{{last:x}}}" for first, last in runs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

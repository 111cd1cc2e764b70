"""What stands on a terminal after it was sent some output: the few sequences that agls uses, understood."""

import re
from unicodedata import combining, east_asian_width

_PART = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])|(.)", re.DOTALL)


def _width(char: str) -> int:
    return 0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1


def rows_of(sent: str, columns: int) -> list[str]:
    """Return the rows, also those that scrolled out of sight.

    **Raises** `AssertionError` for any other sequence.
    """
    rows: list[list[str]] = [[]]
    at, column = 0, 0
    for found in _PART.finditer(sent):
        number, name, char = found.groups()
        match name or char:
            case "\r":
                column = 0
            case "\n":
                at += 1
                rows += [] if at < len(rows) else [[]]
            case "A" if name:
                at -= int(number or 1)
                assert at >= 0, "the cursor left the rows of this program"
            case "K" if name:
                assert number == "2"
                rows[at] = []
            case "m" if name:
                pass
            case _ if char and (char >= " ") and not "\x7f" <= char <= "\x9f":
                width = 1 if char.isascii() else _width(char)
                if column + width > columns:
                    at, column = at + 1, 0
                    rows += [] if at < len(rows) else [[]]
                row = rows[at]
                row += [" "] * (column - len(row))
                row[column : column + width] = [char, *[""] * (width - 1)]
                column += width
            case other:
                raise AssertionError(f"{found[0]!r} ({other!r}) has power over a terminal")
    return ["".join(row).rstrip() for row in rows]

"""The colours of a command's output, for people: SGR sequences (ECMA-48) and no other control characters.

Each line has its colours by itself, so lines can be left out. Nothing blinks, and nothing is concealed.
"""

import re
from collections.abc import Iterable, Iterator

from agls.terminal_codes import CODE, COLOUR, spelled_out, without_colours

MOST = 65_536  # characters of an output with its colours; of a longer one the middle has none
RESET = "\x1b[0m"
_LONGEST = 80  # characters of what is on where a line begins
_NUMBERS = {"5": 1, "2": 3}  # that follow the kind of a colour: its index, or red, green and blue
# Bold, faint, italic, underlined, inverse, and their ends; the colours of a text and of what is behind it.
_SHOWN = frozenset({"0", "1", "2", "3", "4", "7", "22", "23", "24", "27", "39", "49"}) | {
    str(base + number) for base in (30, 40, 90, 100) for number in range(8)
}


def coloured_lines(text: str) -> str:
    """Return the lines of an output with their colours, as one sees them in the end; "" for none."""
    if "\x1b[" not in text:
        return ""
    lines = coloured_piece(text, "")[0].split("\n")
    return "\n".join(_bounded(lines)) if any("\x1b" in line for line in lines) else ""


def coloured_piece(text: str, on: str) -> tuple[str, str]:
    """Return a piece of an output with its colours, before which some are `on`, and those on behind it."""
    lines: list[str] = []
    for line in CODE.sub(_colour, text).split("\n"):
        made, on = _line(line, on)
        lines.append(made)
    return "\n".join(lines), on


def _line(line: str, on: str) -> tuple[str, str]:
    """Return one line by itself, and what is on behind it; of one that overwrites itself the last state."""
    before, _, shown = line.rstrip("\r").rpartition("\r")
    begin = _on_after(on, before)
    end = _on_after(on, line)
    clean = spelled_out(without_colours(line).rstrip("\r").rpartition("\r")[2])
    body = "".join(part if COLOUR.fullmatch(part) else spelled_out(part) for part in COLOUR.split(shown))
    if not clean or without_colours(body) != clean:
        return clean, end
    made = f"{begin}{body}{RESET if _on_after(begin, body) else ''}"
    return made if made != body or "\x1b" in body else clean, end


def _on_after(on: str, text: str) -> str:
    """Return the sequences that are on behind a text."""
    for code in COLOUR.findall(text):
        if code == RESET:
            on = ""
        elif code.startswith("\x1b[0;") or len(on) + len(code) > _LONGEST:
            on = code
        else:
            on += code
    return on


def _colour(found: re.Match[str]) -> str:
    """Return a sequence as it is kept: "" where it is none that shows a colour, or how a text is set."""
    if not COLOUR.fullmatch(found[0]):
        return ""
    kept = ";".join(_kept(iter(found[0][2:-1].split(";"))))
    return f"\x1b[{kept}m" if kept else ""


def _kept(parts: Iterator[str]) -> Iterator[str]:
    for part in parts:
        name, *inner = part.split(":")
        name = name.lstrip("0") or "0"
        if name in ("38", "48"):
            kind, *numbers = inner or [next(parts, "")]
            count = _NUMBERS.get(kind, 0)
            given = numbers[-count:] if inner else [next(parts, "0") for _ in range(count)]
            if count and len(given) == count:
                yield ";".join([name, kind, *(number or "0" for number in given)])
        elif name in _SHOWN:
            yield name


def _bounded(lines: list[str]) -> Iterable[str]:
    """Return the first and the last of these lines."""
    if sum(len(line) + 1 for line in lines) <= MOST:
        return lines
    return [*_first(lines), *reversed([*_first(reversed(lines))])]


def _first(lines: Iterable[str]) -> Iterator[str]:
    room = MOST // 2
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            return
        yield line

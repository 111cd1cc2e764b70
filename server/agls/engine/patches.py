"""What changed between two texts, as a unified diff and two counts: bounded in time and in length."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from agls.frozen import frozen

_CONTEXT = 3  # unchanged lines around a change
_COMPARED = 2000  # lines; a larger change is shown as one block, because comparing is quadratic
_LONGEST = 200_000  # characters of a patch
CUT = "[The rest of this patch is left out.]"  # no other line of a patch begins like this

Opcode = tuple[str, int, int, int, int]


@frozen
class Patch:
    """A unified diff (cut when it is very long, "" for no change) and how many lines came and went."""

    text: str
    insertions: int
    deletions: int


def compare(name: str, before: str | None, after: str) -> Patch:
    """The patch that turns `before` (`None`: no file) into `after`. Only LF ends a line in a patch."""
    old, new = _lines(before or ""), _lines(after)
    hunks = list(_hunks(old, new))
    changes = [code for hunk in hunks for code in hunk if code[0] != "equal"]
    head = (f"--- {'/dev/null' if before is None else f'a/{name}'}\n", f"+++ b/{name}\n")
    text = "".join((*head, *(row for hunk in hunks for row in _rows(hunk, old, new)))) if hunks else ""
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}\n{CUT}\n"
    return Patch(text, sum(d - c for *_, c, d in changes), sum(b - a for _, a, b, _, _ in changes))


def common_ends(one: Sequence[object], other: Sequence[object]) -> tuple[int, int]:
    """How many elements two sequences have in common at their start, and of the rest at their end."""
    shorter = min(len(one), len(other))
    head = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    rest = shorter - head
    return head, next((at for at in range(rest) if one[-1 - at] != other[-1 - at]), rest)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[list[Opcode]]:
    """The changes with the lines around them, near ones together, by where they are in the texts."""
    head, tail = common_ends(old, new)
    start, end = max(0, head - _CONTEXT), max(0, tail - _CONTEXT)
    left, right = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(old), len(new)) - head - tail > _COMPARED:
        groups = [_block(head - start, tail - end, len(left), len(right))]
    else:
        groups = SequenceMatcher(None, left, right).get_grouped_opcodes(_CONTEXT)
    for group in groups:
        yield [(tag, a + start, b + start, c + start, d + start) for tag, a, b, c, d in group]


def _block(head: int, tail: int, left: int, right: int) -> list[Opcode]:
    return [
        ("equal", 0, head, 0, head),
        ("replace", head, left - tail, head, right - tail),
        ("equal", left - tail, left, right - tail, right),
    ]


def _rows(hunk: Sequence[Opcode], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    (_, a, _, c, _), (_, _, b, _, d) = hunk[0], hunk[-1]
    yield f"@@ -{_range(a, b)} +{_range(c, d)} @@\n"
    for tag, a, b, c, d in hunk:
        signs = (" ", "") if tag == "equal" else ("-", "+")
        yield from (_row(signs[0], line) for line in old[a:b])
        yield from (_row(signs[1], line) for line in new[c:d] if signs[1])


def _range(start: int, stop: int) -> str:
    length = stop - start
    return f"{start + 1 if length else start},{length}"


def _row(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"

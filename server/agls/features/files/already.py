"""Whether an edit whose old text is not there was made before."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from .alignment import closeness
from .lines import split_lines
from .nearest import Likeness

SUBSTANTIAL = 6  # letters and digits of a text that is no accident
TYPO = 0.75  # of two lines: alike enough that one may be meant to be the other


def lines_already(flat: str, old: str, new: str, place: Likeness | None) -> tuple[int, ...]:
    """Return the lines (from 1) where `new` stands in the place of `old`; none when in doubt.

    `place` is where `old` would have been by its likeness. The new text must stand there, or there must be
    nothing that the lines which it does without could have been meant for.
    """
    if not is_substantial(new):
        return ()
    starts = list(_occurrences(flat, new))
    lines = [flat.count("\n", 0, at) for at in starts]
    height = len(split_lines(new))
    gone, came = _changes(split_lines(old), split_lines(new))
    if not came and len(split_lines(old)) > 1:
        around = split_lines(flat)
        fits = [at for at in lines if not _remains(around, gone, at, height)]
    elif place is None or place.closeness < max(TYPO, closeness(old, new)):
        fits = lines
    else:
        fits = [at for at in lines if place.start < at + height and at < place.stop]
        around = split_lines(flat)
        stands = {*map(str.strip, around[place.start : place.stop])} - {*map(str.strip, split_lines(new))}
        if any(is_substantial(line) and line.strip() in stands for line in gone):
            return ()
    return tuple(at + 1 for at in fits)


def is_kept_part(flat: str, old: str, new: str) -> bool:
    """Return whether `new` is only what `old` would leave standing, and stands in the text."""
    gone, came = _changes(split_lines(old), split_lines(new))
    kept = gone and not came and is_substantial(new)
    return bool(kept and next(_occurrences(flat, new), None) is not None)


def is_substantial(text: str) -> bool:
    """Return whether a text stands nowhere by accident."""
    return len(re.findall(r"\w", text)) >= SUBSTANTIAL


def _occurrences(flat: str, new: str) -> Iterator[int]:
    """Yield where the text stands, not as a part of a longer word; as whole lines when it is lines."""
    lead = r"(?<![^\n])" if "\n" in new else r"(?<!\w)" if new[0].isalnum() else ""
    trail = r"(?!\w)" if new[-1].isalnum() else ""
    for found in re.finditer(f"{lead}{re.escape(new)}{trail}", flat):
        yield found.start()


def _changes(old: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the lines of the old text that the new one does without, and those that are new in it."""
    gone: list[str] = []
    came: list[str] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            gone += (line for line in old[i1:i2] if line.strip())
            came += (line for line in new[j1:j2] if line.strip())
    return gone, came


def _remains(lines: Sequence[str], gone: Sequence[str], at: int, height: int) -> bool:
    """Whether beside these lines there are some that a line to be deleted may be meant for."""
    reach = len(gone) + 2
    beside = (*lines[max(0, at - reach) : at], *lines[at + height : at + height + reach])
    with_words = [line.strip() for line in gone if re.search(r"\w", line)]
    near = [any(closeness(line, other.strip()) >= TYPO for other in beside) for line in with_words]
    return sum(near) * 2 >= max(1, len(near))

"""So many characters for all instructions together: the nearest get theirs first, and each cut is said."""

from collections.abc import Sequence

from agls.frozen import frozen
from agls.instruction_files.texts import InstructionText

FIRST = ("managed", "user")  # these no project can crowd out
CUT = "\n[The rest of this file is left out: it has {:,} characters, {:,} are here.]"


@frozen
class FittedText:
    """A text in the characters that there are for it; `cut` is how many of it are left out."""

    source: InstructionText
    text: str
    cut: int = 0


def fitted(texts: Sequence[InstructionText], limit: int, most: int) -> tuple[FittedText, ...]:
    """Return the texts in their order, with at most `limit` characters together and `most` each.

    The administrator's and the user's own come first, then the others from the last, which is the nearest.
    """
    own = [place for place, text in enumerate(texts) if text.origin in FIRST]
    others = [place for place in reversed(range(len(texts))) if place not in own]
    kept: dict[int, FittedText] = {}
    for place in (*own, *others):
        room = max(min(limit, most), 0)
        kept[place] = _cut(texts[place], room)
        limit -= min(room, len(texts[place].text))
    return tuple(kept[place] for place in range(len(texts)))


def _cut(source: InstructionText, room: int) -> FittedText:
    size = len(source.text)
    if size <= room:
        return FittedText(source, source.text)
    return FittedText(source, source.text[:room] + CUT.format(size, room), size - room)

"""The list of skills and commands that the model gets, within a limit of characters. Pure."""

from collections.abc import Sequence

from agls.frozen import frozen

SHORTENED = "(Descriptions are shortened.)"
MORE = "({} more are left out of this list, and can be loaded by their names.)"
_MARGIN = len(SHORTENED) + len(MORE) + 8


@frozen
class CatalogueEntry:
    """Something that the model may load: what it is for, and whose it is."""

    name: str
    description: str
    origin: str


@frozen
class SkillCatalogue:
    """The list as text, and the names in it; `cut` is how many characters of each description are left.

    `left_out` is how many entries are not in it.
    """

    text: str
    names: Sequence[str]
    cut: int | None = None
    left_out: int = 0


def catalogue_of(entries: Sequence[CatalogueEntry], limit: int) -> SkillCatalogue:
    """Return the list in at most so many characters. A name is left out only when no description is left."""
    names = [entry.name for entry in entries]
    whole = _text(entries, None)
    if len(whole) <= limit:
        return SkillCatalogue(whole, names)
    room = limit - _MARGIN
    low, high = 0, max((len(entry.description) for entry in entries), default=0)
    while low < high:  # the longest descriptions that fit
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _size(entries, middle) <= room else (low, middle - 1)
    if _size(entries, low) <= room:
        return SkillCatalogue(f"{_text(entries, low)}\n{SHORTENED}", names, low)
    shown: list[CatalogueEntry] = []
    for entry in entries:
        room -= len(_line(entry, 0)) + 1
        if room < 0:
            break
        shown.append(entry)
    left = len(entries) - len(shown)
    text = "\n".join(filter(None, (_text(shown, 0), SHORTENED, MORE.format(left))))
    return SkillCatalogue(text, names[: len(shown)], 0, left)


def _text(entries: Sequence[CatalogueEntry], most: int | None) -> str:
    return "\n".join(_line(entry, most) for entry in entries)


def _size(entries: Sequence[CatalogueEntry], most: int) -> int:
    return sum(len(_line(entry, most)) + 1 for entry in entries)


def _line(entry: CatalogueEntry, most: int | None) -> str:
    words = entry.description
    if most is not None and len(words) > most:
        words = f"{words[: max(0, most - 1)].rstrip()}…" if most else ""
    return f"- {entry.name}: {words} ({entry.origin})" if words else f"- {entry.name} ({entry.origin})"

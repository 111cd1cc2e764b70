"""The report to the model when a text was not found in a file."""

from collections.abc import Sequence

from agls.frozen import frozen

from .already import is_kept_part, lines_already
from .mistakes import mistake
from .nearest import find_place, nearest, shown, whole

LISTED = 10  # line numbers in a report


@frozen
class Wording:
    """What the texts are called: the old one, the new one, and what to do next."""

    old: str
    new: str
    advice: str


ARGUMENTS = Wording("old_text", "new_text", "Copy old_text from the file, without the line numbers.")


def describe_miss(flat: str, old: str, new: str, words: Wording) -> str:
    """Return why `old` is not in the text `flat`, where that is known, and the lines most like it."""
    wrong = mistake(flat, old)
    meant = wrong.meant if wrong else old
    place = find_place(flat, meant)
    if wrong and wrong.line is not None and (place is None or wrong.height):
        height = wrong.height or meant.strip("\n").count("\n") + 1
        place = whole(wrong.line, min(wrong.line + height, flat.count("\n") + 1))
    missed = f"{words.old} was not found"
    if wrong is None and (lines := lines_already(flat, old, new, place)):
        there = f"{missed}, but {words.new} is already there, on {listed(lines)}. Nothing was changed."
        aside = place and not any(place.start < line <= place.stop for line in lines)
        return "\n".join([there, *(shown(flat, old, place) if place and aside else ())])
    parts = [f"{missed}; nothing was changed."]
    if wrong:
        parts.append(wrong.problem.format(old=words.old))
    elif place and is_kept_part(flat, old, new):
        differs = f"those it leaves out are there, too, but differ from {words.old}"
        parts.append(f"{words.new} keeps lines that are already there; {differs}.")
    return "\n".join([*parts, *nearest(flat, meant, place, words.advice)])


def listed(lines: Sequence[int]) -> str:
    """Return line numbers as a person would say them, the first ones of many."""
    shown = ", ".join(map(str, lines[:LISTED]))
    return f"line{'s' * (len(lines) > 1)} {shown}{', …' * (len(lines) > LISTED)}"

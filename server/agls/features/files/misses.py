"""What to tell the model of a text that was not found in a file."""

from collections.abc import Sequence

from agls.frozen import frozen

from .already import is_kept_part, lines_already
from .mistakes import mistake
from .nearest import find_place, nearest, shown

LISTED = 10  # line numbers that are told


@frozen
class Wording:
    """What the texts are called: the old one, the new one, and what to do next."""

    old: str
    new: str
    advice: str


ARGUMENTS = Wording("old_text", "new_text", "Copy old_text from the file, without the line numbers.")


def describe_miss(flat: str, old: str, new: str, words: Wording) -> str:
    """Return why `old` is not in the text `flat`, as far as that can be told, and what is most like it."""
    wrong = mistake(flat, old)
    meant = wrong.meant if wrong else old
    place = find_place(flat, meant)
    missed = f"{words.old} was not found"
    if wrong is None and (lines := lines_already(flat, old, new, place)):
        there = f"{missed}, but {words.new} is already there, on {listed(lines)}. Nothing was changed."
        aside = place and not any(place.start < line <= place.stop for line in lines)
        return "\n".join([there, *(shown(flat, old, place) if place and aside else ())])
    told = [f"{missed}; nothing was changed."]
    if wrong:
        told.append(wrong.told.format(old=words.old))
    elif place and is_kept_part(flat, old, new):
        kept = (
            f"What {words.new} keeps is already there; what it leaves out still is, not quite as {words.old}"
        )
        told.append(f"{kept} has it.")
    return "\n".join([*told, *nearest(flat, meant, place, words.advice)])


def listed(lines: Sequence[int]) -> str:
    """Return line numbers as a person would say them, the first ones of many."""
    shown = ", ".join(map(str, lines[:LISTED]))
    return f"line{'s' * (len(lines) > 1)} {shown}{', …' * (len(lines) > LISTED)}"

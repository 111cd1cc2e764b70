"""Why a hunk of a patch has no place, for the model: with the lines that are near it."""

from collections.abc import Sequence

from agls.engine.ports import WorkspaceError

from .bare_hunks import placeless
from .hunk_spots import Spot
from .lines import numbered
from .misses import Wording, describe_miss, listed
from .patch_parts import PatchHunk

REPEATED = (
    "The lines that hunk {number} adds are already there, with those around them, from line {line} on; "
    "nothing was changed. Leave it out, or give the lines that follow them, too, if they are wanted twice."
)
SHOWN = 10  # lines of a hunk that are shown
WIDTH = 1_000  # characters of a line that are shown


class Unplaced(WorkspaceError):
    """A hunk has no place; the message says what is near it. `first` is the number of the first such hunk."""

    def __init__(self, message: str, first: int = 0) -> None:
        super().__init__(message)
        self.first = first


def above_anchor(hunk: PatchHunk, spots: Sequence[Spot], start: int, lines: Sequence[str]) -> str:
    """Return why a hunk whose lines stand only above its anchor is not made."""
    anchor = hunk.anchors[-1].strip()[:80]
    above = listed([spot.start + 1 for spot in spots])
    new, below = [line.strip() for line in hunk.new], [line.strip() for line in lines]
    made = next((at for at in range(start, len(below)) if new and below[at : at + len(new)] == new), None)
    there = "" if made is None else f" Its new lines stand there already, on line {made + 1}."
    return (
        f"The lines of hunk {hunk.number} stand on {above} only, above `{anchor}`, and not below it; nothing "
        f"was changed.{there} Leave the hunk out, or name a line above those that are meant after @@."
    )


def ambiguous(hunk: PatchHunk, spots: Sequence[Spot], lines: Sequence[str]) -> str:
    """Return why a hunk that fits in several places is not made."""
    places = listed([spot.start + 1 for spot in spots])
    return (
        f"Hunk {hunk.number} fits in {len(spots)} places, {places}; nothing was changed. Add lines around "
        f"it, or name a line above it after @@.{_unknown(hunk, lines)}"
    )


def _unknown(hunk: PatchHunk, lines: Sequence[str]) -> str:
    """Return which of the anchors is no line of the file, "" for none."""
    there = {line.strip() for line in lines}
    missing = next((anchor.strip() for anchor in hunk.anchors if anchor.strip() not in there), "")
    return f" No line of the file is `{missing[:80]}`: give the whole line." if missing else ""


def out_of_order(hunk: PatchHunk, spot: Spot, lines: Sequence[str]) -> str:
    """Return why a hunk above the one before it, or upon it, is not made."""
    there = numbered(list(lines[spot.start : spot.stop][:SHOWN]), spot.start + 1, WIDTH)
    return "\n".join(
        [
            f"Hunk {hunk.number} overlaps the one before it, or stands above it; nothing was changed. Give "
            "the hunks in the order of the file. Its lines are:",
            *there,
        ]
    )


def not_there(hunk: PatchHunk, anchor: str, spot: Spot) -> str:
    """Return why a hunk is not made whose anchor names what the file does not have."""
    return (
        f"Hunk {hunk.number} is for `{anchor}`, which the file does not have; its few lines stand on line "
        f"{spot.start + 1}. Nothing was changed. Name a line above them after @@ that is there, or give more "
        "of the lines around them."
    )


def missed(hunk: PatchHunk, lines: Sequence[str]) -> str:
    """Return why a hunk whose lines are nowhere is not made, and the lines that are most like them."""
    name = f"hunk {hunk.number}"
    words = Wording(name, f"the new text of {name}", "Lines that stay or go must be as they are in the file.")
    report = describe_miss("\n".join(lines), "\n".join(hunk.old), "\n".join(hunk.new), words)
    return report[0].upper() + report[1:]


def no_place(hunk: PatchHunk, lines: Sequence[str]) -> str:
    """Return why a hunk without old lines is not made."""
    return placeless(hunk, lines, SHOWN, WIDTH)

"""What a patch says: which files it changes, and of each the places where lines give way to others."""

from typing import Literal

from agls.engine.ports import WorkspaceError
from agls.frozen import frozen

Sign = Literal[" ", "-", "+"]


class PatchError(WorkspaceError):
    """The text is no patch, or one that cannot be read; the message says how to write it."""


@frozen
class PatchRow:
    """A line of a patch: one that stays (" "), goes ("-") or comes ("+"), without its end."""

    sign: Sign
    text: str


@frozen
class PatchHunk:
    """A run of rows. `number` counts the hunks of a file from 1.

    `anchors` are lines that stand somewhere above it, in order, and `line` (from 1) is where it says that it
    begins (`None`: it does not). A unified diff may name a line above it, its `section`, and the one on which
    it begins afterwards (`new_line`, from 1; 0: it does not), which is `comes_at` as well for lines that come
    without any others. It `ends_file` when it is the last of the file. `final_end` is whether the text ends
    with a line end afterwards, where the patch says so.
    """

    number: int
    rows: tuple[PatchRow, ...]
    anchors: tuple[str, ...] = ()
    line: int | None = None
    ends_file: bool = False
    final_end: bool | None = None
    section: str = ""
    comes_at: int = 0
    new_line: int = 0

    @property
    def old(self) -> list[str]:
        """The lines that must be there."""
        return [row.text for row in self.rows if row.sign != "+"]

    def having(self, sign: str) -> list[str]:
        """The lines with this sign."""
        return [row.text for row in self.rows if row.sign == sign]

    @property
    def new(self) -> list[str]:
        """The lines that are there afterwards."""
        return [row.text for row in self.rows if row.sign != "-"]


@frozen
class FilePatch:
    """What becomes of a file: it is added with `text`, deleted, or updated by its hunks and moved (`to`).

    A `mode` that it is to have, as chmod is told ("+x", "-x"), it does not get: a tool that edits makes no
    programs. A new one that `must_be_new` is written over nothing.
    """

    kind: Literal["add", "delete", "update"]
    path: str
    text: str = ""
    hunks: tuple[PatchHunk, ...] = ()
    to: str = ""
    mode: str = ""
    must_be_new: bool = False

    @property
    def is_only_added(self) -> bool:
        """Whether an update names no line that is there."""
        return bool(self.hunks) and not any(hunk.old for hunk in self.hunks)

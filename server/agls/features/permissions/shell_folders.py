"""Where a shell may be at one place of a command: a `cd` leads there, and may have failed."""

from collections.abc import Sequence
from posixpath import dirname, join, normpath

from agls.features.permissions.simple_command import Program
from agls.features.permissions.syntax_nodes import NOWHERE
from agls.frozen import frozen
from agls.regex import regex
from agls.room.shell_tree import NotUnderstood, Word

_UP = regex(r"^(?:\.\.(?:/+|$))+")


@frozen
class ShellFolders:
    """The folders in which it may be when the last statement `succeeded`, and those when it `failed`."""

    succeeded: Sequence[str] = ("",)
    failed: Sequence[str] = ("",)

    @property
    def all(self) -> "ShellFolders":
        """After a statement of which nobody asks how it ended."""
        return both(_together(self.succeeded, self.failed))

    def after_cd(self, program: Program) -> "ShellFolders":
        """**Returns** where it is behind this `cd`. **Raises** `NotUnderstood`."""
        below = _folder_of(program)
        return ShellFolders(tuple(_folder_below(folder, below) for folder in self.succeeded), self.succeeded)

    def before(self, operator: str) -> "ShellFolders":
        """**Returns** where what stands behind `&&` or `||` begins."""
        return both(self.succeeded if operator == "&&" else self.failed)

    def then(self, operator: str, after: "ShellFolders") -> "ShellFolders":
        """**Returns** where a list is that goes on so, with what stands behind the operator."""
        if operator == "&&":
            return ShellFolders(after.succeeded, _together(self.failed, after.failed))
        return ShellFolders(_together(self.succeeded, after.succeeded), after.failed)

    def only(self) -> str:
        """**Returns** the one folder in which it is. **Raises** `NotUnderstood` when it may be another."""
        folder, *others = self.succeeded
        if others:
            raise NotUnderstood("in which folder it is looked up is known only when it runs")
        return folder


def both(folders: Sequence[str]) -> ShellFolders:
    return ShellFolders(folders, folders)


def _together(one: Sequence[str], other: Sequence[str]) -> Sequence[str]:
    return tuple(dict.fromkeys((*one, *other)))


def _folder_of(program: Program) -> str:
    match program:
        case Program(words=(_, Word(text, is_pattern=False)), inputs=()) if _is_below(
            _UP.sub("", text) or "."
        ):
            return text
        case _:
            raise NotUnderstood("`cd` is understood only with the name of one folder, `..` only in front")


def _folder_below(folder: str, to: str) -> str:
    """Return where `cd` leads from a folder. `..` leads back to where it came from, behind a link, too."""
    below = _UP.sub("", to)
    for _ in range(to[: len(to) - len(below)].count("..")):
        if folder in {"", "."}:
            raise NotUnderstood(
                "`cd ..` leads out of the workspace, or of the folder where the command begins"
            )
        folder = dirname(folder)
    return normpath(join(folder, below)) if below else folder


def _is_below(folder: str) -> bool:
    """Return whether `cd` leads where the path does: behind a link its `..` is another one."""
    is_name = bool(folder) and folder[0] != "-" and folder != NOWHERE and "\0" not in folder
    return is_name and ".." not in folder.split("/")

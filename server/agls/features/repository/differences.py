"""What changed in a repository, as text for a model: only files that may be shown, and so much."""

from collections.abc import Mapping, Sequence

from agls.frozen import frozen
from agls.room.folder_ports import GitCommands

PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--relative")
MOST_FILES = 400
NO_TEXT = "w/-text"  # as `git ls-files --eol` marks binary files
MOST = 120_000  # characters of a difference
CUT = "\n[The rest is left out: {:,} of {:,} characters are here. Read the files themselves.]\n"


@frozen
class Difference:
    """The `files` that differ, and the `text` of that; `hidden` counts those that may not be shown."""

    files: Sequence[str] = ()
    text: str = ""
    hidden: int = 0

    @property
    def shown(self) -> str:
        """The text, no longer than a model should read at once, and what is not in it."""
        whole = len(self.text)
        text = self.text if whole <= MOST else self.text[:MOST] + CUT.format(MOST, whole)
        left_out = f"[{self.hidden} more files are changed and not shown.]\n" if self.hidden else ""
        return text + left_out


async def difference(git: GitCommands, *what: str, paths: Sequence[str] = ()) -> Difference:
    """Return the difference that these arguments of `git diff` mean. **Raises** `WorkspaceError`."""
    behind = ("--", *paths) if paths else ()
    names = lines(await git.read("diff", *PLAIN, "--name-only", *what, *behind))
    shown = [name for name in names if not name.startswith('"') and git.shows(name)][:MOST_FILES]
    if not shown:
        return Difference(hidden=len(names))
    text = await git.read("diff", *PLAIN, *what, "--", *shown)
    return Difference(shown, text, len(names) - len(shown))


async def new_files(git: GitCommands) -> Mapping[str, bool]:
    """Return the files that git does not know yet and does not ignore, and whether each is text.

    **Raises** `WorkspaceError`."""
    rows = lines(await git.read("ls-files", "--others", "--exclude-standard", "--eol"))
    named = ((name, NO_TEXT not in kinds.split()) for kinds, _, name in (row.partition("\t") for row in rows))
    shown = [(name, is_text) for name, is_text in named if not name.startswith('"') and git.shows(name)]
    return dict(shown[:MOST_FILES])


def lines(text: str) -> Sequence[str]:
    """Return the lines of a text that are not blank."""
    return [line for line in text.splitlines() if line.strip()]

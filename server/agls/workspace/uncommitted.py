"""What is not committed in the folder of a workspace, as git has it."""

from collections.abc import Callable, Sequence
from typing import Protocol

from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import Command, Finished

QUIET = ("-c", "core.quotePath=false", "-c", "core.safecrlf=false", "-c", "core.fsmonitor=false")
PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--relative")
SECONDS = 10.0
MOST_FILES = 300
MOST_BYTES = 200_000
NOTHING = "Nothing is uncommitted.\n"


class FolderWithGit(Protocol):
    """The part of a workspace that is needed here."""

    def lists(self, path: str) -> bool: ...
    async def run(self, command: Command, output: Callable[[str], None]) -> Finished: ...


async def uncommitted(workspace: FolderWithGit) -> str:
    """**Returns** the difference to the last commit and the names of new files; "" where git knows neither.

    Files that no list of the workspace shows are left out. Nothing of the folder may be interpreted before
    it is trusted: ask only then.
    """
    try:
        changed = await _names(workspace, "diff", *PLAIN, "--name-only", "HEAD")
        new = await _names(workspace, "ls-files", "--others", "--exclude-standard")
        diff = await _git(workspace, "diff", *PLAIN, "HEAD", "--", *changed[:MOST_FILES]) if changed else ""
    except WorkspaceError:  # there is no git, no repository, or no commit yet
        return ""
    left_out = len(changed) - MOST_FILES
    more = [f"[{left_out} more files are changed]\n"] if left_out > 0 else []
    more += [f"New files, not shown: {', '.join(new[:MOST_FILES])}\n"] if new else []
    return "".join((diff, *more)) or NOTHING


async def _names(workspace: FolderWithGit, *arguments: str) -> Sequence[str]:
    """**Returns** paths that may be shown; those with line breaks or quotes in them are left out."""
    lines = (await _git(workspace, *arguments)).splitlines()
    return [line for line in lines if line and not line.startswith('"') and workspace.lists(line)]


async def _git(workspace: FolderWithGit, *arguments: str) -> str:
    """**Returns** what git printed. **Raises** `WorkspaceError`."""
    argv = ("git", "--literal-pathspecs", "--no-optional-locks", *QUIET, *arguments)
    done = await workspace.run(Command(argv, timeout=SECONDS, keep=MOST_BYTES), _unheard)
    if done.exit_code != 0:
        raise WorkspaceError(f"git failed: {done.output[-500:]}")
    return done.output


def _unheard(output: str) -> None:
    """Drop live output: it is read when git has ended."""

"""What git says of the folder of a workspace, asked again only when its HEAD or its index changed."""

import os
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import Command
from agls.frozen import frozen
from agls.plain_file import read_plain
from agls.regex import regex
from agls.workspace.repository import folders_above, is_repository
from agls.workspace.uncommitted import QUIET, FolderWithGit

SECONDS = 5.0
FRESH = 10.0  # seconds: an answer that is younger holds while HEAD and the index stay as they are
MOST_BYTES = 100_000
MOST_OF_HEAD = 1024
COMMITS = 5
REMEMBERED = 16  # folders
SAFE = (
    *QUIET,
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "status.relativePaths=true",
    "-c",
    "safe.bareRepository=explicit",
)
_BRANCH = regex(r"ref: refs/heads/([^\s~^:?*\[\\<>\"`]{1,200})\s*")
_REFERENCE = "ref: refs/heads/"
ODD = "a branch with an unusual name"
_COMMIT = regex(r"([0-9a-f]{40}|[0-9a-f]{64})\s*")
Stamp = tuple[tuple[int, int], ...]


@frozen
class GitState:
    """A repository: where its HEAD is, the files that are not committed (`M a.py`), the last commits."""

    head: str
    changed: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    exists: bool = True


NO_GIT = GitState("", exists=False)


class GitStates:
    """The state of each folder's repository as it was found last."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._known: OrderedDict[str, tuple[Stamp, GitState]] = OrderedDict()
        self._asked_at: dict[str, float] = {}

    def known(self, root: str) -> GitState | None:
        """Return what is known and still holds, as far as HEAD and the index say; `None` for nothing."""
        found = self._known.get(root)
        return found[1] if found and found[0] == _stamp(root) else None

    async def look(self, root: str, workspace: FolderWithGit) -> GitState:
        """Ask git, and remember what it says. The folder must be one that the user trusts.

        It was asked lately when one prompt follows another: starting it would hold up their first words.
        """
        stamp, now = _stamp(root), self._now()
        found = self._known.get(root)
        if found and found[0] == stamp and now - self._asked_at[root] < FRESH:
            return found[1]
        self._asked_at[root] = now
        state = await _state(root, workspace) if stamp else NO_GIT
        self._known[root] = stamp, state
        self._known.move_to_end(root)
        if len(self._known) > REMEMBERED:
            forgotten, _ = self._known.popitem(last=False)
            self._asked_at.pop(forgotten, None)
        return state


async def _state(root: str, workspace: FolderWithGit) -> GitState:
    head = head_of(root)
    try:
        status = await _git(workspace, "status", "--short", "--untracked-files=normal", "--", ".")
        commits = await _git(workspace, "log", f"-{COMMITS}", "--no-color", "--format=%h %s")
    except WorkspaceError:  # there is no git, it takes too long, or there is no repository
        return GitState(head)
    changed = [line for line in status.splitlines() if len(line) > 3 and workspace.lists(_path(line))]
    return GitState(head, tuple(changed), tuple(line[:100] for line in commits.splitlines()))


def _path(line: str) -> str:
    """Return the path in a line of a short status; of a file that was renamed the new one."""
    return line[3:].rpartition(" -> ")[2].strip('"').rstrip("/")


async def _git(workspace: FolderWithGit, *arguments: str) -> str:
    """Return what git printed, nothing where there is no commit yet. **Raises** `WorkspaceError`."""
    argv = ("git", "--no-optional-locks", *SAFE, *arguments)
    done = await workspace.run(Command(argv, timeout=SECONDS, keep=MOST_BYTES), lambda _: None)
    if done.exit_code not in {0, 128} or done.timed_out:
        raise WorkspaceError("git failed")
    return done.output if done.exit_code == 0 else ""


def head_of(root: str) -> str:
    """Return where the HEAD of a folder's repository is; "" where there is none. Git is not asked."""
    return head_in(_head_text(root))


def head_in(text: str) -> str:
    """Return the branch or commit that this text of `HEAD` names; "" for whatever names none.

    The model reads it: a name that could look like other words is not repeated.
    """
    head = text if len(text) <= MOST_OF_HEAD else ""
    if head.startswith(_REFERENCE):
        branch = _BRANCH.fullmatch(head)
        return f"branch {branch[1]}" if branch and branch[1].isprintable() else ODD
    commit = _COMMIT.fullmatch(head)
    return f"commit {commit[1][:12]}, no branch" if commit else ""


def _folder(root: str) -> str:
    """Return the folder with git's files, "" where there is no repository."""
    place = f"{root}/.git"
    if not is_repository(root):
        above = folders_above(root)
        if not above:
            return ""
        place = f"{above[0]}/.git"
    if os.path.isdir(place):  # noqa: PTH112 - every run looks
        return place
    try:
        text = read_plain(place, MOST_OF_HEAD).decode()  # of a worktree
    except (OSError, UnicodeDecodeError):
        return ""
    named = text.removeprefix("gitdir:").strip() if text.startswith("gitdir:") else ""
    return str(Path(place).parent / named) if named else ""


def _head_text(root: str) -> str:
    folder = _folder(root)
    if not folder:
        return ""
    try:
        return read_plain(Path(folder, "HEAD"), MOST_OF_HEAD + 1).decode("utf-8", "replace")
    except OSError:
        return ""


def _stamp(root: str) -> Stamp:
    """Return what changes whenever HEAD or the index does; nothing where there is no repository."""
    folder = _folder(root)
    return tuple(_times(f"{folder}/{name}") for name in ("HEAD", "index")) if folder else ()


def _times(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)  # noqa: PTH116 - every run looks
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_ino

"""Ports to the folder of a session, and to what the user sees of it. The assembly implements them."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import NoReturn, Protocol

from agls.diff import Patch
from agls.engine.ports import OpenFile, PathInfo, StoredState, WorkspaceError
from agls.engine.state import State
from agls.engine.vocabulary import FileChange, FileVersion, JsonObject
from agls.frozen import frozen

WORKTREE = "worktree"  # the option of a session that works in one: the folder in it


class Worktree(Protocol):
    """A worktree on a `branch` of its own; `folder` is the place in it that the session's folder has.

    `leave` removes it when nothing changed in it, and **returns** `None`; otherwise it is kept, and what is
    returned is the difference to its beginning. It raises `WorkspaceError`.
    """

    @property
    def path(self) -> str: ...
    @property
    def folder(self) -> str: ...
    @property
    def branch(self) -> str: ...
    async def leave(self) -> str | None: ...


class KeptWorktree(Protocol):
    """A worktree that was made here; `changed` names what in it is not committed."""

    @property
    def path(self) -> str: ...
    @property
    def branch(self) -> str: ...
    @property
    def changed(self) -> Sequence[str]: ...


class Worktrees(Protocol):
    """Makes worktrees of the repository of a session. All methods raise `WorkspaceError`.

    `make` **returns** the one of this name, as it is where it was kept. It is `held` for whoever will leave
    it. `all` are those that are there. `remove` removes a clean one, and **returns** the branch that stays
    for its commits, "" for none.
    """

    async def make(self, name: str, *, held: bool = True) -> Worktree: ...
    async def all(self) -> Sequence[KeptWorktree]: ...
    async def remove(self, name: str) -> str: ...


class NoWorktrees:
    """A place without worktrees."""

    async def make(self, name: str, *, held: bool = True) -> NoReturn:
        """Make none. **Raises** `WorkspaceError`."""
        raise WorkspaceError("there is no git here.")

    async def all(self) -> Sequence[KeptWorktree]:
        """Return none."""
        return ()

    async def remove(self, name: str) -> NoReturn:
        """Remove none. **Raises** `WorkspaceError`."""
        raise WorkspaceError("there is no git here.")


NO_WORKTREES = NoWorktrees()


@frozen
class Surroundings:
    """Where a session works: its clock (Unix time in seconds), its permission mode, its scratch folder.

    Only of a `trusted` folder may anything be read. `door` is what the user works with ("": nobody knows);
    `attended` is whether somebody reads along, and goes on when a run is over. Its helpers may work in
    `worktrees`.
    """

    now: Callable[[], float]
    mode_of: Callable[[State], str]
    scratch: str = ""
    trusted: bool = False
    door: str = ""
    attended: bool = True
    worktrees: Worktrees = NO_WORKTREES


@frozen
class MachineFacts:
    """What is known of the machine: its system, user and shell, and the usual programs that are there.

    `variables` are the names of the variables that commands get.
    """

    system: str = ""
    user: str = ""
    shell: str = ""
    programs: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()


class Machine(Protocol):
    """**Returns** what is known of the machine; it is looked at once."""

    def __call__(self) -> MachineFacts: ...


class RepositoryState(Protocol):
    """A repository: its HEAD in words, the files not committed (`M a.py`), the last commits.

    `exists` is whether there is one; HEAD is "" where it is no plain name, too.
    """

    @property
    def exists(self) -> bool: ...
    @property
    def head(self) -> str: ...
    @property
    def changed(self) -> Sequence[str]: ...
    @property
    def commits(self) -> Sequence[str]: ...


class Repository(Protocol):
    """What git says of the folder: nothing where nobody trusts it, as git must not read its settings then.

    `known` **returns** what was found before and still holds, as far as HEAD and the index say, `None` for
    nothing. `look` asks git; `head` **returns** where HEAD is without that.
    """

    def known(self) -> RepositoryState | None: ...
    async def look(self) -> RepositoryState: ...
    def head(self) -> str: ...


@frozen(kw_only=True)
class PdfPages:
    """Pages of a PDF: `text` has those up to `last` of the `count` that there are, each under its number."""

    title: str
    text: str
    last: int
    count: int


class PdfReader(Protocol):
    """**Returns** the text of the pages from `first` to `last` (0: the end). **Raises** `WorkspaceError`.

    They are as many as have `most` characters together, and always one. The `source` is the PDF itself, or
    the open file that it is in, of which only what the pages need is read.
    """

    def __call__(
        self, source: bytes | OpenFile, *, first: int, last: int, most: int
    ) -> Awaitable[PdfPages]: ...


class Revealer(Protocol):
    """What the user sees. `reveal` shows a file (its path or URI) at a line, from 0; only files.

    `follows` is whether the user wants to see where the agent works.
    """

    @property
    def follows(self) -> bool: ...
    async def reveal(self, path: str, line: int) -> None: ...


class FileSnapshots(Protocol):
    """Files as bytes; an open document counts as it would be saved. All methods raise `WorkspaceError`.

    `put` changes an open document by one edit, a file that is not open atomically, and raises `Stale` when
    it is no longer at `expected` (hash "": absent). `None` is no file. `changed_at` **returns** when each was
    changed last on the disk (Unix time in seconds), 0 for what is not there. `tidy` removes the folders on
    the way to a path, from `folder` down, that are empty: they were made for files that are gone.
    """

    def open_documents(self) -> list[str]: ...
    def changed_at(self, paths: Sequence[str]) -> Sequence[float]: ...
    async def look(self, path: str, max_bytes: int) -> StoredState: ...
    async def diff(self, path: str, before: bytes | None, after: bytes | None) -> Patch: ...
    async def put(
        self, path: str, data: bytes | None, expected: FileVersion, *, mode: int = ..., label: str = ...
    ) -> FileChange: ...
    async def tidy(self, path: str, folder: str) -> None: ...


class CommitPrograms(Protocol):
    """What of a repository a commit runs.

    `hooks` are absolute; they run in `folder`. `doubt` is why git might run other programs ("": it will not),
    which `settings` decide: files, absolute.
    """

    @property
    def hooks(self) -> Sequence[str]: ...
    @property
    def doubt(self) -> str: ...
    @property
    def settings(self) -> Sequence[str]: ...
    @property
    def folder(self) -> str: ...


class GitCommands(Protocol):
    """Git in the folder. `read` and `write` **return** what it prints and raise `WorkspaceError`.

    What `read` asks for runs and changes nothing; `write` works as git does for the user, with the hooks of
    the repository unless these are left out. `kept_index` is a block: when it fails, what is staged is put
    back as it was. Nobody is asked in a folder that is not trusted. `shows` is whether a file may be shown.
    `programs_of_commit` **returns** what of the repository a commit would run.
    """

    async def read(self, *arguments: str) -> str: ...
    async def write(self, *arguments: str, stdin: str = "", hooks: bool = True) -> str: ...
    def kept_index(self) -> AbstractAsyncContextManager[None]: ...
    async def programs_of_commit(self) -> CommitPrograms: ...
    def shows(self, path: str) -> bool: ...


class Uncommitted(Protocol):
    """**Returns** what is not committed in the folder, "" where that is not known or must not be asked."""

    async def __call__(self) -> str: ...


class Diagnostics(Protocol):
    """**Returns** the files that the editor shows something wrong in, with it (LSP 3.17, Diagnostic)."""

    async def __call__(self) -> Sequence[tuple[PathInfo, Sequence[JsonObject]]]: ...


class BlobStore(Protocol):
    """Bytes by the SHA-256 of them (hex). All methods raise `OSError` with a message for the user.

    `collect` removes what no session names any more, at most once a day.
    """

    async def keep(self, data: bytes) -> str: ...
    async def read(self, name: str) -> bytes: ...
    async def collect(self, max_age: float, max_bytes: int) -> int: ...

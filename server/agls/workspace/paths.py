"""The one path module: the meaning of a path, whether it is in the workspace, and its dangers.

Paths are compared component by component, with every link resolved; a `..` after a link means what it means
to the kernel. `~`, variables and patterns are ordinary characters.
"""

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePath
from stat import S_ISLNK

from agls.engine.ports import PathInfo, PathOutside, WorkspaceError
from agls.frozen import frozen
from agls.names import meant
from agls.workspace.protected import AGLS, CLOSED, danger, mark
from agls.workspace.unicode_forms import in_form_of_disk
from agls.workspace.uris import is_file_uri, to_path, to_uri
from agls.workspace.walker import LONGEST

REMEMBERED = 200  # targets


@frozen
class Root:
    """A folder of the workspace: as the client named it, and with links resolved."""

    named: str
    real: str


_OUTSIDE = Root("/", "/")


@frozen
class Own:
    """agls's own folders: the `private` ones are protected wherever they lie, and everything in them.

    `scratch` ("" for none), in one of them, is the session's: open like the workspace, but no part of it.
    `closed` are files with keys, which are opened for nobody, like the files of keys in the private folders.
    """

    private: Sequence[str] = ()
    scratch: str = ""
    closed: Sequence[str] = ()


_NONE = Own()


@frozen
class ResolvedPath:
    """A place and how to open it: `parts` beneath `root`, no links among them. Outside, `root` is `/`.

    It is `disguised` when links lead from a harmless name to a protected one.
    """

    place: PathInfo
    root: Root
    parts: tuple[str, ...]
    disguised: bool

    @property
    def spelled(self) -> str:
        """The absolute path in the client's spelling of the root."""
        return str(PurePath(self.root.named, *self.parts))


class Ground:
    """The folders of a workspace, the scratch folder, and the outside paths the user allowed.

    The files of keys are never opened.
    """

    def __init__(self, root: str, extra_roots: Sequence[str] = (), own: Own = _NONE) -> None:
        by_path: dict[str, Root] = {}
        links: dict[str, bool] = {}
        for name in (root, *extra_roots):
            found = _root(name, links)
            by_path.setdefault(found.real, found)  # the same folder may come twice
        self.roots = tuple(by_path.values())
        private = tuple([_real(folder, links) for folder in own.private])
        closed = tuple([_real(file, links) for file in own.closed])
        self._private, self.closed, self._closed_names = _own_places(private, closed)
        self._scratch = (_apart(own.scratch),) if own.scratch else ()
        self._allowed: set[str] = set()
        self._known = _targets(self.roots, self._private, self._scratch)

    def place(self, path: str) -> PathInfo:
        """Look at a path without opening it. **Raises** `WorkspaceError` for what cannot be a path."""
        return self.locate(path).place

    def enter(self, path: str) -> ResolvedPath:
        """Return the target of a path that may be opened. **Raises** `PathOutside` for every other one."""
        target = self.locate(path)
        if self._is_closed(target.place.path):
            raise PathOutside("The user's keys are in this file. It is opened for nobody.")
        if not self.permits(target):
            roots = ", ".join(root.named for root in self.roots)
            raise PathOutside(
                f"{target.place.shown} is outside the workspace ({roots}). "
                "Use a path in the workspace, or ask the user to allow this one."
            )
        return target

    def _is_closed(self, path: str) -> bool:
        """Return whether this is one of the closed files, by its path or by its inode (hard links)."""
        if path.casefold() in self._closed_names:
            return True
        identity = _identity(path)
        return identity is not None and identity in map(_identity, self.closed)

    def allow(self, path: str) -> None:
        """Let exactly this path be opened: the user said yes. The paths beneath it are not included."""
        self._allowed.add(self.locate(path).place.path)

    def permits(self, target: ResolvedPath) -> bool:
        """Return whether this target may be opened."""
        return target.place.inside or target.place.path in self._allowed

    def locate(self, path: str) -> ResolvedPath:
        """Return the target of a path, whether or not it may be opened.

        **Raises** `WorkspaceError` like `place`.
        """
        literal, tidy = _absolute(self.roots[0].named, path)
        try:
            real = _real(literal, {})
            tidied = real if tidy == literal else _real(tidy, {})
        except OSError as error:
            raise PathOutside(f"{path} could not be looked at ({error.strerror}).") from error
        tidy = tidy if tidied == real else real  # `link/..` is another folder than it seems
        target = self._known.get((tidy, real))
        if target is None:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            target = self._known[tidy, real] = self._target(tidy, real)
        return target

    def _target(self, tidy: str, real: str) -> ResolvedPath:
        """Return the target of a path that seems to be at `tidy` and is at `real`; looks at no file."""
        home = self._home(real)
        root = home or _OUTSIDE
        parts = _parts(real)[len(_parts(root.real)) :]
        spelled = "/".join((root.named.rstrip("/"), *parts)) or "/"
        real_danger = self._danger(real, parts)
        seen_danger = real_danger if tidy == real else self._danger(tidy, self._below(tidy))
        place = PathInfo(
            shown=self._shown(tidy, spelled),
            path=real,
            uri=to_uri(spelled),
            inside=home is not None,
            protected=real_danger or seen_danger,
            marked=mark(parts),
        )
        return ResolvedPath(place, root, parts, disguised=bool(real_danger and not seen_danger))

    def show(self, root: Root, parts: Sequence[str]) -> str:
        """Return a path as people read it: relative to the first root, absolute in the others."""
        if root == self.roots[0]:
            return "/".join(parts) or "."
        return str(PurePath(root.named, *parts))

    def _home(self, real: str) -> Root | None:
        parts = _parts(real)
        places = (*self.roots, *self._scratch)
        homes = [root for root in places if _is_below(parts, root)]
        return max(homes, key=lambda root: len(root.real), default=None)

    def _shown(self, tidy: str, named: str) -> str:
        for spelling in (tidy, named):
            for first in (self.roots[0].named, self.roots[0].real):
                if spelling.startswith(f"{first}/"):
                    return spelling[len(first) + 1 :]
                if _parts(spelling)[: len(_parts(first))] == _parts(first):
                    return os.path.relpath(spelling, first)
        return named

    def _below(self, literal: str) -> tuple[str, ...]:
        """Return the components beneath the root that a path seems to be in; all when it is in none."""
        parts = _parts(literal)
        places = (*self.roots, *self._scratch)
        heads = [_parts(spelling) for root in places for spelling in (root.named, root.real)]
        return parts[max((len(head) for head in heads if parts[: len(head)] == head), default=0) :]

    def _danger(self, path: str, below: tuple[str, ...]) -> str:
        parts = _parts(path)
        own = any(parts[: len(folder)] == folder for folder in self._private)
        own = own and not any(_is_below(parts, scratch) for scratch in self._scratch)
        return AGLS if own else danger(below)


@lru_cache(maxsize=16)  # every run asks
def _own_places(
    private: tuple[str, ...], closed: tuple[str, ...]
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...], frozenset[str]]:
    """Return the private folders in parts, the closed files in and beside them, and their folded names."""
    folders = tuple(map(_parts, private))
    keys = ("/".join(("", *folder, name)) for folder in folders for name in CLOSED)
    files = (*keys, *closed)
    return folders, files, frozenset(file.casefold() for file in files)


def _absolute(root: str, path: str) -> tuple[str, str]:
    """Return a path from this root as it was written, and with `..` resolved by its looks alone.

    A path that is not there as it is written may be spelled as lists spell it, or be there in another
    Unicode form.
    """
    literal, tidy = _written(root, path)
    if not literal.isascii() and not os.path.lexists(literal):
        same = in_form_of_disk(literal)
        return (same, os.path.normpath(same)) if same != literal else (literal, tidy)
    if "\\" not in literal or os.path.lexists(literal) or "\0" in (other := meant(literal)):
        return literal, tidy
    return (other, os.path.normpath(other)) if os.path.lexists(other) else (literal, tidy)


@lru_cache(maxsize=1_000)
def _written(root: str, path: str) -> tuple[str, str]:
    text = to_path(path) if is_file_uri(path) else path
    if "\0" in text or len(text) > LONGEST or not _encodable(text):
        raise WorkspaceError(f"{path[:80]!r} cannot be the name of a file. Give a plain path.")
    literal = str(PurePath(root, text))
    return literal, os.path.normpath(literal)


def _root(name: str, links: dict[str, bool]) -> Root:
    if not name.startswith("/"):
        raise WorkspaceError(f"The workspace folder {name!r} must be an absolute path.")
    return Root(os.path.normpath(name), _real(name, links))


def _real(path: str, links: dict[str, bool]) -> str:
    """Return the path with links resolved.

    Parts that several paths share are looked at once (`links` remembers).
    """
    above, _, last = path.rpartition("/")
    at, parts = (above, [last]) if links.get(above) is False else ("", path.split("/")[1:])
    for part in parts:
        at = f"{at}/{part}"
        if at not in links:
            links[at] = _is_link(at)
        if links[at] or part in {"", ".", ".."}:
            return os.path.realpath(path)
    return path if at else os.path.realpath(path)


def _apart(folder: str) -> Root:
    """Return a root in place of a folder that a command may have made a link meanwhile: nothing is in it."""
    path = os.path.normpath(folder)
    return Root(path, path)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - every file that is opened is compared with several others
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def _is_link(path: str) -> bool:
    try:
        return S_ISLNK(os.lstat(path).st_mode)
    except (OSError, ValueError):  # it is not there, or no path
        return False


@lru_cache(maxsize=16)
def _targets(*places: object) -> dict[tuple[str, str], ResolvedPath]:
    """Return the known targets under these places: calls and runs ask for the same paths many times."""
    del places
    return {}


def _is_below(parts: tuple[str, ...], folder: Root) -> bool:
    head = _parts(folder.real)
    return parts[: len(head)] == head


@lru_cache(maxsize=1_000)
def _parts(path: str) -> tuple[str, ...]:
    return tuple(filter(None, path.split("/")))


def _encodable(text: str) -> bool:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True

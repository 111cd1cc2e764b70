"""A walk through a tree, folder by folder, over every file that is not ignored.

This module is used in isolated programs: it imports nothing but the standard library.
"""

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from agls.workspace.folder_cache import FolderCache
from agls.workspace.globs import Pattern, beneath, names_here, names_matcher
from agls.workspace.handles import O_PATH, open_beneath, opened
from agls.workspace.ignores import FILES, Rules

Parts = tuple[str, ...]

TEMPORARY = ".agls-write-"  # how the names of unfinished writes begin
LONGEST = 4_096  # characters of a path, as in Linux; looking at one costs their square
EVERYTHING: tuple[Pattern, ...] = (("**", "*"),)
_CACHE = FolderCache()
_READABLE = os.O_RDONLY | os.O_DIRECTORY


class Folder(NamedTuple):
    """A folder with its chosen files, in no order. It is `whole` when these are all files in it.

    Files that are `unsaved` stand apart: the text that counts is the editor's.
    """

    parts: Parts
    files: list[str]
    whole: bool
    unsaved: tuple[str, ...] = ()


class WalkFilter(NamedTuple):
    """The files a walk lists: those whose path below the start fits a pattern, except `left_out` names.

    Of the patterns `only`, if there are any, a name must fit one.
    What fits a pattern of `excluded` is left out, and so is everything in a folder that does.
    `hidden` gets the components of a path below the root; hidden files and folders are left out. With
    `leftovers` only temporary files of killed writes are listed, otherwise all others.
    """

    patterns: tuple[Pattern, ...] = EVERYTHING
    left_out: tuple[str, ...] = ()
    hidden: Callable[[Parts], bool] | None = None
    leftovers: bool = False
    only: tuple[str, ...] = ()
    excluded: tuple[Pattern, ...] = ()

    def chosen(self, names: Collection[str]) -> set[str]:
        """Return the names that fit `only` and are not `left_out`."""
        fitting = names_matcher(self.only)(names) if self.only else set(names)
        return fitting - names_matcher(self.left_out)(fitting)


class _Waiting(NamedTuple):
    parts: Parts
    rules: Rules
    patterns: tuple[Pattern, ...]
    excluded: tuple[Pattern, ...] = ()


def walk(root: int, start: Parts, wanted: WalkFilter) -> Iterator[Folder]:
    """Yield every folder at and below `start` in the open folder `root`, files before subfolders.

    Links are not followed and not listed; `.git`, ignored and `hidden` files, folders that may not be read,
    names that are not UTF-8 and paths too long to be opened are left out. A folder asked for by name is
    walked even when it is ignored, and a file asked for by name is all there is.

    **Raises** `OSError` when the start cannot be opened.
    """
    with opened(open_beneath(root, start, O_PATH)) as handle:
        mode = os.fstat(handle).st_mode
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise OSError(errno.ENXIO, os.strerror(errno.ENXIO))
    if stat.S_ISREG(mode):
        yield Folder(start[:-1], [start[-1]], whole=False)
        return
    waiting = [_Waiting(start, _inherited(root, start), wanted.patterns, wanted.excluded)]
    while waiting:
        here = waiting.pop()
        try:
            found, folders = _look(root, here, wanted)
        except OSError:
            if here.parts == start:
                raise
            continue
        yield found
        waiting += reversed(folders)


def _inherited(root: int, start: Parts) -> Rules:
    """Return the rules from the folders above; none when they would ignore the folder itself."""
    rules = Rules()
    for depth, name in enumerate(start):
        with opened(open_beneath(root, start[:depth], O_PATH)) as folder:
            rules = rules.within(folder, FILES, top=depth == 0)
        if rules.ignored((name,), folders=True):
            return Rules()
        rules = rules.beneath(name)
    return rules


def _look(root: int, here: _Waiting, wanted: WalkFilter) -> tuple[Folder, list[_Waiting]]:
    with opened(open_beneath(root, here.parts, _READABLE)) as handle:
        files, folders = _CACHE.entries(handle, here.parts)
        rules = here.rules.within(handle, (*folders, *files), top=not here.parts)
    room = LONGEST - sum(map(len, here.parts)) - len(here.parts) - 1
    names = _chosen(files, here, rules, wanted, room)
    shut = names_matcher(names_here(here.excluded))(folders) if here.excluded else set[str]()
    entered = _openable(set(folders) - rules.ignored(folders, folders=True) - shut, room)
    below = [
        _Waiting((*here.parts, name), rules.beneath(name), left, excluded)
        for name in sorted(entered)
        if (left := beneath(here.patterns, name))
        if EVERYTHING[0] not in (excluded := beneath(here.excluded, name))
        if wanted.hidden is None or not wanted.hidden((*here.parts, name))
    ]
    return Folder(here.parts, names, whole=len(names) == len(files)), below


def _chosen(files: Sequence[str], here: _Waiting, rules: Rules, wanted: WalkFilter, room: int) -> list[str]:
    fitting = names_matcher(names_here(here.patterns))(files)
    chosen = wanted.chosen(fitting)
    if here.excluded:
        chosen -= names_matcher(names_here(here.excluded))(chosen)
    names = _openable(chosen - rules.ignored(chosen, folders=False), room)
    if hidden := wanted.hidden:
        names = [name for name in names if not hidden((*here.parts, name))]
    if not wanted.leftovers and TEMPORARY not in "".join(names):
        return names
    return [name for name in names if name.startswith(TEMPORARY) == wanted.leftovers]


def _openable(names: set[str], room: int) -> list[str]:
    """Return the names that can be opened; never `.git`, which may be a file."""
    left = list(names - {".git"})
    together = "".join(left)
    if len(together) <= room and together.isascii():  # so it is nearly always
        return left
    return [name for name in left if len(name) <= room and _is_utf8(name)]


def _is_utf8(name: str) -> bool:
    return name.isascii() or not any("\udc80" <= character <= "\udcff" for character in name)

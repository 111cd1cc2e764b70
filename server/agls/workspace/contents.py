"""Text files on the disk: read as text, and written back with every byte outside the change kept."""

import os
from functools import lru_cache

from agls.diff import compare
from agls.engine.not_text import NotText
from agls.engine.ports import FileText, Stale
from agls.engine.vocabulary import FileChange, FileVersion
from agls.workspace.decoding import UTF8, Binary, Encoding, decode
from agls.workspace.files import (
    DiskFile,
    find_cached,
    find_stored,
    is_settled,
    read_stored,
    replace_stored,
    stamp_of,
)
from agls.workspace.paths import ResolvedPath
from agls.workspace.texts import encode, hash_of

LARGEST = 50_000_000  # bytes of a file that can be changed
QUICK = 65_536  # bytes that are decoded sooner than handed to a thread


def read_text(target: ResolvedPath, max_bytes: int) -> FileText:
    """Return the file as text. **Raises** `WorkspaceError`, which names the size when it is no text."""
    return _as_text(target, read_stored(target, max_bytes))


def cached_text(target: ResolvedPath, max_bytes: int) -> FileText | None:
    """Return a small file as text when the system has it in memory, else `None`: nothing is waited for.

    **Raises** `WorkspaceError` when it is no text.
    """
    stored = find_cached(target, min(max_bytes, QUICK))
    return _as_text(target, stored) if stored else None


def current_text(target: ResolvedPath, max_bytes: int) -> FileText | None:
    """Return the file as the disk holds it, read again only if it may have changed; `None` if it is absent.

    **Raises** `WorkspaceError`.
    """
    try:
        stamp = stamp_of(os.lstat(target.place.path))
    except FileNotFoundError:
        return None
    except OSError:
        return read_text(target, max_bytes)  # which raises the reason
    return _unchanged(target, max_bytes, stamp) if is_settled(stamp) else read_text(target, max_bytes)


@lru_cache(maxsize=16)
def _unchanged(target: ResolvedPath, max_bytes: int, stamp: tuple[int, ...]) -> FileText:
    del stamp  # as long as it is the same, so is the file
    return read_text(target, max_bytes)


def _as_text(target: ResolvedPath, stored: DiskFile) -> FileText:
    text, encoding = _decoded(target, stored)
    return FileText(
        target.place,
        text,
        FileVersion(stored.hash),
        "disk",
        mode=stored.mode,
        encoding=encoding.name,
        guessed=encoding.guessed,
    )


def write_text(target: ResolvedPath, text: str, expected: FileVersion | None) -> FileChange:
    """Make the file hold `text`, in the encoding it has (UTF-8 when it is new).

    **Raises** `Stale` when the file is not at `expected` (`None`: absent), and `WorkspaceError`.
    """
    place, before = target.place, find_stored(target, LARGEST)
    _check(place.shown, before, expected)
    old, encoding = _decoded(target, before) if before else (None, UTF8)
    patch = compare(place.shown, old, text)
    del old  # the text of a large file is in memory often enough
    data = encode(text, encoding)
    if before is None or data != before.data:
        replace_stored(target, data, before)
    base, result = FileVersion(before.hash if before else ""), FileVersion(hash_of(data))
    kind = "modified" if before else "added"
    return FileChange.of(place.uri, kind, base, result, patch)


def _check(shown: str, before: DiskFile | None, expected: FileVersion | None) -> None:
    wanted = expected.hash if expected else ""
    if before and not wanted:
        raise Stale(f"{shown} exists already. Read it, then change it.")
    if wanted and not before:
        raise Stale(f"{shown} does not exist any more. Look what became of it.")
    if before and before.hash != wanted:
        raise Stale(f"{shown} was changed in the meantime. Read it again.")


def _decoded(target: ResolvedPath, stored: DiskFile) -> tuple[str, Encoding]:
    try:
        return decode(stored.data)
    except Binary:
        shown = target.place.shown
        raise NotText(
            f"{shown} is not a text file ({len(stored.data):,} bytes). "
            "Use a command that understands its format.",
            stored.data,
            shown,
        ) from None

"""Text files that are too large to be held: read by lines and changed in one place, in bounded memory.

Lines end with LF or CR LF here, and what is looked for is looked for byte by byte, in UTF-8.
"""

import os
import re
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from secrets import token_hex

from agls.diff import Patch, compare
from agls.engine.ports import FilePart, FoundPart, OpenFile, Stale, WorkspaceError
from agls.engine.vocabulary import FileChange, FileVersion
from agls.frozen import frozen
from agls.regex import regex
from agls.workspace.decoding import UTF16, Binary, decode
from agls.workspace.files import (
    check_writable,
    copy_attributes,
    explained,
    open_new,
    parent_folder,
    stamp_of,
)
from agls.workspace.handles import check_regular, open_beneath, opened
from agls.workspace.paths import ResolvedPath
from agls.workspace.texts import hash_of
from agls.workspace.walker import TEMPORARY

_CHUNK = 1 << 20
_END = 1_024  # bytes at either end of a file that say what it is
_HEAD = 8_192  # bytes that decide whether a file is text
_PLACE = regex(r"^@@ -(\d+),(\d+) \+(\d+),(\d+) @@", re.MULTILINE)
_AROUND = 3  # lines before and behind a change
_WIDEST = 4_000  # bytes before and behind a change in which its lines are looked for
NO_TEXT = "{} is not a text file ({:,} bytes). Use a command that understands its format."
ABSENT = (
    "{} has {:,} bytes, and old_text does not stand in it exactly so; nothing was changed. In so large a "
    "file only the exact text is found: read the lines with offset, and copy them."
)
TWICE = (
    "{}: old_text occurs more than once, lines {} and {} among them; nothing was changed. Add lines "
    "around it."
)


@frozen
class _Match:
    """Where the old bytes stand, in which line (from 1), and both texts with the line ends of the file."""

    start: int
    line: int
    old: bytes
    new: bytes


@contextmanager
def open_file(target: ResolvedPath) -> Generator[OpenFile]:
    """Open a regular file for reading. **Raises** `WorkspaceError`."""
    with explained(target.place.shown), _reading(target) as handle:
        size = check_regular(handle).st_size
        head, tail = os.pread(handle, _END, 0), os.pread(handle, _END, max(0, size - _END))
        yield OpenFile(handle, target.place, head, tail)


def read_lines(target: ResolvedPath, first: int, count: int, width: int) -> FilePart:
    """Return lines from `first` (1) on, each cut at `width` characters. **Raises** `WorkspaceError`."""
    with explained(target.place.shown), _reading(target) as handle:
        status = _text_status(target, handle)
        before, start = _start_of(handle, first)
        wanted = [] if start is None else list(islice(_cut_lines(handle, start, 4 * width), count + 1))
    lines = [_shown(kept, length, width) for kept, length in wanted[:count]]
    more = len(wanted) > count
    last = 0 if more else before + len(lines)
    return FilePart(target.place, tuple(lines), status.st_size, _version(status), last)


def find_part(target: ResolvedPath, old: str, new: str) -> FoundPart:
    """Return the change that putting `new` in the place of `old` is. **Raises** `WorkspaceError`."""
    with explained(target.place.shown), _reading(target) as handle:
        status = _text_status(target, handle)
        match = _find(target, handle, old, new)
        patch = _patch(target, handle, match)
    return FoundPart(target.place, match.line, patch, _version(status))


def replace_part(target: ResolvedPath, old: str, new: str, expected: FileVersion) -> FileChange:
    """Put `new` in the place of `old`, which must stand there once. **Raises** `Stale`, `WorkspaceError`.

    The file is replaced as a whole or stays as it is; mode, owner and attributes are kept.
    """
    shown, temporary = target.place.shown, f"{TEMPORARY}{os.getpid()}-{token_hex(8)}"
    name = target.parts[-1]
    with (
        explained(shown, written=target.place.path),
        parent_folder(target) as folder,
        _reading(target) as handle,
    ):
        status = _text_status(target, handle)
        if _version(status) != expected:
            raise Stale(f"{shown} was changed in the meantime.")
        match = _find(target, handle, old, new)
        patch = _patch(target, handle, match)
        check_writable(target, folder, stat.S_IMODE(status.st_mode))
        try:
            with opened(open_new(folder, temporary, 0o600)) as copy:
                copy_attributes(target, folder, copy)
                _copy(handle, copy, 0, match.start)
                _write(copy, match.new)
                _copy(handle, copy, match.start + len(match.old), status.st_size)
                os.fsync(copy)
                after = os.fstat(copy)
            if stamp_of(os.stat(name, dir_fd=folder, follow_symlinks=False)) != stamp_of(status):
                raise Stale(f"{shown} was changed in the meantime.")
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
        with opened(open_beneath(folder, (), os.O_RDONLY | os.O_DIRECTORY)) as readable:
            os.fsync(readable)
            after = os.stat(name, dir_fd=folder, follow_symlinks=False)
    return FileChange.of(target.place.uri, "modified", expected, _version(after), patch)


@contextmanager
def _reading(target: ResolvedPath) -> Generator[int]:
    with (
        parent_folder(target) as folder,
        opened(open_beneath(folder, target.parts[-1:], os.O_RDONLY)) as handle,
    ):
        yield handle


def _text_status(target: ResolvedPath, handle: int) -> os.stat_result:
    """Return what the system says of an open text file. **Raises** `WorkspaceError` when it is no text."""
    status = check_regular(handle)
    head = os.pread(handle, _HEAD, 0)
    try:
        if head.startswith(tuple(encoding.mark for encoding in UTF16)):
            raise Binary
        decode(head[: head.rfind(b"\n") + 1] or head)
    except Binary:
        raise WorkspaceError(NO_TEXT.format(target.place.shown, status.st_size)) from None
    return status


def _version(status: os.stat_result) -> FileVersion:
    """Return the version of a file that is not hashed: it changes whenever the file may have changed."""
    return FileVersion(hash_of(repr(stamp_of(status)[:4])))


def _chunks(handle: int, start: int) -> Iterator[bytes]:
    while chunk := os.pread(handle, _CHUNK, start):
        yield chunk
        start += len(chunk)


def _start_of(handle: int, line: int) -> tuple[int, int | None]:
    """Return how many lines are before this one, and its first byte; `None` when the file ends before it."""
    number = start = 0
    ends = True
    for chunk in _chunks(handle, 0):
        found = chunk.count(b"\n")
        if number + found >= line - 1:
            at = -1
            for _ in range(line - 1 - number):
                at = chunk.index(b"\n", at + 1)
            return line - 1, start + at + 1
        number, start = number + found, start + len(chunk)
        ends = chunk.endswith(b"\n")
    return number + (not ends), None


def _cut_lines(handle: int, start: int, keep: int) -> Iterator[tuple[bytes, int]]:
    """Yield the first bytes of each line from `start` on, and how many it has."""
    kept, length = b"", 0
    for chunk in _chunks(handle, start):
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            yield kept + piece[: keep - len(kept)], length + len(piece)
            kept, length = b"", 0
        kept, length = kept + rest[: keep - len(kept)], length + len(rest)
    if length:
        yield kept, length


def _shown(kept: bytes, length: int, width: int) -> str:
    text = kept.decode("utf-8", "replace").removesuffix("\r")
    if len(text) <= width and len(kept) == length:
        return text
    return f"{text[:width]}[… a line of {length:,} bytes]"


def _find(target: ResolvedPath, handle: int, old: str, new: str) -> _Match:
    """Return the only place of the old text. **Raises** `WorkspaceError` when there is none, or another."""
    shown, size = target.place.shown, os.fstat(handle).st_size
    is_crlf = b"\r\n" in os.pread(handle, _CHUNK, 0)
    wanted, put = (_bytes(text, is_crlf=is_crlf) for text in (old, new))
    found: _Match | None = None
    line, at = 1, 0
    rest = b""
    for chunk in _chunks(handle, 0):
        data = rest + chunk
        begin = 0
        while (place := data.find(wanted, begin)) >= 0:
            here = line + data.count(b"\n", 0, place)
            if found:
                raise WorkspaceError(TWICE.format(shown, found.line, here))
            found, begin = _Match(at + place, here, wanted, put), place + 1
        cut = max(0, len(data) - len(wanted) + 1)  # a place may go on in the next chunk
        line, at = line + data.count(b"\n", 0, cut), at + cut
        rest = data[cut:]
    if found is None:
        raise WorkspaceError(ABSENT.format(shown, size))
    return found


def _bytes(text: str, *, is_crlf: bool) -> bytes:
    plain = text.replace("\r\n", "\n")
    return (plain.replace("\n", "\r\n") if is_crlf else plain).encode("utf-8", "surrogatepass")


def _patch(target: ResolvedPath, handle: int, match: _Match) -> Patch:
    """Return the change as a patch, with some lines around it."""
    begin = max(0, match.start - _WIDEST)
    before = os.pread(handle, match.start - begin, begin).split(b"\n")[-_AROUND - 1 :]
    behind = os.pread(handle, _WIDEST, match.start + len(match.old)).split(b"\n")[: _AROUND + 1]
    head, tail = (b"\n".join(lines).decode("utf-8", "replace") for lines in (before, behind))
    old, new = (head + part.decode("utf-8", "replace") + tail for part in (match.old, match.new))
    patch = compare(target.place.shown, old, new)
    shift = match.line - len(before)

    def moved(place: re.Match[str]) -> str:
        return f"@@ -{int(place[1]) + shift},{place[2]} +{int(place[3]) + shift},{place[4]} @@"

    return patch._replace(text=_PLACE.sub(moved, patch.text))


def _copy(source: int, copy: int, start: int, end: int) -> None:
    while start < end:
        data = os.pread(source, min(_CHUNK, end - start), start)
        if not data:
            raise Stale("The file became shorter while it was copied.")
        _write(copy, data)
        start += len(data)


def _write(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]

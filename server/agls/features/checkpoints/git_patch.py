"""Changes of files as one patch that `git apply` takes: with modes, renames, deletions and binary files."""

import base64
import hashlib
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from agls.diff import compare, lines_of
from agls.frozen import frozen

ALIKE = 50  # percent of lines that a file keeps when it is renamed, as in git
COMPARED = 1000  # pairs of files; of more only equal ones are found, as in git
LINE = 52  # bytes in a line of a binary patch
NONE = "/dev/null"
ESCAPES = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\t"): "\\t"}


@frozen
class FileInPatch:
    """A file before and after, by its names from the top of the repository; `None` is no file."""

    before: bytes | None
    after: bytes | None
    old: str
    new: str
    old_mode: int = 0o644
    new_mode: int = 0o644

    @property
    def is_rename(self) -> bool:
        """Whether it has another name afterwards."""
        return self.old != self.new


def top_of(folder: str) -> Path:
    """Return the top of the repository that a folder is in, the folder itself where there is none."""
    here = Path(folder)
    return next((each for each in (here, *here.parents) if (each / ".git").exists()), here)


def git_patch(files: Sequence[FileInPatch]) -> str:
    """Return the patch, "" where nothing changed."""
    return "".join(row for file in _renamed(files) for row in _rows(file))


def _renamed(files: Sequence[FileInPatch]) -> list[FileInPatch]:
    """Return the changes, a deletion and an addition of a like file as one: that with the most in common."""
    gone = [file for file in files if file.after is None and file.before]
    found = [file for file in files if file not in gone]
    is_many = len(gone) * len(found) > COMPARED
    for at, file in enumerate(found):
        if file.before is not None or not file.after:
            continue
        like = [one for one in gone if one.before == file.after or not is_many]
        best = max(like, key=lambda one: _alike(one.before, file.after), default=None)
        if best and _alike(best.before, file.after) >= ALIKE:
            gone.remove(best)
            found[at] = replace(file, before=best.before, old=best.old, old_mode=best.old_mode)
    return [*found, *gone]


def _alike(one: bytes | None, other: bytes | None) -> int:
    """Return how many percent of the lines two files have in common."""
    if one == other:
        return 100
    lines, others = (Counter((data or b"").split(b"\n")) for data in (one, other))
    return 100 * (lines & others).total() // max(lines.total(), others.total())


def _rows(file: FileInPatch) -> Iterator[str]:
    old, new = _quoted(f"a/{file.old}"), _quoted(f"b/{file.new}")
    head = [*_modes(file)]
    if file.is_rename:
        head.append(f"similarity index {_alike(file.before, file.after)}%")
        head += [f"rename from {_quoted(file.old)}", f"rename to {_quoted(file.new)}"]
    body = "" if file.before == file.after else _body(file, old, new)
    if head or body:
        yield "".join(f"{row}\n" for row in (f"diff --git {old} {new}", *head)) + body


def _modes(file: FileInPatch) -> Iterator[str]:
    before, after = _mode(file.old_mode), _mode(file.new_mode)
    if file.before is None:
        yield f"new file mode {after}"
    elif file.after is None:
        yield f"deleted file mode {before}"
    elif before != after:
        yield from (f"old mode {before}", f"new mode {after}")


def _mode(mode: int) -> str:
    return "100755" if mode & 0o111 else "100644"


def _body(file: FileInPatch, old: str, new: str) -> str:
    try:
        before, after = ((data or b"").decode() for data in (file.before, file.after))
    except UnicodeDecodeError:
        return _binary(file)
    if "\0" in before + after:
        return _binary(file)
    hunks = "".join(lines_of(compare("", before, after, longest=None).text)[2:])
    names = (NONE if file.before is None else old), (NONE if file.after is None else new)
    return f"--- {_ended(names[0])}\n+++ {_ended(names[1])}\n{hunks}" if hunks else ""


def _binary(file: FileInPatch) -> str:
    old, new = ("0" * 40 if data is None else _blob(data) for data in (file.before, file.after))
    sides = (_literal(file.after or b""), _literal(file.before or b""))
    return f"index {old}..{new}\nGIT binary patch\n{sides[0]}\n{sides[1]}\n"


def _blob(data: bytes) -> str:
    """Return git's name of a content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _literal(data: bytes) -> str:
    packed = zlib.compress(data)
    parts = (packed[at : at + LINE] for at in range(0, len(packed), LINE))
    rows = (f"{_length(len(part))}{base64.b85encode(part, pad=True).decode()}\n" for part in parts)
    return f"literal {len(data)}\n{''.join(rows)}"


def _length(count: int) -> str:
    return chr(ord("A") + count - 1) if count <= 26 else chr(ord("a") + count - 27)


def _ended(name: str) -> str:
    """Return the name in the head of a patch: a tab ends one with a blank."""
    return f"{name}\t" if " " in name and not name.startswith('"') else name


def _quoted(name: str) -> str:
    """Return a name as git writes it: in quotes where it has anything but printable ASCII."""
    data = name.encode("utf-8", "surrogateescape")
    if all(0x20 <= byte < 0x7F and byte not in ESCAPES for byte in data):
        return name
    inner = (ESCAPES.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}") for byte in data)
    return f'"{"".join(inner)}"'

"""Text files on the disk: read as text, and written back with every byte outside the change kept."""

from agls.diff import compare
from agls.engine.not_text import NotText
from agls.engine.ports import FileText, Stale
from agls.engine.vocabulary import FileChange, FileVersion
from agls.workspace.decoding import UTF8, Binary, Encoding, decode
from agls.workspace.files import DiskFile, find_stored, read_stored, replace_stored
from agls.workspace.paths import ResolvedPath
from agls.workspace.texts import encode, hash_of

LARGEST = 50_000_000  # bytes of a file that can be changed


def read_text(target: ResolvedPath, max_bytes: int) -> FileText:
    """Return the file as text. **Raises** `WorkspaceError`, which names the size when it is no text."""
    stored = read_stored(target, max_bytes)
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
    data = encode(text, encoding)
    if before is None or data != before.data:
        replace_stored(target, data, before)
    base, result = FileVersion(before.hash if before else ""), FileVersion(hash_of(data))
    kind = "modified" if before else "added"
    return FileChange.of(place.uri, kind, base, result, compare(place.shown, old, text))


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

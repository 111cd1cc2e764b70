"""The files that a session changed and read, as its facts have them: a summary keeps their names. Pure."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePath
from posixpath import normpath
from typing import cast
from urllib.parse import unquote, urlsplit

from agls.engine.facts import Admitted, Entry, Noted, Replied, Steered, ToolFinished, ToolStarted
from agls.engine.note_items import FileEdit, FilesKept, NoteItem
from agls.engine.vocabulary import Content, JsonObject, Resource, ResourceLink
from agls.features.compaction.sizes import bytes_in, fitting
from agls.frozen import frozen

NAMES = (
    "path",
    "paths",
    "file",
    "file_path",
    "uri",
    "notebook_path",
    "filePath",
    "absolute_path",
)  # arguments that name a file
HEAD = "# Files of this session, kept by name"
CHANGED, READ = "Changed:", "Read or named:"
FILE = "file://"


@frozen
class TouchedFiles:
    """Their paths, each once, in the order in which they were touched last."""

    changed: tuple[str, ...] = ()
    read: tuple[str, ...] = ()

    def text(self, room: float) -> str:
        """Return the lines of a summary in about so many bytes, "" when there is no file.

        Where they do not all fit the changed ones and the latest count more.
        """
        parts: list[str] = []
        for title, paths in ((CHANGED, self.changed), (READ, self.read)):
            lines = [f"- {_in_one_line(path)}" for path in paths]
            kept = fitting(lines[::-1], room)[::-1]
            room -= sum(map(bytes_in, kept))
            left = [f"- … {len(lines) - len(kept)} more, earlier ones"] if len(kept) < len(lines) else []
            parts += [title, *left, *kept] if lines else []
        return "\n\n" + "\n".join([HEAD, *parts]) if parts else ""


def touched_in(
    entries: Iterable[Entry], cwd: str, shown: Callable[[Noted], Sequence[NoteItem]]
) -> TouchedFiles:
    """Return the files that calls, commands and helpers changed, and those that calls and people named.

    `shown` **returns** what a note shows.
    """
    asked: dict[str, JsonObject] = {}
    changed: dict[str, None] = {}
    read: dict[str, None] = {}
    for entry in entries:
        match entry.fact:
            case Replied(tool_calls=calls):
                asked.update((call.call_id, call.arguments) for call in calls)
            case ToolStarted(call_id, _, arguments):
                asked[call_id] = arguments
            case ToolFinished(call_id, outcome):
                arguments = asked.pop(call_id, {})
                _add(changed, (change.uri for change in outcome.changes), cwd)
                if outcome.status == "completed":
                    _add(read, _named(arguments), cwd)
            case Noted():
                _add(changed, (uri for item in shown(entry.fact) for uri in _changed(item)), cwd)
            case Admitted(content=content) | Steered(content=content):
                _add(read, _attached(content), cwd)
            case _:
                pass
    return TouchedFiles(tuple(changed), tuple(path for path in read if path not in changed))


def _add(known: dict[str, None], names: Iterable[str], cwd: str) -> None:
    for name in names:
        path = _path(name, cwd)
        known.pop(path, None)
        known[path] = None


def _changed(item: NoteItem) -> Sequence[str]:
    match item:
        case FilesKept(files=files):
            return files
        case FileEdit(change=change):
            return (change.uri,)
        case _:
            return ()


def _attached(content: Sequence[Content]) -> Iterator[str]:
    for part in content:
        if isinstance(part, Resource | ResourceLink) and part.uri.startswith(FILE):
            yield part.uri


def _named(arguments: JsonObject) -> Iterator[str]:
    for name in NAMES:
        said: object = arguments.get(name)
        values = cast("Sequence[object]", said) if isinstance(said, list | tuple) else [said]
        yield from (value for value in values if isinstance(value, str) and value)


def _path(name: str, cwd: str) -> str:
    """Return a path as it is said in the folder of the session."""
    path = unquote(urlsplit(name).path) if name.startswith(FILE) else name
    path = normpath(path)
    inside = cwd and PurePath(path).is_absolute() and PurePath(path).is_relative_to(cwd)
    return str(PurePath(path).relative_to(cwd)) if inside else str(PurePath(path))


def _in_one_line(path: str) -> str:
    return path if path.isprintable() else json.dumps(path)

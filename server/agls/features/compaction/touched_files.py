"""The files that a session changed and read, as its facts have them: a summary keeps their names. Pure."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import cast
from urllib.parse import unquote, urlsplit

from agls.engine.facts import Entry, Replied, ToolFinished, ToolStarted
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen

NAMES = ("path", "paths", "file", "file_path", "uri", "notebook_path")  # arguments that name a file
HEAD = "# Files of this session, kept by name"
CHANGED, READ = "Changed:", "Read:"


@frozen
class TouchedFiles:
    """Their paths, each once, in the order in which they were touched first."""

    changed: tuple[str, ...] = ()
    read: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The lines of a summary, "" when there is no file."""
        parts = [
            "\n".join([title, *(f"- {_in_one_line(path)}" for path in paths)])
            for title, paths in ((CHANGED, self.changed), (READ, self.read))
            if paths
        ]
        return "\n\n" + "\n".join([HEAD, *parts]) if parts else ""


def touched_in(entries: Iterable[Entry], cwd: str) -> TouchedFiles:
    """Return the files that finished calls changed, and those that they named otherwise."""
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
                changed.update(dict.fromkeys(_path(change.uri, cwd) for change in outcome.changes))
                if outcome.status == "completed":
                    read.update(dict.fromkeys(_path(name, cwd) for name in _named(arguments)))
            case _:
                pass
    return TouchedFiles(tuple(changed), tuple(path for path in read if path not in changed))


def _named(arguments: JsonObject) -> Iterator[str]:
    for name in NAMES:
        said: object = arguments.get(name)
        values = cast("Sequence[object]", said) if isinstance(said, list | tuple) else [said]
        yield from (value for value in values if isinstance(value, str) and value)


def _path(name: str, cwd: str) -> str:
    """Return a path as it is said in the folder of the session."""
    path = unquote(urlsplit(name).path) if name.startswith("file://") else name
    inside = cwd and PurePath(path).is_absolute() and PurePath(path).is_relative_to(cwd)
    return str(PurePath(path).relative_to(cwd)) if inside else str(PurePath(path))


def _in_one_line(path: str) -> str:
    return path if path.isprintable() else json.dumps(path)

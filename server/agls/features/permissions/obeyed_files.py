"""A rule for a command does not cover what the agent made of the files that the command obeys.

`make test` is harmless as long as the Makefile is. When the agent changed a file that a command obeys after
the user allowed the command, they are asked once more; their answer holds for the file as it is then.
"""

import asyncio
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from posixpath import basename, join
from typing import TYPE_CHECKING

from agls.engine.facts import Entry, Noted, ToolFinished
from agls.engine.ports import Workspace, WorkspaceError
from agls.features.permissions.grants import GRANTED, ROOM
from agls.features.permissions.visible import one_line
from agls.room.obeyed import OBEYED
from agls.room.session_ports import SessionFacts
from agls.room.shell_words import parts_of

if TYPE_CHECKING:
    from agls.features.permissions.rules import ResolvedTarget

CHANGED = "The agent changed {}, which this command obeys, since you allowed it."


class AgentChanges:
    """The files that the agent changed in a session, and the rules that the user gave, in their order."""

    def __init__(self, facts: SessionFacts, workspace: Workspace) -> None:
        self._facts, self._workspace = facts, workspace
        self._seq = 0
        self._changed: dict[str, int] = {}  # by absolute path, the fact that changed it last
        self._given: dict[str, int] = {}  # by rule, the fact that gave it last

    async def since_allowed(self, target: "ResolvedTarget", cwd: str) -> str:
        """Return why a rule does not cover a command any more, "" when it does."""
        for entry in await asyncio.to_thread(self._facts.entries, self._seq):
            self._take(entry)
        given = self._given.get(f"shell({target.value})", 0)
        later = {path for path, seq in self._changed.items() if seq > given}
        if not later:
            return ""
        obeyed = sorted(set(self._obeyed(target.value, cwd, later)))
        return CHANGED.format(one_line(", ".join(obeyed))) if obeyed else ""

    def _take(self, entry: Entry) -> None:
        self._seq = entry.seq
        match entry.fact:
            case ToolFinished(outcome=outcome):
                for change in outcome.changes:
                    self._changed |= dict.fromkeys(self._paths(change.uri), entry.seq)
            case Noted(feature=feature, kind=kind, data=data) if (feature, kind) == (ROOM, GRANTED):
                self._given |= dict.fromkeys(map(str, data.get("rules", ())), entry.seq)
            case _:
                pass

    def _obeyed(self, command: str, cwd: str, changed: set[str]) -> Iterator[str]:
        """Yield the changed files that a word of a command names, or that its programs obey."""
        for folder, words in parts_of(command):
            for word in words:
                named = word.rpartition("=")[2]
                paths = (*self._paths(join(cwd, folder, named)), *self._paths(named))
                yield from (self._workspace.place(path).shown for path in paths if path in changed)
                patterns = OBEYED.get(basename(word).casefold(), frozenset())
                for path in changed:
                    if any(fnmatchcase(basename(path).casefold(), pattern) for pattern in patterns):
                        yield self._workspace.place(path).shown

    def _paths(self, name: str) -> Sequence[str]:
        try:
            return (self._workspace.place(name).path,) if name else ()
        except WorkspaceError:
            return ()

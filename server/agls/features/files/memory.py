"""Which version of each file the model of this session last saw; kept as notes, so it survives a resume."""

from collections.abc import Callable

from agls.engine.ports import FileText, WorkspaceError
from agls.engine.state import Note
from agls.engine.vocabulary import FileVersion, JsonObject
from agls.frozen import frozen

SAW = "saw"


def forget(kind: str, data: JsonObject) -> None:
    """For tools that are looked at but not called."""


@frozen
class Memory:
    """What the room noted until now, and how it notes more."""

    notes: tuple[Note, ...] = ()
    note: Callable[[str, JsonObject], None] = forget

    def saw(self, uri: str, version: FileVersion) -> None:
        """From now on the model knows this version."""
        if self._seen(uri) != version.hash:
            self.note(SAW, {"uri": uri, "hash": version.hash})

    def check(self, file: FileText) -> None:
        """Raise `WorkspaceError` unless the model knows this very text."""
        seen, shown = self._seen(file.place.uri), file.place.shown
        if seen is None:
            raise WorkspaceError(f"{shown} was not read in this session. Read it first, then change it.")
        if seen != file.version.hash:
            raise WorkspaceError(f"{shown} has changed since it was read. Read it again, then change it.")

    def _seen(self, uri: str) -> str | None:
        saws = (note.data for note in reversed(self.notes) if note.kind == SAW)
        return next((data["hash"] for data in saws if data["uri"] == uri), None)

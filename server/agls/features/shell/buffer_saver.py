"""What the editor saves before a command: a command sees files as they are on disk."""

from collections.abc import Mapping, Sequence

from agls.diff import compare
from agls.engine.feature import RunView
from agls.engine.ports import Asker, FileText, Workspace
from agls.engine.vocabulary import FileChange, JsonObject, Option, Question
from agls.frozen import frozen

from .settings import Settings

ROOM, CHOICE = "shell", "saving"
SAVE, LEAVE = "save", "leave"
REASON = (
    "The agent runs a command, and a command sees files as they are on disk. "
    "The answer holds for this session."
)
OPTIONS = (
    Option(SAVE, "Save them before commands", "allow"),
    Option(LEAVE, "Leave them unsaved", "reject"),
)
BEFORE_COMMAND = "before a command of the agent"


@frozen
class SaveOutcome:
    """What came of saving: why a file was not saved, by path, and what formatters changed on saving."""

    failed: Mapping[str, str]
    changed: tuple[str, ...] = ()
    changes: tuple[FileChange, ...] = ()


@frozen
class BufferSaver:
    """Saves what the agent edited, and the user's own changes as far as the user wants it."""

    settings: Settings
    asker: Asker
    session_id: str

    async def before_command(self, workspace: Workspace, call_id: str, view: RunView) -> SaveOutcome:
        """Have the editor save what this command shall see."""
        how, unsaved = self.settings.save_before_commands, workspace.buffers()
        if how == "never" or not (unsaved and workspace.can_save):
            return SaveOutcome({})
        chosen = [file for file in unsaved if how == "all" or file.written]
        own = [file for file in unsaved if file not in chosen and file.place.uri.startswith("file:")]
        if own and await self._wants(own, call_id, view):
            chosen = [file for file in workspace.buffers() if file.written or _is_one_of(file, own)]
        failed = await workspace.save(chosen, self.session_id, BEFORE_COMMAND)
        left = {file.place.path for file in workspace.buffers()}
        saved = [file for file in chosen if file.place.path not in left and file.place.shown not in failed]
        now = await workspace.read_each(*(file.place.path for file in saved))
        changed = {
            file.place.shown: _change(file, read)
            for file, read in zip(saved, now, strict=True)
            if isinstance(read, FileText) and read.text != file.text
        }
        return SaveOutcome(failed, tuple(changed), tuple(changed.values()))

    async def _wants(self, own: Sequence[FileText], call_id: str, view: RunView) -> bool:
        """Return the user's answer, of this session or asked now. Without one nothing of theirs is saved."""
        for note in view.state.notes.get(ROOM, ()):
            if note.kind == CHOICE:
                return note.data["answer"] == SAVE
        if not self.asker.available:
            return False
        names = [file.place.shown for file in own]
        subject: JsonObject = {"type": "save", "files": names}
        title = f"Save your own changes: {_few(names)}"
        answer = await self.asker.ask(Question("permission", title, REASON, call_id, subject, OPTIONS))
        if answer.outcome not in {"selected", "dismissed"}:
            return False
        wanted = answer.outcome == "selected" and answer.option_id == SAVE
        view.note(ROOM, CHOICE, {"answer": SAVE if wanted else LEAVE})
        return wanted


def _change(before: FileText, after: FileText) -> FileChange:
    patch = compare(before.place.shown, before.text, after.text)
    return FileChange.of(before.place.uri, "modified", before.version, after.version, patch, "editor")


def _is_one_of(file: FileText, asked: Sequence[FileText]) -> bool:
    return any(file.place.path == each.place.path for each in asked)


def _few(names: Sequence[str]) -> str:
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0]

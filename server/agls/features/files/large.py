"""Edits of files that are too large to be held: where the exact text stands, in one place."""

from agls.engine.not_text import LargeFile
from agls.engine.ports import FoundPart, Preview, Stale, ToolContext, WorkspaceError
from agls.engine.vocabulary import JsonObject, ToolOutcome
from agls.frozen import frozen

from .changed_lines import changed_lines
from .editing import LEFT, EditFile, FileWriter
from .memory import FileMemory
from .slips import check_new

EVERYWHERE = "{} is too large for replace_all. Change one place at a time, or use a command."
UNREAD = "{} was not read in this session. Read the lines around the change first."


@frozen
class LargeFileEditor:
    """Edits a file whole where it can be held, else in one place."""

    whole: FileWriter[EditFile]
    memory: FileMemory

    async def write(self, arguments: EditFile, context: ToolContext) -> ToolOutcome:
        """Make the edit, or nothing at all."""
        try:
            return await self.whole.write(arguments, context)
        except LargeFile:
            found = await self._find(arguments, context)
        old, new = arguments.old_text, arguments.new_text
        shown = found.place.shown
        if not self.memory.knows(found.place.uri):
            raise WorkspaceError(UNREAD.format(shown))
        try:
            change = await context.workspace.replace_part(arguments.path, old, new, expected=found.version)
        except Stale as problem:
            return ToolOutcome(f"{problem} {LEFT[problem.effects]} Repeat this.", status="failed")
        self.memory.saw(change.uri, change.result, "")
        text = "\n".join([f"Edited {shown}, line {found.line}.", *changed_lines(change, counted=False)])
        return ToolOutcome(text, effects="applied", changes=(change,))

    async def describe(self, arguments: EditFile, context: ToolContext) -> Preview:
        """Return the edit as a question shows it."""
        try:
            return await self.whole.describe(arguments, context)
        except LargeFile:
            found = await self._find(arguments, context)
        change: JsonObject = {
            "uri": found.place.uri,
            "change": "modified",
            "base": {"hash": found.version.hash},
            "patch": found.patch.text,
            "insertions": found.patch.insertions,
            "deletions": found.patch.deletions,
        }
        return Preview(f"Edit {found.place.shown}", {"type": "edit", "changes": [change]})

    async def _find(self, arguments: EditFile, context: ToolContext) -> FoundPart:
        shown = context.workspace.place(arguments.path).shown
        if arguments.replace_all:
            raise WorkspaceError(EVERYWHERE.format(shown))
        old, new = arguments.old_text, arguments.new_text
        if old == new:
            raise WorkspaceError("old_text and new_text are the same; nothing was changed.")
        found = await context.workspace.find_part(arguments.path, old, new)
        check_new(shown, old, old, new, found.line)
        return found

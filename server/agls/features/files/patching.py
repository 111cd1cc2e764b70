"""The tool `apply_patch`: several places in several files at once, all or nothing."""

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from pydantic import Field

from agls.diff import CUT, compare
from agls.engine.ports import (
    Effect,
    Preview,
    Stale,
    Target,
    ToolContext,
    Workspace,
    WorkspaceError,
)
from agls.engine.vocabulary import FileChange, JsonObject, ToolOutcome
from agls.frozen import frozen
from agls.regex import regex
from agls.toolkit import Arguments

from .changed_lines import changed_lines
from .drafts import Draft, draft_files
from .editing import LEFT
from .memory import FileMemory
from .patch_parts import FilePatch, PatchError
from .patch_text import read_patch_text

Change = TypeVar("Change", bound=Arguments)
_PLACES = regex("^@@ .*$", re.MULTILINE)


class ApplyPatch(Arguments):
    """Change files by a patch, several places and files at once; all of it is done, or nothing.

    *** Begin Patch
    *** Update File: path
    *** Move to: new path (only to move it)
    @@ a line above the change, where that is needed to find it
     a line that stays (three before and three after a change will do)
    -a line that goes
    +a line that comes
    *** Add File: path
    +every line of the new file
    *** Delete File: path
    *** End Patch
    A unified diff (--- a/path, +++ b/path, @@ -1,3 +1,4 @@) is understood as well.
    """

    patch: str = Field(min_length=1, description="the whole patch, from its first line to its last")


def patch_targets(arguments: ApplyPatch) -> tuple[Target, ...]:
    """Return every path that the patch names; none when it cannot be read, for then it changes nothing."""
    try:
        patches = read_patch_text(arguments.patch)
    except PatchError:
        return ()
    paths = (path for patch in patches for path in (patch.path, patch.to) if path)
    return tuple(Target(Effect.WRITES, path) for path in dict.fromkeys(paths))


def read_patch(arguments: ApplyPatch) -> Sequence[FilePatch]:
    """Return what the patch says. **Raises** `PatchError`."""
    return read_patch_text(arguments.patch)


@frozen
class Patcher(Generic[Change]):
    """Makes the changes of several files that a call wants, and remembers what the model knows of them then.

    `read` returns what a call wants. Files that go are put into the `trash`, if it is wanted.
    """

    read: Callable[[Change], Sequence[FilePatch]]
    memory: FileMemory
    trash: bool

    async def apply(self, arguments: Change, context: ToolContext) -> ToolOutcome:
        """Make all the changes, or none."""
        drafts = await self._drafts(arguments, context.workspace)
        title = _title(drafts)
        try:
            changes = await context.workspace.change([draft.wanted for draft in drafts], label=title)
        except Stale as problem:
            is_refused = not isinstance(
                problem.__cause__, Stale | None
            )  # read-only, say: nothing to read again
            advice = "" if is_refused else " Read the file again, then repeat this."
            text = f"{problem} {LEFT[problem.effects]}{advice}"
            return ToolOutcome(text, status="failed", effects=problem.effects)
        reports: list[str] = []
        for draft, change in zip(drafts, changes, strict=True):
            reports.append(self._remember(draft, change, context.workspace))
            texts = draft.file.text if draft.file else "", draft.text or ""
            reports += await asyncio.to_thread(changed_lines, change, texts=texts)
        return ToolOutcome("\n".join(filter(None, reports)), effects="applied", changes=tuple(changes))

    async def describe(self, arguments: Change, context: ToolContext) -> Preview:
        """Return the changes as diffs, of each file its own."""
        drafts = await self._drafts(arguments, context.workspace)
        changes = await asyncio.to_thread(lambda: [_as_change(draft) for draft in drafts])
        subject: JsonObject = {"type": "edit", "changes": changes}
        return Preview(_title(drafts), subject, essence=_essence(changes))

    async def _drafts(self, arguments: Change, workspace: Workspace) -> Sequence[Draft]:
        patches = await asyncio.to_thread(self.read, arguments)
        made = await draft_files(patches, workspace, self.memory, trash=self.trash)
        drafts = [draft for draft in made if draft.is_change]
        if not drafts:
            raise WorkspaceError("The files are already like that; nothing was changed.")
        return drafts

    def _remember(self, draft: Draft, change: FileChange, workspace: Workspace) -> str:
        """Note what the model knows of the file now, and return the report about it."""
        known = self.memory.text_of(draft.place.uri)
        if draft.text is None:
            return (
                f"{draft.report}{IN_TRASH if change.trashed else NO_TRASH}" if draft.trash else draft.report
            )
        if draft.source:
            source = workspace.place(draft.source).uri
            self.memory.moved(source, change.uri, change.result, draft.text, draft.edit)
            return draft.report
        if draft.file is None or known == draft.file.text:
            self.memory.saw(change.uri, change.result, draft.text, draft.edit)
            return draft.report
        self.memory.made(change.uri, draft.edit)
        return draft.report if known is None else f"{draft.report} {CHANGED.format(draft.place.shown)}"


IN_TRASH = " It is in the trash."
NO_TRASH = " There is no trash that could take it."
CHANGED = "{} had changed since you read it; that was kept. Read it again before you rely on the rest of it."


def _title(drafts: Sequence[Draft]) -> str:
    if len(drafts) == 1:
        return drafts[0].title
    return f"Change {len(drafts)} files: {', '.join(draft.place.shown for draft in drafts)}"


def _as_change(draft: Draft) -> JsonObject:
    """Return the change as a question shows it."""
    before = draft.file.text if draft.file else None
    patch = compare(draft.place.shown, before, draft.text or "")
    text = patch.text
    if draft.text is None:
        text = text.replace(f"\n+++ b/{draft.place.shown}\n", "\n+++ /dev/null\n", 1)
    return {
        "uri": draft.place.uri,
        "change": "added" if draft.expected is None else "deleted" if draft.text is None else "modified",
        "base": {"hash": draft.expected.hash if draft.expected else ""},
        "patch": text,
        "insertions": patch.insertions,
        "deletions": patch.deletions,
    }


def _essence(changes: Sequence[JsonObject]) -> JsonObject | None:
    """Return what a yes is a yes to: the same lines in the same files, wherever they have moved to."""
    if any(CUT in change["patch"] for change in changes):
        return None
    kept = [
        {"uri": each["uri"], "change": each["change"], "patch": _PLACES.sub("@@", each["patch"])}
        for each in changes
    ]
    return {"changes": kept}

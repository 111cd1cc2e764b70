"""The tools `edit_file` and `write_file`."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Generic, TypeVar

from pydantic import Field

from agls.diff import CUT
from agls.engine.not_text import LargeFile, NotText
from agls.engine.ports import (
    Effect,
    FileText,
    Preview,
    Stale,
    Target,
    ToolContext,
    Workspace,
    WorkspaceError,
)
from agls.engine.vocabulary import Effects, JsonObject, ToolOutcome
from agls.frozen import frozen
from agls.regex import regex
from agls.room.home_paths import HomePath
from agls.room.line_ends import line_end_of
from agls.room.missing_paths import explained
from agls.room.notebook_ports import is_notebook
from agls.toolkit import Arguments

from .changed_lines import changed_lines
from .edit_plan import NOT_HELD, EditPlan
from .lines import flatten
from .matching import replace_text
from .memory import MADE_BEFORE, FileMemory, edit_key
from .misses import listed
from .namesakes import check_name
from .notebook_editing import EditNotebook
from .rebasing import changed_since, rebase
from .several_edits import MultiEdit, OldText, as_json
from .slips import check_file, check_new
from .word_parts import words_changed


class EditFile(Arguments):
    """Replace text in a file that was read before in this session.

    old_text must occur exactly once: copy whole lines from read_file, without the line numbers,
    with enough lines around the change. The line ends of the file are kept.
    """

    path: HomePath = Field(description="relative to the workspace, or absolute")
    old_text: OldText = Field(min_length=1, description="the text to replace, as it is in the file")
    new_text: str = Field(description="the text in its place; empty to delete")
    replace_all: bool = Field(default=False, description="replace every occurrence")


class WriteFile(Arguments):
    """Write a whole file: a new one, or one that was read before in this session.

    Folders are made as needed. To change a part of a file use edit_file.
    """

    path: HomePath = Field(description="relative to the workspace, or absolute")
    content: str = Field(description="the whole text of the file")


LEFT: Mapping[Effects, str] = {
    "none": "Nothing was changed.",
    "partial": "A part of the change may be there.",
    "unknown": "The change may still come.",
}
GONE = " It was there when you read it: it was deleted or moved since."
ELSEWHERE = "\nold_text stands in {}, which you read: is it the file that you mean?"
NAMED = 3  # other files in which an old text stands
FEWEST = 8  # characters of an old text that does not stand just anywhere
OF_NOTEBOOKS = "\nIt is a notebook: change its cells with edit_notebook."
_PLACES = regex("^@@ .*$", re.MULTILINE)  # where a hunk of a patch stands
OneFile = EditFile | MultiEdit | WriteFile | EditNotebook
Change = TypeVar("Change", EditFile, MultiEdit, WriteFile, EditNotebook)


def write_targets(arguments: OneFile) -> tuple[Target, ...]:
    """What a call would change."""
    return (Target(Effect.WRITES, arguments.path),)


async def plan_edit(arguments: EditFile, workspace: Workspace, memory: FileMemory) -> EditPlan:
    """The edit as it would be made now. Raises `WorkspaceError`."""
    try:
        file = memory.shared(await workspace.read(arguments.path))
    except WorkspaceError as problem:
        found = await explained(problem, arguments.path, workspace)
        is_gone = isinstance(problem.__cause__, FileNotFoundError)
        if is_gone and memory.knows(workspace.place(arguments.path).uri):
            raise WorkspaceError(f"{found}{GONE}") from problem
        raise found from problem
    shown = file.place.shown
    old = arguments.old_text
    new = arguments.new_text
    again = memory.has_made(_key(file.place.uri, arguments))
    try:
        made = await asyncio.to_thread(
            replace_text, file.text, old, new, everywhere=arguments.replace_all, again=again
        )
    except WorkspaceError as problem:
        hints = await asyncio.to_thread(_elsewhere, file, old, workspace, memory)
        hints += MADE_BEFORE * again + OF_NOTEBOOKS * is_notebook(shown)
        raise WorkspaceError(f"{shown}: {problem}{hints}") from problem
    check_new(shown, file.text, old, new, made.lines[0])
    report = f"Edited {shown}, {listed(made.lines)}."
    if arguments.replace_all:
        report += await asyncio.to_thread(words_changed, flatten(file.text), old)
    if made.loose:
        report += f" old_text was found {made.loose}; new_text got the file's indentation."
    return EditPlan(f"Edit {shown}", file.place, file, made.text, report)


def _key(uri: str, arguments: EditFile | MultiEdit) -> str:
    return edit_key(uri, as_json(arguments))


def _elsewhere(file: FileText, old: str, workspace: Workspace, memory: FileMemory) -> str:
    """Return in which other files, that the model knows, an old text stands which is not in this one."""
    wanted = flatten(old)
    if len(wanted.strip()) < FEWEST or wanted in flatten(file.text):
        return ""
    uris = [uri for uri in memory.holding(wanted) if uri != file.place.uri]
    names = " and ".join(workspace.place(uri).shown for uri in uris[:NAMED])
    return ELSEWHERE.format(names) if names else ""


async def plan_write(arguments: WriteFile, workspace: Workspace) -> EditPlan:
    """The file as it would be written now."""
    place = workspace.place(arguments.path)
    check_file(arguments.path, arguments.content)
    try:
        file = await workspace.read(arguments.path)
    except NotText:
        raise
    except LargeFile as problem:
        raise WorkspaceError(NOT_HELD.format(place.shown)) from problem
    except WorkspaceError as problem:  # there is none, or none that could be read; `write` knows which
        if isinstance(problem.__cause__, FileNotFoundError):
            await check_name(arguments.path, workspace)
        shown = place.shown
        return EditPlan(f"Create {shown}", place, None, arguments.content, f"Created {shown}.")
    content = arguments.content
    check_new(place.shown, file.text, file.text, content)
    if "\r" not in content:
        content = content.replace("\n", line_end_of(file.text))
    return EditPlan(f"Overwrite {place.shown}", place, file, content, f"Wrote {place.shown}.")


@frozen
class FileWriter(Generic[Change]):
    """Changes one file as planned, if the model knows what it changes."""

    plan: Callable[[Change, Workspace], Awaitable[EditPlan]]
    memory: FileMemory

    async def write(self, arguments: Change, context: ToolContext) -> ToolOutcome:
        """Make the change, or nothing at all."""
        plan = await self.plan(arguments, context.workspace)
        known = await asyncio.to_thread(self._known_after, arguments, plan)
        if plan.file and plan.file.text == plan.text:
            return ToolOutcome(f"{plan.place.shown} is already like that; nothing was changed.")
        expected = plan.file.version if plan.file else None
        try:
            change = await context.workspace.write(
                arguments.path, plan.text, expected=expected, label=plan.title
            )
        except Stale as problem:
            if problem.effects != "none":
                self.memory.unknown(plan.place.uri)
            text = f"{problem} {LEFT[problem.effects]} Read {plan.place.shown} again, then repeat this."
            return ToolOutcome(text, status="failed", effects=problem.effects)
        if plan.cells:
            change = await asyncio.to_thread(plan.with_cells, change)
        report = plan.report
        edit = _key(plan.place.uri, arguments) if isinstance(arguments, EditFile | MultiEdit) else ""
        if known == plan.text:
            self.memory.saw(change.uri, change.result, known, edit)
        else:
            self.memory.imagined(change.uri, known, edit)
            report += await asyncio.to_thread(changed_since, plan.place.shown, known, plan.text)
        shown: list[str] = []
        if isinstance(arguments, EditFile | MultiEdit):
            texts = plan.file.text if plan.file else "", plan.text
            shown = await asyncio.to_thread(changed_lines, change, texts=texts)
        return ToolOutcome("\n".join([report, *shown]), effects="applied", changes=(change,))

    async def describe(self, arguments: Change, context: ToolContext) -> Preview:
        """The change as a diff, with the problem of one that could only fail."""
        plan = await self.plan(arguments, context.workspace)
        shown = await preview(arguments, plan)
        try:
            await asyncio.to_thread(self._known_after, arguments, plan)
        except WorkspaceError as problem:
            return replace(shown, problem=str(problem))
        return shown

    def _known_after(self, arguments: Change, plan: EditPlan) -> str:
        """The text the model knows after the change. Raises `WorkspaceError` when it may not be made."""
        if not plan.file:
            return plan.text
        self.memory.check_keys(plan.file, plan.text)
        seen = self.memory.text_of(plan.file.place.uri)
        if isinstance(arguments, EditFile) and seen is not None and seen != plan.file.text:
            known = rebase(seen, plan.file.text, arguments.old_text, arguments.new_text)
            if known is not None:
                return known
        if isinstance(arguments, WriteFile):
            self.memory.check_whole(plan.file)
        else:
            self.memory.check(plan.file)
        return plan.text


async def preview(arguments: OneFile, plan: EditPlan) -> Preview:
    """Return the plan as a question shows it."""
    change = await asyncio.to_thread(_as_change, plan)
    subject = {"type": "edit", "changes": [change]}
    return Preview(plan.title, subject, essence=_essence(arguments, change))


def _essence(arguments: OneFile, change: JsonObject) -> JsonObject | None:
    """An edit is the same edit where its lines have moved to, with the same lines around it."""
    patch: str = change["patch"]
    if isinstance(arguments, WriteFile) or CUT in patch:
        return None
    return {"uri": change["uri"], "patch": _PLACES.sub("@@", patch)}


def _as_change(plan: EditPlan) -> JsonObject:
    patch = plan.patch()
    return {
        "uri": plan.place.uri,
        "change": "modified" if plan.file else "added",
        "base": {"hash": plan.file.version.hash if plan.file else ""},
        "patch": patch.text,
        "insertions": patch.insertions,
        "deletions": patch.deletions,
    }

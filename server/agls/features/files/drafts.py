"""What a patch makes of each file that it names: found out whole before anything is changed."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from agls.engine.not_text import NotText
from agls.engine.ports import FileText, PathInfo, WantedFile, Workspace, WorkspaceError
from agls.engine.vocabulary import FileVersion
from agls.frozen import frozen

from .memory import FileMemory
from .misses import listed
from .missing import explained
from .patch_parts import FilePatch
from .placing import Unplaced, apply_hunks

OTHER_SPACE = " Some lines were found with other white space; the file kept its own."


@frozen
class Draft:
    """A file as it is and as it shall be (`text`; `None` for no file).

    `expected` is its version (`None`: there is none), `file` its text where it has one. With a `source`
    it gets that file's bytes, or its encoding and mode. `told` is what the model hears of it.
    """

    path: str
    place: PathInfo
    expected: FileVersion | None
    file: FileText | None
    text: str | None
    title: str = ""
    told: str = ""
    source: str = ""

    @property
    def is_change(self) -> bool:
        """Whether anything is different afterwards."""
        if self.file:
            return self.text != self.file.text
        return bool(self.source) or (self.expected is None) != (self.text is None)

    @property
    def wanted(self) -> WantedFile:
        """The file as the workspace is asked for it."""
        return WantedFile(self.path, self.text, self.expected, self.source)


async def draft_files(
    patches: Sequence[FilePatch], workspace: Workspace, memory: FileMemory
) -> Sequence[Draft]:
    """Return what the patches make of the files, by the order in which they are named.

    **Raises** `WorkspaceError`, which tells of every file that has no place for what it shall get.
    """
    table = DraftTable(workspace, memory)
    problems: list[str] = []
    for patch in patches:
        try:
            await table.take(patch)
        except Unplaced as problem:
            problems.append(str(problem))
    if problems:
        raise WorkspaceError("\n".join(problems))
    return table.drafts


class DraftTable:
    """The drafts of one patch, by path: a later part of the patch finds what an earlier one made."""

    def __init__(self, workspace: Workspace, memory: FileMemory) -> None:
        self._workspace = workspace
        self._memory = memory
        self._by_path: dict[str, Draft] = {}

    @property
    def drafts(self) -> Sequence[Draft]:
        """All drafts; what goes comes last, when everything else is done."""
        return sorted(self._by_path.values(), key=lambda draft: draft.text is None and not draft.source)

    async def take(self, patch: FilePatch) -> None:
        """Draft what the patch says of one file. **Raises** `WorkspaceError`."""
        if patch.kind == "add":
            await self._add(patch)
        elif patch.kind == "delete":
            draft = await self._there(patch.path)
            if draft.file and self._memory.knows(draft.place.uri):
                self._memory.check(draft.file)
            self._keep(_gone(draft))
        else:
            await self._update(patch)

    async def _add(self, patch: FilePatch) -> None:
        draft = await self._draft(patch.path)
        shown = draft.place.shown
        if draft.text is not None and draft.text != patch.text:
            if draft.file is None or draft.text != draft.file.text:
                raise WorkspaceError(f"{shown}: the patch adds it and changes it as well. Do one of both.")
            self._memory.check(draft.file)
        new = draft.text is None
        verb = "Create" if new else "Overwrite"
        told = f"{'Created' if new else 'Wrote'} {shown}."
        self._keep(replace(draft, text=patch.text, title=f"{verb} {shown}", told=told, source=""))

    async def _update(self, patch: FilePatch) -> None:
        draft = await self._there(patch.path)
        shown = draft.place.shown
        told = ""
        if patch.hunks:
            if draft.text is None:
                raise WorkspaceError(f"{shown} is not a text file: it can be moved or deleted, not edited.")
            try:
                made = await asyncio.to_thread(apply_hunks, draft.text, patch.hunks)
            except Unplaced as problem:
                raise Unplaced(f"{shown}: {problem}") from problem
            told = f"Edited {shown}, {listed(made.lines)}.{OTHER_SPACE * made.loose}"
            draft = replace(
                draft, text=made.text, title=f"Edit {shown}", told=f"{draft.told}\n{told}".strip()
            )
        if patch.to:
            await self._move(draft, patch.to)
        else:
            self._keep(draft)

    async def _move(self, draft: Draft, to: str) -> None:
        there, shown = await self._draft(to), draft.place.shown
        if there.place.path == draft.place.path:
            self._keep(draft)
            return
        if there.expected is not None or there.text is not None:
            raise WorkspaceError(f"{shown} cannot be moved to {there.place.shown}: that exists already.")
        if draft.expected is None:
            raise WorkspaceError(
                f"{shown}: the patch adds it and moves it as well. Add it where it shall be."
            )
        told = f"Moved {shown} to {there.place.shown}.{' ' * bool(draft.told)}{draft.told}"
        title = f"Move {shown} to {there.place.shown}"
        self._keep(replace(there, text=draft.text, title=title, told=told, source=draft.path))
        self._keep(replace(_gone(draft), told="", title=title))

    async def _there(self, path: str) -> Draft:
        """Return the draft of a file that must be there."""
        draft = await self._draft(path)
        if draft.text is None and (draft.expected is None or draft.place.path in self._by_path):
            problem = WorkspaceError(f"{draft.place.shown} does not exist.")
            problem.__cause__ = FileNotFoundError(path)
            raise await explained(problem, path, self._workspace)
        return draft

    async def _draft(self, path: str) -> Draft:
        """Return the file as the patch left it until now, or as it is."""
        place = self._workspace.place(path)
        if place.path in self._by_path:
            return self._by_path[place.path]
        try:
            file = await self._workspace.read(path)
        except NotText as problem:
            return Draft(path, place, FileVersion(sha256(problem.data).hexdigest()), None, None)
        except WorkspaceError as problem:
            if isinstance(problem.__cause__, FileNotFoundError):
                return Draft(path, place, None, None, None)
            raise
        return Draft(path, file.place, file.version, file, file.text)

    def _keep(self, draft: Draft) -> None:
        self._by_path[draft.place.path] = draft


def _gone(draft: Draft) -> Draft:
    shown = draft.place.shown
    return replace(draft, text=None, source="", title=f"Delete {shown}", told=f"Deleted {shown}.")

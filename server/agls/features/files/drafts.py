"""What a patch makes of each file that it names: found out whole before anything is changed."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from posixpath import basename, dirname, join

from agls.engine.not_text import LargeFile, NotText
from agls.engine.ports import FileText, PathInfo, WantedFile, Workspace, WorkspaceError
from agls.engine.vocabulary import FileVersion
from agls.frozen import frozen
from agls.room.missing_paths import explained

from .edit_plan import NOT_HELD
from .lines import split_lines
from .memory import MADE_BEFORE, FileMemory, edit_key
from .misses import listed
from .namesakes import check_name
from .patch_parts import FilePatch
from .placing import apply_hunks
from .slips import check_file, check_new
from .unplaced import Unplaced

OTHER_LINES = (
    "has other lines than those that the patch deletes; nothing was changed. Read it again, and delete it "
    "with `*** Delete File` if it is to go all the same."
)
ANOTHER = "Choose another name, or delete that file first if it is not needed."
TO_MAKE_IT = "To make it, write `*** Add File` (in a diff: `--- /dev/null`)."
UNSAVED = (
    "{} has unsaved changes in the editor, so it is neither moved nor deleted here; nothing was changed. Ask "
    "the user to save or to close it."
)
SAVES = (
    " Or use a command (mv, git mv, rm): before one, unless the user wants it otherwise, the editor saves "
    "what you changed, and asks about what they typed; its output names what was not saved."
)
UNCHANGED = " Nothing was changed."
FOLDER = (
    "{} is a folder; only files are moved and deleted here, one by one (folders are made as needed). For a "
    "whole folder use a command: mv, git mv, rm -r. To move a file into it, end the new path with /."
)
LINK = (
    "{} is a link to {}; nothing was changed. To delete or move the link itself use a command (rm, mv); to "
    "delete or move what it leads to, name that."
)
NOT_EXECUTABLE = " It is not executable: a command (chmod +x) makes it so."
SAME_MODE = " Its mode is as it was: a command (chmod {}) changes it."
OTHER_SPACE = (
    " Some lines were found with other white space, or with characters that look alike; those that stay are "
    "as they were."
)


@frozen
class Draft:
    """A file as it is and as it shall be (`text`; `None` for no file).

    `expected` is its version (`None`: there is none), `file` its text where it has one. With a `source`
    it gets that file's bytes, or its encoding and mode. `report` is for the model.
    A file that goes is put into the `trash`, where there is one. `edit` is the hash of its edit.
    """

    path: str
    place: PathInfo
    expected: FileVersion | None
    file: FileText | None
    text: str | None
    title: str = ""
    report: str = ""
    source: str = ""
    trash: bool = False
    edit: str = ""

    @property
    def is_change(self) -> bool:
        """Whether anything is different afterwards."""
        if self.file:
            return self.text != self.file.text
        return bool(self.source) or (self.expected is None) != (self.text is None)

    @property
    def wanted(self) -> WantedFile:
        """The file as the workspace is asked for it."""
        return WantedFile(self.path, self.text, self.expected, self.source, self.trash)


async def draft_files(
    patches: Sequence[FilePatch], workspace: Workspace, memory: FileMemory, *, trash: bool
) -> Sequence[Draft]:
    """Return what the patches make of the files, in their order. What goes, goes to the `trash`.

    **Raises** `WorkspaceError`, which names every file that has no place for its new text.
    """
    table = DraftTable(workspace, memory, trash=trash, movers=patches)
    problems: list[str] = []
    for patch in patches:
        try:
            await table.take(patch)
        except Unplaced as problem:
            problems.append(str(problem))
        except WorkspaceError as problem:
            is_missing = isinstance(problem.__cause__, FileNotFoundError) and len(patches) > 1
            if not problems and not is_missing:
                raise
            whole = "\n".join([*problems, str(problem)])
            raise WorkspaceError(whole if "othing was changed" in whole else whole + UNCHANGED) from problem
    if problems:
        raise WorkspaceError("\n".join(problems))
    leaving = {draft.place.shown for draft in table.drafts if draft.text is None and not draft.source}
    for draft in table.drafts:
        if (draft.text is None or draft.source) and draft.file and draft.file.dirty:
            raise WorkspaceError(UNSAVED.format(draft.place.shown) + SAVES * workspace.can_save)
        if draft.expected is None and draft.is_change:
            await check_name(draft.path, workspace, leaving)
    return table.drafts


class DraftTable:
    """The drafts of one patch, by path: a later part of the patch finds what an earlier one made.

    A file may take the place of another one that one of the `movers` moves elsewhere, in whichever order.
    """

    def __init__(
        self, workspace: Workspace, memory: FileMemory, *, trash: bool, movers: Sequence[FilePatch]
    ) -> None:
        self._trash = trash
        self._movers = [*movers]
        self._displaced: dict[str, Draft] = {}  # files that go elsewhere later, by the path that they had
        self._workspace = workspace
        self._memory = memory
        self._by_path: dict[str, Draft] = {}

    @property
    def drafts(self) -> Sequence[Draft]:
        """All drafts; what goes comes last, when everything else is done."""
        return sorted(self._by_path.values(), key=lambda draft: draft.text is None and not draft.source)

    async def take(self, patch: FilePatch) -> None:
        """Draft what the patch says of one file. **Raises** `WorkspaceError`."""
        self._movers = [other for other in self._movers if other is not patch]
        if patch.kind == "add":
            await self._add(patch)
        elif patch.kind == "delete":
            draft = await self._there(patch.path)
            self._check_no_link(draft.place)
            if draft.file and self._memory.knows(draft.place.uri):
                self._memory.check(draft.file)
            if patch.hunks and draft.text is not None:
                _check_deleted(patch, draft.place.shown, draft.text)
            self._keep(replace(_gone(draft), trash=self._trash))
        else:
            await self._update(patch)

    async def _add(self, patch: FilePatch) -> None:
        check_file(patch.path, patch.text)
        draft = await self._draft(patch.path)
        shown = draft.place.shown
        if draft.text is not None and draft.text != patch.text:
            if draft.file is None or draft.text != draft.file.text:
                raise WorkspaceError(f"{shown}: the patch adds it and changes it as well. Do one of both.")
            self._memory.check_whole(draft.file)
            self._memory.check_keys(draft.file, patch.text)
            check_new(shown, draft.text, draft.text, patch.text)
        is_there = draft.expected is not None and draft.place.path not in self._by_path
        if draft.expected is not None and draft.file is None:
            raise WorkspaceError(f"{shown} is there and is no text file, so it is not overwritten. {ANOTHER}")
        if is_there and patch.must_be_new and draft.text != patch.text:
            raise WorkspaceError(
                f"{shown} exists already, so a diff from /dev/null does not fit; nothing was changed. Give "
                "the lines that go and those that come, or write it whole with write_file."
            )
        new = draft.text is None
        verb = "Create" if new else "Overwrite"
        report = f"{'Created' if new else 'Wrote'} {shown}.{NOT_EXECUTABLE * (new and bool(patch.mode))}"
        self._keep(replace(draft, text=patch.text, title=f"{verb} {shown}", report=report, source=""))

    async def _update(self, patch: FilePatch) -> None:
        displaced = self._displaced.pop(self._workspace.place(patch.path).path, None) if patch.to else None
        draft = displaced or await self._there(patch.path, is_added=patch.is_only_added)
        shown = draft.place.shown
        report = ""
        if patch.hunks:
            if draft.text is None:
                raise WorkspaceError(f"{shown} is not a text file: it can be moved or deleted, not edited.")
            edit = edit_key(draft.place.uri, repr(patch.hunks))
            again = self._memory.has_made(edit)
            try:
                made = await asyncio.to_thread(apply_hunks, draft.text, patch.hunks, again=again)
            except Unplaced as problem:
                raise Unplaced(f"{shown}: {problem}{MADE_BEFORE * again}") from problem
            for hunk, line in zip(patch.hunks, made.lines, strict=True):
                gone, came = ("\n".join(hunk.having(sign)) for sign in "-+")
                check_new(shown, draft.text, gone, came, line)
            report = f"Edited {shown}, {listed(sorted(made.lines))}.{OTHER_SPACE * made.loose}"
            draft = replace(
                draft,
                text=made.text,
                title=f"Edit {shown}",
                report=f"{draft.report}\n{report}".strip(),
                edit=edit,
            )
        if patch.mode:
            note = SAME_MODE.format(patch.mode)
            draft = replace(draft, report=f"{draft.report}{note}".strip())
        if patch.to:
            await self._move(draft, patch.to, is_displaced=displaced is not None)
        else:
            self._keep(draft)

    async def _move(self, draft: Draft, to: str, *, is_displaced: bool) -> None:
        there, shown = await self._draft(to), draft.place.shown
        self._check_no_link(draft.place)
        if there.place.path == draft.place.path:
            self._keep(draft)
            return
        if there.expected is not None and self._moves_later(there):
            self._displaced[there.place.path] = there
        elif there.text is not None or (there.expected is not None and not self._is_gone(there)):
            raise WorkspaceError(
                f"{shown} cannot be moved to {there.place.shown}: that exists already. {ANOTHER}"
            )
        if draft.expected is None and not draft.source:
            raise WorkspaceError(
                f"{shown}: the patch adds it and moves it as well. Add it at its final path."
            )
        parts = [f"Moved {shown} to {there.place.shown}.", draft.report]
        report = " ".join(filter(None, parts[::-1] if draft.source else parts))
        title = f"Move {shown} to {there.place.shown}"
        moved = replace(there, text=draft.text, title=title, report=report, source=draft.source or draft.path)
        self._keep(replace(moved, edit=draft.edit, trash=False))
        if draft.expected is None:
            del self._by_path[draft.place.path]
        elif not is_displaced:
            self._keep(replace(_gone(draft), report="", title=title))

    def _moves_later(self, draft: Draft) -> bool:
        """Return whether a later part of the patch moves this file elsewhere."""
        is_as_it_was = draft.place.path not in self._by_path
        return is_as_it_was and any(
            other.to and self._workspace.place(other.path).path == draft.place.path for other in self._movers
        )

    def _went(self, draft: Draft) -> str:
        """Return what an earlier part of the patch made of a file."""
        shown = draft.place.shown
        sources = {self._workspace.place(each.source).path: each for each in self.drafts if each.source}
        new = sources.get(draft.place.path)
        done = f"moves it to {new.place.shown}: name it so from there on" if new else "deletes it"
        return f"{shown} does not exist any more, for the patch {done}. Nothing was changed."

    def _is_gone(self, draft: Draft) -> bool:
        return draft.text is None and not draft.source and draft.place.path in self._by_path

    async def _there(self, path: str, *, is_added: bool = False) -> Draft:
        """Return the draft of a file that must be there."""
        draft = await self._draft(path)
        if self._is_gone(draft):
            raise WorkspaceError(self._went(draft))
        if draft.text is None and (draft.expected is None or draft.place.path in self._by_path):
            problem = WorkspaceError(f"{draft.place.shown} does not exist.")
            problem.__cause__ = FileNotFoundError(path)
            found = await explained(problem, path, self._workspace)
            raise WorkspaceError(f"{found} {TO_MAKE_IT}") if is_added else found
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
        except LargeFile as problem:
            raise WorkspaceError(NOT_HELD.format(place.shown)) from problem
        except WorkspaceError as problem:
            if isinstance(problem.__cause__, FileNotFoundError):
                return Draft(path, place, None, None, None)
            if isinstance(problem.__cause__, IsADirectoryError):
                raise WorkspaceError(FOLDER.format(place.shown)) from problem
            raise
        return Draft(path, file.place, file.version, file, file.text)

    def _check_no_link(self, place: PathInfo) -> None:
        """Check that a path names a file, not a link to one. **Raises** `WorkspaceError`."""
        folder = self._workspace.place(dirname(place.shown) or ".").path
        if join(folder, basename(place.shown)) != place.path:
            leads_to = self._workspace.place(place.path).shown
            raise WorkspaceError(LINK.format(place.shown, leads_to))

    def _keep(self, draft: Draft) -> None:
        self._by_path[draft.place.path] = draft


def _check_deleted(patch: FilePatch, shown: str, text: str) -> None:
    """Check that a diff deletes the lines that are there. **Raises** `WorkspaceError`."""
    wanted = [line.rstrip() for hunk in patch.hunks for line in hunk.old]
    if wanted != [line.rstrip() for line in split_lines(text)]:
        raise WorkspaceError(f"{shown} {OTHER_LINES}")


def _gone(draft: Draft) -> Draft:
    shown = draft.place.shown
    return replace(draft, text=None, source="", title=f"Delete {shown}", report=f"Deleted {shown}.")

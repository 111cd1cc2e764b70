"""The open workspace: the port `Workspace`, put together from its parts."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from agls.diff import compare
from agls.engine.line_search import FoundLines, LineSearch
from agls.engine.ports import (
    Command,
    DirEntry,
    FilePart,
    FileText,
    Finished,
    FoundPart,
    OpenFile,
    PathInfo,
    PathOutside,
    WantedFile,
    WorkspaceError,
)
from agls.engine.vocabulary import FileChange, FileVersion, Focus, JsonObject
from agls.workspace.buffer_sync import UNSAVED, Buffer, SyncState
from agls.workspace.contents import cached_text, current_text, read_text, write_text
from agls.workspace.documents import OpenDocument, WorkspaceDocuments, check
from agls.workspace.editor import Editor
from agls.workspace.files import check_size, explained
from agls.workspace.folder_contents import holds_or_held
from agls.workspace.folder_texts import FolderLook
from agls.workspace.handles import folder_beneath
from agls.workspace.hidden_files import Hiding, beneath
from agls.workspace.large_files import find_part, open_file, read_lines, replace_part
from agls.workspace.listing import list_folder
from agls.workspace.paths import Ground, Own, ResolvedPath
from agls.workspace.processes import Processes, Runner
from agls.workspace.repository import folders_above
from agls.workspace.snapshots import Snapshots
from agls.workspace.texts import hash_of
from agls.workspace.transaction import Transaction
from agls.workspace.trash import Trash
from agls.workspace.tree import FileTree, Report, unreported
from agls.workspace.uris import is_file_uri

Read = FileText | WorkspaceError | None
LARGEST = 10_000_000  # bytes of a file that is read
NOTHING_OWN = Own()


class OpenWorkspace:
    """Files as the editor and the disk hold them, and commands run among them.

    `root` and `extra_roots` are absolute folders as the client named them (`roots`: both), `own` are agls's.
    A file with a name, in normal form C and folded case, that fits one of the regular expressions `hidden` is
    in no list; opening it is for the permissions to judge.
    """

    def __init__(
        self,
        root: str,
        extra_roots: Sequence[str],
        editor: Editor,
        processes: Processes,
        own: Own = NOTHING_OWN,
        hidden: Sequence[str] = (),
    ) -> None:
        self._ground = Ground(root, extra_roots, own)
        self._documents = WorkspaceDocuments(editor, self._ground)
        self._editor = editor
        self._processes: Runner = processes
        self._searching = processes  # whoever runs the commands
        self.roots = tuple([root.named for root in self._ground.roots])
        roots = tuple([(root.real, root.named) for root in self._ground.roots])
        self._hiding = Hiding(tuple(hidden), roots, self._ground.closed)

    @property
    def snapshots(self) -> Snapshots:
        """The bytes of files: a new object each time, so that no reference cycle remains."""
        trash = Trash(self._searching.environment)
        return Snapshots(self, self._ground, self._documents, self._hides_file, trash)

    @property
    def _tree(self) -> FileTree:
        return FileTree(self._ground, self._documents, self._hiding, self._searching, self.which)

    @property
    def root(self) -> str:
        """The first folder, as the client named it."""
        return self.roots[0]

    def place(self, path: str) -> PathInfo:
        """Look at a path without opening it. **Raises** `WorkspaceError` for what cannot be a path."""
        return self._documents.place(path)

    def allow(self, path: str) -> None:
        """Let exactly this outside path be opened: the user said yes."""
        self._ground.allow(path)

    # --- files ---

    async def read(self, path: str, *, max_bytes: int = LARGEST) -> FileText:
        """Return the file's text: the document's, unless only the disk changed.

        **Raises** `WorkspaceError`.
        """
        target = self._documents.enter(path)
        if buffer := self._documents.find(target):
            seen = await self._documents.see(buffer, target)
            if seen.standing is not SyncState.BEHIND:
                check_size(target.place.shown, len(buffer.text.encode("utf-8", "replace")), max_bytes)
                return _document(seen)
            self._editor.report_written(buffer.uri, created=False)
            return replace(await _from_disk(target, max_bytes), behind=True)
        return await _from_disk(target, max_bytes)

    async def read_part(self, path: str, *, first: int, count: int, width: int) -> FilePart:
        """Return lines of a text file of any size. **Raises** `WorkspaceError`."""
        return await asyncio.to_thread(read_lines, self._closed(path), first, count, width)

    def opened(self, path: str) -> AbstractContextManager[OpenFile]:
        """Open a file of any size for reading. **Raises** `WorkspaceError`, when it is entered."""
        return open_file(self._closed(path))

    async def find_part(self, path: str, old: str, new: str) -> FoundPart:
        """Return what a change of a text file of any size would be. **Raises** `WorkspaceError`."""
        return await asyncio.to_thread(find_part, self._closed(path), old, new)

    async def replace_part(self, path: str, old: str, new: str, *, expected: FileVersion) -> FileChange:
        """Change a text file of any size in one place. **Raises** `Stale` and `WorkspaceError`."""
        target = self._closed(path)
        if target.disguised:
            raise PathOutside(f"{target.place.shown} leads to another file. Name that one.")
        change = await asyncio.to_thread(replace_part, target, old, new, expected)
        self._editor.report_written(change.uri, created=False)
        return change

    def _closed(self, path: str) -> ResolvedPath:
        """Return the target of a file that is not open in the editor."""
        target = self._documents.enter(path)
        if self._documents.find(target):
            raise WorkspaceError(f"{target.place.shown} is open in the editor, and too large for that.")
        return target

    async def read_each(self, *paths: str) -> Sequence[Read]:
        """Read these files, looked up in one go.

        They are few and small, and every run begins with them: a thread for that takes longer than reading.

        **Returns** for each its text, its problem, or `None` when it is absent.
        """
        found: Sequence[Read] = []
        for path, (target, text) in zip(paths, _stored(self._ground, paths), strict=True):
            try:
                is_open = target is not None and self._documents.find(target) is not None
                found.append(await self.read(path) if is_open else text)
            except WorkspaceError as problem:
                found.append(problem)
        return found

    async def write(
        self, path: str, text: str, *, expected: FileVersion | None, label: str = ""
    ) -> FileChange:
        """Make the file's text exactly this: by one edit where it is open, else on the disk.

        A protected file must be called by its own name: a link to it may have appeared after the permissions
        looked.

        **Raises** `Stale` when it is not at `expected` and `WorkspaceError` when it cannot be done; `Stale`
        says in `effects` what was done all the same, after any other nothing was.
        """
        target = self._documents.enter(path)
        if target.disguised:
            raise WorkspaceError(f"{path} leads to {target.place.path}. Use that path to write there.")
        buffer = self._documents.find(target)
        if buffer is None:
            change = await asyncio.to_thread(write_text, target, text, expected)
            self._editor.report_written(change.uri, created=change.change == "added")
            return change
        seen = await self._documents.see(buffer, target)
        check(seen, expected)
        after = await self._editor.replace(buffer, text, label)
        self._documents.wrote(seen, after)
        if seen.standing is SyncState.BEHIND:
            self._documents.agree(seen)
        return await asyncio.to_thread(_change, target, buffer, after)

    async def change(self, files: Sequence[WantedFile], *, label: str = "") -> Sequence[FileChange]:
        """Change all of these files, or none. **Raises** `Stale` and `WorkspaceError`."""
        return await Transaction(self, self.snapshots, label).make(files)

    async def list(self, path: str = "") -> Sequence[DirEntry]:
        """Return the entries of a folder, and documents in it that were never saved.

        **Raises** `WorkspaceError`.
        """
        target = self._ground.enter(path)
        depth = len(target.parts)
        new = {parts[depth]: len(parts) - depth == 1 for parts in self._documents.new_below(target)}
        entries = await asyncio.to_thread(_list, target, new)
        return [entry for entry in entries if not self._tree.hides(target, (*target.parts, entry.name))]

    def walk(self, under: str = "", glob: str = "", exclude: str = "") -> AsyncGenerator[Sequence[str]]:
        """Yield all files below that fit the glob; see `FileTree.walk`. **Raises** `WorkspaceError`."""
        return self._tree.walk(under, glob, exclude)

    async def search(self, wanted: LineSearch, report: Report = unreported) -> FoundLines:
        """Search the lines of files; each is reported as soon as it is found. **Raises** `WorkspaceError`."""
        return await self._tree.search(wanted, report)

    @property
    def can_save(self) -> bool:
        """Whether the editor saves documents when it is asked to."""
        return self._editor.can_save

    def unsaved(self) -> Sequence[str]:
        """Return the open documents with unsaved changes, as people read their paths."""
        return self._shown(self._documents.unsaved())

    def buffers(self) -> Sequence[FileText]:
        """Return the open documents with unsaved changes, with their text."""
        written = self._documents.is_written
        return [replace(_document(seen), written=written(seen)) for seen in self._unsaved()]

    async def save(self, files: Sequence[FileText], session_id: str, reason: str) -> Mapping[str, str]:
        """Have the editor save these documents, if they still are what they are here.

        A file that was never saved has no place to go to, and is left.

        **Returns** by path why one was not saved.
        """
        documents = {
            file.place.uri: Buffer(file.place.uri, file.version.version or 0, file.text)
            for file in files
            if is_file_uri(file.place.uri)
        }
        if not documents:
            return {}
        failed = await self._editor.save(list(documents.values()), session_id, reason)
        return {file.place.shown: failed[file.place.uri] for file in files if file.place.uri in failed}

    def focus(self) -> Focus | None:
        """Return the place in the workspace where the user looks, `None` where that is unknown or hidden."""
        focus = self._editor.focus
        target = self._documents.permitted(focus.path) if focus else None
        if focus is None or target is None or self._hides_file(target):
            return None
        return replace(focus, path=target.place.shown)

    async def diagnostics(self, session_id: str) -> Sequence[tuple[PathInfo, Sequence[JsonObject]]]:
        """Return errors and warnings in the editor in files that may be shown."""
        found = await self._editor.diagnostics(session_id)
        targets = [(self._documents.permitted(uri), rows) for uri, rows in found.items()]
        return [(target.place, rows) for target, rows in targets if target and not self._hides_file(target)]

    @property
    def editor(self) -> Editor:
        """The editor, for what it knows of code."""
        return self._editor

    def lists(self, path: str) -> bool:
        """Return whether a list of the workspace may show this file."""
        try:
            return not self._hides_file(self._ground.enter(path))
        except WorkspaceError:
            return False

    @property
    def follows(self) -> bool:
        """Whether the user wants to see where the agent works."""
        return self._editor.follows

    async def reveal(self, path: str, line: int) -> None:
        """Show the user this line, from 0, of a file in the workspace; nothing else is shown."""
        try:
            target = self._documents.enter(path)
        except WorkspaceError:
            return
        known = self._documents.find(target) is not None
        if known or await asyncio.to_thread(os.path.isfile, target.place.path):
            self._editor.reveal(target.place.uri, line)

    def _unsaved(self) -> Sequence[OpenDocument]:
        found = self._documents.unsaved()
        return [seen for seen in found if not self._hides_file(seen.target)]

    async def clean(self) -> Sequence[str]:
        """Remove the temporary files of writes whose process was killed, and nothing else.

        To be called once after a crash.

        **Returns** their names.
        """
        return [name for root in self.roots for name in await self._tree.remove_leftovers(root)]

    # --- processes ---

    def run_by(self, runner: Runner) -> "OpenWorkspace":
        """Return this workspace, except that its commands are run by somebody else."""
        other = copy(self)
        other._processes = runner
        return other

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables that commands get, with their values."""
        return self._processes.environment

    def which(self, program: str) -> str:
        """Return the absolute path of a program, "" when there is none outside the workspace."""
        folders = self._processes.environment["PATH"].split(os.pathsep)
        candidates = [program] if "/" in program else [f"{folder}/{program}" for folder in folders]
        return next(filter(self._is_foreign_program, candidates), "")

    async def run(self, command: Command, output: Callable[[str], None]) -> Finished:
        """Run a command to its end in a folder of the workspace.

        Cancelling ends the command and all it started. The processes that it leaves running end with it. The
        files that it could not see, and its changes of open documents, are found out around it.

        **Raises** `WorkspaceError`.
        """
        target = self._ground.enter(command.cwd)
        if not target.place.inside:
            raise PathOutside(f"Commands run in the workspace; {target.place.shown} is outside.")
        before = await self._documents.survey()
        program = self.which(command.argv[0]) or command.argv[0]
        command = replace(command, argv=(program, *command.argv[1:]))
        with explained(target.place.shown), folder_beneath(target.root.real, target.parts) as folder:
            finished = await self._processes.run(command, folder, target.spelled, output)
        return replace(
            finished,
            unsaved=tuple(self._shown(seen for seen in before if seen.standing in UNSAVED)),
            changed=tuple(self._shown(await self._changed_since(before))),
        )

    async def _changed_since(self, before: Sequence[OpenDocument]) -> Sequence[OpenDocument]:
        """Return the documents whose files were changed by somebody other than the editor."""
        hashes = {seen.buffer.uri: seen.held.hash for seen in before}
        theirs = {SyncState.BEHIND, SyncState.CONFLICT}
        now = [seen for seen in await self._documents.survey() if seen.standing in theirs]
        changed = [seen for seen in now if seen.held.hash != hashes.get(seen.buffer.uri)]
        for seen in changed:
            self._editor.report_written(seen.buffer.uri, created=False)
        return changed

    def _shown(self, documents: Iterable[OpenDocument]) -> Sequence[str]:
        return [seen.target.place.shown for seen in documents if not self._hides_file(seen.target)]

    def _hides_file(self, target: ResolvedPath) -> bool:
        return self._hiding.hides(beneath(target.root.real, target.parts))

    @cached_property
    def folders_above(self) -> Sequence[str]:
        """The folders above the root up to that of its repository, which is the first."""
        return [str(folder) for folder in folders_above(self.root)]

    @property
    def real_root(self) -> str:
        """The first folder, with links resolved."""
        return self._ground.roots[0].real

    @property
    def real_roots(self) -> Sequence[str]:
        """All folders, with links resolved."""
        return [root.real for root in self._ground.roots]

    def look(self, trusted: Sequence[str], above: Sequence[str], own: Sequence[str]) -> FolderLook:
        """Begin a look at the small texts of these folders, and of the user's own files."""
        parts = (self._ground, self._documents, self._editor, self._hiding)
        return FolderLook(parts, trusted, above, own)

    def holds_hidden(self, path: str) -> bool:
        """Return whether files that are hidden lie in this folder, or git keeps some; in doubt they do.

        **Raises** `WorkspaceError`.
        """
        return bool(self._hiding.expressions) and holds_or_held(
            self._ground.locate(path).place.path, self._hiding.hides
        )

    def _is_foreign_program(self, path: str) -> bool:
        file = Path(path)
        try:
            if not file.is_absolute() or not file.is_file() or not os.access(path, os.X_OK):
                return False
        except OSError:  # no permission to look, or no possible name
            return False
        return not any(self.place(str(spelling)).inside for spelling in (file, file.parent))


async def _from_disk(target: ResolvedPath, max_bytes: int) -> FileText:
    """Return the text on the disk: without a thread if the system has it in memory, as of most files."""
    return cached_text(target, max_bytes) or await asyncio.to_thread(read_text, target, max_bytes)


def _stored(ground: Ground, paths: Iterable[str]) -> list[tuple[ResolvedPath | None, Read]]:
    """Return the contents of these on the disk."""
    found: list[tuple[ResolvedPath | None, Read]] = []
    for path in paths:
        target = None
        try:
            target = ground.enter(path)
            found.append((target, current_text(target, LARGEST)))
        except WorkspaceError as problem:
            absent = isinstance(problem.__cause__, FileNotFoundError)
            found.append((target, None if absent else problem))
    return found


def _document(seen: OpenDocument) -> FileText:
    buffer = seen.buffer
    return FileText(
        place=replace(seen.target.place, uri=buffer.uri),
        text=buffer.text,
        version=FileVersion(hash_of(buffer.text), buffer.version),
        source="buffer",
        dirty=seen.standing in UNSAVED,
        behind=seen.standing is SyncState.CONFLICT,
        mode=seen.held.mode,
    )


def _change(target: ResolvedPath, before: Buffer, after: Buffer) -> FileChange:
    base = FileVersion(hash_of(before.text), before.version)
    result = FileVersion(hash_of(after.text), after.version)
    patch = compare(target.place.shown, before.text, after.text)
    return FileChange.of(before.uri, "modified", base, result, patch, "editor")


def _list(target: ResolvedPath, new: Mapping[str, bool]) -> Sequence[DirEntry]:
    """Return the folder's entries and the new ones, which are files or (False) folders."""
    try:
        found = list_folder(target)
    except WorkspaceError:
        if not new:
            raise
        found = []
    known = {entry.name for entry in found}
    more = [DirEntry(name, "file" if file else "dir") for name, file in new.items() if name not in known]
    return sorted((*found, *more), key=lambda entry: entry.name)

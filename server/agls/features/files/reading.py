"""The tools `read_file` and `list_dir`."""

import asyncio
from dataclasses import replace

from pydantic import Field

from agls.engine.not_text import LargeFile, NotText
from agls.engine.ports import (
    DirEntry,
    Effect,
    FileText,
    OpenFile,
    PathInfo,
    Preview,
    Target,
    ToolContext,
    WorkspaceError,
)
from agls.engine.vocabulary import ToolOutcome
from agls.frozen import frozen
from agls.names import spelled
from agls.pictures import Unshowable, other_image, whole_picture
from agls.room.folder_ports import PdfReader
from agls.room.home_paths import HomePath
from agls.room.missing_paths import explained
from agls.room.notebook_ports import EditorNotebooks, OpenNotebook, is_notebook
from agls.room.notebook_text import read_notebook, rendered
from agls.toolkit import Arguments

from .lines import flatten, numbered
from .memory import FileMemory, ShownLines
from .open_notebooks import known_cells
from .pdf_pages import described_pages, is_pdf, is_pdf_as_text, is_pdf_file, page_range
from .settings import Settings

QUICK = 65_536  # characters that are cut into a page sooner than handed to a thread
WIDE = "[Long lines are cut. More of line {0}: offset={0}, limit=1. The rest: a command (cut -c) or grep.]"
NO_PDF = "{} is not a PDF: choose lines of it with offset and limit."
MARKS = {"dir": "/", "link": "@", "other": "?"}
STANDINGS = {  # of a file that is open in the editor, when the two differ: by `dirty` and `behind`
    (True, False): "in the editor, with changes that are not saved",
    (False, True): "on disk, which is newer than what the editor shows",
    (True, True): "in the editor, with changes that are not saved; it was changed on disk as well, so it "
    "cannot be edited until the user saves or reloads it",
}


class ReadFile(Arguments):
    """Read a text file. Each line comes with its number and a tab in front, which are not part of the file.

    Shows the text as it is in the user's editor, unsaved changes included. Long files come in
    pages: go on with offset. Of a PNG, JPEG, GIF or WebP file you see the image, of a notebook its cells,
    of a PDF its text.
    """

    path: HomePath = Field(description="relative to the workspace, or absolute")
    offset: int = Field(default=1, ge=1, description="first line, counted from 1")
    limit: int | None = Field(default=None, ge=1, description="number of lines")
    pages: str = Field(default="", description="of a PDF: 3, 2-5, or 7- to its end")


class ListDir(Arguments):
    """List one folder: folders first (with / at the end), then files with their size in bytes."""

    path: HomePath = Field(
        default="", description="relative to the workspace, or absolute; empty for its root"
    )
    max_entries: int = Field(default=200, ge=1, le=500)


def read_targets(arguments: ReadFile | ListDir) -> tuple[Target, ...]:
    """What a call would open."""
    return (Target(Effect.READS, arguments.path or "."),)


async def describe_read(arguments: ReadFile, context: ToolContext) -> Preview:
    """Name the file."""
    return Preview(f"Read {context.workspace.place(arguments.path).shown}", {})


async def describe_list(arguments: ListDir, context: ToolContext) -> Preview:
    """Name the folder."""
    return Preview(f"List {context.workspace.place(arguments.path or '.').shown}", {})


@frozen
class FileReader:
    """Reads for one call; what the model saw is remembered."""

    settings: Settings
    memory: FileMemory
    read_pdf: PdfReader
    notebooks: EditorNotebooks

    async def read(self, arguments: ReadFile, context: ToolContext) -> ToolOutcome:
        """One page of the file."""
        try:
            return await self._whole(arguments, context)
        except LargeFile:
            return await self._large(arguments, context)

    async def _whole(self, arguments: ReadFile, context: ToolContext) -> ToolOutcome:
        """One page of a file that can be held."""
        try:
            file = await context.workspace.read(arguments.path)
        except NotText as problem:
            if is_pdf(problem.data):
                return await self._pdf(problem.shown, problem.data, arguments)
            return _looked_at(problem)
        except WorkspaceError as problem:
            raise await explained(problem, arguments.path, context.workspace) from problem
        if is_pdf_as_text(file.text):
            return await self._pdf(file.place.shown, file.text.encode(file.encoding), arguments)
        if arguments.pages:
            raise WorkspaceError(NO_PDF.format(file.place.shown))
        if is_notebook(file.place.shown):
            if opened := await self.notebooks.find(file.place.uri):
                return self._notebook(file.place, opened, arguments)
            shown = await asyncio.to_thread(_cells, file)
        else:
            shown = file
        named = shown.place.shown
        if len(shown.text) <= QUICK:
            page, lines = self._page(named, shown.text, _head(file), arguments)
        else:
            page, lines = await asyncio.to_thread(self._page, named, shown.text, _head(file), arguments)
        self.memory.read(file.place.uri, file.version, file.text, lines)
        return page

    async def _large(self, arguments: ReadFile, context: ToolContext) -> ToolOutcome:
        """Pages or lines of a file that is too large to be held."""
        with context.workspace.opened(arguments.path) as file:
            if is_pdf_file(file):
                return await self._pdf(file.place.shown, file, arguments)
        if arguments.pages:
            raise WorkspaceError(NO_PDF.format(file.place.shown))
        first, limit = arguments.offset, arguments.limit or self.settings.read_lines
        part = await context.workspace.read_part(
            arguments.path, first=first, count=limit, width=self._width(arguments.limit)
        )
        shown = part.place.shown
        if not part.lines:
            return ToolOutcome(f"{shown} ends with line {part.last}.", status="failed")
        given = self._fitting([f"{number}\t{line}" for number, line in enumerate(part.lines, first)])
        last = first + len(given) - 1
        if last != part.last:
            of = f"a file of {part.size:,} bytes"
            given.append(f"[These are lines {first} to {last} of {of}; go on with offset {last + 1}.]")
        self.memory.saw(part.place.uri, part.version, "")
        return ToolOutcome("\n".join(given))

    def _notebook(self, place: PathInfo, opened: OpenNotebook, arguments: ReadFile) -> ToolOutcome:
        """The cells as they are in the editor."""
        head = [f"[{place.shown} as it is {STANDINGS[True, False]}.]"] if opened.unsaved else []
        page, lines = self._page(place.shown, "\n".join(rendered(opened.cells)), head, arguments)
        known = known_cells(place, opened)
        self.memory.read(place.uri, known.version, known.text, lines)
        return page

    async def _pdf(self, shown: str, source: bytes | OpenFile, arguments: ReadFile) -> ToolOutcome:
        """The pages of a PDF. The model does not know the file then: it cannot be edited as text."""
        wanted = page_range(arguments.pages)
        most = self.settings.read_characters * 3 // 4  # lines get their numbers
        try:
            found = await self.read_pdf(source, first=wanted.first, last=wanted.last, most=most)
        except WorkspaceError as problem:
            raise WorkspaceError(f"{shown}: {problem}") from problem
        described = described_pages(shown, found, wanted)
        if not found.text:
            return ToolOutcome(described.head)
        page, _ = self._page(shown, found.text, [described.head], arguments)
        if page.truncated or not described.foot:
            return page
        return replace(page, text=f"{page.text}\n{described.foot}")

    def _page(
        self, shown: str, text: str, head: list[str], arguments: ReadFile
    ) -> tuple[ToolOutcome, ShownLines]:
        text = flatten(text)
        if not text:
            return ToolOutcome("\n".join([*head, f"[{shown} is empty.]"])), ShownLines(1, 0, 0)
        text = text.removesuffix("\n")
        first = arguments.offset
        count = text.count("\n") + 1
        if first > count:
            return ToolOutcome(f"{shown} ends with line {count}.", status="failed"), ShownLines(1, 0, count)
        stop = min(count, first - 1 + (arguments.limit or self.settings.read_lines))
        wanted = text.split("\n", stop)[first - 1 : stop]  # a long text is not split to its end
        width = self._width(arguments.limit)
        given = self._fitting(numbered(wanted, first, width))
        last = first + len(given) - 1
        wide = next((at for at, line in enumerate(wanted[: len(given)], first) if len(line) > width), 0)
        cut = [WIDE.format(wide)] if wide and arguments.limit != 1 else []
        lines = ShownLines(first, last, count)
        if last == count:
            return ToolOutcome("\n".join([*head, *given, *cut])), lines
        foot = f"[These are lines {first} to {last} of {count}; go on with offset {last + 1}.]"
        left = len(text.split("\n", last)[last].encode("utf-8", "replace"))
        return ToolOutcome("\n".join([*head, *given, *cut, foot]), truncated=left), lines

    def _width(self, limit: int | None) -> int:
        """As many characters of a line as are shown: of a few lines that were asked for, more of each."""
        usual = self.settings.line_characters
        return max(usual, self.settings.read_characters // limit) if limit else usual

    def _fitting(self, lines: list[str]) -> list[str]:
        """As many lines as one answer may have, and always one."""
        size = 0
        for count, line in enumerate(lines):
            size += len(line) + 1
            if count and size > self.settings.read_characters:
                return lines[:count]
        return lines


def _cells(file: FileText) -> FileText:
    """The notebook as its cells; as it is when it is damaged."""
    try:
        return replace(file, text="\n".join(rendered(read_notebook(file.text).shown)))
    except WorkspaceError:
        return file


def _looked_at(problem: NotText) -> ToolOutcome:
    """The image that the file is. Raises `WorkspaceError` when no model can see it, with what it is."""
    named = spelled(problem.shown)
    try:
        seen = whole_picture(named, problem.data)
    except Unshowable as unshowable:
        raise WorkspaceError(str(unshowable)) from problem
    if seen is None:
        if words := other_image(named, problem.data):
            raise WorkspaceError(words) from problem
        raise problem
    return ToolOutcome(seen.words, images=(seen.image,))


def _head(file: FileText) -> list[str]:
    standing = STANDINGS.get((file.dirty, file.behind))
    head = [f"[{file.place.shown} as it is {standing}.]"] if standing else []
    if file.guessed:
        head.append(f"[Its encoding is a guess: {file.encoding}. An edit keeps every byte outside of it.]")
    return head


async def list_dir(arguments: ListDir, context: ToolContext) -> ToolOutcome:
    """The entries of a folder, folders first."""
    try:
        found = await context.workspace.list(arguments.path)
    except WorkspaceError as problem:
        raise await explained(problem, arguments.path, context.workspace) from problem
    entries = sorted(found, key=lambda entry: (entry.kind != "dir", entry.name))
    shown = context.workspace.place(arguments.path or ".").shown
    if not entries:
        return ToolOutcome(f"[{shown} is empty.]")
    lines = [_row(entry) for entry in entries[: arguments.max_entries]]
    if left := len(entries) - len(lines):
        lines.append(f"[{left} more entries are left out. Raise max_entries, or use glob with a pattern.]")
    return ToolOutcome("\n".join(lines))


def _row(entry: DirEntry) -> str:
    name = spelled(entry.name) + MARKS.get(entry.kind, "")
    return f"{name}\t{entry.size}" if entry.kind == "file" else name

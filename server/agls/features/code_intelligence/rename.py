"""The tool `rename_symbol`: the edit is a language server's, all files or none."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import cast

from pydantic import Field

from agls.diff import compare
from agls.engine.ports import (
    Effect,
    FileText,
    Preview,
    Stale,
    Target,
    ToolContext,
    ToolSpec,
    WantedFile,
    WorkspaceError,
)
from agls.engine.vocabulary import JsonObject, ToolCall, ToolOutcome
from agls.frozen import frozen
from agls.room.code_ports import NO_ANSWER
from agls.toolkit import Arguments, TypedTool

from .places import member, rows_of
from .positions import lines_of, offset_at, starts_of
from .source import CodeQuestion
from .tool import CodeWork

MOST_FILES = 200  # that one renaming may change
SETTLING = 0.3  # seconds in which a language server that still reads the workspace finds more of it
MOST_QUESTIONS = 20  # then a plan that is another one each time is taken as it is


class RenameSymbol(Arguments):
    """Rename a symbol everywhere in the workspace, by a language server; all files are changed, or none."""

    path: str = Field(description="a file in which it stands")
    symbol: str = Field(min_length=1, description="name, or Class.method")
    new_name: str = Field(min_length=1)
    line: int | None = Field(default=None, ge=1, description="where it stands several times")


@frozen
class RenamedFile:
    """A file, and its text with the new name."""

    file: FileText
    text: str
    places: int


@frozen
class Renaming:
    """Plans and makes renamings. `seen` are those that were looked at, by call."""

    work: CodeWork
    seen: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])

    async def plan(self, arguments: RenameSymbol) -> Sequence[RenamedFile]:
        """Return the files as they shall be. **Raises** `WorkspaceError`."""
        question = await self.work.question("references", arguments.path, arguments.symbol, arguments.line)
        edits, encoding = await self._edits(question, arguments.new_name)
        if len(edits) > MOST_FILES:
            raise WorkspaceError(f"{len(edits)} files would be changed, more than {MOST_FILES} at once.")
        return [await self._renamed(uri, rows, encoding) for uri, rows in edits.items()]

    async def settled_plan(self, arguments: RenameSymbol) -> Sequence[RenamedFile]:
        """Return the plan once a language server gives the same twice: at its start it still finds files.

        **Raises** `WorkspaceError`.
        """
        files = await self.plan(arguments)
        for _ in range(MOST_QUESTIONS):
            before = files
            await asyncio.sleep(SETTLING)
            files = await self.plan(arguments)
            if texts_of(files) == texts_of(before):
                break
        return files

    async def _edits(
        self, question: CodeQuestion, name: str
    ) -> tuple[Mapping[str, Sequence[JsonObject]], str]:
        problems: list[str] = []
        for source in self.work.sources.servers_of(question.file):
            params = {**source.place(question), "newName": name}
            try:
                answer = await source.ask(question, "textDocument/rename", params)
            except WorkspaceError as problem:
                problems.append(str(problem))
                continue
            if answer is NO_ANSWER:
                continue
            if edits := edits_of(answer):
                return edits, source.encoding
            problems.append(f"{source.name} says that {question.name} cannot be renamed there.")
        hint = self.work.sources.hint(question.file.place.path)
        raise WorkspaceError(" ".join(problems) or f"{hint} Only a language server can rename.")

    async def _renamed(self, uri: str, rows: Sequence[JsonObject], encoding: str) -> RenamedFile:
        place = self.work.sources.workspace.place(uri)
        if not place.inside:
            raise WorkspaceError(f"It stands in {place.shown} as well, which is outside the workspace.")
        file = await self.work.sources.workspace.read(place.path)
        return RenamedFile(file, with_edits(file.text, rows, encoding), len(rows))

    async def rename(self, arguments: RenameSymbol, context: ToolContext) -> ToolOutcome:
        """Rename, in all files or in none; only what was looked at before, if it was."""
        files = await self.plan(arguments)
        seen = self.seen.pop(context.call_id, None)
        if seen is not None and seen != texts_of(files):
            raise WorkspaceError("The language server or the files know more now: rename again.")
        wanted = [WantedFile(each.file.place.path, each.text, each.file.version) for each in files]
        try:
            changes = await context.workspace.change(wanted, label=_title(arguments))
        except Stale as problem:
            text = f"{problem} Look again, then repeat it."
            return ToolOutcome(text, status="failed", effects=problem.effects)
        rows = [f"{each.file.place.shown}: {each.places}" for each in files]
        total = sum(each.places for each in files)
        head = f"Renamed {arguments.symbol} to {arguments.new_name} in {total} places:"
        return ToolOutcome("\n".join([head, *rows]), effects="applied", changes=tuple(changes))

    async def describe(self, arguments: RenameSymbol, context: ToolContext) -> Preview:
        """Return the changes as diffs, and every file as a target."""
        files = await self.settled_plan(arguments)
        self.seen[context.call_id] = texts_of(files)
        return preview(arguments, files)


class RenameTool:
    """The tool; what it touches is known only when a language server was asked."""

    def __init__(self, renaming: Renaming) -> None:
        self._tool = TypedTool(
            name="rename_symbol",
            arguments=RenameSymbol,
            work=renaming.rename,
            effects=frozenset({Effect.WRITES}),
            targets=lambda arguments: (Target(Effect.WRITES, arguments.path),),
            describe=renaming.describe,
        )

    @property
    def spec(self) -> ToolSpec:
        """The tool as the model sees it."""
        return self._tool.spec

    async def preview(self, call: ToolCall, context: ToolContext) -> Preview:
        """Return the intended effect of the call, or why it would fail."""
        seen = await self._tool.preview(call, context)
        changes = cast("Sequence[JsonObject]", seen.subject.get("changes") or ())
        paths = dict.fromkeys(str(change["uri"]) for change in changes)
        return replace(seen, targets=tuple(Target(Effect.WRITES, path) for path in paths) or seen.targets)

    async def __call__(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Rename. **Returns** errors as failed outcomes for the model."""
        return await self._tool(call, context)


def texts_of(files: Sequence[RenamedFile]) -> dict[str, str]:
    """Return the new texts by path."""
    return {each.file.place.path: each.text for each in files}


def preview(arguments: RenameSymbol, files: Sequence[RenamedFile]) -> Preview:
    """Return what a renaming would change."""
    return Preview(_title(arguments), {"type": "edit", "changes": [_as_change(each) for each in files]})


def edits_of(answer: object) -> Mapping[str, Sequence[JsonObject]]:
    """Return the edits of a `WorkspaceEdit` by URI. **Raises** `WorkspaceError` when it moves files, too."""
    found: dict[str, list[JsonObject]] = {}
    for change in rows_of(member(answer, "documentChanges")):
        if "kind" in change:
            raise WorkspaceError("The language server wants to move files for that: rename by other tools.")
        uri = str(member(change, "textDocument", "uri"))
        found.setdefault(uri, []).extend(rows_of(change.get("edits")))
    if not found:
        for uri, rows in cast("JsonObject", member(answer, "changes") or {}).items():
            found[uri] = rows_of(rows)
    return {uri: rows for uri, rows in found.items() if rows}


def with_edits(text: str, rows: Sequence[JsonObject], encoding: str) -> str:
    """Return a text after edits, which count as made at once.

    **Raises** `WorkspaceError` if they overlap, or one of them names no place.
    """
    lines, starts = lines_of(text), starts_of(text)

    def at(row: JsonObject, end: str) -> int:
        place = cast("JsonObject", member(row, "range", end) or {})
        if not all(isinstance(place.get(name), int) for name in ("line", "character")):
            raise WorkspaceError("The language server names no place for an edit; nothing was changed.")
        return offset_at(lines, starts, place, encoding)

    spans = sorted((at(row, "start"), at(row, "end"), str(row.get("newText", ""))) for row in rows)
    parts, last = list[str](), 0
    for start, end, new in spans:
        if start < last or end < start:
            raise WorkspaceError("The edits of the language server overlap; nothing was changed.")
        parts += [text[last:start], new]
        last = end
    return "".join([*parts, text[last:]])


def _title(arguments: RenameSymbol) -> str:
    return f"Rename {arguments.symbol} to {arguments.new_name}"


def _as_change(each: RenamedFile) -> JsonObject:
    patch = compare(each.file.place.shown, each.file.text, each.text)
    return {
        "uri": each.file.place.uri,
        "change": "modified",
        "base": {"hash": each.file.version.hash},
        "patch": patch.text,
        "insertions": patch.insertions,
        "deletions": patch.deletions,
    }

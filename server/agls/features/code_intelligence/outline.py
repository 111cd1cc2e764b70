"""The last resort: an outline of the text, where no language server answers."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from posixpath import splitext

from agls.engine.ports import FileText, LineSearch, Workspace
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.room.code_ports import OutlinedText, Outliner

from .languages import GRAMMARS, language_of
from .places import CodeAnswer, Place, rows_of, symbols
from .positions import parts_of
from .source import CodeQuestion

MOST_FILES = 200  # in which a name stands, that are looked at for its definition
MOST_BYTES = 1_000_000  # of a file
OBJECT = 19  # SymbolKind: a block of methods, which defines no name


@frozen
class OutlinedSymbol:
    """A symbol of an outline, and the name of the one around it."""

    uri: str
    row: JsonObject
    around: str

    @property
    def name(self) -> str:
        """Its name, of `ns::Shop::price` the last part."""
        return parts_of(str(self.row["name"]))[-1]

    @property
    def owner(self) -> str:
        """The name of what it belongs to, "" for nothing."""
        *outer, _ = parts_of(str(self.row["name"]))
        return outer[-1] if outer else self.around


@frozen(kw_only=True)
class OutlineSource:
    """Implements `CodeSource`: symbols of a file and of the workspace, and definitions by their name.

    `hint` is why there is no language server, "" when there is one that did not answer.
    """

    outliner: Outliner
    workspace: Workspace
    hint: str = ""

    @property
    def name(self) -> str:
        """What answers, and how far it can be relied on."""
        return f"an outline of the text: names as they are written, no types. {self.hint}".strip(" .")

    async def find(self, question: CodeQuestion) -> CodeAnswer | None:
        """Answer what an outline can answer. **Raises** `WorkspaceError`."""
        if not self.outliner.knows(grammar_of(question.file.place.path)):
            return None
        match question.operation:
            case "document_symbols":
                ((_, rows),) = await self._outlines(question, [question.file])
                return CodeAnswer([("", list(symbols(rows, question.document.uri)))])
            case "workspace_symbols":
                found = await self._named(question, question.name)
                return CodeAnswer([("", [place for each in found for place in symbols(_information(each))])])
            case "definition":
                return CodeAnswer([("", await self._definitions(question))])
            case _:
                return None

    async def _definitions(self, question: CodeQuestion) -> Sequence[Place]:
        """Return where a name is defined, those in the file itself first."""
        *outer, name = parts_of(question.name)
        found = [each for each in await self._named(question, name, exact=True) if each.row["kind"] != OBJECT]
        owned = [each for each in found if outer and each.owner == outer[-1]]
        rows = sorted(owned or found, key=lambda each: each.uri != question.document.uri)
        return [replace(place, label="") for each in rows for place in symbols(_information(each))]

    async def _named(
        self, question: CodeQuestion, name: str, *, exact: bool = False
    ) -> Sequence[OutlinedSymbol]:
        """Return the symbols with such a name in the files of a language."""
        wanted = LineSearch(
            expression=rf"(?<![\w$]){re.escape(name)}(?![\w$])" if exact else re.escape(name),
            ignore_case=not exact,
            only=[f"*{suffix}" for suffix in _suffixes(question.file.place.path)],
            needed=[name.lower()] if name.isascii() else (),
            limit=MOST_FILES,
            by_line=False,
            first_only=True,
            max_bytes=MOST_BYTES,
            seconds=question.seconds,
        )
        names = [file.name for file in (await self.workspace.search(wanted)).files]
        read = await self.workspace.read_each(*names)
        files = [file for file in read if isinstance(file, FileText)]
        outlines = await self._outlines(question, files)
        found = (each for file, rows in outlines for each in _definitions(file.place.uri, rows))
        if exact:
            return [each for each in found if each.name == name]
        return [each for each in found if name.lower() in each.name.lower()]

    async def _outlines(
        self, question: CodeQuestion, files: Sequence[FileText]
    ) -> Sequence[tuple[FileText, Sequence[JsonObject]]]:
        texts = [OutlinedText(grammar_of(file.place.path), file.text) for file in files]
        known = [(f, text) for f, text in zip(files, texts, strict=True) if self.outliner.knows(text.grammar)]
        made = await self.outliner([text for _, text in known], question.seconds) if known else ()
        return [(file, rows) for (file, _), rows in zip(known, made, strict=True) if rows is not None]


def grammar_of(path: str) -> str:
    """Return the grammar of a file, "" when there is none for it."""
    return GRAMMARS.get(splitext(path)[1].lower(), "")


def _suffixes(path: str) -> Sequence[str]:
    """Return the suffixes of all files of the language of this one."""
    language, _ = language_of(path, {})
    return [suffix for suffix in GRAMMARS if language_of(f"a{suffix}", {})[0] == language]


def _definitions(uri: str, rows: Sequence[JsonObject], around: str = "") -> Iterator[OutlinedSymbol]:
    for row in rows:
        yield OutlinedSymbol(uri, row, around)
        yield from _definitions(uri, rows_of(row["children"]), str(row["name"]))


def _information(found: OutlinedSymbol) -> JsonObject:
    """Return a symbol as LSP has one of the workspace (`SymbolInformation`)."""
    location = {
        "uri": found.uri,
        "range": {**found.row["range"], "start": found.row["selectionRange"]["start"]},
    }
    row = {"name": found.row["name"], "kind": found.row["kind"], "location": location}
    return {**row, "containerName": found.around} if found.around else row

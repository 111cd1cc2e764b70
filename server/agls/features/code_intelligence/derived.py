"""Implementations by servers that know references alone: the classes that name another one as their base."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace

from agls.code_units import index_in
from agls.engine.ports import FileText, Workspace, WorkspaceError
from agls.frozen import frozen
from agls.regex import regex
from agls.room.code_ports import CodeDocument

from .places import CodeAnswer, Place, locations, symbols
from .positions import Cursor, lines_of, parts_of
from .source import CodeQuestion, ServerSource

MOST = 100  # classes
HEADER = regex(r"^\s*class\s+(?P<name>\w+)\s*(?:\[[^]]*\])?\s*\(")
CLASS = "class "


@frozen
class DerivedSource:
    """Finds the classes that derive from one, and their methods of a name."""

    servers: Sequence[ServerSource]
    workspace: Workspace
    document: Callable[[FileText], CodeDocument]

    @property
    def name(self) -> str:
        """The name of this source in an answer."""
        return "the classes that name it as their base"

    async def find(self, question: CodeQuestion) -> CodeAnswer | None:
        """**Returns** what implements a class or a method, `None` for every other question."""
        if question.operation != "implementations":
            return None
        for server in self.servers:
            try:
                places = [place async for place in self._implementations(server, question)]
            except WorkspaceError:  # why it cannot say was said before
                continue
            here = question.document.uri  # first what stands in the same file
            return CodeAnswer(
                [("", sorted(places, key=lambda each: (each.uri != here, each.uri, each.line)))]
            )
        return None

    async def _implementations(self, server: ServerSource, question: CodeQuestion) -> AsyncIterator[Place]:
        for place in (await self._ask(server, question, "definition"))[:1]:
            question = await self._at(server, question, place)
        base = _class_at(await self._symbols(server, question), question.cursor.line)
        if base is None:
            return
        member = parts_of(question.name)[-1]
        start = await self._at(server, question, base)
        async for derived in self._derived(server, start):
            line = derived.cursor.line
            if member == base.name:
                yield Place(derived.document.uri, line)
                continue
            known = await self._symbols(server, derived)
            whole = _class_at(known, line)
            inside = (each for each in known if whole and line < each.line <= whole.end)
            for each in [each for each in inside if each.name == member][:1]:
                yield Place(each.uri, each.line)

    async def _derived(self, server: ServerSource, base: CodeQuestion) -> AsyncIterator[CodeQuestion]:
        """Yield the classes that derive from one, and those that derive from them."""
        waiting, seen = [base], set[tuple[str, int]]()
        while waiting and len(seen) < MOST:
            question = waiting.pop(0)
            for place in await self._ask(server, question, "references"):
                user = await self._at(server, question, place)
                header = HEADER.match(user.lines[user.cursor.line])
                if header and header.end() <= user.cursor.index and (place.uri, place.line) not in seen:
                    seen.add((place.uri, place.line))
                    waiting.append(replace(user, cursor=Cursor(place.line, header.start("name"))))
                    yield waiting[-1]

    async def _at(self, server: ServerSource, question: CodeQuestion, place: Place) -> CodeQuestion:
        """**Returns** the question about another place. **Raises** `WorkspaceError`."""
        file = await self.workspace.read(place.uri)
        lines = lines_of(file.text)
        line = min(place.line, len(lines) - 1)
        cursor = Cursor(line, index_in(lines[line], place.character, server.encoding))
        return replace(question, file=file, document=self.document(file), lines=lines, cursor=cursor)

    async def _ask(self, server: ServerSource, question: CodeQuestion, operation: str) -> Sequence[Place]:
        """**Returns** the places in the files that can be read. **Raises** `WorkspaceError`."""
        more = {"context": {"includeDeclaration": False}} if operation == "references" else {}
        params = {**server.place(question), **more}
        found = locations(await server.ask(question, f"textDocument/{operation}", params))
        return [place for place in found if self.workspace.place(place.uri).inside]

    async def _symbols(self, server: ServerSource, question: CodeQuestion) -> Sequence[Place]:
        params = {"textDocument": {"uri": question.document.uri}}
        answer = await server.ask(question, "textDocument/documentSymbol", params)
        return [*symbols(answer, question.document.uri)]


def _class_at(known: Sequence[Place], line: int) -> Place | None:
    """**Returns** the innermost class that a line is in."""
    around = [place for place in known if place.line <= line <= place.end and _is_class(place)]
    return around[-1] if around else None


def _is_class(place: Place) -> bool:
    return place.label.lstrip().startswith(CLASS)

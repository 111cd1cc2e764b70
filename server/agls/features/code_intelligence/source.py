"""Somebody who answers questions about code: language servers, or an outline."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

from agls.engine.ports import FileText, WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.room.code_ports import NO_ANSWER, CodeDocument, CodeServer

from .places import CodeAnswer, Place, callable_of, called, hover_text, locations, problem, rows_of, symbols
from .positions import Cursor

Operation = Literal[
    "definition",
    "references",
    "hover",
    "implementations",
    "document_symbols",
    "workspace_symbols",
    "call_hierarchy",
    "incoming_calls",
    "outgoing_calls",
    "diagnostics",
]


@frozen(kw_only=True)
class CodeQuestion:
    """A question about a place in a file, or about a whole file, or (`name`) about the workspace."""

    operation: Operation
    file: FileText
    document: CodeDocument
    lines: Sequence[str]
    cursor: Cursor
    name: str
    seconds: float


class CodeSource(Protocol):
    """Answers questions about code. `name` is what the model reads of it.

    `find` **returns** `None` when it does not know such files. It raises `WorkspaceError`.
    """

    @property
    def name(self) -> str: ...
    async def find(self, question: CodeQuestion) -> CodeAnswer | None: ...


class ServerSource:
    """Language servers. `reread` **returns** the present texts of the documents that were opened in them."""

    def __init__(
        self, server: CodeServer, reread: Callable[[Sequence[str]], Awaitable[Sequence[CodeDocument]]]
    ) -> None:
        self._server, self._reread = server, reread

    @property
    def name(self) -> str:
        """Who answers."""
        return self._server.name

    @property
    def encoding(self) -> str:
        """The unit of its positions."""
        return self._server.encoding

    async def find(self, question: CodeQuestion) -> CodeAnswer | None:
        """Ask the server. **Raises** `WorkspaceError`."""
        if question.operation == "diagnostics":
            rows = await self._server.diagnostics(question.document, question.seconds)
            if rows is None:
                return None
            return CodeAnswer([("", [problem(question.document.uri, row) for row in rows])])
        if question.operation in CALLS:
            return await self._calls(question)
        method, more = METHODS[question.operation]
        params = {"query": question.name} if "/symbol" in method else {**self._params(question), **more}
        answer = await self.ask(question, method, params)
        return None if answer is NO_ANSWER else _read(question, answer)

    async def ask(self, question: CodeQuestion, method: str, params: JsonObject) -> Any:
        """Send a request. **Returns** the answer of the server. **Raises** `WorkspaceError`."""
        others = [uri for uri in self._server.documents if uri != question.document.uri]
        documents = [*await self._reread(others), question.document]
        return await self._server.ask(method, params, documents, question.seconds)

    def place(self, question: CodeQuestion) -> JsonObject:
        """Return the place that a question is about, as LSP has it."""
        return {
            "textDocument": {"uri": question.document.uri},
            "position": question.cursor.position(question.lines, self._server.encoding),
        }

    def _params(self, question: CodeQuestion) -> JsonObject:
        if question.operation == "document_symbols":
            return {"textDocument": {"uri": question.document.uri}}
        return self.place(question)

    async def _calls(self, question: CodeQuestion) -> CodeAnswer | None:
        prepared = await self.ask(question, "textDocument/prepareCallHierarchy", self.place(question))
        if prepared is NO_ANSWER:
            return None
        items = rows_of(prepared)
        if not items:
            raise WorkspaceError(f"{question.name} is nothing that is called.")
        groups: list[tuple[str, Sequence[Place]]] = []
        if question.operation == "call_hierarchy":
            groups.append(("", [callable_of(item) for item in items]))
        for side, heading in CALLS[question.operation].items():
            found = [place for item in items for place in await self._side(question, item, side)]
            groups.append(
                (heading, list({(each.uri, each.line, each.name): each for each in found}.values()))
            )
        return CodeAnswer(groups)

    async def _side(self, question: CodeQuestion, item: JsonObject, side: str) -> Sequence[Place]:
        method = "callHierarchy/incomingCalls" if side == "from" else "callHierarchy/outgoingCalls"
        answer = await self._server.ask(method, {"item": item}, (), question.seconds)
        return [place for row in rows_of(answer) for place in called(row, side)]


METHODS: Mapping[str, tuple[str, JsonObject]] = {
    "definition": ("textDocument/definition", {}),
    "references": ("textDocument/references", {"context": {"includeDeclaration": True}}),
    "hover": ("textDocument/hover", {}),
    "implementations": ("textDocument/implementation", {}),
    "document_symbols": ("textDocument/documentSymbol", {}),
    "workspace_symbols": ("workspace/symbol", {}),
}
CALLS: Mapping[str, Mapping[str, str]] = {
    "call_hierarchy": {"from": "Called by:", "to": "Calls:"},
    "incoming_calls": {"from": ""},
    "outgoing_calls": {"to": ""},
}


def _read(question: CodeQuestion, answer: Any) -> CodeAnswer:
    match question.operation:
        case "hover":
            return CodeAnswer(text=hover_text(answer))
        case "document_symbols":
            return CodeAnswer([("", list(symbols(answer, question.document.uri)))])
        case "workspace_symbols":
            return CodeAnswer([("", list(symbols(answer)))])
        case _:
            return CodeAnswer([("", locations(answer))])

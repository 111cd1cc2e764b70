"""The tool `code_intelligence`."""

from collections.abc import Sequence
from typing import Annotated, get_args

from pydantic import BeforeValidator, Field

from agls.engine.ports import Effect, FileText, Preview, Target, ToolContext, WorkspaceError
from agls.engine.vocabulary import ToolOutcome
from agls.frozen import frozen
from agls.regex import regex
from agls.toolkit import Arguments

from .places import CodeAnswer, Place
from .positions import Cursor, find_symbol, lines_of, parts_of
from .rows import Rows
from .source import CodeQuestion, CodeSource, Operation
from .sources import CodeSources

CAPITAL, VERB = regex(r"[A-Z]"), regex(r"^(?:prepare|find|get|go_?to)_")
OF_FILES = frozenset({"document_symbols", "diagnostics"})
TOO_MANY = "There are several of this name. Give the path, and perhaps the line, of the one that you mean:\n"


def _in_our_words(operation: object) -> object:
    """Return our name of an operation that has the name it has in LSP, or in other products."""
    snake = CAPITAL.sub(lambda found: f"_{found[0].lower()}", str(operation)).strip("_")
    name = VERB.sub("", snake)
    return next((ours for ours in get_args(Operation) if ours in {name, f"{name}s"}), operation)


class CodeIntelligence(Arguments):
    """Ask language servers about code: exact where grep only compares texts.

    Name a symbol and a file in which it stands (with the line, where it stands several times);
    without a file the symbol is looked up. document_symbols and diagnostics need only the path.
    """

    operation: Annotated[Operation, BeforeValidator(_in_our_words)]
    path: str = ""
    symbol: str = Field(default="", description="name, or Class.method")
    line: int | None = Field(default=None, ge=1)
    limit: int = Field(default=50, ge=1, le=500)


def code_targets(arguments: CodeIntelligence) -> tuple[Target, ...]:
    """Return the path that a call reads."""
    return (Target(Effect.READS, arguments.path or "."),)


async def describe_code(arguments: CodeIntelligence, context: ToolContext) -> Preview:
    """Return the title of a call: what is asked about which symbol."""
    what = arguments.operation.replace("_", " ").capitalize()
    about = arguments.symbol or context.workspace.place(arguments.path or ".").shown
    return Preview(f"{what} of {about}", {})


@frozen
class CodeWork:
    """Answers questions about code."""

    sources: CodeSources
    rows: Rows

    async def ask(self, arguments: CodeIntelligence, context: ToolContext) -> ToolOutcome:
        """Ask the first source that knows. **Raises** `WorkspaceError`."""
        operation = arguments.operation
        if operation == "workspace_symbols" or not (arguments.path or operation in OF_FILES):
            if not arguments.symbol:
                raise WorkspaceError("Name a symbol, or a path.")
            found, by = await self.look_up(arguments.symbol, exact=operation != "workspace_symbols")
            places = found.places
            if operation in {"workspace_symbols", "definition"} or len(places) != 1:
                text = await self.rows.text(found, arguments.limit)
                several = TOO_MANY if operation not in {"workspace_symbols", "definition"} and places else ""
                return ToolOutcome(f"{several}{text}\n{by}")
            arguments = arguments.model_copy(update={"path": places[0].uri, "line": places[0].line + 1})
        question = await self.question(arguments.operation, arguments.path, arguments.symbol, arguments.line)
        answer, by = await self.answer(question)
        text = await self.rows.text(answer, arguments.limit)
        return ToolOutcome(f"{text or 'Nothing is known of it.'}\n{by}")

    async def question(self, operation: Operation, path: str, symbol: str, line: int | None) -> CodeQuestion:
        """Return the question about a file, or about a symbol in it. **Raises** `WorkspaceError`."""
        if not path:
            raise WorkspaceError(f"{operation} needs the path of a file.")
        file = await self.sources.workspace.read(path)
        lines = lines_of(file.text)
        cursor = Cursor(0, 0)
        if operation not in OF_FILES:
            if not symbol:
                raise WorkspaceError(f"{operation} needs the name of a symbol.")
            cursor = find_symbol(lines, symbol, line, file.place.shown)
        return CodeQuestion(
            operation=operation,
            file=file,
            document=self.sources.document(file),
            lines=lines,
            cursor=cursor,
            name=symbol,
            seconds=self.sources.settings.timeout_s,
        )

    async def answer(self, question: CodeQuestion) -> tuple[CodeAnswer, str]:
        """Return the answer of the first source that knows, and who that is. **Raises** `WorkspaceError`."""
        problems: list[str] = []
        for source in self.sources.of(question.file):
            try:
                answer = await source.find(question)
            except WorkspaceError as problem:
                problems.append(str(problem))
                continue
            if answer is not None:
                return answer, _credit(source, problems)
        if not problems:
            problems.append(self.sources.hint(question.file.place.path))
        raise WorkspaceError(f"{' '.join(problems)} Use grep and read_file instead.")

    async def look_up(self, name: str, *, exact: bool) -> tuple[CodeAnswer, str]:
        """Return the symbols with a name in the workspace, from all languages, and the sources of them.

        **Raises** `WorkspaceError` when nobody can be asked.
        """
        last = parts_of(name)[-1]
        credits_, found = dict[str, None](), list[Place]()
        problems: list[str] = []
        for path in await self.sources.samples():
            file = await self.sources.workspace.read(path)
            question = self._about(file, last if exact else name)
            try:
                answer, by = await self.answer(question)
            except WorkspaceError as problem:
                problems.append(str(problem))
                continue
            credits_[by] = None
            found += [place for place in answer.places if not exact or _bare(place.name) == last]
        if not credits_:
            raise WorkspaceError(" ".join(problems) or "There is no code here that a language server knows.")
        return CodeAnswer([("", list(dict.fromkeys(found)))]), "\n".join(credits_)

    def _about(self, file: FileText, name: str) -> CodeQuestion:
        return CodeQuestion(
            operation="workspace_symbols",
            file=file,
            document=self.sources.document(file),
            lines=("",),
            cursor=Cursor(0, 0),
            name=name,
            seconds=self.sources.settings.timeout_s,
        )


def _bare(name: str) -> str:
    return parts_of(name.partition("(")[0])[-1]


def _credit(source: CodeSource, problems: Sequence[str]) -> str:
    trouble = f" {' '.join(problems)}" if problems else ""
    return f"[From {source.name}.{trouble}]"

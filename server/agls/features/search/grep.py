"""The tool `grep`."""

import re
import warnings
from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field

from agls.engine.line_search import FoundLines, LineSearch
from agls.engine.not_text import NotText
from agls.engine.ports import Effect, Preview, Target, ToolContext, Workspace, WorkspaceError
from agls.engine.vocabulary import ToolOutcome
from agls.frozen import frozen
from agls.names import spelled
from agls.regex import regex
from agls.room.home_paths import HomePath
from agls.room.missing_paths import explained
from agls.secret_names import FOLDERS, LEFT_OUT
from agls.toolkit import Arguments

from .file_types import names_of
from .glob import stopped
from .hints import RETURN, below, either, no_lines, no_names
from .literals import required, swift_width
from .rows import LiveRows, Output, counted, rows
from .settings import Settings

LINE_END = regex(r"(?<!\\)(?:\\\\)*\\n")  # as an escape of a regular expression

NAMED = 3  # files that a remark names
FEW = 5_000  # files that are searched once more without regard to capital letters
SOON = 1.0  # seconds for that


class Grep(Arguments):
    """Search files for a regular expression (Python syntax), line by line.

    Ignored and binary files are left out, and those that may hold secrets. Unsaved changes in the editor
    are searched.
    """

    pattern: str = Field(min_length=1, max_length=1_000)
    path: HomePath = Field(default="", description="folder or file; empty for the whole workspace")
    glob: str = Field(default="", description="only files like this: *.py, src/**/*.{ts,tsx}")
    exclude: str = Field(
        default="", max_length=1_000, description="not these files or folders: {tests,*.min.js}"
    )
    type: str = Field(default="", max_length=50, description="only these files: py, ts, rust…")
    literal: bool = Field(default=False, description="take the pattern as plain text")
    ignore_case: bool = False
    multiline: bool = Field(default=False, description="matches may span lines, and `.` line ends")
    output: Output = Field(
        default="content", description="matching lines, file names, or matching lines counted per file"
    )
    context: int = Field(default=0, ge=0, le=20, description="lines to show around each match")
    offset: int = Field(default=0, ge=0, description="matching lines, or files, to skip: the next page")
    limit: int = Field(default=100, ge=1, le=500, description="matching lines, or files, to give")


def grep_targets(arguments: Grep) -> tuple[Target, ...]:
    """Return the path that a call reads."""
    return (Target(Effect.READS, arguments.path or "."),)


async def describe_grep(arguments: Grep, context: ToolContext) -> Preview:
    """Return the title of a call: the pattern and the place."""
    shown = context.workspace.place(arguments.path or ".").shown
    return Preview(f"Search for {arguments.pattern} in {shown}", {})


@frozen
class Grepping:
    """The work of `grep`, within its time limit."""

    settings: Settings

    async def grep(self, arguments: Grep, context: ToolContext) -> ToolOutcome:
        """Search for one page. Returns the rows, and remarks on what is missing and how to get it."""
        live = LiveRows(context.show, arguments.output, in_groups=arguments.context > 0)
        search = wanted(arguments, self.settings)
        search = replace(search, glob=below(search.glob, arguments.path, context.workspace))
        try:
            found = await context.workspace.search(search, live.add)
        except WorkspaceError as problem:
            raise await explained(problem, arguments.path, context.workspace) from problem
        answer = [*rows(found.files, arguments.output, in_groups=arguments.context > 0)]
        if not found.files:
            answer.append(await _nothing(found, arguments, context.workspace, self.settings))
        if found.more:
            count = counted(found.files, arguments.output)
            what = "matching line" if arguments.output == "content" else "file"
            these = f"these {count} {what}s" if count != 1 else f"this one {what}"
            following = f"Go on with offset={arguments.offset + count}"
            narrower = "or narrow the pattern, path, glob or type"
            answer.append(f"[There are more than {these}. {following}, {narrower}.]")
        if remark := _binary(found.binary, context.workspace.place(arguments.path or ".").shown):
            answer.append(remark)
        if found.large:
            answer.append(_large(found.large, arguments, context.workspace))
        if found.stopped:
            advice = "Narrow path or glob, or use a simpler pattern: no repetition inside a repetition."
            answer.append(stopped(self.settings.timeout_s, f"searched. {advice}"))
        return ToolOutcome("\n".join(answer))


async def _nothing(found: FoundLines, arguments: Grep, workspace: Workspace, settings: Settings) -> str:
    searched = f"{found.searched} {'file' if found.searched == 1 else 'files'}"
    if arguments.offset:
        return f"No more matches behind offset {arguments.offset}, in {searched}."
    if not found.searched and (names := arguments.glob or arguments.type):
        what = "glob" if arguments.glob else "type"
        given = names, arguments.path, arguments.exclude
        hint = await no_names(*given, workspace) if arguments.glob else ""
        return f"No file was searched: none fits the {what} {names}.{hint}"
    if found.large and found.searched == len(found.large):
        return "Nothing was searched."
    if remark := await _in_binary(arguments, workspace):
        return remark
    if found.stopped:
        return "Nothing was found until then."
    if _needs_multiline(arguments) and not RETURN.search(arguments.pattern):
        return f"No match in {searched}. The pattern has a line end: set multiline."
    hint = no_lines(arguments.pattern, literal=arguments.literal)
    if not hint and found.searched <= FEW and await _is_there_in_other_case(arguments, workspace, settings):
        hint = " With ignore_case there are some."
    return f"No match in {searched}.{hint}"


async def _is_there_in_other_case(arguments: Grep, workspace: Workspace, settings: Settings) -> bool:
    """Return whether the search would soon find something without regard to capital letters."""
    if arguments.ignore_case or arguments.pattern.lower() == arguments.pattern.upper():
        return False
    asked = arguments.model_copy(update={"ignore_case": True, "output": "files", "limit": 1})
    search = wanted(asked, settings)
    search = replace(search, glob=below(search.glob, arguments.path, workspace), seconds=SOON)
    return bool((await workspace.search(search)).files)


def _binary(names: Sequence[str], asked: str) -> str:
    """Return what is to be said of binary files that match; nothing more of one that was `asked` for."""
    if not names or asked in names:
        return ""
    if len(names) == 1:
        return f"[A binary file matches and is not shown: {_listed(names)}.]"
    return f"[{len(names)} binary files match and are not shown: {_listed(names)}.]"


def _large(names: Sequence[str], arguments: Grep, workspace: Workspace) -> str:
    """Return what is to be said of files that were not searched because of their size."""
    files = "1 file is" if len(names) == 1 else f"{len(names)} files are"
    advice = "One that is given as path is searched, line by line."
    if workspace.place(arguments.path or ".").shown in names:
        advice = "To search there, run grep in a shell."
    if arguments.multiline:
        advice = "Without multiline, larger files are searched, too, line by line."
    return f"[{files} too large to be searched here: {_listed(names)}. {advice}]"


def _listed(names: Sequence[str]) -> str:
    others = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(map(spelled, names[:NAMED])) + others


async def _in_binary(arguments: Grep, workspace: Workspace) -> str:
    """Return what is to be said when the path is a file that is no text; "" for anything else."""
    try:
        await workspace.read(arguments.path or ".")
    except NotText as binary:
        is_plain = arguments.literal or re.escape(arguments.pattern) == arguments.pattern
        if not is_plain:
            return f"{binary.shown} is binary, and searched only for plain text. For an expression: grep -a."
        text, data = arguments.pattern.encode(), binary.data
        if arguments.ignore_case:
            text, data = text.lower(), data.lower()
        return (
            f"{binary.shown}: binary file matches."
            if text in data
            else f"No match in {binary.shown}, which is binary."
        )
    except WorkspaceError:
        pass
    return ""


def _needs_multiline(arguments: Grep) -> bool:
    return not arguments.multiline and not arguments.literal and bool(LINE_END.search(arguments.pattern))


def wanted(arguments: Grep, settings: Settings) -> LineSearch:
    """Return the search a call asks for. Raises `WorkspaceError` for a pattern that cannot be used."""
    expression = re.escape(arguments.pattern) if arguments.literal else arguments.pattern
    if "\n" in arguments.pattern and not arguments.multiline:
        raise WorkspaceError("The pattern holds a line end, which is in no line: set multiline.")
    try:
        with warnings.catch_warnings(action="ignore"):
            re.compile(expression)
    except (re.error, RecursionError, OverflowError) as problem:
        raise WorkspaceError(
            f"The pattern is no regular expression of Python: {problem}. "
            "Put a backslash before special characters, or set literal."
        ) from problem
    try:
        only = names_of(arguments.type) if arguments.type else ()
    except ValueError as problem:
        raise WorkspaceError(str(problem)) from problem
    return LineSearch(
        expression,
        under=arguments.path,
        glob=arguments.glob,
        exclude=either(arguments.exclude),
        only=only,
        multiline=arguments.multiline,
        ignore_case=arguments.ignore_case,
        needed=[text.lower() for text in required(expression, ignore_case=arguments.ignore_case)],
        swift_width=swift_width(expression),
        offset=arguments.offset,
        limit=arguments.limit,
        by_line=arguments.output == "content",
        first_only=arguments.output == "files",
        context=arguments.context,
        width=settings.line_characters,
        max_bytes=settings.max_file_bytes,
        left_out=LEFT_OUT,
        shut=FOLDERS,
        seconds=settings.timeout_s,
    )

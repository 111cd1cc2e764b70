"""The tool `grep`."""

import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from agls.engine.line_search import LineSearch, MatchingFile
from agls.engine.ports import Effect, Preview, Target, ToolContext, WorkspaceError
from agls.engine.vocabulary import ToolOutcome
from agls.frozen import frozen
from agls.names import spelled
from agls.toolkit import Arguments

from .glob import stopped
from .literals import required, swift_width
from .settings import Settings

KEYS = (".[eE][nN][vV]*",)  # the names of files that are searched only when they are named


class Grep(Arguments):
    """Search the lines of files for a regular expression (Python syntax, matched within one line).

    Ignored, binary and .env files are left out. Unsaved changes in the editor are searched.
    """

    pattern: str = Field(min_length=1, max_length=1_000)
    path: str = Field(default="", description="folder or file; empty for the whole workspace")
    glob: str = Field(default="", description="only files like this: *.py, src/**/*.{ts,tsx}")
    literal: bool = Field(default=False, description="take the pattern as plain text")
    ignore_case: bool = False
    output: Literal["content", "files", "count"] = Field(
        default="content", description="matching lines, file names, or matching lines counted per file"
    )
    context: int = Field(default=0, ge=0, le=20, description="lines to show around each match")
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
        """Search up to the limit. Returns the rows, and remarks on what was left out."""
        found = await context.workspace.search(wanted(arguments, self.settings))
        remarks: list[str] = []
        if found.stopped:
            advice = "Narrow path or glob, or use a simpler pattern: no repetition inside a repetition."
            remarks.append(stopped(self.settings.timeout_s, f"searched. {advice}"))
        if found.more:
            what = "matching lines" if arguments.output == "content" else "files"
            narrower = "Narrow the pattern, path or glob, or raise limit (at most 500)."
            remarks.append(f"[There are more than these {arguments.limit} {what}. {narrower}]")
        if not found.files:
            remarks.insert(0, f"No match in {found.searched} files.")
        text = "\n".join(_rows(found.files, arguments))
        return ToolOutcome("\n".join(part for part in (text, *remarks) if part))


def wanted(arguments: Grep, settings: Settings) -> LineSearch:
    """Return the search a call asks for. Raises `WorkspaceError` for a pattern that cannot be used."""
    expression = re.escape(arguments.pattern) if arguments.literal else arguments.pattern
    if "\n" in arguments.pattern:
        raise WorkspaceError("A pattern is matched within one line, so it cannot hold a line end.")
    try:
        with warnings.catch_warnings(action="ignore"):
            re.compile(expression)
    except (re.error, RecursionError, OverflowError) as problem:
        raise WorkspaceError(
            f"The pattern is no regular expression of Python: {problem}. "
            "Put a backslash before special characters, or set literal."
        ) from problem
    return LineSearch(
        expression,
        under=arguments.path,
        glob=arguments.glob,
        ignore_case=arguments.ignore_case,
        needed=[text.lower() for text in required(expression, ignore_case=arguments.ignore_case)],
        swift_width=swift_width(expression),
        limit=arguments.limit,
        by_line=arguments.output == "content",
        first_only=arguments.output == "files",
        context=arguments.context,
        width=settings.line_characters,
        max_bytes=settings.max_file_bytes,
        left_out=KEYS,
        seconds=settings.timeout_s,
    )


def _rows(files: Sequence[MatchingFile], arguments: Grep) -> list[str]:
    if arguments.output == "files":
        return [spelled(file.name) for file in files]
    if arguments.output == "count":
        return [f"{spelled(file.name)}:{file.count}" for file in files]
    rows: list[str] = []
    for file in files:
        rows += ["--"] if rows and arguments.context else []
        rows += _excerpt(file, in_groups=arguments.context > 0)
    return rows


def _excerpt(file: MatchingFile, *, in_groups: bool) -> Iterator[str]:
    """Yield lines as `grep -n` prints them: `name:12:text`, and `name-11-text` for those around."""
    last = file.lines[0].number - 1 if file.lines else 0
    for line in file.lines:
        if in_groups and line.number != last + 1:
            yield "--"
        mark, last = (":" if line.matches else "-"), line.number
        yield f"{spelled(file.name)}{mark}{line.number + 1}{mark}{line.text}"

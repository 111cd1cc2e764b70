"""The tool `glob`."""

from pydantic import Field

from agls.engine.ports import Effect, Preview, Target, ToolContext
from agls.engine.vocabulary import ToolOutcome
from agls.toolkit import Arguments

from .candidates import files_below


class Glob(Arguments):
    """Find files by name. Ignored files are left out."""

    pattern: str = Field(
        min_length=1,
        max_length=1_000,
        description="*.py in any folder, src/**/*.{ts,tsx} below `path`",
    )
    path: str = Field(default="", description="folder; empty for the whole workspace")
    limit: int = Field(default=200, ge=1, le=1_000, description="files to give")


def glob_targets(arguments: Glob) -> tuple[Target, ...]:
    """What a call would read."""
    return (Target(Effect.READS, arguments.path or "."),)


async def describe_glob(arguments: Glob, context: ToolContext) -> Preview:
    """What is looked for, and where."""
    shown = context.workspace.place(arguments.path or ".").shown
    return Preview(f"Find {arguments.pattern} in {shown}", {})


async def glob(arguments: Glob, context: ToolContext) -> ToolOutcome:
    """The paths, sorted."""
    names = await files_below(context.workspace, arguments.path, arguments.pattern)
    if not names:
        return ToolOutcome(f"No file is called {arguments.pattern}.")
    rows = names[: arguments.limit]
    if left := len(names) - len(rows):
        rows.append(f"[{left} more files are left out. Narrow the pattern, or raise limit (at most 1000).]")
    return ToolOutcome("\n".join(rows))

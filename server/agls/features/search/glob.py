"""The tool `glob`."""

import asyncio
from collections.abc import Sequence

from pydantic import Field

from agls.engine.ports import Effect, Preview, Target, ToolContext, Workspace, WorkspaceError
from agls.engine.vocabulary import ToolOutcome
from agls.frozen import frozen
from agls.names import spelled
from agls.room.home_paths import HomePath
from agls.room.missing_paths import explained
from agls.toolkit import Arguments

from .hints import below, either, no_names
from .settings import Settings


class Glob(Arguments):
    """Find files by name. Ignored files are left out."""

    pattern: str = Field(
        min_length=1,
        max_length=1_000,
        description="*.py in any folder, src/**/*.{ts,tsx} below `path`",
    )
    path: HomePath = Field(default="", description="folder; empty for the whole workspace")
    exclude: str = Field(
        default="", max_length=1_000, description="not these files or folders: {tests,*.min.js}"
    )
    offset: int = Field(default=0, ge=0, description="files to skip: the next page")
    limit: int = Field(default=200, ge=1, le=1_000, description="files to give")


def glob_targets(arguments: Glob) -> tuple[Target, ...]:
    """Return the path that a call reads."""
    return (Target(Effect.READS, arguments.path or "."),)


async def describe_glob(arguments: Glob, context: ToolContext) -> Preview:
    """Return the title of a call: the pattern and the place."""
    shown = context.workspace.place(arguments.path or ".").shown
    return Preview(f"Find {arguments.pattern} in {shown}", {})


@frozen
class Globbing:
    """The work of `glob`, within its time limit."""

    settings: Settings

    async def glob(self, arguments: Glob, context: ToolContext) -> ToolOutcome:
        """Return one page of the paths by name, and how many more there are."""
        names: list[str] = []
        count, end = 0, arguments.offset + arguments.limit
        remarks: list[str] = []
        pattern = below(arguments.pattern, arguments.path, context.workspace)
        exclude = either(arguments.exclude)
        try:
            async with asyncio.timeout(self.settings.timeout_s):
                async for some in context.workspace.walk(arguments.path, pattern, exclude):
                    count += len(some)
                    names = _first(names, some, end)
        except WorkspaceError as problem:
            raise await explained(problem, arguments.path, context.workspace) from problem
        except TimeoutError:
            remarks.append(stopped(self.settings.timeout_s, "listed. Narrow path or pattern."))
        if count > end:
            more = f"[{count - end} more files. Go on with offset={end}, or narrow the pattern.]"
            remarks.insert(0, more)
        if not names:
            remarks.insert(0, await self._nothing(arguments, context.workspace))
        elif count <= arguments.offset:
            remarks.insert(0, f"No more files behind offset {arguments.offset}.")
        return ToolOutcome("\n".join((*map(spelled, names[arguments.offset :]), *remarks)))

    async def _nothing(self, arguments: Glob, workspace: Workspace) -> str:
        hint = await no_names(arguments.pattern, arguments.path, arguments.exclude, workspace)
        return f"No file is called {arguments.pattern}.{hint}"


def _first(names: list[str], more: Sequence[str], limit: int) -> list[str]:
    """Return the first `limit` of all these names. Most names of a long list need one comparison."""
    last = names[limit - 1] if len(names) >= limit else None
    return sorted([*names, *(name for name in more if last is None or name < last)])[:limit]


def stopped(seconds: float, advice: str) -> str:
    """Return the remark that the time limit ended the search."""
    return f"[Stopped after {seconds:g} s; not every file was {advice}]"

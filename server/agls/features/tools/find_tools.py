"""The tool `find_tools`, and what it answers."""

import json
from collections.abc import Awaitable, Callable, Sequence
from itertools import takewhile

from pydantic import Field

from agls.engine.feature import RunView
from agls.engine.ports import ToolContext, ToolSpec
from agls.engine.vocabulary import ToolOutcome
from agls.features.tools.catalogue import listed, search
from agls.features.tools.settings import Settings
from agls.features.tools.waiting import FOUND, ROOM, found_in
from agls.toolkit import Arguments, TypedTool

NAME = "find_tools"
LOADED = "These tools can be called from now on:"
NOTHING = "No tool fits {!r}. Say in other words what it should do, or name one:\n{}"
HERE = "You can call these already: {}."
ARGUMENTS = "\n\nThe arguments of {} (JSON Schema): {}"


class FindTools(Arguments):
    """Load tools that are not shown yet. These can be loaded:"""

    query: str = Field(min_length=1, max_length=500, description="what they should do, or their names")


Work = Callable[[FindTools, ToolContext], Awaitable[ToolOutcome]]


async def refuse(arguments: FindTools, context: ToolContext) -> ToolOutcome:
    """Stand for the work where no run is on."""
    return ToolOutcome("Tools are found only in a run.", status="failed")


def tool(work: Work = refuse) -> TypedTool[FindTools]:
    """Return the tool with this work."""
    return TypedTool(name=NAME, arguments=FindTools, work=work, effects=frozenset())


def work_in(
    view: RunView, settings: Settings, waiting: Sequence[ToolSpec], shown: Sequence[ToolSpec]
) -> Work:
    """Return the work of the tool in this run: what it finds is noted, and shown from the next request on.

    Those that the model sees already are named, where they fit better.
    """

    async def find(arguments: FindTools, context: ToolContext) -> ToolOutcome:
        found = search(waiting, arguments.query, settings.found)
        best = search([*waiting, *shown], arguments.query, settings.found)
        better = takewhile(lambda spec: spec not in waiting, best)
        names = [spec.name for spec in better if spec.name != NAME]
        here = [HERE.format(", ".join(names))] if names else []
        if not found and here:
            return ToolOutcome("\n".join(here))
        if not found:
            return ToolOutcome(
                NOTHING.format(arguments.query, listed(waiting, settings.catalogue)), status="failed"
            )
        load(view, [spec.name for spec in found])
        described = (f"\n## {spec.name}\n{spec.description}" for spec in found)
        return ToolOutcome("\n".join([*here, LOADED, *described]))

    return find


def load(view: RunView, names: Sequence[str]) -> None:
    """Note that these tools are shown from now on."""
    known = found_in(view.state)
    if new := [name for name in names if name not in known]:
        view.note(ROOM, FOUND, {"names": new})


def with_arguments(outcome: ToolOutcome, spec: ToolSpec) -> str:
    """Return what a failed call said, and the arguments of the tool, which the model did not see yet."""
    return outcome.text + ARGUMENTS.format(spec.name, json.dumps(spec.schema))

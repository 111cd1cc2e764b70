"""The hooks of an agent's definition: they hold for its runs alone, and each needs the user's consent."""

from collections.abc import Iterator

from agls.engine.vocabulary import JsonObject
from agls.features.hooks.folder_hooks import MOST, FoundHooks, joined
from agls.features.hooks.offered_hook import OfferedHook, hook_entries, offered_hook
from agls.features.hooks.settings import Settings
from agls.room.run_ports import RunInfo

ENDS = {"Stop": "SubagentStop"}  # what the end of a helper is called


def with_agent_hooks(found: FoundHooks, run: RunInfo, settings: Settings) -> FoundHooks:
    """**Returns** these hooks with those of the agent of a run."""
    if not run.hooks or settings.only_managed:
        return found
    shown = f"the agent {run.options.get('agent', '')}"
    offered: list[OfferedHook] = []
    problems: list[str] = []
    for number, (event, entry) in enumerate(_entries(run), 1):
        try:
            offered.append(offered_hook(event, entry, number, shown))
        except ValueError as problem:
            problems.append(f"{shown}: hook {number} ({event}): {problem}")
    return joined(found, [FoundHooks(offered[:MOST], problems)])


def _entries(run: RunInfo) -> Iterator[tuple[str, JsonObject]]:
    for event, entry in hook_entries(run.hooks):
        yield ENDS.get(event, event) if run.works_for else event, entry

"""What may be asked: the records of the session's runs, by the user; how its own run stands, by the model."""

import asyncio
from collections.abc import Callable, Sequence

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome
from agls.engine.facts import Entry
from agls.engine.ports import Effect, Tool, ToolContext
from agls.engine.vocabulary import ToolOutcome
from agls.features.audit.record import records
from agls.features.audit.report import TierOf, as_json, asked_for, brief, page
from agls.toolkit import Arguments, TypedAction, TypedTool

Entries = Callable[[], Sequence[Entry]]


class Audit(Arguments):
    """Show a record of this session's runs: what was asked, done and used, and how each ended."""

    run: str = Field(default="", description="the id of one run (or all of them)")


class RunStatus(Arguments):
    """Look at your own run: the turns, tool calls, tokens, money and time used so far, and the limits."""


def action(entries: Entries, tier_of: TierOf = asked_for) -> Action:
    """Return the action `audit`, also while a run is running."""

    async def show(arguments: Audit, context: ActionContext) -> ActionOutcome:
        return await asyncio.to_thread(read, arguments, context)  # a long session takes its time

    def read(arguments: Audit, context: ActionContext) -> ActionOutcome:
        found = [record for record in records(entries()) if arguments.run in {"", record.run_id}]
        if arguments.run and not found:
            raise ActionError(
                f"There is no run {arguments.run[:100]!r} in this session. Leave it out to see all."
            )
        data = [as_json(record, context.session_id, tier_of) for record in found]
        return ActionOutcome(page(found), {"records": data})

    return TypedAction("audit", "Show the record of runs", Audit, show, group="Work")


def status_tool(entries: Entries) -> Tool:
    """Return the tool `run_status`."""

    async def look(arguments: RunStatus, context: ToolContext) -> ToolOutcome:
        running = [record for record in records(entries()) if record.started is not None and not record.stop]
        return ToolOutcome(brief(running[-1]))

    reads = frozenset({Effect.READS})
    return TypedTool(name="run_status", arguments=RunStatus, work=look, effects=reads)

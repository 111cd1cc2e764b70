"""The table of ports: one row for each port that a room may need, and the service that implements it.

It is a table and no `match`: one row is one line and no branch (docs/decisions/430).
"""

from collections.abc import Callable, Mapping
from functools import partial

from agls.assembly.services import RunServices
from agls.checkup import for_action
from agls.config import tier_of
from agls.engine import background, ports, spawning
from agls.engine.state import State
from agls.features import deadline, outputs, permissions
from agls.features.permissions.memory import PermissionMemory
from agls.frozen import frozen
from agls.models.http.post import post
from agls.room import ports as room
from agls.room.budgets import Allowance, BudgetRegistry
from agls.room.ports import AgentEntry
from agls.workspace.uncommitted import uncommitted


@frozen
class SessionScratch:
    """Implements `ScratchFolder`: makes the folder of one session."""

    run: RunServices

    async def make(self) -> None:
        """Make the folder. **Raises** `OSError`."""
        await self.run.process.scratch.make(self.run.info.session_id)


@frozen
class SessionOutputs:
    """Implements `OutputFolder`: keeps outputs in the scratch folder of one session, where it has one."""

    run: RunServices

    async def keep(self, name: str, text: str, most: int) -> str:
        """Keep an output. **Raises** `OSError`."""
        if not self.run.scratch:
            return ""
        return str(await self.run.process.scratch.keep(self.run.info.session_id, name, text, most))


def _surroundings(run: RunServices) -> room.Surroundings:
    configured = run.config.section(permissions.ROOM).mode

    def mode_of(state: State) -> str:
        return run.session.choices.mode_of(state, configured)

    return room.Surroundings(
        now=run.process.clock.now,
        mode_of=mode_of,
        scratch="" if run.info.is_small else run.scratch,
        above=run.workspace.above,
        trusted=run.setup.trusts_folder(run.workspace.root),
        instructions=run.setup.instructions,
    )


def _known_agents(run: RunServices) -> room.KnownAgents:
    known = ((name, run.config.agents[name]) for name in run.agent.agents)
    return room.KnownAgents(tuple(AgentEntry(name, one.description, bool(one.tier)) for name, one in known))


def _memory(run: RunServices) -> PermissionMemory:
    return PermissionMemory(run.session.grants, run.session.choices, run.process.own_files)


def _ceilings(run: RunServices) -> room.Ceilings:
    return room.Ceilings(run.bounds.allowance.most, run.config.section(deadline.ROOM).ceiling)


def _uncommitted(run: RunServices) -> room.Uncommitted:
    is_trusted = run.setup.trusts_folder(run.workspace.root)  # else git must not read its settings
    return partial(uncommitted, run.workspace) if is_trusted else nothing_uncommitted


async def nothing_uncommitted() -> str:
    """Stand for a folder that nobody trusts."""
    return ""


def _output_limits(run: RunServices) -> room.OutputLimits:
    return run.config.section(outputs.ROOM).limits(run.info.window)


def _tool_names(run: RunServices) -> room.ToolNames:
    return room.ToolNames(frozenset(tool.spec.name for feature in run.built for tool in feature.tools))


PORTS: Mapping[type, Callable[[RunServices], object]] = {
    # of the process
    ports.Clock: lambda run: run.process.clock,
    room.BlobStore: lambda run: run.process.storage.blobs,
    room.AuditFile: lambda run: run.process.storage.write,
    room.Post: lambda _: post,
    room.ToolClient: lambda run: run.process.client,
    room.HeldKeys: lambda run: lambda: run.setup.held_keys,
    room.Examiner: lambda run: for_action(run.setup),
    BudgetRegistry: lambda run: run.process.budgets,
    # of the session
    ports.Asker: lambda run: run.session.session.questions,
    room.Forms: lambda run: run.session.session.questions,
    background.Background: lambda run: run.session.session.background,
    spawning.Spawner: lambda run: run.session.children,
    room.Ancestors: lambda run: room.Ancestors(run.session.above),
    room.SessionRecord: lambda run: run.session.record,
    room.SessionFacts: lambda run: run.session.session.log.journal,
    room.ScratchFolder: SessionScratch,
    room.OutputFolder: SessionOutputs,
    PermissionMemory: _memory,
    # of the run
    room.RunInfo: lambda run: run.info,
    ports.Workspace: lambda run: run.workspace,
    room.Revealer: lambda run: run.workspace,
    room.Uncommitted: _uncommitted,
    room.Diagnostics: lambda run: partial(run.workspace.diagnostics, run.info.session_id),
    room.FileSnapshots: lambda run: run.workspace.snapshots,
    room.Leftovers: lambda run: room.Leftovers((run.workspace.clean, run.process.storage.tidy)),
    ports.ModelResolver: lambda run: run.models,
    room.Tiers: lambda run: room.Tiers(frozenset(run.config.tiers), partial(tier_of, run.config.agents)),
    room.KnownAgents: _known_agents,
    room.Surroundings: _surroundings,
    room.Ceilings: _ceilings,
    room.OutputLimits: _output_limits,
    room.Remaining: lambda run: partial(run.process.budgets.left, run.info.session_id),
    room.ToolNames: _tool_names,
    Allowance: lambda run: run.bounds.allowance,
}

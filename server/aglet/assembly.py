"""The composition root: which features a run has, and in which order."""

from dataclasses import dataclass
from pathlib import Path

from aglet.checkup import for_action
from aglet.config import AgentDefinition, Bounds, Config, FolderGrants, Setup
from aglet.engine.feature import Feature, with_tools
from aglet.engine.ledger import Ledger, NoLedger
from aglet.engine.ports import Clock, ModelResolver
from aglet.engine.recovering import cut_off
from aglet.engine.session import Session
from aglet.engine.spawning import Spawner
from aglet.features import (
    ask,
    audit,
    budget,
    checkpoints,
    client_tools,
    compaction,
    continuation,
    critic,
    deadline,
    delivery,
    doctor,
    files,
    guards,
    history,
    instructions,
    lean,
    output_schema,
    permissions,
    recovery,
    search,
    shell,
    subagents,
    usage,
)
from aglet.features.audit.feature import Write
from aglet.features.client_tools.calling import Client
from aglet.features.critic.watch import Means
from aglet.features.recovery.feature import Clean
from aglet.features.subagents.palette import Entry
from aglet.stores.blobs import Blobs
from aglet.workspace.workspace import OpenWorkspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the features of one run are made of.

    `bounds` are what the run may spend, what its answer must follow and where that goes, `window` the tokens
    that its model can see (`None`: not known). `tidy` clears what a crash left in the store, `record` writes
    a line of the audit.
    """

    config: Config
    agent: AgentDefinition
    setup: Setup
    session: Session
    spawner: Spawner
    workspace: OpenWorkspace
    models: ModelResolver
    clock: Clock
    client: Client
    tidy: Clean
    record: Write
    bounds: Bounds
    ledger: Ledger
    window: int | None


def features(parts: Parts) -> tuple[Feature, ...]:
    """The features of a run: the first is asked first and is outermost in the wrappers."""
    rooms = (*_shaping(parts), *_judging(parts), *_tools(parts))
    names = {tool.spec.name for room in rooms for tool in room.tools}
    return tuple(with_tools(room, parts.agent.tools) for room in (*rooms, *_added(parts, names)))


def _shaping(parts: Parts) -> tuple[Feature, ...]:
    config, folder = parts.config, Path(parts.workspace.root)
    return (
        *((_delivering(parts),) if parts.bounds.target else ()),
        deadline.build(),
        *((critic.build(_watching(parts)),) if config.critic.enabled else ()),
        guards.build(config.guards),
        budget.build(
            parts.bounds.allowance,
            NoLedger() if parts.session.state.depth else parts.ledger,  # its parent counts it
            parts.session.session_id,
            parts.clock.now,
        ),
        instructions.build(
            config.instructions.said_by(parts.agent.prompt),
            parts.workspace,
            trusted=parts.setup.trusts(folder),
            user_instructions=parts.setup.instructions,
            now=parts.clock.now,
        ),
        continuation.build(config.continuation),
        compaction.build(
            config.compaction,
            parts.models,
            parts.session.log,
            parts.clock.now,
            schema=bool(parts.bounds.schema),
        ),
    )


def _watching(parts: Parts) -> Means:
    return Means(
        settings=parts.config.critic,
        models=parts.models,
        subscribe=parts.session.log.subscribe,
        most=parts.bounds.allowance.most,
        ceiling=parts.config.deadline.ceiling,
    )


def _delivering(parts: Parts) -> Feature:
    from aglet.models.webhook import post  # noqa: PLC0415 - few runs have a target

    session_id = parts.session.session_id
    return delivery.build(parts.config.delivery, parts.bounds.target, session_id, parts.workspace, post)


def _judging(parts: Parts) -> tuple[Feature, ...]:
    config, setup, workspace = parts.config, parts.setup, parts.workspace
    grants = FolderGrants(setup.state_folder, Path(workspace.root))
    return (
        permissions.build(config.permissions, parts.session.questions, workspace, grants),
        checkpoints.build(config.checkpoints, workspace.snapshots, Blobs(setup.state_folder)),
        usage.build(config.usage),
        audit.build(config.audit, parts.session.session_id, parts.session.log.journal.entries, parts.record),
        doctor.build(for_action(setup)),
    )


def _tools(parts: Parts) -> tuple[Feature, ...]:
    config, asker = parts.config, parts.session.questions
    return (
        files.build(config.files),
        search.build(config.search),
        shell.build(config.shell, asker),
        ask.build(config.ask, asker),
        subagents.build(config.subagents, parts.spawner, _palette(parts)),
    )


def _palette(parts: Parts) -> tuple[Entry, ...]:
    """Whom the run may hand work to."""
    known = ((name, parts.config.agents[name]) for name in parts.agent.agents)
    return tuple(
        Entry("agent", name, agent.description, {"agent": name, **({"model": ""} if agent.tier else {})})
        for name, agent in known
    )


def _added(parts: Parts, names: set[str]) -> tuple[Feature, ...]:
    """What only some runs have, and what must know the tools (by `names`) of all the others."""
    config, session, window = parts.config, parts.session, parts.window
    schema = parts.bounds.schema
    titles = config.history.titles and "fast" in config.tiers
    return (
        *((output_schema.build(config.output_schema, schema),) if schema else ()),
        *((recovery.build(parts.workspace.clean, parts.tidy),) if cut_off(session.state) else ()),
        history.build(parts.models, session.log.record, titles=titles),
        client_tools.build(config.client_tools, parts.client, session.session_id, names),
        *((lean.build(config.lean, window),) if window and config.lean.applies(window) else ()),
    )

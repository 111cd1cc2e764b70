"""The composition root: which features a run has, and in which order."""

from dataclasses import dataclass
from pathlib import Path

from aglet.checkup import for_action
from aglet.config import Bounds, Config, FolderGrants, Setup
from aglet.engine.feature import Feature
from aglet.engine.ledger import Ledger
from aglet.engine.ports import Clock, ModelResolver
from aglet.engine.recovering import cut_off
from aglet.engine.session import Session
from aglet.features import (
    ask,
    budget,
    checkpoints,
    client_tools,
    continuation,
    critic,
    deadline,
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
    usage,
)
from aglet.features.client_tools.calling import Client
from aglet.features.critic.watch import Means
from aglet.features.recovery.feature import Clean
from aglet.stores.blobs import Blobs
from aglet.workspace.workspace import OpenWorkspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the features of one run are made of.

    `bounds` are what the run may spend and what its answer must follow, `window` the tokens that its model
    can see (`None`: not known). `tidy` clears what a crash left in the store.
    """

    config: Config
    setup: Setup
    session: Session
    workspace: OpenWorkspace
    models: ModelResolver
    clock: Clock
    client: Client
    tidy: Clean
    bounds: Bounds
    ledger: Ledger
    window: int | None


def features(parts: Parts) -> tuple[Feature, ...]:
    """The features of a run: the first is asked first and is outermost in the wrappers."""
    rooms = (*_shaping(parts), *_judging(parts), *_tools(parts))
    names = {tool.spec.name for room in rooms for tool in room.tools}
    return (*rooms, *_added(parts, names))


def _shaping(parts: Parts) -> tuple[Feature, ...]:
    config, folder = parts.config, Path(parts.workspace.root)
    return (
        deadline.build(),
        *((critic.build(_watching(parts)),) if config.critic.enabled else ()),
        guards.build(config.guards),
        budget.build(parts.bounds.allowance, parts.ledger, parts.session.session_id, parts.clock.now),
        instructions.build(
            config.instructions,
            parts.workspace,
            trusted=parts.setup.trusts(folder),
            user_instructions=parts.setup.instructions,
            now=parts.clock.now,
        ),
        continuation.build(config.continuation),
    )


def _watching(parts: Parts) -> Means:
    return Means(
        settings=parts.config.critic,
        models=parts.models,
        subscribe=parts.session.log.subscribe,
        most=parts.bounds.allowance.most,
        ceiling=parts.config.deadline.ceiling,
    )


def _judging(parts: Parts) -> tuple[Feature, ...]:
    config, setup, workspace = parts.config, parts.setup, parts.workspace
    grants = FolderGrants(setup.state_folder, Path(workspace.root))
    return (
        permissions.build(config.permissions, parts.session.questions, workspace, grants),
        checkpoints.build(config.checkpoints, workspace.snapshots, Blobs(setup.state_folder)),
        usage.build(config.usage),
        doctor.build(for_action(setup)),
    )


def _tools(parts: Parts) -> tuple[Feature, ...]:
    config, asker = parts.config, parts.session.questions
    return (
        files.build(config.files),
        search.build(config.search),
        shell.build(config.shell, asker),
        ask.build(config.ask, asker),
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

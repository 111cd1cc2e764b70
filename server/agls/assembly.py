"""The composition root: which features a run has, and in which order."""

from functools import lru_cache, partial
from pathlib import Path

from agls.checkup import for_action
from agls.config import tier_of
from agls.engine.feature import Feature, with_tools
from agls.engine.recovering import cut_off
from agls.features import (
    ask,
    attachments,
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
    follow_along,
    guards,
    history,
    instructions,
    lean,
    output_schema,
    permissions,
    phases,
    recovery,
    redaction,
    review,
    scratchpad,
    search,
    shell,
    subagents,
    usage,
)
from agls.features.attachments.links import Links
from agls.features.instructions.environment import Place
from agls.features.permissions.memory import Memory
from agls.models import webhook
from agls.parts import Parts

_links = Links()
_folder = lru_cache(maxsize=16)(Path)  # of a workspace, for every run in it


def features(parts: Parts) -> tuple[Feature, ...]:
    """The features of a run: the first is asked first and is outermost in the wrappers."""
    rooms = (redaction.build(parts.held_keys), *_shaping(parts), *_judging(parts), *_tools(parts))
    names = {tool.spec.name for room in rooms for tool in room.tools}
    return tuple(with_tools(room, parts.agent.tools) for room in (*rooms, *_added(parts, names)))


def _shaping(parts: Parts) -> tuple[Feature, ...]:
    config, folder = parts.config, _folder(parts.workspace.root)
    return (
        *((_delivering(parts),) if parts.bounds.target else ()),
        deadline.build(),
        *((critic.build(parts.means),) if parts.critic.enabled else ()),
        guards.build(config.guards),
        _held_to(parts),
        instructions.build(
            config.instructions.said_by(parts.agent.prompt),
            parts.workspace,
            Place(parts.clock.now, parts.mode_of, _scratch(parts), parts.workspace.above),
            trusted=parts.setup.trusts(folder),
            user_instructions=parts.setup.instructions,
        ),
        continuation.build(config.continuation),
        *((phases.build(parts.agent.phases),) if parts.agent.phases else ()),
        compaction.build(
            config.compaction,
            parts.models,
            parts.session.log,
            parts.clock.now,
            schema=bool(parts.bounds.schema),
        ),
    )


def _held_to(parts: Parts) -> Feature:
    bounds, session_id = parts.bounds, parts.session.session_id
    return budget.build(bounds.allowance, parts.books, session_id, parts.works_for, answers=bounds.answers)


def _scratch(parts: Parts) -> str:
    return "" if parts.is_lean else parts.scratch


def _delivering(parts: Parts) -> Feature:
    target, session_id = parts.bounds.target, parts.session.session_id
    return delivery.build(parts.config.delivery, target, session_id, parts.workspace, webhook.post)


def _judging(parts: Parts) -> tuple[Feature, ...]:
    config, setup, workspace = parts.config, parts.setup, parts.workspace
    session_id, entries = parts.session.session_id, parts.session.log.journal.entries
    memory = Memory(parts.grants, parts.choices, parts.own_files)
    return (
        permissions.build(config.permissions, parts.session.questions, workspace, memory),
        checkpoints.build(config.checkpoints, workspace.snapshots, parts.blobs, parts.above),
        review.build(parts.session.log.journal, workspace.snapshots),
        usage.build(config.usage),
        audit.build(config.audit, session_id, entries, parts.record, partial(tier_of, config.agents)),
        doctor.build(for_action(setup)),
    )


def _tools(parts: Parts) -> tuple[Feature, ...]:
    config, asker = parts.config, parts.session.questions
    return (
        *((scratchpad.build(parts.make_scratch),) if parts.scratch else ()),
        files.build(config.files),
        search.build(config.search),
        shell.build(
            config.shell,
            asker,
            parts.session.background,
            session_id=parts.session.session_id,
            outlives=parts.lasting,
        ),
        ask.build(config.ask, asker),
        *((follow_along.build(parts.workspace),) if _followed(parts) else ()),
        subagents.build(config.subagents, parts.spawner, parts.palette, parts.rest),
    )


def _followed(parts: Parts) -> bool:
    return parts.config.follow_along.enabled and parts.workspace.follows


def _added(parts: Parts, names: set[str]) -> tuple[Feature, ...]:
    """What only some runs have, and what must know the tools (by `names`) of all the others."""
    config, session, window = parts.config, parts.session, parts.window
    attached, schema = _links.of(session.session_id, session.state), parts.bounds.schema
    titles = config.history.titles and "fast" in config.tiers
    return (
        *((output_schema.build(config.output_schema, schema),) if schema else ()),
        *((attachments.build(attached, parts.blobs, parts.workspace.snapshots),) if attached else ()),
        *((recovery.build(parts.workspace.clean, parts.tidy),) if cut_off(session.state) else ()),
        history.build(parts.models, session.log.record, titles=titles),
        client_tools.build(config.client_tools, parts.client, session.session_id, parts.run_id, names),
        *((lean.build(config.lean, window),) if window and parts.is_lean else ()),
    )

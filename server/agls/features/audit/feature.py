"""The wiring of the room."""

import logging

from agls.engine.actions import FoundActions
from agls.engine.facts import Entry, RunEnded
from agls.engine.feature import Feature
from agls.engine.state import State
from agls.features.audit.actions import action, status_tool
from agls.features.audit.record import due, records
from agls.features.audit.report import as_json
from agls.features.audit.settings import Settings
from agls.room.process_ports import AuditFile, Tiers
from agls.room.run_ports import RunInfo
from agls.room.session_ports import SessionRecord

_log = logging.getLogger(__name__)


def build(
    settings: Settings, run: RunInfo, session: SessionRecord, write: AuditFile, tiers: Tiers
) -> Feature:
    """Build the feature of one run of this session."""
    entries, tier_of = session.entries, tiers.of

    def on_fact(entry: Entry, state: State) -> None:
        if not settings.file or not isinstance(entry.fact, RunEnded) or entry.fact.run_id != state.run_id:
            return
        try:
            for record in due(records(entries())):
                write(as_json(record, run.session_id, tier_of), settings.max_bytes, settings.keep)
        except OSError as problem:
            _log.warning("the record of the run could not be written: %s", problem)

    tools = (status_tool(entries),) if settings.tool else ()
    return Feature(
        name="audit", tools=tools, actions=FoundActions(lambda: (action(entries, tier_of),)), on_fact=on_fact
    )

"""The wiring of the room."""

from agls.engine.feature import Feature
from agls.features.conversation.choices import choice_actions
from agls.features.conversation.report import report_actions
from agls.features.conversation.transcript import transcript_actions
from agls.room import NoSettings
from agls.room.folder_ports import Surroundings
from agls.room.run_ports import RunInfo
from agls.room.session_ports import SessionControl, SessionRecord


def build(
    settings: NoSettings, control: SessionControl, record: SessionRecord, run: RunInfo, place: Surroundings
) -> Feature:
    """Build the feature: nothing of it takes part in a run."""
    return Feature(
        name="conversation",
        actions=(
            *transcript_actions(control, record),
            *choice_actions(control, place),
            *report_actions(control, run, place),
        ),
    )

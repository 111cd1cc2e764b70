"""The wiring of the room."""

from functools import partial

from agls.engine.feature import Feature
from agls.features.side_question.asking import AskAside, ask_aside
from agls.features.side_question.record import ROOM
from agls.room import NoSettings
from agls.room.process_ports import HeldKeys
from agls.room.session_ports import SessionControl, SessionRecord
from agls.toolkit import TypedAction


def build(
    settings: NoSettings, session: SessionRecord, control: SessionControl, secrets: HeldKeys
) -> Feature:
    """Build the feature: nothing of it takes part in a run."""
    action = TypedAction(
        name="btw",
        title="Ask something beside the work",
        arguments=AskAside,
        work=partial(ask_aside, session, control, secrets),
        aliases=("aside",),
        group="Conversation",
        screened=True,
    )
    return Feature(name=ROOM, actions=(action,))

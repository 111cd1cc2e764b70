"""Ask: the tool with which the model asks the user something."""

from agls.features.ask.settings import Settings
from agls.room import CallWords, Room, build_of
from agls.room.prepared_answers import ANSWERS, check
from agls.room.run_ports import RunInfo
from agls.room.session_ports import Forms

ROOM = Room(
    "ask",
    Settings,
    build_of(__name__),
    needs=(Forms, RunInfo),
    options=(ANSWERS,),
    check=check,
    has_actions=True,
    tools=("ask_user",),
    words={
        "ask_user": CallWords("Asked you", "Asking you", "question", "question"),
    },
)

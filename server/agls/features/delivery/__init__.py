"""What a run gave is posted somewhere when it is over."""

from agls.engine.ports import Workspace
from agls.features.delivery.settings import OPTION, Settings, target_from
from agls.room import Room, RunOption, build_of
from agls.room.process_ports import Post
from agls.room.run_ports import RunInfo

ROOM = Room(
    "delivery",
    Settings,
    build_of(__name__),
    needs=(RunInfo, Workspace, Post),
    check=target_from,
    options=(RunOption(OPTION),),
    user_only=True,
)

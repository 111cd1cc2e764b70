"""What a run gave is posted somewhere when it is over."""

from agls.engine.ports import Workspace
from agls.features.delivery.feature import build
from agls.features.delivery.settings import OPTION, Settings, target_from
from agls.room import Room, RunOption
from agls.room.ports import Post, RunInfo

ROOM = Room(
    "delivery",
    Settings,
    build,
    needs=(RunInfo, Workspace, Post),
    check=target_from,
    options=(RunOption(OPTION),),
    user_only=True,
)

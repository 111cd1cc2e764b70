"""The composition root: from the order of the rooms to the features of one run."""

from agls.assembly.arrivals import Rooms
from agls.assembly.build import Plans, features, load
from agls.assembly.record import SessionLog
from agls.assembly.services import ProcessServices, RunServices, SessionServices
from agls.assembly.session_control import (
    BeginTyped,
    Export,
    OpenSessionControl,
    begin_nothing,
    export_nothing,
)
from agls.assembly.settings_store import FileSettings
from agls.assembly.typed import complete, expand, let_end, screen, withheld_file

__all__ = [
    "BeginTyped",
    "Export",
    "FileSettings",
    "OpenSessionControl",
    "Plans",
    "ProcessServices",
    "Rooms",
    "RunServices",
    "SessionLog",
    "SessionServices",
    "begin_nothing",
    "complete",
    "expand",
    "export_nothing",
    "features",
    "let_end",
    "load",
    "screen",
    "withheld_file",
]

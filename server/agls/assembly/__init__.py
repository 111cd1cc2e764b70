"""The composition root: from the order of the rooms to the features of one run."""

from agls.assembly.arrivals import Rooms
from agls.assembly.build import features
from agls.assembly.record import SessionLog
from agls.assembly.services import ProcessServices, RunServices, SessionServices
from agls.assembly.typed import complete, expand

__all__ = [
    "ProcessServices",
    "Rooms",
    "RunServices",
    "SessionLog",
    "SessionServices",
    "complete",
    "expand",
    "features",
]

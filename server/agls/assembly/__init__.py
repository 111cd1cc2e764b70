"""The composition root: from the order of the rooms to the features of one run."""

from agls.assembly.build import features
from agls.assembly.record import SessionLog
from agls.assembly.services import ProcessServices, RunServices, SessionServices

__all__ = ["ProcessServices", "RunServices", "SessionLog", "SessionServices", "features"]

"""Plan: the entries of the work, which the model and the user change, and clients draw."""

from agls.features.plan.feature import build
from agls.features.plan.record import NOTES
from agls.features.plan.settings import Settings
from agls.room import Room
from agls.room.ports import RunInfo, SessionFacts

ROOM = Room("plan", Settings, build, needs=(SessionFacts, RunInfo), notes=NOTES)

"""The single changes that the agent made: which wait for the user, and keeping or undoing them."""

from agls.features.review.feature import build
from agls.features.review.notes import NOTES
from agls.room import NoSettings, Room
from agls.room.ports import FileSnapshots, SessionFacts

ROOM = Room("review", NoSettings, build, needs=(SessionFacts, FileSnapshots), notes=NOTES)

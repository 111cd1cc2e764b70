"""Work on the repository as a whole: write its AGENTS.md, commit, review, read what reviewers said."""

from agls.engine.ports import ModelResolver
from agls.room import CallWords, NoSettings, Room, build_of
from agls.room.folder_ports import GitCommands
from agls.room.offers import Consents
from agls.room.session_ports import SessionFacts, SessionRecord

ROOM = Room(
    "repository",
    NoSettings,
    build_of(__name__),
    needs=(GitCommands, ModelResolver, SessionRecord, SessionFacts, Consents),
    has_actions=True,
    tools=("git_commit",),
    words={
        "git_commit": CallWords("Committed", "Committing", "command", "message"),
    },
)

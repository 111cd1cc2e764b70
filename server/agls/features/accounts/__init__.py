"""What the user trusts: the keys of model servers that are kept, and the folders whose files count."""

from agls.room import NoSettings, Room, build_of
from agls.room.offers import Consents
from agls.room.process_ports import KeptKeys, TrustedFolders

ROOM = Room(
    "accounts",
    NoSettings,
    build_of(__name__),
    needs=(KeptKeys, TrustedFolders, Consents),
    has_actions=True,
    in_runs=False,
)

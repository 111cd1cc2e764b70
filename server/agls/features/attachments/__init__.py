"""Files that the user attached to a prompt, within reach of the tools."""

from agls.features.attachments.settings import Settings
from agls.room import CallWords, Room, build_of
from agls.room.exposed import AttachmentSize
from agls.room.folder_ports import BlobStore, FileSnapshots
from agls.room.run_ports import RunInfo

ROOM = Room(
    "attachments",
    Settings,
    build_of(__name__),
    needs=(RunInfo, BlobStore, FileSnapshots),
    exposes=(AttachmentSize,),
    tools=("save_attachment",),
    words={
        "save_attachment": CallWords("Saved an attachment", "Saving an attachment", "edit", "path"),
    },
)

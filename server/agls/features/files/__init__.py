"""Files: the tools that read, list, write and edit text files."""

from agls.features.files.settings import Settings
from agls.room import CallWords, Room, build_of
from agls.room.folder_ports import PdfReader
from agls.room.notebook_ports import EditorNotebooks
from agls.room.process_ports import HeldKeys
from agls.room.session_ports import OutputLimits

ROOM = Room(
    "files",
    Settings,
    build_of(__name__),
    needs=(PdfReader, EditorNotebooks, HeldKeys, OutputLimits),
    tools=(
        "read_file",
        "list_dir",
        "edit_file",
        "multi_edit",
        "write_file",
        "edit_notebook",
        "apply_patch",
        "move_file",
        "delete_file",
    ),
    words={
        "read_file": CallWords("Read", "Reading", "read", "path"),
        "list_dir": CallWords("Listed", "Listing", "read", "path"),
        "edit_file": CallWords("Edited", "Editing", "edit", "path"),
        "multi_edit": CallWords("Edited", "Editing", "edit", "path"),
        "write_file": CallWords("Wrote", "Writing", "edit", "path"),
        "edit_notebook": CallWords("Edited", "Editing", "edit", "path"),
        "apply_patch": CallWords("Edited several files", "Editing several files", "edit"),
        "move_file": CallWords("Moved", "Moving", "edit", "path"),
        "delete_file": CallWords("Deleted", "Deleting", "edit", "path"),
    },
)

"""The commands `agls changes …`, `agls undo` and `agls rewind`."""

from agls.doors.headless.options.common import FOLDER, JSON
from agls.doors.headless.options.declaration import OneOf, command, lines, option

SESSION = option("session  its id (or the latest of the folder)", nargs="?", default="")
CHANGE = option("change FILE[:NUMBER]  which, see list", nargs="?")
REVIEW = """
    --all         every change of the session instead
    --session ID  its id (or the folder's latest)
"""
DRY_RUN = "--dry-run  only say what would be changed"
ONLY = OneOf(
    lines("""
        --files         the files alone
        --conversation  the conversation alone
    """)
)
BACK = OneOf(
    (
        option("--before ITEM  to before this prompt (without it they are listed)", default=None),
        option("--undo ID  take this rewind back"),
    )
)
ALL = "--all  of the whole session (or of its last run)"
KEPT = (CHANGE, REVIEW, FOLDER, JSON)
LAST = (SESSION, FOLDER, JSON)
CHANGES = command(
    "changes",
    "show what the last run changed; keep or undo single changes",
    arguments="[COMMAND] …",
    examples="""
        agls changes                    the diff of the last run
        agls changes list               each change, with its FILE:NUMBER
        agls changes keep src/app.py    all changes of this file
        agls changes undo src/app.py:2  what stood there before
        agls changes redo src/app.py:2  the change once more
    """,
    below=(
        command("show", "the diff of the last run (what changes alone does)", ALL, *LAST),
        command("list", "the single changes that are neither kept nor undone", *LAST),
        command("keep", "keep a change, or all of a file: it is not listed any more", *KEPT),
        command("undo", "undo a change, or all of a file, where nobody changed it since", *KEPT),
        command("redo", "make changes again that were undone", *KEPT),
    ),
)
UNDO = command(
    "undo",
    "go back to before the last prompt, files and conversation",
    ONLY,
    DRY_RUN,
    *LAST,
    arguments="[OPTIONS] [SESSION]",
    examples="""
        agls undo          in this folder's latest session; again for the prompt before
        agls undo --files  the files alone
    """,
)
REWIND = command(
    "rewind",
    "go back to before any prompt, or forth again",
    BACK,
    ONLY,
    DRY_RUN,
    *LAST,
    arguments="[OPTIONS] [SESSION]",
    examples="""
        agls rewind                     lists the prompts
        agls rewind --before item_0123  files and conversation
        agls rewind --undo rewind_0123  as it was before that
    """,
)

"""The commands `agls changes …`, `agls undo` and `agls rewind`."""

from agls.doors.headless.options.common import FOLDER, JSON
from agls.doors.headless.options.declaration import OneOf, command, lines, option

SESSION = option("session  its id (default: the latest of the folder)", nargs="?", default="")
CHANGE = option("change FILE[:NUMBER]  which change: see agls changes list", nargs="?")
REVIEW = """
    --all         all changes of the session
    --session ID  its id (default: the folder's latest)
"""
DRY_RUN = "--dry-run  only show what would change"
ONLY = OneOf(
    lines("""
        --files         only the files
        --conversation  only the conversation
    """)
)
BACK = OneOf(
    (
        option(
            "--before ITEM  rewind to before this prompt (without it, the prompts are listed)", default=None
        ),
        option("--undo ID  undo this rewind"),
    )
)
ALL = "--all  the whole session, not only its last run"
SHOW = "show the diff of the last run (the default); in a pipe, as a patch that git apply takes"
KEPT = (CHANGE, REVIEW, FOLDER, JSON)
LAST = (SESSION, FOLDER, JSON)
CHANGES = command(
    "changes",
    "show what the last run changed; keep or undo single changes",
    arguments="[COMMAND] …",
    examples="""
        agls changes                    the diff of the last run
        agls changes | git apply -R     in a pipe, a patch for git: this takes all of it back
        agls changes list               each change, with its FILE:NUMBER
        agls changes keep src/app.py    accept all changes of this file
        agls changes undo src/app.py:2  bring back what was there before
        agls changes redo src/app.py:2  make the change again
    """,
    below=(
        command(
            "show",
            SHOW,
            ALL,
            *LAST,
        ),
        command("list", "list the changes that are neither kept nor undone", *LAST),
        command("keep", "accept a change, or all of a file; it is no longer listed", *KEPT),
        command("undo", "undo a change, or all of a file, unless somebody changed it since", *KEPT),
        command("redo", "make undone changes again", *KEPT),
    ),
)
UNDO = command(
    "undo",
    "rewind to before the last prompt, files and conversation",
    ONLY,
    DRY_RUN,
    *LAST,
    arguments="[OPTIONS] [SESSION]",
    examples="""
        agls undo          in this folder's latest session; again for the prompt before
        agls undo --files  only the files
    """,
)
REWIND = command(
    "rewind",
    "rewind to before any prompt, or undo a rewind",
    BACK,
    ONLY,
    DRY_RUN,
    *LAST,
    arguments="[OPTIONS] [SESSION]",
    examples="""
        agls rewind                     lists the prompts
        agls rewind --before item_0123  files and conversation
        agls rewind --undo rewind_0123  undo a rewind
    """,
)

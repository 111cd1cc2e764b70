"""The command `agls sessions`, which alone is `agls sessions list`, and those below it."""

from agls.doors.headless.options.common import JSON
from agls.doors.headless.options.declaration import command, option

SESSION = "session  its id, or the beginning of it"
LIST = """
    -C --cwd DIR  only those of this folder
    --tag TAG     only those with this tag
    --archived    also those that were put away
    --json        as JSON
"""
AUDIT = """
    --run RUN  one run only
    --json     as JSON, one line for each run
"""
TRACE = """
    --type TYPE...  only facts or events of this type; repeatable
    --run RUN       only of this run
    --item ITEM     only of this item
    --json          as JSON, one line for each fact, whole
"""
EXPORT = """
    --format {jsonl,md,html}  jsonl can be imported again
    --out FILE                a new file (or to standard output)
"""
WORDS = option("words WORD  all of them must occur", nargs="+")
TAGS = option("tags TAG  the tags", nargs="+")
FOLDER = "-C --cwd DIR  the folder they shall work in"
FILES = option("files FILE  exports, or session files", nargs="+")
SESSIONS = command(
    "sessions",
    "list, search, tag, export … the sessions",
    "--search SEARCH  only those with these words",
    LIST,
    arguments="[OPTIONS] [COMMAND] …",
    examples="""
        agls sessions --cwd .                      those of this folder
        agls sessions search parser                those in which this was said
        agls sessions export ses_0123 --format md  one as a document
    """,
    below=(
        command("list", "the sessions, the latest first", LIST),
        command("search", "the sessions in which these words were said", WORDS, LIST),
        command("show", "one session: where, when, what it used, what was said last", SESSION, JSON),
        command("audit", "what each run was asked, did, used, and how it ended", SESSION, AUDIT),
        command("trace", "what happened, fact by fact, as clients hear it", SESSION, TRACE),
        command("rename", "give a session another title", SESSION, "title  the new title"),
        command("tag", "give a session tags", SESSION, TAGS, "--remove  take these tags back instead"),
        command("archive", "put a session away; the list leaves it out", SESSION, "--undo  put it back"),
        command(
            "fork", "a new session with what was said in this one", SESSION, "--at ITEM  only up to this item"
        ),
        command("export", "write a session as a file", SESSION, EXPORT),
        command("import", "take in an export, or a session of another agent", FILES, FOLDER),
        command("delete", "remove a session for good", SESSION, "--yes  do not ask"),
    ),
)

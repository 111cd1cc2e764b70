"""The command `agls sessions`, which alone is `agls sessions list`, and those below it."""

from agls.doors.headless.options.common import JSON
from agls.doors.headless.options.declaration import command, option

SESSION = "session  its id, or the beginning of it"
LIST = """
    -C --cwd DIR  only those of this folder
    --tag TAG     only those with this tag
    --archived    also archived sessions
    -n --limit N  so many at most, the latest; 0 for all (default: 50, with --json all)
    --json        print JSON
"""
AUDIT = """
    --run RUN  one run only
    --json     print JSON, one line for each run
"""
VERIFY = """
    --head DIGEST  what this command said earlier: nothing up to there may have changed
    --json         print JSON
"""
TRACE = """
    --type TYPE...  only facts or events of this type; repeatable
    --run RUN       only of this run
    --item ITEM     only of this item
    --json          print JSON, one line for each fact, whole
"""
EXPORT = """
    --format {jsonl,md,html}  jsonl can be imported again
    --out FILE                a new file (default: standard output)
"""
WORDS = option("words WORD  words that must all occur", nargs="+")
TAGS = option("tags TAG  the tags", nargs="+")
FOLDER = "-C --cwd DIR  the folder they work in"
FILES = option("files FILE  exports, or session files", nargs="+")
SESSIONS = command(
    "sessions",
    "list, search, tag and export sessions",
    "--search SEARCH  only those with these words",
    LIST,
    arguments="[OPTIONS] [COMMAND] …",
    examples="""
        agls sessions --cwd .                      those of this folder
        agls sessions search parser                those that contain this word
        agls sessions export ses_0123 --format md  one session as a document
    """,
    below=(
        command("list", "list the sessions, the latest first", LIST),
        command("search", "list the sessions that contain these words", WORDS, LIST),
        command("show", "show one session: where, when, what it used, its last messages", SESSION, JSON),
        command("audit", "show what each run was asked, did and used, and how it ended", SESSION, AUDIT),
        command("verify", "check that the file of records ([audit] file) was not changed", VERIFY),
        command("trace", "show each fact of a session and the events that clients got", SESSION, TRACE),
        command("rename", "change the title of a session", SESSION, "title  the new title"),
        command("tag", "add tags to a session", SESSION, TAGS, "--remove  remove these tags instead"),
        command("archive", "archive a session: the list leaves it out", SESSION, "--undo  unarchive it"),
        command("fork", "copy a session, with its conversation", SESSION, "--at ITEM  only up to this item"),
        command("export", "export a session to a file", SESSION, EXPORT),
        command("import", "import an export, or a session of another agent", FILES, FOLDER),
        command("delete", "delete a session permanently", SESSION, "--yes  do not ask"),
    ),
)

"""The options of `agls sessions` and of everything below it."""

import argparse

from agls.doors.headless.options.values import folder_name

FORMATS = ("jsonl", "md", "html")


def add_sessions(parser: argparse.ArgumentParser) -> None:
    """Add those of `agls sessions`, which alone is `agls sessions list`, and of what is below it."""
    parser.add_argument("--search", default="", help="only those with these words")
    _add_list(parser)
    below = parser.add_subparsers(title="commands")
    _add_list(_ready(below.add_parser("list", help="the sessions, the latest first"), "list"))
    search = _ready(below.add_parser("search", help="the sessions in which these words were said"), "search")
    search.add_argument("words", nargs="+", help="all of them must occur")
    _add_list(search)
    show = _ready(
        below.add_parser("show", help="one session: where, when, what it used, what was said last"), "show"
    )
    show.add_argument("--json", action="store_true", help="as JSON")
    audit = _ready(
        below.add_parser("audit", help="what each run was asked, did, used, and how it ended"), "audit"
    )
    audit.add_argument("--run", default="", help="one run only")
    audit.add_argument("--json", action="store_true", help="as JSON, one line for each run")
    _add_trace(
        _ready(below.add_parser("trace", help="what happened, fact by fact, as clients hear it"), "trace")
    )
    _ready(below.add_parser("rename", help="give a session another title"), "rename").add_argument("title")
    tag = _ready(below.add_parser("tag", help="give a session tags"), "tag")
    tag.add_argument("tags", nargs="+", metavar="TAG")
    tag.add_argument("--remove", action="store_true", help="take these tags back instead")
    archive = _ready(
        below.add_parser("archive", help="put a session away; the list leaves it out"), "archive"
    )
    archive.add_argument("--undo", action="store_true", help="put it back")
    fork = _ready(below.add_parser("fork", help="a new session with what was said in this one"), "fork")
    fork.add_argument("--at", default="", metavar="ITEM", help="only up to this item")
    _add_export(_ready(below.add_parser("export", help="write a session as a file"), "export"))
    _add_import(below.add_parser("import", help="take in an export, or a session of another agent"))
    delete = _ready(below.add_parser("delete", help="remove a session for good"), "delete")
    delete.add_argument("--yes", action="store_true", help="do not ask")


def _ready(parser: argparse.ArgumentParser, name: str) -> argparse.ArgumentParser:
    parser.set_defaults(command=f"sessions {name}")
    if name not in {"list", "search"}:
        parser.add_argument("session", help="its id, or the beginning of it")
    return parser


def _add_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-C", "--cwd", metavar="DIR", type=folder_name, help="only those of this folder")
    parser.add_argument("--tag", default="", help="only those with this tag")
    parser.add_argument("--archived", action="store_true", help="also those that were put away")
    parser.add_argument("--json", action="store_true", help="as JSON")


def _add_trace(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--type",
        action="append",
        default=[],
        metavar="TYPE",
        help="only facts or events of this type; repeatable",
    )
    parser.add_argument("--run", default="", help="only of this run")
    parser.add_argument("--item", default="", help="only of this item")
    parser.add_argument("--json", action="store_true", help="as JSON, one line for each fact, whole")


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=FORMATS, default="jsonl", help="jsonl can be imported again")
    parser.add_argument("--out", default="", help="a new file (or to standard output)")


def _add_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("-C", "--cwd", metavar="DIR", type=folder_name, help="the folder they shall work in")
    parser.set_defaults(command="sessions import")

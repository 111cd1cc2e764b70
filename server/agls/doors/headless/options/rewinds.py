"""The options of `agls changes`, `agls undo` and `agls rewind`."""

import argparse

from agls.doors.headless.options.values import folder_name

REVIEWS = {
    "keep": "keep a change, or all of a file: it is not listed any more",
    "undo": "undo a change, or all of a file, where nobody changed it since",
    "redo": "make changes again that were undone",
}


def add_changes(parser: argparse.ArgumentParser) -> None:
    """Add those of `agls changes` and of what is below it; `agls changes` alone is `agls changes show`."""
    below = parser.add_subparsers(title="commands", required=True)
    show = _ready(below.add_parser("show", help="the diff of the last run (what changes alone does)"), "show")
    show.add_argument("--all", action="store_true", help="of the whole session (or of its last run)")
    _add_session(show)
    listing = below.add_parser("list", help="the single changes that are neither kept nor undone")
    _add_session(_ready(listing, "list"))
    for name, what in REVIEWS.items():
        review = _ready(below.add_parser(name, help=what), name)
        review.add_argument("change", nargs="?", default="", metavar="FILE[:NUMBER]", help="which, see list")
        review.add_argument("--all", action="store_true", help="every change of the session instead")
        review.add_argument("--session", default="", metavar="ID", help="its id (or the folder's latest)")
        _add_folder(review)


def _ready(parser: argparse.ArgumentParser, name: str) -> argparse.ArgumentParser:
    parser.set_defaults(command=f"changes {name}")
    return parser


def add_undo(parser: argparse.ArgumentParser) -> None:
    """Add those of `agls undo`."""
    _add_way(parser)
    _add_session(parser)


def add_rewind(parser: argparse.ArgumentParser) -> None:
    """Add those of `agls rewind`."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--before", metavar="ITEM", help="to before this prompt (without it they are listed)")
    where.add_argument("--undo", default="", metavar="ID", help="take this rewind back")
    _add_way(parser)
    _add_session(parser)


def _add_way(parser: argparse.ArgumentParser) -> None:
    only = parser.add_mutually_exclusive_group()
    for name in ("files", "conversation"):
        only.add_argument(
            f"--{name}", dest="only", action="store_const", const=name, default="", help=f"the {name} alone"
        )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be changed")


def _add_session(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", nargs="?", default="", help="its id (or the latest of the folder)")
    _add_folder(parser)


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-C", "--cwd", type=folder_name, default=".", metavar="DIR", help="the folder (or the current one)"
    )
    parser.add_argument("--json", action="store_true", help="as JSON")

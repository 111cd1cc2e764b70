"""The options of `agls changes`, `agls undo` and `agls rewind`."""

import argparse

from agls.doors.headless.options.values import folder_name


def add_changes(parser: argparse.ArgumentParser) -> None:
    """Add those of `agls changes`."""
    parser.add_argument("--all", action="store_true", help="of the whole session (or of its last run)")
    _add_session(parser)


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
    parser.add_argument(
        "-C", "--cwd", type=folder_name, default=".", metavar="DIR", help="the folder (or the current one)"
    )
    parser.add_argument("--json", action="store_true", help="as JSON")

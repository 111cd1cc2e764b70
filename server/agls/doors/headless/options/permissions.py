"""The options of `agls trust` and `agls permissions`."""

import argparse

from agls.doors.headless.options.values import folder_name, mode


def add_trust(parser: argparse.ArgumentParser) -> None:
    """Add those of `agls trust`."""
    parser.add_argument(
        "folder", nargs="?", type=folder_name, metavar="DIR", help="the folder (or the current one)"
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--list", action="store_true", help="which folders are trusted")
    way.add_argument("--revoke", action="store_true", help="trust it no more")


def add_permissions(parser: argparse.ArgumentParser) -> None:
    """Add `agls permissions list`, `revoke`, `explain` and `accept`."""
    acts = parser.add_subparsers(required=True)
    listing = acts.add_parser("list", help="the rules that hold here, and what was saved")
    listing.add_argument("--json", action="store_true", help="as JSON")
    revoke = acts.add_parser("revoke", help="take a saved permission back")
    revoke.add_argument("rule", help="the rule as `list` shows it")
    explain = acts.add_parser("explain", help="whether a call would run unasked, and why")
    explain.add_argument("target", help="a command, or with --kind a path")
    explain.add_argument(
        "--kind", choices=("shell", "edit", "read"), default="shell", help="what is done with it"
    )
    explain.add_argument("--mode", type=mode, help="in this mode (or the configured one)")
    acts.add_parser("accept", help="you looked at the files of agls that changed while a command ran")
    for act, each in acts.choices.items():
        each.add_argument("-C", "--cwd", type=folder_name, default=".", metavar="DIR", help="the folder")
        each.add_argument("--trust", action="store_true", help="as if the folder were trusted")
        each.set_defaults(command="permissions", act=act)

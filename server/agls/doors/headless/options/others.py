"""The options of the commands that run no prompt."""

import argparse

from agls.doors.headless.options.limits import count
from agls.doors.headless.options.runs import add_model
from agls.doors.headless.options.values import folder_name


def add_look(parser: argparse.ArgumentParser) -> None:
    """Add those of `agls doctor` and `agls models`."""
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--offline", action="store_true", help="ask nobody, not even this machine")
    _add_place(parser)
    add_model(parser)


def add_usage(parser: argparse.ArgumentParser) -> None:
    """Add those of `agls usage`."""
    parser.add_argument("--days", type=count, default=7, metavar="N", help="the last N days with runs (7)")
    parser.add_argument("--json", action="store_true", help="as JSON")


def add_serve(parser: argparse.ArgumentParser) -> None:
    """Add those of `agls serve`."""
    parser.add_argument("--stdio", action="store_true", required=True, help="over standard input and output")
    parser.add_argument(
        "--wire-dump",
        default="",
        metavar="FILE",
        help="append every message both ways to a file, without keys",
    )
    add_model(parser)


def add_config(parser: argparse.ArgumentParser) -> None:
    """Add `agls config explain`."""
    explain = parser.add_subparsers(required=True).add_parser(
        "explain", help="every setting and where it comes from"
    )
    explain.add_argument("--json", action="store_true", help="as JSON")
    _add_place(explain)
    explain.set_defaults(command="config explain")


def add_key(parser: argparse.ArgumentParser) -> None:
    """Add `agls key set`, `remove` and `list`."""
    acts = parser.add_subparsers(required=True)
    told = "a host, a provider (such as openai, anthropic, gemini) or a configured model"
    keep = acts.add_parser("set", help="keep a key: it is asked for, or read from standard input")
    keep.add_argument("host", help=told)
    keep.add_argument(
        "--in",
        dest="place",
        choices=("keyring", "file"),
        default="",
        help="where (the keyring, if there is one)",
    )
    acts.add_parser("remove", help="forget a key").add_argument("host", help=told)
    acts.add_parser("list", help="for which hosts a key is kept")
    for act, each in acts.choices.items():
        each.set_defaults(command="key", act=act)


def add_schema(parser: argparse.ArgumentParser) -> None:
    """Add those of `agls schema`."""
    parser.add_argument(
        "--out",
        type=folder_name,
        metavar="DIR",
        help="a folder for all files (or the schema to standard output)",
    )


def add_completion(parser: argparse.ArgumentParser) -> None:
    """Add the shell of `agls completion`."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="for which shell")


def add_demo(parser: argparse.ArgumentParser) -> None:
    """Add those of `agls demo`."""
    parser.add_argument("--yes", action="store_true", help="do not ask before writing")
    parser.add_argument("--dir", default="", help="where to make the repository (or a temporary one)")


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-C", "--cwd", type=folder_name, default=".", metavar="DIR", help="the folder (or the current one)"
    )
    parser.add_argument("--trust", action="store_true", help="as if the folder were trusted")

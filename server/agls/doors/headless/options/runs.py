"""The options of `agls run` and `agls resume`."""

import argparse

from agls.doors.headless.options.limits import add_limits, count
from agls.doors.headless.options.parser import WORDS, Options
from agls.doors.headless.options.values import MODES, folder_name, mode, schema


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add those of `agls run`."""
    parser.add_argument(
        WORDS,
        nargs="*",
        metavar="PROMPT",
        help='what to do, in quotes. What is piped goes with it. "-" waits for standard input however long '
        "it takes; alone it means that the prompt is there",
    )
    parser.add_argument("--title", default="", help="the session's title")
    _add_both(parser)
    parser.set_defaults(since=None)


def add_resume(parser: argparse.ArgumentParser) -> None:
    """Add those of `agls resume`."""
    parser.add_argument(
        WORDS,
        nargs="*",
        metavar="[SESSION] [PROMPT]",
        help="the session (its id, the beginning of it, or else the folder's latest), and what to do; "
        "without a prompt it goes on where it was cut off or came to a limit",
    )
    _add_both(parser)
    parser.add_argument(
        "--since",
        type=count,
        metavar="SEQ",
        help="tell what happened behind this fact first (0: all of it); needs --output jsonl",
    )
    parser.set_defaults(title="")


def _add_both(parser: argparse.ArgumentParser) -> None:
    _add_work(parser.add_argument_group("what it works with"))
    model = parser.add_argument_group("model")
    add_model(model)
    model.add_argument("--effort", help="how much the model thinks: none, minimal, low, medium, high, …")
    _add_permissions(parser.add_argument_group("permissions"))
    _add_output(parser.add_argument_group("output"))
    add_limits(parser)


def _add_work(group: Options) -> None:
    group.add_argument(
        "-C", "--cwd", type=folder_name, metavar="DIR", help="the folder to work in (or the current one)"
    )
    group.add_argument(
        "--add-dir",
        type=folder_name,
        action="append",
        default=[],
        metavar="DIR",
        help="another folder; may be repeated",
    )
    group.add_argument(
        "--attach",
        action="append",
        default=[],
        metavar="FILE",
        help="a file: the model sees an image or a text, and tools can save any; may be repeated",
    )
    group.add_argument(
        "--no-expand",
        dest="expand",
        action="store_false",
        help="take @FILE and /COMMAND as they are written; else @FILE points at the file, and a command is done",
    )
    group.add_argument("--agent", metavar="NAME", help="which of your agents does it: [agents.NAME]")


def add_model(group: Options) -> None:
    """Add the options that say which model is asked."""
    group.add_argument(
        "-m", "--model", default="", help="a configured model or tier, or a name at --base-url"
    )
    group.add_argument(
        "--base-url", default="", metavar="URL", help="an OpenAI-compatible address: http://host/v1"
    )


def _add_permissions(group: Options) -> None:
    group.add_argument(
        "--mode", type=mode, metavar="MODE", help=f"what needs no question: {', '.join(MODES)}"
    )
    group.add_argument(
        "--yolo", dest="mode", action="store_const", const="allowAll", help="the same as --mode allowAll"
    )
    group.add_argument("--trust", action="store_true", help="trust the folder's own settings, for this run")


def _add_output(group: Options) -> None:
    group.add_argument("--output", choices=("text", "json", "jsonl"), default="text", help="what is written")
    group.add_argument(
        "-q", "--quiet", action="store_true", help="write the answer only, not what the agent does"
    )
    group.add_argument(
        "--input",
        choices=("text", "jsonl"),
        default="text",
        help="jsonl: requests (steer, cancel, respond) are read from standard input; needs --output jsonl",
    )
    group.add_argument(
        "--output-schema", type=schema, metavar="FILE", help="a JSON Schema that the answer has to fit"
    )
    group.add_argument("--deliver", metavar="TARGET", help="where the result goes, too: [delivery.TARGET]")

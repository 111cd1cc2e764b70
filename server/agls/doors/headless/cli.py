"""The command line of the headless door."""

import argparse
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from agls import __version__
from agls.doors.harmless import harmless
from agls.doors.headless import signals
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.filing_options import add_sessions, name_of_folder
from agls.doors.headless.limits import add_limits, count
from agls.doors.headless.settings import settings
from agls.doors.headless.streams import finish, make_ready, tell

RUNS = {"run", "resume"}
MODES = ("ask", "acceptEdits", "plan", "allowAll")


def main(argv: Sequence[str]) -> int:
    """Do what the arguments say; gives the exit code (2 when they make no sense). Nothing is raised."""
    make_ready()
    if {*argv[:1]} & RUNS:
        signals.hold()  # until whoever reads events can be told that no run began
    try:
        code = _do(build_parser().parse_args(argv))
    except Misused as wrong:
        code = _explain(argv, wrong.message)
    except SystemExit as said:  # help, the version, or nobody reads
        code = int(said.code or 0)
    except CannotBegin as problem:
        tell(f"agls: {harmless(str(problem))}\n")
        code = problem.code
    except KeyboardInterrupt:
        code = Exit.CANCELLED
    return finish(code)


class ExactParser(argparse.ArgumentParser):
    """Takes no shortened options: a script that uses one would break with the next option."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Say how it is used. Raises `Misused`."""
        tell(f"{self.format_usage()}{self.prog}: error: {message}\n")
        raise Misused(message)


class Misused(Exception):
    """The arguments make no sense; that was said to whoever reads standard error."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def _explain(argv: Sequence[str], message: str) -> int:
    """Say it to a program, too, that reads what a run writes for programs; gives the exit code."""
    said = [after for before, after in pairwise(argv) if before == "--output"]
    modes = {*said, *(word.removeprefix("--output=") for word in argv)} & {"json", "jsonl"}
    if not ({*argv[:1]} & RUNS and len(modes) == 1):
        return Exit.UNUSABLE
    import asyncio  # noqa: PLC0415 - only what is used is loaded

    from agls.doors.headless.run import refuse  # noqa: PLC0415 - it loads the whole agent

    return asyncio.run(refuse("json" if "json" in modes else "jsonl", CannotBegin(message, "usage")))


def build_parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    parser = ExactParser(prog="agls", description="A coding agent for every editor, and without one.")
    parser.add_argument("--version", action="version", version=f"agls {__version__}")
    parser.set_defaults(command="welcome")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_run(commands.add_parser("run", help="run one prompt"))
    _add_resume(commands.add_parser("resume", help="go on with a session"))
    add_sessions(commands.add_parser("sessions", help="list, search, tag, export … the sessions"))
    _add_doctor(commands.add_parser("doctor", help="find out what keeps the agent from working"))
    _add_models(commands.add_parser("models", help="what models there are, and what is known of them"))
    _add_usage(commands.add_parser("usage", help="what was spent on each day"))
    _add_serve(commands.add_parser("serve", help="serve an editor"))
    _add_config(commands.add_parser("config", help="look at the configuration"))
    _add_key(commands.add_parser("key", help="keep API keys, each for one host"))
    _add_schema(commands.add_parser("schema", help="the protocol, for whoever writes a client"))
    _add_demo(commands.add_parser("demo", help="watch a whole session, with a scripted model"))
    return parser


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("prompt", nargs="?", default="", help='what to do; "-" reads it from standard input')
    parser.add_argument("--title", default="", help="the session's title")
    _add_run_options(parser)
    parser.set_defaults(command="run", since=None)


def _add_resume(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words", nargs="*", metavar="[ID] [PROMPT]", help="the session (or the folder's latest), the prompt"
    )
    _add_run_options(parser)
    parser.add_argument(
        "--since", type=count, metavar="SEQ",
        help="tell what happened behind this fact first (0: all of it); needs --output jsonl",
    )  # fmt: skip
    parser.set_defaults(command="resume", title="")


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", choices=("text", "json", "jsonl"), default="text", help="what is written")
    parser.add_argument(
        "--input",
        choices=("text", "jsonl"),
        default="text",
        help="jsonl: requests (steer, cancel, respond) are read from standard input; needs --output jsonl",
    )
    _add_model_options(parser)
    parser.add_argument(
        "--effort", help="how much the model thinks: none, minimal, low, medium, high, or a word of its own"
    )
    parser.add_argument("--cwd", type=name_of_folder, help="the folder to work in (or the current one)")
    parser.add_argument(
        "--add-dir", type=name_of_folder, action="append", default=[], help="another folder; may be repeated"
    )
    parser.add_argument("--agent", help="which of your agents does it: [agents.NAME] in the config file")
    parser.add_argument("--mode", type=_mode, help=f"what needs no question: {', '.join(MODES)}")
    parser.add_argument("--trust", action="store_true", help="trust the folder's own settings, for this run")
    parser.add_argument(
        "--attach", action="append", default=[], metavar="FILE",
        help="an image, or another file that tools can then save; may be repeated",
    )  # fmt: skip
    parser.add_argument("--deliver", help="where the result goes, too: a target of [delivery]")
    parser.add_argument(
        "--output-schema", type=_schema, metavar="FILE", help="a JSON Schema that the answer has to fit"
    )
    add_limits(parser)


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", default="", help="a configured model or tier, or a name at --base-url")
    parser.add_argument("--base-url", default="", help="an OpenAI-compatible address: http://host/v1")


def _add_doctor(parser: argparse.ArgumentParser) -> None:
    _add_look(parser)
    parser.set_defaults(command="doctor")


def _add_models(parser: argparse.ArgumentParser) -> None:
    _add_look(parser)
    parser.set_defaults(command="models")


def _add_usage(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--days", type=count, default=7, metavar="N", help="the last N days with runs (7)")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(command="usage")


def _add_look(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--offline", action="store_true", help="ask nobody, not even this machine")
    _add_place(parser)
    _add_model_options(parser)


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cwd", type=name_of_folder, default=".", help="the folder (or the current one)")
    parser.add_argument("--trust", action="store_true", help="as if the folder were trusted")


def _add_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", required=True, help="over standard input and output")
    _add_model_options(parser)
    parser.set_defaults(command="serve")


def _add_config(parser: argparse.ArgumentParser) -> None:
    explain = parser.add_subparsers(metavar="COMMAND", required=True).add_parser(
        "explain", help="every setting and where it comes from"
    )
    explain.add_argument("--json", action="store_true", help="as JSON")
    _add_place(explain)
    explain.set_defaults(command="explain")


def _add_key(parser: argparse.ArgumentParser) -> None:
    acts = parser.add_subparsers(metavar="COMMAND", required=True)
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


def _add_schema(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=name_of_folder, help="a folder for all files (or the schema to standard output)"
    )
    parser.set_defaults(command="schema")


def _add_demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask before writing")
    parser.add_argument("--dir", default="", help="where to make the repository (or a temporary one)")
    parser.set_defaults(command="demo")


def _schema(value: str) -> object:
    try:
        return json.loads(Path(value).read_text(encoding="utf-8"))
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{value} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"{value} is no JSON: {error}") from None


def _mode(value: str) -> str:
    if value == "auto":
        raise argparse.ArgumentTypeError(
            f"auto needs the sandbox, which this version does not have; use {', '.join(MODES)}"
        )
    if value not in MODES:
        raise argparse.ArgumentTypeError(f"there is no mode {value!r}; use {', '.join(MODES)}")
    return value


def _do(arguments: argparse.Namespace) -> int:
    match arguments.command:
        case "serve":
            from agls.doors.lsp import main as serve  # noqa: PLC0415 - only what is used is loaded

            return serve(settings(arguments))
        case "demo":
            from agls.doors.headless.demo.play import play  # noqa: PLC0415 - only what is used is loaded

            return play(arguments.dir, yes=arguments.yes)
        case "schema":
            from agls.doors.headless.protocol_files import write_schema  # noqa: PLC0415 - as above

            write_schema(arguments.out or "")
            return Exit.DONE
        case command:
            from agls.doors.headless.commands import COMMANDS  # noqa: PLC0415 - they load the whole agent

            return COMMANDS[command](arguments)

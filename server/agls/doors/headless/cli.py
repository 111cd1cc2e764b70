"""The command line of the headless door."""

import argparse
from collections.abc import Sequence
from itertools import pairwise

from agls.doors.headless import signals
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.options.parser import Misused
from agls.doors.headless.options.shorthand import RUNS, is_conversation, spelled_out
from agls.doors.headless.options.table import build_parser
from agls.doors.headless.settings import settings
from agls.doors.headless.streams import finish, make_ready, write, write_stderr
from agls.views.escape import escape_controls


def main(argv: Sequence[str]) -> int:
    """Do what the arguments say. Never raises.

    **Returns** the exit code (2 when the arguments make no sense).
    """
    make_ready()
    typed, argv = argv, spelled_out(argv)
    if {*argv[:1]} & RUNS:
        signals.hold()  # until a reader of events can get the line that no run began
    try:
        arguments = build_parser().parse_args(argv)
        if is_conversation(typed, arguments):
            arguments.goes_on, arguments.session = arguments.command == "resume", ""
            arguments.command = "chat"
        code = _do(arguments)
    except Misused as wrong:
        code = _explain(argv, wrong.message)
    except SystemExit as left:  # help, the version, or no reader
        code = int(left.code or 0)
    except CannotBegin as problem:
        write_stderr(f"agls: {escape_controls(str(problem))}\n")
        code = problem.code
    except KeyboardInterrupt:
        code = Exit.CANCELLED
    return finish(code)


def _explain(argv: Sequence[str], message: str) -> int:
    """Write the problem, also for a program that reads the output as JSON. **Returns** the exit code."""
    given = [after for before, after in pairwise(argv) if before == "--output"]
    modes = {*given, *(word.removeprefix("--output=") for word in argv)} & {"json", "jsonl"}
    if not ({*argv[:1]} & RUNS and len(modes) == 1):
        return Exit.UNUSABLE
    import asyncio  # noqa: PLC0415 - only what is used is loaded

    from agls.doors.headless.run import refuse  # noqa: PLC0415 - it loads the whole agent

    return asyncio.run(refuse("json" if "json" in modes else "jsonl", CannotBegin(message, "usage")))


def _do(arguments: argparse.Namespace) -> int:
    match arguments.command:
        case "serve":
            from agls.doors.lsp import main as serve  # noqa: PLC0415 - only what is used is loaded

            return serve(settings(arguments), dump=arguments.wire_dump)
        case "demo":
            from agls.doors.headless.demo.play import play  # noqa: PLC0415 - only what is used is loaded

            return play(arguments.dir or "", yes=arguments.yes)
        case "schema":
            from agls.doors.headless.protocol_files import write_schema  # noqa: PLC0415 - as above

            write_schema(arguments.out or "")
            return Exit.DONE
        case "completion":
            from agls.doors.headless.options.completion import SHELLS  # noqa: PLC0415 - as above

            write(SHELLS[arguments.shell]())
            return Exit.DONE
        case command:
            from agls.doors.headless.commands import follow  # noqa: PLC0415 - they load the whole agent

            return follow(command, arguments)

"""`agls mcp`: the MCP servers of a folder, shown and changed by the actions of these names; and `serve`."""

import argparse
import asyncio
import getpass
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread

from agls.config import ConfigInputs, read
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.forms import Unfit, fields_of
from agls.doors.headless.open_session import folder
from agls.doors.headless.settings import limits, settings
from agls.doors.headless.sketch_action import Sketch, invoke_in_sketch
from agls.doors.headless.streams import write, write_json, write_stderr
from agls.engine.admission import Refused
from agls.engine.facts import Asked, Entry, Transient
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import Answer, JsonObject, Question
from agls.views.escape import escape_controls
from agls.workspace.redact import harden

PASTE = "If it cannot be shown on this machine, open it elsewhere, and paste the address at its end here.\n"


def mcp(arguments: argparse.Namespace) -> int:
    """Follow the commands of `agls mcp` that are actions."""
    harden()
    here = folder(arguments.cwd or ".")
    setup = read(ConfigInputs(remembered=True), here, lambda root: arguments.trust and root == Path(here))
    verb = arguments.command.split()[1]
    given: JsonObject = {name: getattr(arguments, name) for name in GIVEN if hasattr(arguments, name)}
    name = "mcp" if verb == "list" else f"mcp.{verb}"
    sketch = Sketch(attend=ATTEND.get(verb))
    try:
        outcome = asyncio.run(invoke_in_sketch(setup, here, name, given, sketch))
    except Refused as problem:
        raise CannotBegin(str(problem), problem.kind, Exit.FAILED) from problem
    if arguments.json:
        write_json(outcome.data)
    else:
        write(escape_controls(f"{outcome.text.rstrip()}\n"))
    return Exit.DONE


def serve_agent(arguments: argparse.Namespace) -> int:
    """Follow `agls mcp serve`: be an MCP server for another agent, which chooses none of these options."""
    from agls.doors.mcp.serve import ServeOptions, serve  # noqa: PLC0415 - it loads the SDK

    chosen = {
        "agent": arguments.agent,
        "model": arguments.model or None,
        "effort": arguments.effort or None,
        "mode": arguments.mode,
        **limits(arguments),
    }
    options = {name: value for name, value in chosen.items() if value is not None}
    here = folder(arguments.cwd or ".")
    return serve(ServeOptions(here, arguments.trust, settings(arguments), options))


def _show_pages(session: Session) -> None:
    """Show the page of a login; its end comes to the page of agls on this machine, or is pasted."""
    loop = asyncio.get_running_loop()

    def watch(entry: Entry | Transient, state: State) -> None:
        fact = entry.fact if isinstance(entry, Entry) else None
        if not isinstance(fact, Asked):
            return
        write_stderr(f"{escape_controls(fact.question.title)}\n\n")
        if sys.stdin.isatty():
            write_stderr(PASTE)
            Thread(
                target=lambda: loop.call_soon_threadsafe(done, fact.request_id, _line()), daemon=True
            ).start()

    def done(request_id: str, line: str | None) -> None:
        given = Answer("declined") if line is None else Answer("accepted", content={"address": line})
        session.questions.answer(request_id, given)

    session.log.subscribe(watch)
    session.questions.attend(present=True)


def _ask_for_input(session: Session) -> None:
    """Have the value of an input typed, a secret one unseen; or read a line that is piped in."""
    loop = asyncio.get_running_loop()

    def watch(entry: Entry | Transient, state: State) -> None:
        fact = entry.fact if isinstance(entry, Entry) else None
        if isinstance(fact, Asked):
            Thread(target=lambda: ask(fact.request_id, fact.question), daemon=True).start()

    def ask(request_id: str, question: Question) -> None:
        answer = _filled(question)
        with suppress(RuntimeError):  # the command was stopped meanwhile
            loop.call_soon_threadsafe(session.questions.answer, request_id, answer)

    session.log.subscribe(watch)
    session.questions.attend(present=True)


def _filled(question: Question) -> Answer:
    """**Returns** a form of one field, filled in."""
    (field,) = fields_of(question.schema, needed=True)
    if sys.stdin.isatty():
        write_stderr(escape_controls(f"{question.title}\n{field.choices}"))
    while True:
        try:
            if not sys.stdin.isatty():
                line = _line()
            elif field.is_secret:
                line = getpass.getpass(escape_controls(field.prompt)).strip()
            else:
                write_stderr(escape_controls(field.prompt))
                line = _line()
            return Answer("declined") if line is None else Answer("accepted", content=field.read(line))
        except EOFError:
            return Answer("declined")
        except Unfit as problem:
            if not sys.stdin.isatty():
                return Answer("declined")
            write_stderr(f"{problem}\n")


def _line() -> str | None:
    """**Returns** what was typed, `None` at the end of the input."""
    return line.strip() if (line := sys.stdin.readline()) else None


VERBS = (
    "list",
    "tools",
    "accept",
    "login",
    "logout",
    "restart",
    "enable",
    "disable",
    "inputs",
    "input",
    "forget",
)
GIVEN = ("server", "name")
ATTEND = {"login": _show_pages, "input": _ask_for_input}
MCP = {**{f"mcp {verb}": mcp for verb in VERBS}, "mcp serve": serve_agent}

"""One headless run: from the request to the exit code."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from agls.commands import TypedCommand
from agls.config import TERMINAL, UNATTENDED, ConfigError, ConfigInputs, KeyMissing, Reload, read
from agls.doors.headless.continue_command import ContinueCommand
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.greeting import greeting
from agls.doors.headless.headless_run import HeadlessRun
from agls.doors.headless.heard import Heard
from agls.doors.headless.keyboard import Keyboard, keyboard_at_hand
from agls.doors.headless.open_session import Mode, PreparedRun, RunRequest, folder, prepare_run
from agls.doors.headless.output import JsonLines, JsonSummary, Output
from agls.doors.headless.pipe import Pipe
from agls.doors.headless.responders import Nobody, Responder
from agls.doors.headless.screen import TerminalScreen, can_change, has_colours
from agls.doors.headless.session_commands import OWN_SESSION, is_about_session, with_way_to_latest
from agls.doors.headless.shutdown import Shutdown
from agls.doors.headless.stdin_lines import StdinLines
from agls.doors.headless.terminal import TerminalResponder
from agls.doors.headless.text_output import TextOutput, WayOn
from agls.doors.headless.trust_command import settle_trust
from agls.doors.headless.typed_command import do_command
from agls.doors.headless.writers import writer_at_hand
from agls.doors.logs import begin_log
from agls.doors.session_file import export
from agls.doors.typed_prompt import begin_typed
from agls.doors.typed_text import admitted_content, options_of_command
from agls.engine.actions import ActionPrompt
from agls.engine.ports import JournalBusy, JournalError, ModelError
from agls.engine.vocabulary import JsonObject
from agls.room import PromptRefused
from agls.workspace.editor import NoEditor
from agls.workspace.redact import harden
from agls.world import World, open_world

NONE: Mapping[str, str] = {}
Work = Callable[[Output, TerminalScreen, Shutdown], Awaitable[int]]

A_TERMINAL = "a terminal"
NO_CONSENT = "{} has no consent. To give it: agls run in this folder, at a terminal"
WORK = "Work"  # the group of commands whose outcome is for the run that follows
NOT_ALL_WRITTEN = "agls: not all of the answer was written. The session has it: agls sessions show {}"
KEPT = 'This is kept in a new session. Go on in it: agls resume {} "…"'


class AtHand(NamedTuple):
    """What a command works with: the world, the folder, and where somebody types (`None`: nobody does)."""

    world: World
    here: str
    keyboard: Keyboard | None


async def run(request: RunRequest) -> int:
    """Run and write the events. **Returns** the exit code; every problem is written, none is raised."""
    harden()
    way_on = partial(ContinueCommand, settings=request.arguments)
    return await with_streams(request.output, partial(_run, request), way_on, quiet=request.quiet)


async def refuse(mode: Mode, problem: CannotBegin) -> int:
    """Write why there is no run. **Returns** the exit code."""

    async def give_up(output: Output, screen: TerminalScreen, shutdown: Shutdown) -> int:
        raise problem

    return await with_streams(mode, give_up, partial(ContinueCommand, settings=NONE))


async def with_streams(mode: Mode, work: Work, way_on: Callable[[str], WayOn], *, quiet: bool = False) -> int:
    """Work, with the streams in order and the signals handled; every problem is written.

    **Returns** the exit code. `way_on` says to people how to go on in the session with an id.
    """
    pipe = Pipe(sys.stdout, sys.stderr)
    screen = TerminalScreen(pipe, live=can_change(sys.stderr), colours=has_colours(sys.stderr))
    output = _output(mode, pipe, screen, way_on, quiet=quiet)
    task = asyncio.current_task()
    assert task is not None
    shutdown = Shutdown(task, screen.stopping, screen.back)
    shutdown.listen()
    async with asyncio.TaskGroup() as group:
        group.create_task(pipe.pump(shutdown.lose_reader))
        code = await _contained(work, output, screen, shutdown)
        shutdown.over()
        pipe.close()
    if code not in {Exit.DONE, Exit.FAILED} or not (code or pipe.lost):
        return code
    return Exit.UNREAD if pipe.unread else Exit.FAILED


async def _contained(work: Work, output: Output, screen: TerminalScreen, shutdown: Shutdown) -> int:
    try:
        return await work(output, screen, shutdown)
    except asyncio.CancelledError:
        shutdown.task.uncancel()
        output.fatal({"kind": "cancelled", "message": "Stopped before the run began."}, shutdown.code)
        return shutdown.code
    except (ConfigError, CannotBegin, ModelError, JournalError, PromptRefused) as problem:
        error, code = explained(problem)
        output.fatal(error, code)
        return code


def explained(
    problem: ConfigError | CannotBegin | ModelError | JournalError | PromptRefused,
) -> tuple[JsonObject, Exit]:
    """Return a reason why no run could begin, as the `error` of a `fatal` line, and the exit code."""
    match problem:
        case ConfigError():
            where = {"file": problem.file, "line": problem.line, "key": problem.key}
            said = {name: value for name, value in where.items() if value}
            kind = "authRequired" if isinstance(problem, KeyMissing) else "configInvalid"
            return {"kind": kind, "message": str(problem), **said}, Exit.UNUSABLE
        case ModelError():
            kind = "authRequired" if problem.kind == "auth" else "configInvalid"
            return {"kind": kind, "message": f"{problem} {problem.hint}".strip()}, Exit.UNUSABLE
        case JournalBusy():
            return {"kind": "sessionBusyElsewhere", "message": str(problem)}, Exit.FAILED
        case JournalError():
            return {"kind": "journal", "message": str(problem)}, Exit.FAILED
        case PromptRefused():
            return {"kind": "failed", "message": str(problem)}, Exit.FAILED
        case CannotBegin():
            return {"kind": problem.kind, "message": str(problem)}, problem.code


@asynccontextmanager
async def world_at(
    request: RunRequest, screen: TerminalScreen, *, stays: bool = False
) -> AsyncGenerator[AtHand]:
    """Open what a command works with; it `stays` open between runs where somebody talks with the agent.

    **Raises** `CannotBegin`, `ConfigError`.
    """
    here = folder(request.cwd or ".")
    inputs = ConfigInputs(arguments=dict(request.arguments), remembered=True, tried=request.tried)

    def trusts(root: Path) -> bool:
        return request.trust and str(root) == here

    setup = read(inputs, here, trusts)
    begin_log(setup.state_folder, lambda: setup.secrets, setup.log_level)
    keyboard = None if request.control else keyboard_at_hand()
    usual = TERMINAL if keyboard else UNATTENDED
    if keyboard or not request.quiet:
        await settle_trust(setup, request, here, keyboard, screen)
    editor = NoEditor(A_TERMINAL if keyboard else "")
    async with open_world(setup, editor=editor, headless=not stays, usual=usual) as world:
        world.export = export
        world.begin_typed = partial(begin_typed, world)
        world.missing_consents.ends_run = request.require_offers
        world.reload = Reload(inputs, here, trusts, setup).whole
        yield AtHand(world, here, keyboard)


async def _run(request: RunRequest, output: Output, screen: TerminalScreen, shutdown: Shutdown) -> int:
    async with world_at(request, screen) as (world, here, keyboard):
        prepared = await prepare_run(world, request, here)
        output.begin(hello(prepared))
        if prepared.command:
            try:
                prompted = await _command(world, prepared, prepared.command, output, shutdown)
            except CannotBegin as problem:
                if not prepared.is_new:
                    raise
                raise with_way_to_latest(problem, prepared.command.spec, request.prompt) from None
            if prompted is None:
                if prepared.is_new and request.output == "text" and not request.quiet:
                    _say_whose(prepared, prepared.command, request.prompt, screen)
                return Exit.DONE
            prepared = prompted
        responder = _responder(world, request, output, screen, keyboard)
        conversation = HeadlessRun(world, prepared, output, responder, shutdown)
        try:
            code = await conversation.run()
            return _settled(code, world, screen) if request.require_offers else code
        finally:
            if prepared.is_new and not conversation.has_begun:  # it is empty
                await world.sessions.delete(prepared.session.session_id)
            else:
                screen.say_if_lost(NOT_ALL_WRITTEN.format(prepared.session.session_id))


def _settled(code: int, world: World, screen: TerminalScreen) -> int:
    """Return the exit code, which is that of a wrong configuration when a consent was missing."""
    for name in world.missing_consents.names:
        screen.say(NO_CONSENT.format(name))
    return Exit.UNUSABLE if world.missing_consents.names else code


def _say_whose(prepared: PreparedRun, command: TypedCommand, prompt: str, screen: TerminalScreen) -> None:
    """Say that a command about a session had one of its own, and whether that can go on."""
    if _is_kept(prepared, command):
        screen.say(KEPT.format(prepared.session.session_id))
    elif is_about_session(command.spec) or prepared.session.state.options != prepared.options:
        screen.say(OWN_SESSION.format(quote(prompt.strip())))


def _is_kept(prepared: PreparedRun, command: TypedCommand) -> bool:
    """Return whether a new session has what this command noted for its first run, such as a plan."""
    return prepared.is_new and command.spec.group == WORK and bool(prepared.session.state.notes)


async def _command(
    world: World, prepared: PreparedRun, command: TypedCommand, output: Output, shutdown: Shutdown
) -> PreparedRun | None:
    """Do a command. **Returns** the run that it is for, `None` where there is none: its outcome is written.

    A session that was only made for a command is removed, unless the command put work into it.
    """
    session, kept = prepared.session, False
    try:
        done = await do_command(world, session, command, shutdown)
        if done.prompt is None:
            output.action(done.outcome)
            kept = _is_kept(prepared, command)
            return None
        prompted = await prompted_by(world, prepared, done.prompt)
        kept = True
        return prompted
    finally:
        if prepared.is_new and not kept:
            await world.sessions.delete(session.session_id)


async def prompted_by(world: World, prepared: PreparedRun, prompt: ActionPrompt) -> PreparedRun:
    """Return the run for the prompt that a command made. **Raises** `ConfigError`, `PromptRefused`."""
    session, heard = prepared.session, (*prepared.heard, Heard(prepared.session))
    content = await admitted_content(world, session, prepared.content, command=prompt, expand=True)
    options = options_of_command(session, prepared.options, prompt)
    world.check_options(session.state.cwd, {**session.state.options, **options})
    return replace(prepared, content=content, options=options, heard=heard)


def _responder(
    world: World, request: RunRequest, output: Output, screen: TerminalScreen, keyboard: Keyboard | None
) -> Responder:
    """Return the responder of the run."""
    if request.control and isinstance(output, JsonLines):
        from agls.doors.headless.control import Control  # noqa: PLC0415 - few runs need the protocol's types

        return Control(world, StdinLines(sys.stdin.fileno()), output.reply)
    return TerminalResponder(screen, keyboard) if keyboard else Nobody()


def hello(prepared: PreparedRun) -> JsonObject:
    """Return the first line: the server and the session."""
    return {
        **greeting(),
        "sessionId": prepared.session.session_id,
        "epoch": prepared.session.log.journal.epoch,
        "model": prepared.model,
        "notes": list(prepared.notes),
    }


def _output(
    mode: Mode, pipe: Pipe, screen: TerminalScreen, way_on: Callable[[str], WayOn], *, quiet: bool
) -> Output:
    match mode:
        case "jsonl":
            return JsonLines(pipe)
        case "json":
            return JsonSummary(pipe)
        case "text":
            return TextOutput(pipe, screen, writer_at_hand(), way_on, quiet=quiet)

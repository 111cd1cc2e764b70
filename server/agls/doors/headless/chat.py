"""`agls chat`: somebody talks with the agent at the terminal, prompt after prompt in one session."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from agls.config import ConfigError
from agls.doors.headless.chat_input import BegunRun, next_input
from agls.doors.headless.chat_prompts import PROMPT, Prompts, prompts_at
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.headless_run import HeadlessRun
from agls.doors.headless.keyboard import Keyboard
from agls.doors.headless.open_session import PreparedRun, RunRequest, latest, opened, prepare_run
from agls.doors.headless.output import Output
from agls.doors.headless.recap import recap
from agls.doors.headless.run import AtHand, explained, hello, prompted_by, with_streams, world_at
from agls.doors.headless.screen import TerminalScreen
from agls.doors.headless.shutdown import Shutdown
from agls.doors.headless.terminal import TerminalResponder
from agls.doors.headless.typed_ahead import TypedAhead
from agls.doors.headless.typed_command import do_command, do_meanwhile
from agls.doors.typed_text import admitted_content, may_be_command
from agls.engine.facts import Admitted, Noted, SessionChanged
from agls.engine.ports import JournalError, ModelError
from agls.engine.session import Session
from agls.engine.vocabulary import JsonObject, Text
from agls.json_values import is_object
from agls.room import PromptRefused
from agls.views.values import content_blocks
from agls.workspace.redact import harden

NOBODY = 'agls chat needs a terminal: nobody can type here. For one prompt: agls run "…"'
HELP = "/help lists the commands. Ctrl-C stops, Ctrl-D leaves."
KEPT = "To go on with this session: agls chat -c"
GO_ON = 'Say "go on" to continue.'


async def chat(request: RunRequest) -> int:
    """Hold the conversation. **Returns** the exit code; every problem is written, none is raised."""
    harden()
    return await with_streams("text", partial(_chat, request), lambda _: InChat(), quiet=request.quiet)


class InChat:
    """Implements `WayOn` where the session is at hand."""

    session_id = ""

    def after_error(self, kind: str) -> str:
        """Return the line for the user after an error."""
        return 'Say "go on" to try again; /model chooses another model.'

    def after(self, reason: str, limits: JsonObject) -> str:
        """Return the line for the user after a run that ended for another reason."""
        return GO_ON

    def after_overflow(self) -> str:
        """Return the line for the user when the conversation is too long for the model."""
        return f"/compact makes room, /model chooses a model with a larger context. {GO_ON}"


async def _chat(request: RunRequest, output: Output, screen: TerminalScreen, shutdown: Shutdown) -> int:
    async with world_at(request, screen, stays=True) as at_hand:
        if at_hand.keyboard is None:
            raise CannotBegin(NOBODY, "usage")
        at_hand.world.is_at_keyboard = True
        return await Chat(request, at_hand, at_hand.keyboard, output, screen, shutdown).hold()


class Chat:
    """One conversation, which may go from session to session."""

    def __init__(
        self,
        request: RunRequest,
        at_hand: AtHand,
        keyboard: Keyboard,
        output: Output,
        screen: TerminalScreen,
        shutdown: Shutdown,
    ) -> None:
        self._request = request
        self._world, self._here = at_hand.world, at_hand.here
        self._output, self._screen = output, screen
        self._shutdown = shutdown
        self._prompts: Prompts = prompts_at(keyboard, screen, shutdown, self._world)
        self._responder = TerminalResponder(screen, keyboard, self._prompts.alone)
        self._ahead = TypedAhead(self._sent_now, self._done_now)
        self._shown = 0  # the last fact that is on the screen, or was there before
        self._opens = ""  # the session that a command named while a run was on
        self._told: set[str] = set()  # the notes that were written

    async def hold(self) -> int:
        """Take prompts and do what they say until the user leaves. **Returns** the exit code.

        **Raises** `CannotBegin`, `ConfigError`, `JournalError` and `ModelError` before the first prompt.
        """
        self._session = await self._begun(self._request)
        self._responder.attach(self._session)  # it may ask in a run that it begins by itself
        state = self._session.state
        self._shown = state.seq
        model = await self._world.model(state.cwd, str(state.options.get("model", "")))
        self._screen.say(f"agls  ·  {model.info.name}  ·  {state.cwd}\n{HELP}")
        if self._request.resume:
            self._show_last()
        text: str | None = self._request.prompt
        while text is not None and not self._shutdown.ends:
            if not text.strip() or await self._said(text):
                text = await self._next()
            else:
                text = None
        await self._leave()
        return Exit.FAILED if self._shutdown.ends else Exit.DONE

    def _show_last(self) -> None:
        """Write what was said last in the session that goes on."""
        last = recap(self._session.state, GO_ON)
        if last.prompt:
            self._screen.say(f"{PROMPT}{last.prompt}")
        if last.answer:
            self._output.action({"output": content_blocks([Text(last.answer)])})
        if last.ending:
            self._screen.say(last.ending)

    async def _begun(self, request: RunRequest) -> Session:
        """Make the session, or open the one to go on with, with the options of the command line."""
        world, here = self._world, self._here
        world.check_options(here, request.options)
        if request.resume:
            session = await opened(world, request.session_id or await latest(world, here))
            world.check_options(session.state.cwd, {**session.state.options, **request.options})
        else:
            await world.model(here, str(request.options.get("model", "")))
            session = await world.sessions.create(here, title=request.title)
        world.choose(session.session_id, request.options)
        if request.options:
            session.log.record(SessionChanged(options=request.options))
        return session

    async def _next(self) -> str | None:
        """Return what the user types next, `None` when they leave. Ctrl-C drops what was typed."""
        await self._screen.settled()
        if self._opens:
            await self._enter(self._opens)
            self._opens = ""
        try:
            self._ahead.came(*self._prompts.earlier())
        except EOFError:
            return None
        if (queued := self._ahead.next()) is not None:
            self._screen.say(f"{PROMPT}{queued}")
            return queued
        while not self._shutdown.ends:
            try:
                draft = self._ahead.take_draft()
                typed = await next_input(self._session, self._prompts, draft, self._shown)
            except asyncio.CancelledError:
                self._shutdown.task.uncancel()
                self._shutdown.rests()
                continue
            if not isinstance(typed, BegunRun):
                return typed
            self._ahead.draft = self._prompts.draft
            await self._contained(self._show_begun(typed))
        return None

    async def _show_begun(self, begun: BegunRun) -> bool:
        """Show a run that the session began by itself. **Returns** that the conversation goes on."""
        self._screen.say(f"{PROMPT}{begun.prompt}")
        prepared = PreparedRun(self._session, {}, "", (), since=self._shown, begun=begun.run_id)
        self._output.begin(hello(prepared))
        return await self._run(prepared)

    async def _said(self, text: str) -> bool:
        """Do what the text says. **Returns** whether the conversation goes on."""
        return await self._contained(self._done(text))

    async def _contained(self, work: Coroutine[Any, Any, bool]) -> bool:
        """Do this. **Returns** whether the conversation goes on; a problem does not end it."""
        try:
            return await work
        except (ConfigError, CannotBegin, ModelError, JournalError, PromptRefused) as problem:
            self._output.fatal(*explained(problem))
        except asyncio.CancelledError:  # Ctrl-C before there was a run to stop
            self._shutdown.task.uncancel()
            self._screen.say("Stopped.")
        finally:
            self._shutdown.rests()
        return True

    async def _done(self, text: str) -> bool:
        world, session_id = self._world, self._session.session_id
        request = replace(
            self._request, cwd="", prompt=text, resume=True, session_id=session_id, options={}, title=""
        )
        self._request = replace(
            self._request, attach=(), piped=b"", add_dirs=()
        )  # they went with the first one
        prepared = await prepare_run(world, request, self._here)
        self._output.begin(hello(replace(prepared, notes=self._untold(prepared.notes))))
        self._shown = prepared.session.state.seq
        if prepared.command:
            done = await do_command(world, prepared.session, prepared.command, self._shutdown)
            if done.prompt is None:
                return await self._followed(done.outcome)
            prepared = await prompted_by(world, prepared, done.prompt)
        return await self._run(prepared)

    async def _run(self, prepared: PreparedRun) -> bool:
        """Show a run to its end. **Returns** that the conversation goes on."""
        run = HeadlessRun(self._world, prepared, self._output, self._responder, self._shutdown, stays=True)
        async with self._prompts.beside(prepared.session, self._ahead):
            code = await run.run()
        self._shown = prepared.session.state.seq
        if code != Exit.DONE:
            self._ahead.recall()
        return True

    async def _sent_now(self, text: str) -> bool:
        """Send this into the run. **Returns** whether it was taken: a command is not, nor what is refused."""
        session = self._session
        if may_be_command(text):
            return False
        try:
            content = await admitted_content(self._world, session, (Text(text),), expand=True)
            taken = (await session.steer(content)).outcome == "injected"
        except (ConfigError, JournalError, PromptRefused) as problem:
            self._output.fatal(*explained(problem))
            return False
        if taken:
            self._screen.say(f"{PROMPT}{text}")
        return taken

    async def _done_now(self, text: str) -> bool:
        """Do a command that need not wait for the run. **Returns** whether nothing is left to do."""
        try:
            done = await do_meanwhile(self._world, self._session, text)
        except (ConfigError, CannotBegin, JournalError, PromptRefused) as problem:
            self._output.fatal(*explained(problem))
            return True
        data = done.get("data") if done else None
        named = data if is_object(data) else {}
        if done is None or named.get("leave"):
            return False
        self._screen.say(f"{PROMPT}{text}")
        self._output.action(done)
        self._opens = str(named.get("open") or self._opens)
        return True

    def _untold(self, notes: Sequence[str]) -> tuple[str, ...]:
        new = tuple(note for note in notes if note not in self._told)
        self._told.update(new)
        return new

    async def _followed(self, outcome: JsonObject) -> bool:
        """Write what a command came to, and go to the session that it names, or leave.

        **Returns** whether the conversation goes on.
        """
        data = outcome.get("data")
        named = data if is_object(data) else {}
        if named.get("leave"):
            return False
        self._output.action(outcome)
        if named.get("open"):
            await self._enter(str(named["open"]))
        return True

    async def _enter(self, session_id: str) -> None:
        """Go to another session."""
        self._session = await opened(self._world, session_id)
        self._responder.attach(self._session)
        self._shown = self._session.state.seq

    async def _leave(self) -> None:
        """Say how to go on, or remove the session in which nothing was done."""
        session_id = self._session.session_id
        entries = await self._world.sessions.peek(session_id)
        if any(isinstance(entry.fact, Admitted | Noted) for entry in entries):
            self._screen.say(KEPT)
        elif not self._request.resume:
            await self._world.sessions.delete(session_id)

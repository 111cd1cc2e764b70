"""A prompt with a history, several lines and completion, by prompt_toolkit."""

import os
import sys
from asyncio import CancelledError
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent, merge_key_bindings
from prompt_toolkit.layout.processors import TabsProcessor
from prompt_toolkit.output import Output, create_output

from agls.config import ConfigError
from agls.doors.completion import completions
from agls.doors.headless.chat_prompts import PROMPT
from agls.doors.headless.keyboard import Keyboard
from agls.doors.headless.prompt_below import PromptBelow, SilentInput
from agls.doors.headless.rows import in_row
from agls.doors.headless.screen import TerminalScreen
from agls.doors.headless.shutdown import Shutdown
from agls.doors.headless.typed_ahead import TypedAhead
from agls.engine.facts import SessionChanged
from agls.engine.session import Session
from agls.modes import MODES, Mode
from agls.room.exposed import PermissionRules
from agls.room.mode_choices import UntrustedMode
from agls.world import World

HISTORY = "chat_history"
PRIVATE = 0o600
AFTER: Mapping[str, Mode] = {"ask": "acceptEdits", "acceptEdits": "plan"}  # who wants allowAll types it
STARTS = ("/", "@", "#")  # of what is completed while it is typed
ERASE_DOWN = "\x1b7\x1b[K\x1b[C\x1b[J\x1b8"  # this row, then all from its second column on


class EditedPrompts:
    """Implements `Prompts`: Alt-Enter begins a line, Shift-Tab takes the next mode, Up an earlier prompt."""

    def __init__(self, world: World, keyboard: Keyboard, screen: TerminalScreen, shutdown: Shutdown) -> None:
        self._world, self.draft = world, ""
        self._session: Session | None = None
        self._keyboard, self._screen = keyboard, screen
        self._shutdown = shutdown
        self._history, self._input = _history(world), SilentInput(keyboard.file)
        self._output = _output()  # where questions are, also: standard output may be a file
        self._typed = self._prompt(self._sending_keys(), bottom_toolbar=self._state)
        self._below: PromptBelow | None = None  # while the agent works

    def _prompt(self, keys: KeyBindings, **more: Any) -> PromptSession[str]:
        """Return a place to type, with these keys besides those of all."""
        return PromptSession(
            history=self._history,
            completer=_Completer(self),
            complete_while_typing=True,
            key_bindings=merge_key_bindings([self._keys(), keys]),
            multiline=True,
            prompt_continuation="  ",
            input_processors=[TabsProcessor(char1=" ", char2=" ")],  # of pasted code: else each is a "^I"
            enable_suspend=True,
            input=self._input,
            output=self._output,
            **more,
        )

    def _with_mode(
        self, keys: KeyBindings, keys_named: Callable[[], Iterable[str]], **more: Any
    ) -> PromptSession[str]:
        """Return a place to type that names the mode and these keys below it."""
        return self._prompt(
            keys, bottom_toolbar=lambda: _toolbar(f"mode: {self.mode}", *keys_named()), **more
        )

    @asynccontextmanager
    async def beside(self, session: Session, ahead: TypedAhead) -> AsyncGenerator[None]:
        """Let the user type below the output during the block."""
        self._session = session
        spawn = self._world.sessions.spawn
        below = PromptBelow(self._with_mode, spawn, self._keyboard, self._screen, self._shutdown, ahead)
        await self._screen.settled()  # it is drawn below all that was written before
        below.open()
        self._below = below
        try:
            yield
        finally:
            self._below = None
            await below.close()

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[None]:
        """Leave the terminal to a question during the block."""
        async with self._below.away() if self._below else nullcontext():
            yield

    def earlier(self) -> tuple[list[str], str]:
        """Return what the terminal kept."""
        *lines, begun = self._keyboard.waiting().split("\n")
        return [line.rstrip() for line in lines if line.strip()], begun

    async def next(self, session: Session, draft: str = "") -> str | None:
        """Return the next prompt."""
        self._session, self.draft = session, ""
        while True:
            self._typed.app.erase_when_done = True  # what is not sent leaves no row behind
            try:
                return await self._typed.prompt_async(PROMPT, default=draft, handle_sigint=False)
            except CancelledError:
                self.draft = self._typed.default_buffer.text
                raise
            except KeyboardInterrupt:  # Ctrl-C drops what was typed
                draft = ""
            except EOFError:
                return None

    @property
    def mode(self) -> str:
        """The mode of the session, "" while the configuration cannot be read."""
        if self._session is None:
            return ""
        try:
            configured = self._world.setup.load(self._session.state.cwd).config.exposed(PermissionRules).mode
        except ConfigError:
            return ""
        return str(self._session.state.options.get("mode") or configured)

    async def completions(self, text: str, cursor: int) -> Iterable[Completion]:
        """Return the ways to go on at this place."""
        if self._session is None or not any(start in text for start in STARTS):
            return ()
        try:
            found = await completions(self._world, self._session, text, cursor)
        except ConfigError:
            return ()
        return [
            Completion(each.text, each.start - cursor, display=each.label, display_meta=each.detail)
            for each in found.items
        ]

    def _state(self) -> str:
        model = str(self._session.state.options.get("model", "")) if self._session else ""
        named = model and f"model: {model}"
        return _toolbar(f"mode: {self.mode} (Shift-Tab)", named, "Alt-Enter: new line")

    async def _next_mode(self) -> None:
        session, mode = self._session, AFTER.get(self.mode, MODES[0])
        if session is None:
            return
        with suppress(UntrustedMode):  # the state shows that it stays as it was
            self._world.check_mode(session.state.cwd, {"mode": mode}, by_user=True)
            self._world.choose(session.session_id, {"mode": mode})
            session.log.record(SessionChanged(options={"mode": mode}))
            await session.log.sync()

    def _sending_keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("enter")
        def send(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            state = buffer.complete_state
            if state and state.current_completion:
                buffer.apply_completion(state.current_completion)
            else:
                event.app.erase_when_done = False
                buffer.validate_and_handle()

        return keys

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("escape", "enter")
        @keys.add("c-j")
        def begin_line(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        @keys.add("s-tab")
        def change_mode(event: KeyPressEvent) -> None:
            event.app.create_background_task(self._next_mode())

        return keys


def _toolbar(*parts: str) -> str:
    return in_row(parts, get_app().output.get_size().columns)


class _Completer(Completer):
    def __init__(self, prompts: EditedPrompts) -> None:
        self._prompts = prompts

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Return nothing: the server is asked, which takes a moment."""
        return ()

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion]:
        """Yield what the server knows."""
        for each in await self._prompts.completions(document.text, document.cursor_position):
            yield each


def _output() -> Output:
    """Return the terminal. tmux would keep a copy of a screen that is erased from its very first cell on."""
    output = create_output(sys.stderr)
    output.erase_down = lambda: output.write_raw(ERASE_DOWN)
    return output


def _history(world: World) -> History:
    """Return the earlier prompts, of all conversations where something may be kept: in a private file."""
    setup = world.setup
    if not setup.keeps:
        return InMemoryHistory()
    file = Path(setup.state_folder) / HISTORY
    try:
        os.close(os.open(file, os.O_CREAT | os.O_APPEND, PRIVATE))
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(file))

"""The prompt below the output of a run: the user types while the agent works."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from functools import partial
from shutil import get_terminal_size

from prompt_toolkit import PromptSession
from prompt_toolkit.application import in_terminal
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input.vt100 import Vt100Input, raw_mode
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from agls.doors.headless.chat_prompts import PROMPT
from agls.doors.headless.keyboard import Keyboard
from agls.doors.headless.rows import fitting
from agls.doors.headless.screen import TerminalScreen
from agls.doors.headless.shutdown import Shutdown, nothing
from agls.doors.headless.typed_ahead import TypedAhead
from agls.engine.ports import Spawn
from agls.views.escape import escape_controls

QUEUED = "queued: "
LEAVE = "The agent works. Ctrl-C stops it; then Ctrl-D leaves."
KEYS = ("Enter: queue",)
KEYS_QUEUED = ("Enter: send now", "Up: edit")
STOP = "Ctrl-C: stop"
MARGIN = 1  # columns that stay free behind a row
REDRAW = 0.05  # seconds between two drawings at least
STILL = 0.4  # seconds without the changing rows after another width: a terminal breaks those that it has anew


class SilentInput(Vt100Input):
    """The keys of a terminal, none of which is echoed while a run writes above the prompt."""

    def cooked_mode(self) -> AbstractContextManager[None]:
        """Leave the keys to the prompt, which reads them a moment later."""
        return raw_mode(self.fileno())


class PromptBelow:
    """Stands below the output from `open` to `close`, and makes room while it is `away`.

    Enter queues what was typed, or does it, if it is a command that can be done now. Where nothing was typed,
    it sends what is queued into the run, and Up edits the last of it.
    """

    def __init__(
        self,
        typed: Callable[..., PromptSession[str]],
        spawn: Spawn,
        keyboard: Keyboard,
        screen: TerminalScreen,
        shutdown: Shutdown,
        ahead: TypedAhead,
    ) -> None:
        self._spawn, self._keyboard = spawn, keyboard
        self._screen, self._shutdown = screen, shutdown
        self._ahead = ahead
        self._rows = ""
        self._columns, self._still = 0, 0.0  # the width, and since when it may be relied on
        self._reading: set[asyncio.Task[None]] = set()
        self._typed = typed(
            self._keys(),
            self._named_keys,
            message=self._message,
            erase_when_done=True,
        )
        self._typed.app.min_redraw_interval = REDRAW

    def open(self) -> None:
        """Stand there from now on."""
        self._screen.share(self._show, in_terminal)
        self._shutdown.leaving = partial(self._give_back, self._keyboard.restorer())
        self._reading = {self._spawn(self._read())}

    async def close(self) -> None:
        """Stand there no more. What was typed is the draft."""
        for task in self._reading:
            task.cancel()
        await asyncio.wait(self._reading)
        self._shutdown.leaving = nothing
        self._screen.alone()
        self._ahead.draft = self._typed.default_buffer.text

    @asynccontextmanager
    async def away(self) -> AsyncGenerator[None]:
        """Leave the terminal to somebody else during the block."""
        await self.close()
        try:
            yield
        finally:
            self.open()

    async def _read(self) -> None:
        with suppress(EOFError, OSError):  # the terminal is gone: the run hears of it by a signal
            await self._typed.prompt_async(default=self._ahead.take_draft(), handle_sigint=False)

    def _show(self, rows: str) -> bool:
        """Show the changing rows above what is typed."""
        if rows != self._rows:
            self._rows = rows
            self._typed.app.invalidate()
        return True

    def _message(self) -> StyleAndTextTuples:
        columns = get_terminal_size().columns - MARGIN
        lines = [escape_controls(f"{QUEUED}{' '.join(text.split())}") for text in self._ahead.queued]
        rows = [*self._rows_at(columns), *(line[: fitting(line, columns)] for line in lines)]
        return [("", "".join(f"{row}\n" for row in rows if row)), ("", PROMPT)]

    def _rows_at(self, columns: int) -> list[str]:
        """Return the changing rows; none while somebody pulls at the window, where each would stay behind."""
        loop = asyncio.get_running_loop()
        if self._columns not in {0, columns}:
            self._still = loop.time() + STILL
            loop.call_later(STILL, self._typed.app.invalidate)
        self._columns = columns
        return self._rows.split("\n") if loop.time() >= self._still else []

    def _named_keys(self) -> tuple[str, ...]:
        can_send = self._ahead.queued and not self._typed.default_buffer.text
        return *(KEYS_QUEUED if can_send else KEYS), STOP

    def _give_back(self, restore: Callable[[], None]) -> None:
        """Leave the terminal as it was: the process ends at once."""
        self._typed.app.renderer.erase()
        restore()

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("enter")
        def queue(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            if (state := buffer.complete_state) and state.current_completion:
                buffer.apply_completion(state.current_completion)
            elif buffer.text.strip():
                self._spawn(self._ahead.add(buffer.text))
                buffer.append_to_history()
                buffer.reset()
            else:
                self._spawn(self._ahead.send_now())

        @keys.add("c-c")
        def stop(event: KeyPressEvent) -> None:
            self._shutdown.cancel()

        @keys.add("c-d")
        def stay(event: KeyPressEvent) -> None:
            if event.current_buffer.text:
                event.current_buffer.delete()
            else:
                self._screen.say(LEAVE)

        @keys.add("up")
        def edit(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            if buffer.text or not self._ahead.queued:
                buffer.auto_up()
            else:
                buffer.document = Document(self._ahead.edit_last())

        return keys

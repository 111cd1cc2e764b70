"""Where the user of a conversation types: an editable prompt, or plain lines where that cannot be had."""

from asyncio import CancelledError
from contextlib import AbstractAsyncContextManager, nullcontext
from importlib.util import find_spec
from typing import Protocol

from agls.doors.headless.keyboard import Keyboard
from agls.doors.headless.screen import TerminalScreen
from agls.doors.headless.shutdown import Shutdown
from agls.doors.headless.typed_ahead import TypedAhead
from agls.engine.session import Session
from agls.world import World

PROMPT = "> "
MORE = "… "
GOES_ON = "\\"


class Prompts(Protocol):
    """Takes one prompt after the other. `draft` is what stood there when the last one was broken off."""

    draft: str

    async def next(self, session: Session, draft: str = "") -> str | None:
        """**Returns** the next prompt for this session, `None` when no more will come.

        Where it can be edited, it begins as the `draft`.
        """
        ...

    def earlier(self) -> tuple[list[str], str]:
        """**Returns** the lines that were typed before the prompt stood there, and one that has no end yet.

        **Raises** `EOFError` when Ctrl-D was typed instead of any.
        """
        ...

    def beside(self, session: Session, ahead: TypedAhead) -> AbstractAsyncContextManager[None]:
        """Take what is typed while the agent works during the block."""
        ...

    def alone(self) -> AbstractAsyncContextManager[None]:
        """Leave the terminal to a question during the block."""
        ...


class PlainPrompts:
    """Lines of the terminal. One that ends with a backslash goes on in the next."""

    def __init__(self, keyboard: Keyboard, screen: TerminalScreen) -> None:
        self.draft = ""
        self._keyboard, self._screen = keyboard, screen

    def earlier(self) -> tuple[list[str], str]:
        """Return nothing: such lines wait in the terminal, and are read one after the other."""
        return [], ""

    def beside(self, session: Session, ahead: TypedAhead) -> AbstractAsyncContextManager[None]:
        """Do nothing: what is typed meanwhile waits in the terminal."""
        return nullcontext()

    def alone(self) -> AbstractAsyncContextManager[None]:
        """Do nothing: nobody reads what is typed but the question."""
        return nullcontext()

    async def next(self, session: Session, draft: str = "") -> str | None:
        """Return the next prompt."""
        lines: list[str] = []
        while True:
            was_there = self._keyboard.waits()
            self._screen.ask(MORE if lines else PROMPT)
            try:
                line = await self._keyboard.line()
            except CancelledError:  # Ctrl-C: the next prompt stands on a line of its own
                self._screen.answered(typed=False)
                raise
            if line and was_there:  # it stands elsewhere, or nowhere
                self._screen.ask(line)
            self._screen.answered(typed=line is not None and not was_there)
            if line is None:
                return None
            lines.append(line.removesuffix(GOES_ON))
            if not line.endswith(GOES_ON):
                return "\n".join(lines)


def prompts_at(keyboard: Keyboard, screen: TerminalScreen, shutdown: Shutdown, world: World) -> Prompts:
    """Return where the user types: with history and completion where the terminal and the library allow."""
    if not screen.live or find_spec("prompt_toolkit") is None:
        return PlainPrompts(keyboard, screen)
    from agls.doors.headless.edited_prompts import EditedPrompts  # noqa: PLC0415 - only a conversation needs it

    return EditedPrompts(world, keyboard, screen, shutdown)

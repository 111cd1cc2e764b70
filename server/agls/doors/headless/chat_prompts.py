"""Where the user of a conversation types: an editable prompt, or plain lines where that cannot be had."""

from importlib.util import find_spec
from typing import Protocol

from agls.doors.headless.screen import TerminalScreen
from agls.doors.headless.terminal import Keyboard
from agls.engine.session import Session
from agls.world import World

PROMPT = "> "
MORE = "… "
GOES_ON = "\\"


class Prompts(Protocol):
    """Takes one prompt after the other."""

    async def next(self, session: Session) -> str | None:
        """**Returns** the next prompt for this session, `None` when no more will come."""
        ...


class PlainPrompts:
    """Lines of the terminal. One that ends with a backslash goes on in the next."""

    def __init__(self, keyboard: Keyboard, screen: TerminalScreen) -> None:
        self._keyboard, self._screen = keyboard, screen

    async def next(self, session: Session) -> str | None:
        """Return the next prompt."""
        lines: list[str] = []
        while True:
            self._screen.ask(MORE if lines else PROMPT)
            line = await self._keyboard.line()
            self._screen.answered(typed=line is not None)
            if line is None:
                return None
            lines.append(line.removesuffix(GOES_ON))
            if not line.endswith(GOES_ON):
                return "\n".join(lines)


def prompts_at(keyboard: Keyboard, screen: TerminalScreen, world: World) -> Prompts:
    """Return where the user types: with history and completion where the terminal and the library allow."""
    if not screen.live or find_spec("prompt_toolkit") is None:
        return PlainPrompts(keyboard, screen)
    from agls.doors.headless.edited_prompts import EditedPrompts  # noqa: PLC0415 - only a conversation needs it

    return EditedPrompts(world)

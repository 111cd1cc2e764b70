"""What the language server does to the process that it has for itself: memory, log, signals, the end."""

import asyncio
import gc
from collections.abc import Callable

from agls.config import Setup
from agls.doors.force_exit import force_exit_after
from agls.doors.logs import begin_log
from agls.doors.lsp.loading import SIGNALS
from agls.doors.lsp.watchdog import PATIENCE
from agls.workspace.redact import harden

GIVEN_UP = 0.8  # seconds like `PATIENCE`, when the stream could not be followed any more
COLLECTED = (10_000, 20, 20)  # new objects before the garbage collector looks; runs make few cycles


class OwnProcess:
    """The process of one server. `loaded` is called when the server sees to its end itself."""

    def __init__(self, loaded: Callable[[], None]) -> None:
        self._loaded = loaded
        harden()

    def log(self, setup: Setup) -> None:
        """Keep the log in the state folder of these settings."""
        begin_log(setup.state_folder, lambda: setup.secrets, setup.log_level)

    def settle(self) -> None:
        """Leave what was loaded to itself: to go through it again and again would only stop runs."""
        gc.freeze()
        gc.set_threshold(*COLLECTED)
        gc.enable()

    def listen(self, end: Callable[[], None]) -> None:
        """Call `end` when a signal asks for it, from now on."""
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, end)
        self._loaded()

    def leave(self, code: int, *, trusted: bool) -> None:
        """End soon with this exit code, whatever still works; `trusted`: the stream could be followed."""
        force_exit_after(PATIENCE if trusted else GIVEN_UP, code)

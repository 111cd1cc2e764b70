"""The clock of this machine."""

import time


class SystemClock:
    """Implements `Clock`."""

    def now(self) -> float:
        """Unix time in seconds."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()

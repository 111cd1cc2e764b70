"""The clock of this machine."""

import time


class SystemClock:
    """Implements `Clock`."""

    def now(self) -> float:
        """Return Unix time in seconds."""
        return time.time()

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()

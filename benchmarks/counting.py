"""agls's server, with the Python calls of its main thread counted: that depends on no machine.

`python counting.py FILE` stands in place of `agls serve --stdio`. At SIGUSR1 the number of calls since the
last time is written to the file, and of objects that only the garbage collector could free.
"""

import gc
import json
import signal
import sys
from pathlib import Path
from types import FrameType

from agls.__main__ import main


class Counter:
    """Counts calls."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._calls = 0

    def take(self, frame: FrameType, event: str, _: object) -> None:
        """Follow one event of the interpreter."""
        self._calls += event == "call"

    def write(self, _: int, __: FrameType | None) -> None:
        """Write what was counted, and begin anew."""
        unfinished = self._file.with_suffix(".new")
        unfinished.write_text(json.dumps({"calls": self._calls, "garbage": gc.collect()}))
        unfinished.replace(self._file)
        self._calls = 0


if __name__ == "__main__":
    counter = Counter(Path(sys.argv[1]))
    signal.signal(signal.SIGUSR1, counter.write)
    sys.setprofile(counter.take)
    sys.exit(main(["serve", "--stdio"]))

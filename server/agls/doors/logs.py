"""Where the log goes: a private file in the state folder, through one redactor; never to standard output."""

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from agls.redaction import without

LARGEST = 5_000_000  # bytes; then the file becomes `agls.log.1` and a new one begins


def begin_log(state_folder: Path, secrets: Callable[[], Iterable[str]]) -> None:
    """Log warnings and worse to `agls.log`; where it cannot be written, nowhere.

    `secrets` gives what may not stand there, as it is then: keys may be looked up later.
    """
    handler: logging.Handler = logging.NullHandler()
    with suppress(OSError):
        handler = _file(state_folder / "agls.log")
    handler.setFormatter(Redactor(secrets))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


class Redactor(logging.Formatter):
    """Writes records as lines, tracebacks included, without the secrets."""

    def __init__(self, secrets: Callable[[], Iterable[str]]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(process)d %(name)s: %(message)s")
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        return without(self._secrets(), super().format(record))


def _file(path: Path) -> logging.FileHandler:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        if path.stat().st_size > LARGEST:
            path.replace(path.with_name("agls.log.1"))
    path.touch(mode=0o600)
    return _LogFile(path, encoding="utf-8", errors="backslashreplace")


class _LogFile(logging.FileHandler):
    """A file that may be on a full disk: what cannot be written is left out, and nobody is bothered."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library calls it so
        """Say nothing: a traceback on standard error helps nobody."""

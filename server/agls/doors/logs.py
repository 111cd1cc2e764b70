"""The log: a private file in the state folder, and the trace of an editor; both through one redactor.

Nothing of it goes to standard output.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from agls.redaction import without

LARGEST = 5_000_000  # bytes; then the file becomes `agls.log.1` and a new one begins
LEVELS: Mapping[str, int] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}
LONGEST = 4_000  # characters of the details of one record
Secrets = Callable[[], Iterable[str]]
_log = logging.getLogger(__name__)


def begin_log(state_folder: Path, secrets: Secrets, level: str = "") -> None:
    """Log to `agls.log` in this folder; where it cannot be written, nowhere.

    `level` is one of `LEVELS`, as `AGLS_LOG` names it; "" means "warning". It holds for agls itself:
    libraries log only warnings, because they would log what users and models say. `secrets` returns what
    may not stand in the log, as it is when a line is written: keys may be looked up later.
    """
    handler: logging.Handler = logging.NullHandler()
    with suppress(OSError):
        handler = _file(state_folder / "agls.log")
    handler.setFormatter(Redactor(secrets))
    handler.setLevel(LEVELS.get(level.lower(), logging.WARNING))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("agls").setLevel(handler.level)
    if level and level.lower() not in LEVELS:
        _log.warning("AGLS_LOG is %r; the levels are %s", level[:100], ", ".join(LEVELS))


class Redactor(logging.Formatter):
    """Writes records as lines, tracebacks included, without the secrets."""

    def __init__(self, secrets: Secrets) -> None:
        super().__init__("%(asctime)s %(levelname)s %(process)d %(name)s: %(message)s")
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        return without(self._secrets(), super().format(record))


class Trace(logging.Handler):
    """Hands every record of agls to `send`: its line, and its details where the trace is verbose.

    The details are a traceback, or what the record has as `details`: up to `LONGEST` characters.
    """

    def __init__(self, send: Callable[[str, str], None]) -> None:
        super().__init__()
        self.secrets: Secrets = tuple  # until the settings are read
        self._send = send
        self._verbose = False
        self._level = logging.NOTSET  # of the logger before

    def set(self, value: object) -> None:
        """Trace from now on as the `TraceValue` says: "messages", "verbose", or not at all."""
        logger = logging.getLogger("agls")
        if self in logger.handlers:
            logger.removeHandler(self)
            logger.setLevel(self._level)
        if value in ("messages", "verbose"):
            self._verbose, self._level = value == "verbose", logger.level
            logger.addHandler(self)
            logger.setLevel(logging.DEBUG)

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record."""
        secrets = frozenset(self.secrets())
        details = self._details(record) if self._verbose else ""
        line = f"{record.levelname} {record.name}: {record.getMessage()}"
        self._send(without(secrets, line), without(secrets, details)[:LONGEST])

    def _details(self, record: logging.LogRecord) -> str:
        if record.exc_info:
            return logging.Formatter().formatException(record.exc_info)
        details = getattr(record, "details", None)
        return "" if details is None else repr(details)


def _file(path: Path) -> logging.FileHandler:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        if path.stat().st_size > LARGEST:
            path.replace(path.with_name("agls.log.1"))
    path.touch(mode=0o600)
    return _LogFile(path, encoding="utf-8", errors="backslashreplace")


class _LogFile(logging.FileHandler):
    """A file that may be on a full disk: lines that cannot be written are left out silently."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library calls it so
        """Do nothing: a traceback on standard error helps nobody."""

"""What a server logs, in the log of agls: so many lines of it, each of them short and without its keys."""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

import mcp_types as types
from mcp.client.client import Client

from agls.mcp_servers.watched import is_modern
from agls.redaction import is_secret, without
from agls.room.mcp_ports import ServerDefinition
from agls.short_text import brief
from agls.terminal_codes import without_codes

MOST_LINES = 1_000  # of a server, from its start to its end
LONGEST_LINE = 1_000  # characters
NO_MORE = "%s: it logged %d lines; no more of them are kept until it is started again"
LEVELS: Mapping[types.LoggingLevel, int] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "notice": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "critical": logging.ERROR,
    "alert": logging.ERROR,
    "emergency": logging.ERROR,
}
_log: Final = logging.getLogger(__name__)


class ServerLog:
    """Takes in what one server logs, from its start to its end."""

    def __init__(self, definition: ServerDefinition) -> None:
        self._name = definition.name
        self._keys = tuple(_keys(definition))
        self._lines = 0

    @property
    def level(self) -> types.LoggingLevel:
        """The least level that is kept, which the server is told."""
        least = _log.getEffectiveLevel()
        for name, level in LEVELS.items():
            if level >= least:
                return name
        return "emergency"

    async def tell(self, client: Client) -> None:
        """Say what is worth logging; to servers of the newest revision each request says it."""
        if client.server_capabilities.logging is not None and not is_modern(client.protocol_version):
            wanted = types.SetLevelRequest(params=types.SetLevelRequestParams(level=self.level))
            with suppress(Exception):  # many cannot be told
                await client.session.send_request(wanted, types.EmptyResult)

    async def take(self, params: types.LoggingMessageNotificationParams) -> None:
        """Log what the server said, as far as its level is kept."""
        level = LEVELS[params.level]
        if self._lines > MOST_LINES or not _log.isEnabledFor(level):
            return
        self._lines += 1
        if self._lines > MOST_LINES:
            _log.warning(NO_MORE, self._name, MOST_LINES)
            return
        about = f"{params.logger}: " if params.logger else ""
        _log.log(level, "%s: %s", self._name, self._plain(about + _words(params.data)))

    def _plain(self, text: str) -> str:
        """**Returns** a text as one short line that has no power over a terminal, without keys."""
        return brief(without(self._keys, without_codes(text)), LONGEST_LINE)


def _keys(definition: ServerDefinition) -> Iterator[str]:
    """Yield what agls gave to the server that may be a key."""
    yield from (value for name, value in definition.environment if is_secret(name))
    for _, value in definition.headers:
        yield from value.split()[-1:]  # without the word before it, such as "Bearer"


def _words(data: Any) -> str:
    return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)

"""Keys from a program, which is run again after their time to live and when a server refuses one."""

import time
from functools import lru_cache

from agls.config.environment import process_environment
from agls.engine.ports import WorkspaceError
from agls.models.credential import Credential
from agls.models.errors import CallFailed, Failure
from agls.workspace.program import output_of

SECONDS = 30.0  # for the program
NO_KEY = "The key_command of {} printed no key: {}"
CHECK = "Run it by hand: it must write the key, and nothing else, to its standard output."


class KeyCommand(Credential):
    """The key is held for `ttl` seconds, in memory."""

    hint = "Check what key_command prints: the server refuses this key."

    def __init__(self, name: str, argv: tuple[str, ...], ttl: float) -> None:
        self._name = name
        self._argv, self._ttl = argv, ttl
        self._key, self._until = "", 0.0

    @property
    def secrets(self) -> tuple[str, ...]:
        """**Returns** the key that is held."""
        return (self._key,) if self._key else ()

    async def key(self) -> str:
        """**Returns** the held key, else the one the program prints. **Raises** `CallFailed` (`auth`)."""
        if not self._key or time.monotonic() >= self._until:
            self._key = await self._output()
            self._until = time.monotonic() + self._ttl
        return self._key

    def renew(self) -> bool:
        """Ask the program again before the next request."""
        self._until = 0.0
        return True

    async def _output(self) -> str:
        try:
            key = (await output_of(self._argv, dict(process_environment()), SECONDS)).strip()
        except WorkspaceError as error:
            raise CallFailed(Failure("auth", NO_KEY.format(self._name, error), CHECK)) from None
        if not key or not key.isascii() or not key.isprintable() or " " in key:
            problem = "it wrote nothing." if not key else "it wrote more than one word."
            raise CallFailed(Failure("auth", NO_KEY.format(self._name, problem), CHECK))
        return key


@lru_cache(maxsize=64)  # the same settings mean the same key, which is held there
def key_command(name: str, argv: tuple[str, ...], ttl: float) -> KeyCommand:
    """**Returns** the credential for these settings."""
    made = KeyCommand(name, argv, ttl)
    _made.append(made)
    return made


_made: list[KeyCommand] = []


def told_keys() -> tuple[str, ...]:
    """**Returns** every key that is held: they may never be shown."""
    return tuple(secret for command in _made for secret in command.secrets)

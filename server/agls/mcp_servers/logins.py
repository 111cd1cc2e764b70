"""The logins at addresses, kept as keys are: in the system's keyring or the private file, one for each."""

import fcntl
import json
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from agls.config import ConfigError
from agls.config.key_store import KeyFile, Keyring
from agls.engine.vocabulary import JsonObject
from agls.json_values import is_object

NAME = "mcp {}"  # in the keyring and the file
LOCKS = "mcp"


class Logins:
    """Keeps what was given at a login, by the address that it is for; without a folder in memory alone.

    All methods wait for the disk: call them off the event loop.
    """

    def __init__(self, state_folder: Path | None) -> None:
        self._folder = state_folder
        self._places: tuple[Keyring | KeyFile, ...] = (
            (Keyring(), KeyFile(state_folder)) if state_folder else ()
        )
        self._held: dict[str, JsonObject] = {}

    def read(self, address: str) -> JsonObject:
        """**Returns** what is kept for an address, of which nothing is sure but that it is an object."""
        if not self._places:
            return self._held.get(address, {})
        for place in self._places:
            with suppress(ConfigError, ValueError):
                name = NAME.format(address)
                kept = place.get(name) if isinstance(place, Keyring) else place.read().get(name, "")
                if kept and is_object(found := json.loads(kept)):
                    return found
        return {}

    def keep(self, address: str, login: Mapping[str, object]) -> None:
        """Keep a login. **Raises** `ConfigError` and `OSError`."""
        if not self._places:
            self._held[address] = dict(login)
            return
        keyring, file = self._places
        place = keyring if isinstance(keyring, Keyring) and keyring.usable else file
        with self._locked("all"):
            place.set(NAME.format(address), json.dumps(login))

    def forget(self, address: str) -> bool:
        """Forget a login. **Returns** whether there was one. **Raises** `ConfigError` and `OSError`."""
        if not self._places:
            return self._held.pop(address, None) is not None
        with self._locked("all"):
            found = [place.remove(NAME.format(address)) for place in self._places]
        return any(found)

    @contextmanager
    def alone(self, address: str) -> Generator[bool]:
        """Have no other process renew this login during the block. Yields whether none does now."""
        with self._locked(sha256(address.encode()).hexdigest()[:16], waits=False) as is_alone:
            yield is_alone

    @contextmanager
    def _locked(self, name: str, *, waits: bool = True) -> Generator[bool]:
        if not self._folder:
            yield True
            return
        folder = self._folder / LOCKS
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(folder / f"login-{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_locked = True
        except BlockingIOError:
            is_locked = False
        try:
            yield is_locked
        finally:
            os.close(fd)

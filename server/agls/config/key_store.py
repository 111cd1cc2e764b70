"""Keys that the user gave to be kept, each for one host: in the editor, in the system's keyring, in a file.

They are asked for only where a configured model has no key, and are held in memory, never in the environment.
"""

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from agls.config.errors import ConfigError
from agls.config.former_name import NAME
from agls.config.private import replace_file
from agls.frozen import frozen
from agls.workspace.protected import KEYS

SERVICE = "agls"  # under which the keyring holds them
LARGEST = 1_000_000  # bytes of the file
OPENED_TO_OTHERS = "others can read this file, and keys are in it. Correct it: chmod 600 {}"
NOT_YOURS = "this file with keys is not yours. Remove it, or make it yours: chown {} {}"

_secrets: set[str] = set()


@frozen
class StoredKey:
    """A key, and in which place it was."""

    key: str = field(repr=False)
    place: str


def remember_secret(value: str) -> None:
    """Let no text of this process show a value that a user gave for a server."""
    _secrets.add(value)


def given_secrets() -> frozenset[str]:
    """**Returns** every such value that this process was given or read."""
    return frozenset(_secrets)


class KeyPlace(Protocol):
    """Somewhere keys are kept; `name` is for people.

    `find` gives the key for a host, "" when there is none. Raises `ConfigError` when the place may not be
    used as it is.
    """

    @property
    def name(self) -> str: ...
    async def find(self, host: str) -> str: ...


class KeyFile:
    """`keys.json` in the state folder, for the user alone (0600)."""

    name = "the file of keys"

    def __init__(self, state_folder: Path) -> None:
        self.file = state_folder / KEYS

    async def find(self, host: str) -> str:
        """The key for this host. Raises `ConfigError`."""
        return (await asyncio.to_thread(self.read)).get(host, "")

    def read(self) -> Mapping[str, str]:
        """All of them, by host. Raises `ConfigError` when others can read them, too, or nobody can."""
        try:
            with os.fdopen(os.open(self.file, os.O_RDONLY | os.O_NOFOLLOW), "rb") as stream:
                self._check(os.fstat(stream.fileno()))
                held: Any = json.loads(stream.read(LARGEST))["keys"]
                return {str(host): str(key) for host, key in held.items()}
        except (FileNotFoundError, NotADirectoryError):  # HOME may be /dev/null
            return {}
        except OSError as error:
            problem = (
                f"the keys cannot be read: {error.strerror}. Make the file readable for this user, or set "
            )
            raise ConfigError(f"{problem}AGLS_STATE_DIR to another folder", file=str(self.file)) from None
        except (ValueError, KeyError, TypeError, AttributeError):
            message = "this file is damaged. Remove it and enter the keys again: agls key set HOST"
            raise ConfigError(message, file=str(self.file)) from None

    def set(self, host: str, key: str) -> None:
        """Keep a key. Raises `ConfigError` and `OSError`."""
        replace_file(self.file, {"keys": {**self.read(), host: key}})

    def remove(self, host: str) -> bool:
        """Forget a key; whether there was one. Raises `ConfigError` and `OSError`."""
        held = self.read()
        if host in held:
            replace_file(self.file, {"keys": {name: key for name, key in held.items() if name != host}})
        return host in held

    def _check(self, status: os.stat_result) -> None:
        if os.name != "posix":
            return
        if status.st_uid != os.geteuid():
            raise ConfigError(NOT_YOURS.format(os.geteuid(), self.file), file=str(self.file))
        if status.st_mode & 0o077:
            raise ConfigError(OPENED_TO_OTHERS.format(self.file), file=str(self.file))


class Keyring:
    """The system's keyring, when the library `keyring` is installed and finds one."""

    name = "the system's keyring"

    @cached_property
    def _library(self) -> Any:
        return import_module("keyring") if find_spec("keyring") else None

    @property
    def usable(self) -> bool:
        """Whether there is a keyring to keep something in."""
        return self._library is not None and self._library.get_keyring().priority > 0

    async def find(self, host: str) -> str:
        """The key for this host; a keyring that cannot be opened holds none."""
        return await asyncio.to_thread(self.get, host)

    def get(self, host: str) -> str:
        """The same, waiting for it."""
        if not self.usable:
            return ""
        try:
            return self._library.get_password(SERVICE, host) or self._library.get_password(NAME, host) or ""
        except self._library.errors.KeyringError:
            return ""

    def set(self, host: str, key: str) -> None:
        """Keep a key. Raises `ConfigError`."""
        try:
            self._library.set_password(SERVICE, host, key)
        except self._library.errors.KeyringError as problem:
            raise ConfigError(f"the keyring did not take the key ({problem}); try --in file") from None

    def remove(self, host: str) -> bool:
        """Forget a key; whether there was one."""
        there = [
            name for name in (SERVICE, NAME) if self.get(host) and self._library.get_password(name, host)
        ]
        for service in there:
            self._library.delete_password(service, host)
        return bool(there)


def own_places(state_folder: Path) -> tuple[KeyPlace, ...]:
    """The places that need no editor, in the order they are asked."""
    return Keyring(), KeyFile(state_folder)


async def look_up(hosts: Sequence[str], places: Sequence[KeyPlace]) -> dict[str, StoredKey]:
    """The keys for these hosts, each from the first place that has it. Raises `ConfigError`."""
    found: dict[str, StoredKey] = {}
    for host in hosts:
        for place in places:
            if key := await place.find(host):
                found[host] = StoredKey(key, place.name)
                break
    return found

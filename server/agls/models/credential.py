"""Credentials other than a fixed key: a key from a program's output, a token, a signature."""

from collections.abc import Mapping
from typing import Protocol


class Credential(Protocol):
    """Authorizes requests.

    `secrets` are never shown. `hint` tells the user what to do when the server refuses the credential.
    `key` returns a key for the dialect's place, "" for that of the endpoint; `sign` returns the headers with
    a signature or token. Both raise `CallFailed` (`auth`). `renew` discards what was obtained, and returns
    whether another try may succeed.
    """

    @property
    def secrets(self) -> tuple[str, ...]: ...
    @property
    def hint(self) -> str: ...
    async def key(self) -> str: ...
    async def sign(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes
    ) -> Mapping[str, str]: ...
    def renew(self) -> bool: ...


class FixedKey:
    """Implements `Credential` for an endpoint with a key of its own, or none."""

    secrets: tuple[str, ...] = ()
    hint = ""

    async def key(self) -> str:
        """Return "": the endpoint has the key."""
        return ""

    async def sign(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes
    ) -> Mapping[str, str]:
        """Return the headers unchanged."""
        return headers

    def renew(self) -> bool:
        """Return False: there is no other key."""
        return False


FIXED_KEY = FixedKey()

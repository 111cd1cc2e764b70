"""What lets a request in where no fixed key does: a key that a program tells, a token, a signature."""

from collections.abc import Mapping
from typing import Protocol


class Credential(Protocol):
    """`secrets` may never be shown; `hint` is what the user can do when the server refuses it ("" for a key).

    `key` is sent where the dialect has its key, "" for none of its own; `sign` gives the headers with what
    this request needs besides. Both raise `CallFailed` (`auth`). `renew` forgets what was obtained, and says
    whether another try may be let in.
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
    """Implements `Credential` for an endpoint whose key, if it has one, stands in it."""

    secrets: tuple[str, ...] = ()
    hint = ""

    async def key(self) -> str:
        """None but that of the endpoint."""
        return ""

    async def sign(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes
    ) -> Mapping[str, str]:
        """Nothing is added."""
        return headers

    def renew(self) -> bool:
        """There is no other."""
        return False


FIXED_KEY = FixedKey()

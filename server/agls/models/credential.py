"""Credentials: a key of the endpoint's own, a key from a program's output, a token, a signature."""

from collections.abc import Mapping


class Credential:
    """Authorizes requests. This one does so for an endpoint with a key of its own, or none.

    `hint` says what to do when the server refuses the credential.
    """

    hint = ""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What is never shown."""
        return ()

    async def key(self) -> str:
        """Return a key for the dialect's place, "" for that of the endpoint. Raises `CallFailed` (`auth`)."""
        return ""

    async def sign(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes
    ) -> Mapping[str, str]:
        """Return the headers with a signature or token. Raises `CallFailed` (`auth`)."""
        return headers

    def renew(self) -> bool:
        """Discard what was obtained, and return whether another try may succeed."""
        return False


FIXED_KEY = Credential()

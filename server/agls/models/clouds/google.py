"""Tokens for Vertex, from the Google credentials of this machine, by google-auth."""

import asyncio
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from agls.models.credential import Credential
from agls.models.errors import CallFailed, Failure

SCOPE = "https://www.googleapis.com/auth/cloud-platform"
NEEDS = Failure(
    "auth", "Requests to Vertex need the library google-auth.", "Install it: pip install 'agls[vertex]'"
)
LOGIN = "Log in (gcloud auth application-default login), or set GOOGLE_APPLICATION_CREDENTIALS."


class GoogleToken(Credential):
    """A token that is valid for an hour and refreshed when it expires."""

    hint = "Check the Google credentials, the project and the region, and that Vertex has this model there."

    def __init__(self) -> None:
        self._found: Any = None

    @property
    def secrets(self) -> tuple[str, ...]:
        """The current token."""
        token = getattr(self._found, "token", None)
        return (token,) if isinstance(token, str) else ()

    async def sign(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes
    ) -> Mapping[str, str]:
        """Return the headers with a token. Raises `CallFailed` (`auth`)."""
        if not (find_spec("google") and find_spec("google.auth") and find_spec("requests")):
            raise CallFailed(NEEDS)
        return {**headers, "Authorization": f"Bearer {await asyncio.to_thread(self._token)}"}

    def renew(self) -> bool:
        """Get another token before the next request. Returns True."""
        self._found = None
        return True

    def _token(self) -> str:
        auth, problems = import_module("google.auth"), import_module("google.auth.exceptions")
        try:
            if self._found is None:
                self._found, _ = auth.default(scopes=[SCOPE])
            if not self._found.valid:
                self._found.refresh(import_module("google.auth.transport.requests").Request())
            return str(self._found.token)
        except problems.GoogleAuthError as error:
            problem = str(error.args[0]) if error.args else str(error)
            raise CallFailed(
                Failure("auth", f"Google credentials cannot be obtained: {problem}", LOGIN)
            ) from None


@cache
def google_token() -> GoogleToken:
    """Return the credential of this machine."""
    return GoogleToken()

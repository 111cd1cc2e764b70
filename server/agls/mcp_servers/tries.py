"""How often it is tried to start a server, and how it is spoken to."""

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agls.mcp_servers.sdk import SdkConnection

PAUSES = (0.0, 1.0)  # seconds before each further try
REST = 30.0  # seconds for which a server that could not be started is left alone
REST_OF_ADDRESS = 5.0  # the first time, then twice as long each time up to `REST`


class Tries:
    """The tries of one start. In the next one the server is spoken to as older ones are, if `legacy`."""

    def __init__(self, *, is_old: bool) -> None:
        self.legacy = self._is_old = is_old
        self._pauses = iter(PAUSES)
        self._may_pass = False

    async def again(self, connection: "SdkConnection") -> bool:
        """Wait for the next try after this one failed. **Returns** whether it is worth one."""
        self._may_pass = self._may_pass or connection.may_pass
        # Maybe it ended of a question that it does not know: then it is asked as older ones are, once.
        self.legacy = self._is_old or (bool(connection.trouble) and not self.legacy)
        pause = next(self._pauses, None)
        is_guess = self.legacy and not self._is_old
        if connection.needs_login or pause is None or not (self._may_pass or is_guess):
            return False
        await asyncio.sleep(pause)
        return True


def rest_after(rest: float, *, is_program: bool) -> float:
    """**Returns** for how long a server is left alone that could not be started, after this `rest` before."""
    return min(REST, rest * 2 or (REST if is_program else REST_OF_ADDRESS))

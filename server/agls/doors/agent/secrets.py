"""Keys that the editor keeps in its secret storage, asked for with `agent/secret`."""

import asyncio

from agls.doors.agent.peer import Peer, PeerError
from agls.doors.messages import JsonObject
from agls.json_values import is_object

PATIENCE = 30.0  # seconds; the editor's storage may have to be unlocked
LONGEST = 10_000  # characters


class EditorSecrets:
    """Implements the configuration's `Place`, for a client that said it answers."""

    name = "the editor's secret storage"

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._silent = False  # it did not answer once: nobody waits for it again

    async def find(self, host: str) -> str:
        """Return the key for this host; "" when the editor has none, or does not answer."""
        if self._silent:
            return ""
        pending = self._peer.request("agent/secret", {"host": host})
        try:
            async with asyncio.timeout(PATIENCE):
                return _value(await asyncio.shield(pending.future))
        except TimeoutError:
            self._silent = True
            pending.withdraw()
        except asyncio.CancelledError:
            pending.withdraw()
            raise
        except PeerError:
            pass  # it has none
        return ""


def _value(answer: object) -> str:
    given: JsonObject = answer if is_object(answer) else {}
    value = given.get("value")
    return value if isinstance(value, str) and len(value) <= LONGEST else ""

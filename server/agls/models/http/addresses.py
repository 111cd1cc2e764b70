"""Name resolution in a thread of its own, so that a name server that does not answer blocks nothing else.

The event loop's resolver uses the pool of threads that also flush journals and read files. A lookup cannot be
cancelled, so a few cancelled requests would exhaust that pool when no name server answers.
"""

import asyncio
import socket
import threading
from collections import Counter
from contextlib import suppress
from ipaddress import ip_address

from agls.frozen import frozen

Addresses = list[str]


@frozen
class _Lookup:
    """One lookup, and the future of its result."""

    host: str
    port: int
    loop: asyncio.AbstractEventLoop
    waiting: "asyncio.Future[Addresses]"

    def begin(self) -> None:
        """Start a daemon thread, which does not delay the end of the process."""
        threading.Thread(target=self._look, name="agls-lookup", daemon=True).start()

    def _look(self) -> None:
        found: Addresses | Exception
        try:
            known = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
            found = _in_turn([(family, str(address[0])) for family, _, _, _, address in known])
        except (OSError, UnicodeError) as error:
            found = error
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self.loop.call_soon_threadsafe(self._tell, found)

    def _tell(self, found: Addresses | Exception) -> None:
        if self.waiting.done():  # cancelled
            return
        if isinstance(found, Exception):
            self.waiting.set_exception(found)
        else:
            self.waiting.set_result(found)


async def resolve(host: str, port: int) -> Addresses:
    """Return the addresses of a host in the order to try them. Raises `OSError`, `UnicodeError`."""
    with suppress(ValueError):
        return [str(ip_address(host))]
    loop = asyncio.get_running_loop()
    look = _Lookup(host, port, loop, loop.create_future())
    look.begin()
    return await look.waiting


def _in_turn(known: list[tuple[int, str]]) -> Addresses:
    """Interleave the address families (RFC 8305, section 4)."""
    seen: Counter[int] = Counter()
    ranked: list[tuple[int, str]] = []
    for family, address in known:
        ranked.append((seen[family], address))
        seen[family] += 1
    return list(dict.fromkeys(address for _, address in sorted(ranked, key=lambda one: one[0])))

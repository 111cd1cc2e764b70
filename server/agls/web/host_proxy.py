"""The proxy of sandboxed commands: it connects them to the hosts that the user allowed, and to no other.

It reads who is meant once, from the line of each request, and connects to exactly the address that it
checked. Of plain HTTP it takes one request for each connection, with the checked name as its host: nothing
behind it can be meant for somebody else. What goes through a CONNECT it does not look into.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress

from agls.engine.together import together
from agls.frozen import frozen
from agls.models.http.addresses import Addresses, resolve
from agls.regex import regex
from agls.web.host_rules import HostRules
from agls.web_address import AddressRefused, WebAddress, is_public, web_address

Resolve = Callable[[str, int], Awaitable[Addresses]]
SECONDS = 30.0  # for a head, and for a connection
PIECE = 65_536
_LINE = regex(r"([A-Z]{1,20}) ([\x21-\x7e]+) HTTP/1\.[01]")
_FIELD = regex(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
_OWN = frozenset(
    "host connection proxy-connection proxy-authorization keep-alive te trailer upgrade".split()  # noqa: SIM905 - shorter
)
NOT_ALLOWED = "{} is not among the hosts of the sandbox (sandbox.hosts)"
NOT_PUBLIC = "{} is not on the public network (sandbox.private_hosts)"


class ProxyRefusal(Exception):
    """A request is not let through: `status` is what the client gets, with the message."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


@frozen
class ProxyRequest:
    """A request: whom it is for, and what is sent there first (nothing for a tunnel)."""

    address: WebAddress
    head: bytes = b""
    length: int = 0


class HostProxy:
    """Serves the connections of one command (`Gateway`)."""

    def __init__(self, rules: HostRules, look_up: Resolve = resolve) -> None:
        self._rules, self._look_up = rules, look_up
        self._refused: dict[str, None] = {}

    @property
    def refused(self) -> Sequence[str]:
        """What was not reached, each with the reason."""
        return list(self._refused)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection to its end, and close it."""
        with suppress(ConnectionError, TimeoutError):
            try:
                await self._serve(reader, writer)
            except ProxyRefusal as refused:
                await _answer(writer, refused.status, str(refused))
            finally:
                writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(SECONDS):
            asked = read_head(await _head_of(reader))
            theirs = await self._connect(asked.address)
        try:
            await _relay(asked, (reader, writer), theirs)
        finally:
            theirs[1].close()

    async def _connect(self, address: WebAddress) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if not self._rules.allows(address):
            raise self._refusal(NOT_ALLOWED.format(address.name))
        try:
            found: Addresses = await self._look_up(address.host, address.port)
        except (OSError, UnicodeError):
            raise ProxyRefusal("502 Bad Gateway", f"There is no host {address.name}.") from None
        if not self._rules.allows_private(address) and not all(map(is_public, found)):
            raise self._refusal(NOT_PUBLIC.format(address.name))
        for place in found:
            with suppress(OSError):
                return await asyncio.open_connection(place, address.port)
        raise ProxyRefusal("502 Bad Gateway", f"{address.name} cannot be reached.")

    def _refusal(self, reason: str) -> ProxyRefusal:
        self._refused[reason] = None
        return ProxyRefusal("403 Forbidden", f"The sandbox did not let this through: {reason}.")


def read_head(head: bytes) -> ProxyRequest:
    """Return what a request asks for. **Raises** `ProxyRefusal`."""
    line, *fields = head.decode("latin-1").split("\r\n")
    found = _LINE.fullmatch(line)
    if found is None:
        raise ProxyRefusal("400 Bad Request", "That is no request to a proxy.")
    method, target = found[1], found[2]
    named = _fields(fields)
    try:
        if method == "CONNECT":
            return ProxyRequest(_tunnelled(target))
        address = web_address(target)
    except AddressRefused as problem:
        raise ProxyRefusal("400 Bad Request", str(problem)) from None
    if address.scheme != "http":
        raise ProxyRefusal("400 Bad Request", "Ask for https by CONNECT.")
    if "transfer-encoding" in named:
        raise ProxyRefusal("411 Length Required", "Send the length of the content.")
    length = named.get("content-length", "0")
    if not (length.isascii() and length.isdigit() and len(length) < 20):
        raise ProxyRefusal("400 Bad Request", "The length is no number.")
    kept = [f"{name}: {value}" for name, value in named.items() if name not in _OWN]
    sent = (f"{method} {address.target} HTTP/1.1", f"Host: {address.name}", "Connection: close", *kept)
    return ProxyRequest(address, "\r\n".join((*sent, "", "")).encode("latin-1"), int(length))


def _tunnelled(authority: str) -> WebAddress:
    """Return whom a tunnel is for. **Raises** `AddressRefused`."""
    if "/" in authority or "?" in authority or "#" in authority or not authority.rpartition(":")[2].isdigit():
        raise AddressRefused("A tunnel is asked for with HOST:PORT.")
    return web_address(f"https://{authority}/")


def _fields(lines: Sequence[str]) -> Mapping[str, str]:
    """Return the fields by their names in small letters; each may be there once, but those of lists."""
    found: dict[str, str] = {}
    for line in lines:
        field = _FIELD.fullmatch(line)
        if field is None:
            raise ProxyRefusal("400 Bad Request", "A field of the request cannot be read.")
        name, value = field[1].lower(), field[2].strip(" \t")
        if name in found and name in {"content-length", "host"}:
            raise ProxyRefusal("400 Bad Request", f"The field {name} is there twice.")
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found


async def _head_of(reader: asyncio.StreamReader) -> bytes:
    try:
        return (await reader.readuntil(b"\r\n\r\n"))[:-4]
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        raise ProxyRefusal("400 Bad Request", "The request has no end.") from None


async def _relay(
    asked: ProxyRequest,
    ours: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    theirs: tuple[asyncio.StreamReader, asyncio.StreamWriter],
) -> None:
    """Carry bytes in both directions, until both sides are done."""
    if asked.head:
        theirs[1].write(asked.head)
    else:
        ours[1].write(b"HTTP/1.1 200 Connection established\r\n\r\n")
    most = asked.length if asked.head else None
    await together((_carry(ours[0], theirs[1], most), _answer_with(asked, theirs[0], ours[1])))


async def _answer_with(asked: ProxyRequest, source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
    await _carry(source, to)
    if asked.head:  # the answer is complete: nothing more is taken from the client
        to.close()


async def _carry(source: asyncio.StreamReader, to: asyncio.StreamWriter, most: int | None = None) -> None:
    """Carry bytes, at most so many, to the end of the source; then say that it has ended."""
    left = most
    with suppress(ConnectionError):
        while left is None or left > 0:
            piece = await source.read(PIECE if left is None else min(PIECE, left))
            if not piece:
                break
            to.write(piece)
            await to.drain()
            left = None if left is None else left - len(piece)
        if most is None and to.can_write_eof():
            to.write_eof()


async def _answer(writer: asyncio.StreamWriter, status: str, text: str) -> None:
    body = f"{text}\n".encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n"
    writer.write(f"{head}Connection: close\r\n\r\n".encode() + body)
    await writer.drain()

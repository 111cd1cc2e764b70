"""One HTTP request to a host that the model or the user named, within limits of time and size.

Redirects are not followed, cookies are not kept, and proxies and certificates are those of the environment.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import field
from functools import lru_cache
from ssl import SSLContext

import httpx

from agls.frozen import frozen
from agls.models.errors import CallFailed
from agls.models.http.addresses import Addresses, resolve
from agls.models.http.connections import (
    HEADERS,
    new_transport,
    proxy_for,
    system_trust,
    time_limits,
)
from agls.models.http.transport import Resolve, Transport
from agls.room.web_ports import WebError
from agls.web.content_coding import ACCEPTED, BodyDecoder
from agls.web_address import PRIVATE, is_public

SILENCE = 15.0  # seconds


@frozen(kw_only=True)
class Wanted:
    """A request: `most` is how many bytes of its body are taken, `seconds` how long all of it may last.

    `admits` says which hosts, by their names in rules, may be on a network that is not public.
    """

    url: str
    name: str
    admits: Callable[[str], bool]
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    content: bytes = b""
    most: int
    seconds: float


@frozen
class Received:
    """The answer: `headers` have names in small letters, `body` is unpacked, `is_cut` when it was longer."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    is_cut: bool


async def exchange(wanted: Wanted, look_up: Resolve = resolve) -> Received:
    """Send the request and return the answer. **Raises** `WebError`, whose message has no whole address."""
    try:
        async with asyncio.timeout(wanted.seconds):
            return await _exchange(wanted, look_up)
    except TimeoutError:
        raise WebError(f"{wanted.name} did not answer in full within {wanted.seconds:g} seconds.") from None
    except CallFailed as problem:
        raise WebError(str(problem)) from None
    except (OSError, UnicodeError):
        raise WebError(f"There is no host {wanted.name}, or it cannot be reached.") from None
    except (httpx.HTTPError, httpx.InvalidURL) as problem:
        raise WebError(_reason(wanted.name, problem)) from None


async def _exchange(wanted: Wanted, look_up: Resolve) -> Received:
    headers = {**HEADERS, "Accept-Encoding": ACCEPTED, "Connection": "close", **wanted.headers}
    if not wanted.content:
        del headers["Content-Type"]
    request = httpx.Request(
        wanted.method,
        wanted.url,
        headers=headers,
        content=wanted.content or None,
        extensions={"timeout": time_limits(SILENCE)},
    )
    async with _transport(request.url, wanted, look_up) as transport:
        response = await transport.handle_async_request(request)
        try:
            return await _received(response, wanted.most)
        finally:
            await response.aclose()


async def _received(response: httpx.Response, most: int) -> Received:
    body = BodyDecoder(response.headers.get("content-encoding", ""), most)
    async for piece in response.aiter_raw():
        if not body.feed(piece):
            break
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Received(response.status_code, headers, bytes(body.data), body.is_cut)


@asynccontextmanager
async def _transport(url: httpx.URL, wanted: Wanted, look_up: Resolve) -> AsyncGenerator[Transport]:
    """Open a transport whose connections go to addresses that were checked, and to no others.

    A proxy looks the name up by itself: then a name that leads to a network which is not public, as seen from
    here, is refused, and one that is not known here is left to the proxy.
    """
    checked = _checked(wanted, look_up)
    proxy, trusted = proxy_for(url), await asyncio.to_thread(_trusted)
    if proxy:
        with suppress(OSError, UnicodeError):
            await checked(url.host, url.port or 0)
    async with new_transport(proxy, trusted, look_up if proxy else checked) as transport:
        yield transport


def _checked(wanted: Wanted, look_up: Resolve) -> Resolve:
    async def checked(host: str, port: int) -> Addresses:
        found = await look_up(host, port)
        if not wanted.admits(wanted.name) and not all(map(is_public, found)):
            raise WebError(PRIVATE.format(wanted.name))
        return found

    return checked


@lru_cache(maxsize=1)
def _trusted() -> SSLContext:
    return system_trust()


def _reason(name: str, problem: Exception) -> str:
    match problem:
        case httpx.TimeoutException():
            return f"{name} was silent for too long."
        case httpx.ProxyError():
            return f"The proxy refused the way to {name}."
        case httpx.ConnectError() if "CERTIFICATE" in str(problem).upper():
            return f"The certificate of {name} is not trusted."
        case httpx.ConnectError():
            return f"{name} cannot be reached."
        case _:
            return f"{name} broke off, or does not speak HTTP ({type(problem).__name__})."

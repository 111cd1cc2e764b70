"""One POST to an address that the user's configuration names."""

import asyncio
from urllib.parse import urlsplit

import httpx

from aglet.models.connections import CONNECTING, DIRECT, HEADERS, system_trust


async def post(url: str, body: bytes) -> int:
    """Send JSON; gives the HTTP status. Redirects are not followed. Raises `OSError`, without the address.

    The caller bounds the time.
    """
    host = urlsplit(url).hostname
    trusted = await asyncio.to_thread(system_trust)
    try:
        async with httpx.AsyncClient(
            headers=HEADERS, mounts=DIRECT, verify=trusted, follow_redirects=False, timeout=CONNECTING
        ) as client:
            headers = {"Content-Type": "application/json"}
            async with client.stream("POST", url, content=body, headers=headers) as response:
                return response.status_code
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ConnectionError(f"{host} cannot be reached ({type(error).__name__})") from None

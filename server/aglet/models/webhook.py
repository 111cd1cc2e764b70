"""One POST to an address that the user's configuration names."""

from urllib.parse import urlsplit

from aglet.models.connections import Asked, Connections
from aglet.models.endpoint import Endpoint
from aglet.models.errors import CallFailed


async def post(url: str, body: bytes) -> int:
    """Send JSON; gives the HTTP status. Redirects are not followed. Raises `OSError`, without the address.

    The caller bounds the time.
    """
    host, connections = urlsplit(url).hostname or "", Connections()
    try:
        async with connections.ask(
            Endpoint(name=host, base_url=url), Asked("POST", url, {}, body)
        ) as response:
            return response.status_code
    except CallFailed as failed:
        raise ConnectionError(f"{host} cannot be reached ({failed.failure.kind})") from None
    finally:
        await connections.aclose()

"""A POST to an address from the user's configuration."""

import asyncio


async def post(url: str, body: bytes) -> int:
    """Send JSON and return the HTTP status. Raises `OSError`, without the address in its message.

    Redirects are not followed. The caller bounds the time.
    """
    import httpx  # noqa: PLC0415 - few runs deliver anything, and it takes a while to load

    from agls.models.errors import CallFailed  # noqa: PLC0415 - few runs deliver anything
    from agls.models.http.connections import (  # noqa: PLC0415 - few runs deliver anything
        CONNECTING,
        HEADERS,
        new_transport,
        proxy_for,
        system_trust,
        time_limits,
    )

    host = ""
    try:
        limits = {"timeout": time_limits(CONNECTING)}
        request = httpx.Request("POST", url, content=body, headers=HEADERS, extensions=limits)
        host = request.url.host
        async with new_transport(proxy_for(request.url), await asyncio.to_thread(system_trust)) as transport:
            response = await transport.handle_async_request(request)
            await response.aclose()
            return response.status_code
    except (httpx.HTTPError, httpx.InvalidURL, CallFailed) as error:
        raise ConnectionError(f"{host or 'the address'} cannot be reached ({type(error).__name__})") from None

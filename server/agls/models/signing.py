"""HTTP requests with the endpoint's headers, key and signature."""

from dataclasses import replace

from agls.models.dialects.dialect import dialect_of
from agls.models.endpoint import Endpoint
from agls.models.http.connections import HttpRequest


async def signed_request(
    endpoint: Endpoint, method: str, url: str, content: bytes | None = None, until: float | None = None
) -> HttpRequest:
    """Return the request with its headers, key and signature. Raises `CallFailed` (`auth`)."""
    credential = endpoint.credential
    if key := await credential.key():
        endpoint = replace(endpoint, api_key=key)
    headers = dialect_of(endpoint).sent_headers(endpoint)
    return HttpRequest(
        method, url, await credential.sign(method, url, headers, content or b""), content, until
    )

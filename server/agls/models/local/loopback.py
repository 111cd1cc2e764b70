"""Requests to a port of this machine: plain sockets, no proxy, no key, no redirects."""

import json
import time
from http.client import HTTPConnection, HTTPException
from typing import Any

from agls.engine.vocabulary import JsonObject
from agls.json_values import is_object

LARGEST = 10_000_000  # bytes of an answer (Ollama's `/api/show` lists every part of a model)


def request_json(
    port: int, path: str, until: float, *, method: str = "GET", body: JsonObject | None = None
) -> JsonObject | None:
    """Return the JSON object in the answer; `None` for anything else. Stops at `until` (monotonic)."""
    left = until - time.monotonic()
    if left <= 0:
        return None
    connection = HTTPConnection("127.0.0.1", port, timeout=left)
    try:
        connection.request(method, path, json.dumps(body) if body else None)
        answer = connection.getresponse()
        value: Any = json.loads(answer.read(LARGEST)) if answer.status == 200 else None
    except (OSError, HTTPException, ValueError, RecursionError):
        return None  # nobody there, or somebody else
    finally:
        connection.close()
    return value if is_object(value) else None

"""Requests with a `clientKey` are followed once, however often they arrive (protocol 4.2)."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any, TypeVar, cast

import attrs

from aglet.engine.admission import KeyConflict, Request

REMEMBERED = 1_000  # keys of one connection
Result = TypeVar("Result")


class Once:
    """Remembers what was asked under which key, and the answer that is being made or was made."""

    def __init__(self) -> None:
        self._asked: dict[str, tuple[object, asyncio.Future[Any]]] = {}

    async def do(self, key: str, params: object, work: Callable[[], Awaitable[Result]]) -> Result:
        """Do the work, or give what it gave for the same key and params; what failed may be tried again.

        Raises `Refused` (`keyConflict`) and whatever the work raises.
        """
        if not key:
            return await work()
        if key in self._asked:
            known, answer = self._asked[key]
            if known != params:
                raise KeyConflict
            return cast(Result, await asyncio.shield(answer))
        future = asyncio.get_running_loop().create_future()
        self._asked[key] = (params, future)
        try:
            result = await work()
        except BaseException:
            del self._asked[key]
            future.cancel()  # who waits for it tries again
            raise
        future.set_result(result)
        for old in list(self._asked)[:-REMEMBERED]:
            del self._asked[old]
        return result


def request_of(method: str, params: Any) -> Request:
    """These params as what is asked for: members without a value and the key itself make no difference."""
    members = attrs.asdict(params, filter=lambda member, value: bool(value) and member.name != "client_key")
    asked = json.dumps([method, members], sort_keys=True)
    return Request(params.client_key, sha256(asked.encode()).hexdigest())

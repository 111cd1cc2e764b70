"""What a server tells about when it changes: its lists, and resources that somebody read."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

import mcp_types as types
from mcp.client.client import Client
from mcp.client.subscriptions import ResourceUpdated, Subscription
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

MOST = 50  # resources of a server; the one that was read first is left out
PATIENCE = 5.0  # seconds for the server to say that it will tell
Begin = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]


class WatchedResources:
    """Subscribes to resources in both eras, and passes on (`told`) which of them changed.

    In the newest one a stream has all of them: it is opened anew for one more, and then the old one is left.
    """

    def __init__(self, told: Callable[[str], None], begin: Begin) -> None:
        self._told, self._begin = told, begin
        self._uris: tuple[str, ...] = ()
        self._stream: asyncio.Task[None] | None = None
        self._adding, self._is_refused = asyncio.Lock(), False

    async def add(self, client: Client, uri: str) -> None:
        """Have the server tell when this changes, where it can: reading does not depend on it."""
        offered = client.server_capabilities.resources
        if not (offered and offered.subscribe):
            return
        async with self._adding:
            if uri in self._uris or self._is_refused:
                return
            uris = (*self._uris, uri)[-MOST:]
            try:
                async with asyncio.timeout(PATIENCE):
                    if is_modern(client.protocol_version):
                        await self._follow(client, uris)
                    else:
                        await self._subscribe(client, uri, [each for each in self._uris if each not in uris])
                self._uris = uris
            except Exception:  # noqa: BLE001 - the SDK and a server may raise anything
                self._is_refused = True  # or it is silent: no later reading waits for it

    async def _subscribe(self, client: Client, uri: str, others: Sequence[str]) -> None:
        subscribe = types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri))
        await client.session.send_request(subscribe, types.EmptyResult)
        for each in others:
            leave = types.UnsubscribeRequest(params=types.UnsubscribeRequestParams(uri=each))
            await client.session.send_request(leave, types.EmptyResult)

    async def _follow(self, client: Client, uris: Sequence[str]) -> None:
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        stream = self._begin(self._take(client, uris, opened))
        try:
            await opened
        except BaseException:
            stream.cancel()
            raise
        if self._stream:
            self._stream.cancel()
        self._stream = stream

    async def _take(self, client: Client, uris: Sequence[str], opened: asyncio.Future[None]) -> None:
        try:
            async with client.listen(resource_subscriptions=uris) as changes:
                if not opened.done():
                    opened.set_result(None)
                async for change in changes:
                    if isinstance(change, ResourceUpdated):
                        self._told(change.uri)
        except Exception as problem:  # noqa: BLE001 - the SDK and a server may raise anything
            if not opened.done():
                opened.set_exception(problem)
        if self._stream is asyncio.current_task():
            self._uris = ()  # the next reading begins again


def list_changes(client: Client) -> AbstractAsyncContextManager[Subscription] | None:
    """**Returns** the stream of what changes in its lists, `None` where the server has none."""
    offered = client.server_capabilities
    if not is_modern(client.protocol_version):
        return None
    tools, prompts, resources = (
        bool(each and each.list_changed) for each in (offered.tools, offered.prompts, offered.resources)
    )
    if not (tools or prompts or resources):
        return None
    return client.listen(
        tools_list_changed=tools, prompts_list_changed=prompts, resources_list_changed=resources
    )


def is_modern(era: str) -> bool:
    """**Returns** whether this revision of the protocol has no opening."""
    return era in MODERN_PROTOCOL_VERSIONS

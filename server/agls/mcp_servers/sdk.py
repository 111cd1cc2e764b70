"""A connection to an MCP server through the official SDK. Only this module and its transports import it.

It is imported when the first server is started (docs/decisions/930).
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import mcp_types as types
from mcp.client import InputRequiredRoundsExceededError
from mcp.client.client import Client
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.exceptions import MCPError, UrlElicitationRequiredError
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_PARAMS,
    URL_ELICITATION_REQUIRED,
)
from pydantic import FileUrl

from agls import __version__
from agls.engine.vocabulary import JsonObject
from agls.mcp_servers.addressed import AddressedStreams
from agls.mcp_servers.callers import Callers, Request
from agls.mcp_servers.content import (
    answer_of,
    message_of,
    prompt_of,
    read_of,
    resource_of,
    suggestions_of,
    template_of,
    tool_of,
)
from agls.mcp_servers.failures import (
    insists,
    is_away,
    is_closed,
    is_passing,
    login_words,
    may_have_run,
    no_answer,
    words_of,
)
from agls.mcp_servers.listing import MOST_RESOURCES, ServerListing
from agls.mcp_servers.logins import Logins
from agls.mcp_servers.open_requests import NotingStream, OpenRequests
from agls.mcp_servers.own_schemas import let_through, remarks_on_answers
from agls.mcp_servers.paging import Pages
from agls.mcp_servers.server_log import ServerLog
from agls.mcp_servers.sifted import SiftedStream
from agls.mcp_servers.stdio import BROKEN, ServerStreams
from agls.mcp_servers.tasks import Tasks
from agls.mcp_servers.watched import WatchedResources, is_modern, list_changes
from agls.room.mcp_ports import (
    Caller,
    McpAnswer,
    McpMessage,
    McpResource,
    ServerDefinition,
    ServerProblem,
)
from agls.workspace.stream_programs import StreamPrograms

GONE = "{} is gone, and it is not known whether the call did anything"
SLOW = "it did not begin within {:g} seconds: a startup_timeout in its settings gives it more"
COMPLETING = 5.0  # seconds for a suggestion: somebody types
MOST_PAGES_TO_OPEN = 3  # pages that a user is sent to before one call
FOLLOWED_AGAIN = 5.0  # seconds after a server ended its stream of changes
CHANGES = (
    types.ToolListChangedNotification,
    types.PromptListChangedNotification,
    types.ResourceListChangedNotification,
)
Result = TypeVar("Result")
for name in ("mcp", "client"):  # what the SDK logs stands on nobody's terminal
    logging.getLogger(name).addHandler(logging.NullHandler())


class SdkConnection:
    """A connection, opened and closed by a task of its own: no cancel of a call crosses it.

    `gone` is set when it ended, or shall end.
    """

    def __init__(
        self,
        definition: ServerDefinition,
        programs: StreamPrograms,
        logins: Logins,
        changed: Callable[[str], None],
        *,
        legacy: bool,
    ) -> None:
        self._definition, self._legacy = definition, legacy
        self._changed, self._resources_read = changed, WatchedResources(changed, self._leave)
        self._callers = Callers(definition)
        self._tasks = Tasks(self._callers, self._leave)
        self._log = ServerLog(definition)
        self._problems: list[str] = []  # of what it lists
        self._schemas: dict[str, JsonObject] = {}  # of the answers of its tools
        if definition.transport == "stdio":
            self._streams = ServerStreams(definition, programs)
        else:
            self._streams = AddressedStreams(definition, logins, self._callers)
        self.gone = self._streams.gone
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.is_stale = self._may_pass = False  # stale: the server said that its lists changed
        self._owner: asyncio.Task[None] | None = None
        self._left = set[asyncio.Task[None]]()

    @property
    def noise(self) -> str:
        """What the server wrote that is no message."""
        return self._streams.noise

    @property
    def trouble(self) -> str:
        """Why the server ended by itself, "" when it did not."""
        return self._streams.trouble

    @property
    def may_pass(self) -> bool:
        """Whether what went wrong may be over when it is tried again."""
        return self._may_pass or self._streams.may_pass

    @property
    def needs_login(self) -> bool:
        """Whether the server wants a login first."""
        return self._streams.needs_login

    async def open(self, caller: Caller) -> None:
        """Open it; whoever waits for that may give up. **Raises** `ServerProblem`."""
        loop = asyncio.get_running_loop()
        with self._callers.request(
            caller, replace(self._definition, idle=self._definition.startup)
        ) as request:
            # A connection of the SDK is entered and left by one task, which outlives the call that needed it.
            self._owner = loop.create_task(self._own(request))
            await asyncio.shield(self._ready)

    def close(self) -> None:
        """Begin to end it, also when it is still being opened; `over` is done when it has."""
        if self._owner and not self._ready.done() and not self.gone.is_set():
            self._owner.cancel()
        self.gone.set()

    async def _own(self, request: Request) -> None:
        problem = ""
        try:
            async with self._client(request) as client:
                self._session = client
                let_through(client.session, self._schemas)
                self._ready.set_result(None)
                self._leave(self._log.tell(client))
                await self._hold(client)
        except TimeoutError:
            problem = SLOW.format(self._definition.startup)
        except Exception as error:  # noqa: BLE001 - the SDK and a server may raise anything
            problem = login_words(error) or self._streams.trouble or words_of(error)
            self._may_pass = is_passing(error)
        finally:
            self.gone.set()
            if not self._ready.done():
                self._ready.set_exception(ServerProblem(problem or "it could not be started"))
                self._ready.exception()  # there may be nobody left who waits
            self.over.set_result(None)

    @asynccontextmanager
    async def _client(self, request: Request) -> AsyncGenerator[Client]:
        client = Client(
            self._sifted(),
            mode="legacy" if self._legacy else "auto",
            client_info=types.Implementation(name="agls", version=__version__),
            message_handler=self._handle,
            logging_callback=self._log.take,
            log_level=self._log.level,
            elicitation_callback=self._callers.elicit,
            sampling_callback=self._callers.sample if self._definition.samples else None,
            list_roots_callback=self._roots,
            extensions=(self._tasks,),
            cache=None,
        )
        async with request.limited(), client:
            request.unlimited()
            yield client

    @asynccontextmanager
    async def _sifted(
        self,
    ) -> AsyncGenerator[tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]]:
        async with self._streams.open() as (read, write):
            requests = OpenRequests()
            yield SiftedStream(read, self._problems, requests), NotingStream(write, requests)

    async def _roots(self, context: object) -> types.ListRootsResult:
        roots = [types.Root(uri=FileUrl(Path(root).as_uri())) for root in self._definition.roots]
        return types.ListRootsResult(roots=roots)

    def _leave(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin this work, for which nobody waits."""
        left = asyncio.get_running_loop().create_task(work)
        self._left.add(left)
        left.add_done_callback(self._left.discard)
        return left

    async def _hold(self, client: Client) -> None:
        """Keep it open until it shall end."""
        following = asyncio.get_running_loop().create_task(self._follow(client))
        try:
            await self.gone.wait()
        finally:
            following.cancel()
            for left in (following, *self._left):
                left.cancel()
            await asyncio.wait({following, *self._left})

    async def _follow(self, client: Client) -> None:
        """Learn when the lists change; servers of older revisions say that unasked (`_handle`)."""
        while changes := list_changes(client):
            try:
                async with changes as told:
                    async for _ in told:
                        self.is_stale = True
            except SubscriptionLost:
                pass
            except Exception:  # noqa: BLE001 - as above; it has none of this: each start lists anew
                return
            self.is_stale = True  # what changes until it is followed again is not told
            await asyncio.sleep(FOLLOWED_AGAIN)

    async def _handle(self, message: object) -> None:
        if isinstance(message, CHANGES):
            self.is_stale = True
        elif isinstance(message, types.ResourceUpdatedNotification) and self._is_older:
            self._changed(message.params.uri)

    @property
    def _is_older(self) -> bool:
        """Whether changes are told unasked; else streams tell them."""
        return not is_modern(self._session.protocol_version)

    # --- requests ---

    async def list(self, caller: Caller) -> ServerListing:
        """**Returns** what the server offers. **Raises** `ServerProblem`."""
        definition = self._definition
        with self._callers.request(caller, replace(definition, idle=definition.startup)) as request:
            return await self._watched(self._list(request), definition.startup, definition.longest)

    async def _list(self, request: Request) -> ServerListing:
        async with request.limited():
            return await self._listing()

    async def _listing(self) -> ServerListing:
        self.is_stale = False
        self._problems.clear()
        session = self._session
        listing = ServerListing(session.instructions or "", session.protocol_version)
        offered = session.server_capabilities
        pages = Pages(self._problems)
        if offered.tools is not None:
            async for tools in pages.of("tools", session.list_tools):
                listing.note_life(tools.ttl_ms)
                if not listing.take([tool_of(tool) for tool in tools.tools]):
                    break
        if offered.prompts is not None:
            async for prompts in pages.optional("prompts", session.list_prompts):
                if not listing.take_prompts([prompt_of(prompt) for prompt in prompts.prompts]):
                    break
        if offered.resources is not None:
            listing.take_resources(await self._resources())
        listing.leave_out(self._problems)
        self._schemas.clear()
        self._schemas.update(listing.schemas_of_answers)
        return listing

    async def resources(self) -> Sequence[McpResource]:
        """**Returns** what can be read now. **Raises** `ServerProblem`."""
        return await self._watched(self._resources(), self._definition.idle)

    async def _resources(self) -> Sequence[McpResource]:
        session, found = self._session, list[McpResource]()
        async for page in Pages(self._problems).optional("resources", session.list_resources):
            found += map(resource_of, page.resources)
            if len(found) >= MOST_RESOURCES or not page.resources:
                break
        try:
            templates = (await session.list_resource_templates()).resource_templates
        except MCPError:  # many servers have none and do not know the request
            templates = []
        return [*found[:MOST_RESOURCES], *map(template_of, templates[:MOST_RESOURCES])]

    async def call(self, tool: str, arguments: JsonObject, caller: Caller) -> McpAnswer:
        """Call a tool. **Raises** `ServerProblem`."""

        async def send(request: Request) -> types.CallToolResult:
            for _ in range(MOST_PAGES_TO_OPEN):
                try:
                    return await self._session.call_tool(tool, arguments, progress_callback=request.advance)
                except MCPError as error:
                    if error.code != URL_ELICITATION_REQUIRED or not await self._opened(error):
                        raise
            return await self._session.call_tool(tool, arguments, progress_callback=request.advance)

        with remarks_on_answers() as remarks:
            return answer_of(await self._limited(send, caller), remarks)

    async def take_up(self, task_id: str, caller: Caller) -> McpAnswer:
        """Wait for a task that a call became in an earlier process. **Raises** `ServerProblem`."""
        return answer_of(
            await self._limited(lambda _: self._tasks.take_up(task_id, self._session.session), caller)
        )

    async def _opened(self, error: MCPError) -> bool:
        """Have the user open the pages without which there is no call. **Returns** whether they did."""
        pages = UrlElicitationRequiredError.from_error(error.error).elicitations
        for page in pages:
            if (await self._callers.elicit(None, page)).action != "accept":
                return False
        return bool(pages)

    async def read(self, uri: str, caller: Caller) -> McpAnswer:
        """Read a resource; the server tells from now on when it changes. **Raises** `ServerProblem`."""
        await self._resources_read.add(self._session, uri)
        return read_of(await self._limited(lambda _: self._session.read_resource(uri), caller))

    async def prompt(self, name: str, arguments: Mapping[str, str], caller: Caller) -> Sequence[McpMessage]:
        """**Returns** the messages of a prompt. **Raises** `ServerProblem`."""
        got = await self._limited(lambda _: self._session.get_prompt(name, dict(arguments)), caller)
        return [message_of(message) for message in got.messages]

    async def complete(self, prompt: str, argument: str, typed: str) -> Sequence[str]:
        """**Returns** what the server suggests for an argument of a prompt. **Raises** `ServerProblem`."""
        if self._session.server_capabilities.completions is None:
            return ()
        asked = types.PromptReference(type="ref/prompt", name=prompt)
        work = self._session.complete(asked, {"name": argument, "value": typed})
        return suggestions_of(await self._watched(work, COMPLETING))

    async def _limited(self, send: Callable[[Request], Awaitable[Result]], caller: Caller) -> Result:
        """**Returns** what the server answers; reports of progress move the limit of time."""
        definition = self._definition
        before = self.noise
        with self._callers.request(caller, definition) as request:
            try:
                async with request.limited():
                    return await send(request)
            except TimeoutError:
                noise = "" if self.noise == before else self.noise
                raise no_answer(definition.name, request.seconds, noise) from None
            except InputRequiredRoundsExceededError:
                raise insists(definition.name, request.unanswered) from None
            except Exception as error:  # noqa: BLE001 - as above
                raise self._problem(error) from None

    async def _watched(
        self, work: Coroutine[Any, Any, Result], seconds: float, longest: float | None = None
    ) -> Result:
        try:
            async with asyncio.timeout(longest or seconds):
                return await work
        except TimeoutError:
            raise ServerProblem(
                f"{self._definition.name} did not answer within {seconds:g} seconds"
            ) from None
        except Exception as error:  # noqa: BLE001 - as above
            raise self._problem(error, "{} is gone") from None

    def _problem(self, error: Exception, gone: str = GONE) -> ServerProblem:
        name = self._definition.name
        if self.needs_login:
            self.gone.set()
            return ServerProblem(f"{name} cannot be used", said=self.trouble)
        if self._definition.transport != "stdio" and (not isinstance(error, MCPError) or is_away(error)):
            self.gone.set()  # the next call connects anew
        if isinstance(error, MCPError) and not is_closed(error):
            self.is_stale = self.is_stale or error.code == INVALID_PARAMS
            about = name if error.message == BROKEN else f"{name} refused"
            return ServerProblem(about, said=words_of(error), may_have_run=may_have_run(error))
        if isinstance(error, MCPError) or self.gone.is_set():
            why = self.trouble or "the connection was closed"
            return ServerProblem(gone.format(name), said=why, may_have_run=True)
        return ServerProblem(name, said=words_of(error), may_have_run=True)

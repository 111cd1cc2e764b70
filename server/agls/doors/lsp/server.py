"""A client of the language server, from its first message after `initialize` to the exit code."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol

from agls.config import ConfigError, KeyPlace, Setup
from agls.doors.agent.client_tools import ClientTools
from agls.doors.agent.connection import Connection
from agls.doors.agent.flow.heartbeat import beat
from agls.doors.agent.focus import read_focus
from agls.doors.agent.language_models import ClientLanguageModels
from agls.doors.agent.limits import ConnectionLimits
from agls.doors.agent.peer import Peer
from agls.doors.agent.secrets import EditorSecrets
from agls.doors.agent.server import AgentServer, DoorHandler
from agls.doors.agent.stream.message_stream import MessageStream
from agls.doors.agent.stream.transport import Reader, Writer
from agls.doors.agent.stream.unread import UNREAD
from agls.doors.agent.world import NoWorld, WorldPort
from agls.doors.logs import Trace
from agls.doors.lsp.connection import LspConnection
from agls.doors.lsp.editor import LspEditor
from agls.doors.lsp.editor_undo import EditorUndo
from agls.doors.lsp.initialize import Greeting
from agls.doors.lsp.opening import WorldParts, opened, read_opening
from agls.doors.lsp.plain.code_actions import code_actions
from agls.doors.lsp.plain.commands import follow_command
from agls.doors.lsp.plain.pages import virtual_transcript
from agls.doors.lsp.plain.recovery import recover
from agls.doors.messages import INVALID_REQUEST, Bad, JsonObject, kind_of
from agls.json_values import object_in
from agls.room.on_use import OnUse

COMPLETION = OnUse("agls.doors.lsp.plain.completion", "complete_document")
INLINE_COMPLETION = OnUse("agls.doors.lsp.plain.inline_completion", "inline_completion")

if TYPE_CHECKING:
    from agls.doors.lsp.sync import Sync

DOCUMENTS = "textDocument/"
INFO = 3  # the type of a message that is no warning (LSP 3.17)

ask_for_trust = OnUse("agls.doors.lsp.plain.trust_question", "ask_for_trust")


class HostProcess(Protocol):
    """The process in which the server lives; `OwnProcess` says what each member does."""

    def log(self, setup: Setup) -> None: ...
    def settle(self) -> None: ...
    def listen(self, end: Callable[[], None]) -> None: ...
    def leave(self, code: int, *, trusted: bool) -> None: ...


class LspServer:
    """One client, from its first message after `initialize` to the exit code."""

    def __init__(
        self,
        reader: Reader,
        writer: Writer,
        greeting: Greeting,
        limits: ConnectionLimits,
        process: HostProcess,
    ) -> None:
        self._reader = reader
        self._client = greeting.client
        self._process = process
        self._opening = read_opening(greeting.params)
        self._peer = Peer(writer, limits, greeting.client)
        self._editor = LspEditor(self._peer, self._client)
        self._tools = ClientTools(self._peer, self._client.tools)
        self._models = ClientLanguageModels(self._peer, is_there=self._client.language_models)
        self._trace = Trace(self._peer.trace)
        self._traced = greeting.params.get("trace")

    async def serve(self, arguments: JsonObject) -> int:
        """Serve until the connection ends. **Returns** the exit code."""
        async with asyncio.TaskGroup() as tasks:
            places = [EditorSecrets(self._peer)] if self._client.secrets else []
            open_world = partial(self._opened, places, arguments)
            async with open_world() as world:
                self._learn_keys(world)
                self._trace.set(self._traced)
                self._process.settle()
                connection = LspConnection(world, self._peer, self._editor, self._opening)
                server = AgentServer(connection, tasks, others=own_requests(connection))
                messages = self._listen()
                self._show_notices(world)
                undo = EditorUndo(connection)
                self._editor.on_edit = undo.edited
                mended = self._mend(connection, open_world)
                trust = self._ask_for_trust(connection)
                follows = (beat(connection), recover(connection), undo.follow(), mended, trust)
                besides = [tasks.create_task(each) for each in follows]
                code = await self._follow(messages, server)
                for task in besides:
                    task.cancel()
                server.end()
                self._peer.end()
                self._process.leave(code, trusted=self._reader.trusted)
            server.give_up()
        self._trace.set("off")
        return code

    async def _ask_for_trust(self, connection: Connection) -> None:
        if connection.folder and self._client.message_requests and self._opening.trusted is None:
            await ask_for_trust(connection)

    def _opened(
        self, places: Sequence[KeyPlace], arguments: JsonObject
    ) -> AbstractAsyncContextManager[WorldPort]:
        parts = WorldParts(self._editor, self._tools, self._models, places, self._process.log)
        return opened(self._opening, arguments, parts)

    async def _mend(
        self, connection: Connection, open_world: Callable[[], AbstractAsyncContextManager[WorldPort]]
    ) -> None:
        """Open the world, once its configuration was corrected, and hold it until this is cancelled."""
        while isinstance(connection.world, NoWorld):
            before = connection.world
            await before.asked()
            async with open_world() as world:
                connection.world = world
                before.tried()
                if not isinstance(world, NoWorld):
                    world.sessions.hosts.append(connection.welcome)
                    self._learn_keys(world)
                    self._show_notices(world)
                    await recover(connection)
                    await asyncio.Event().wait()

    def _learn_keys(self, world: WorldPort) -> None:
        with suppress(ConfigError):  # then nobody knows them
            secrets = partial(_secrets, world, world.setup)
            self._trace.secrets = secrets
            self._reader.tap.know(secrets)

    def _show_notices(self, world: WorldPort) -> None:
        with suppress(ConfigError):  # then there is no world, and who wants to work hears why
            for notice in world.setup.notices:
                self._peer.notify("window/showMessage", {"type": INFO, "message": notice})

    def _listen(self) -> MessageStream:
        """Follow what arrives, and what ends the process, in order from now on."""
        messages = MessageStream(self._reader)
        self._process.listen(self._reader.end)
        return messages

    async def _follow(self, messages: MessageStream, server: AgentServer) -> int:
        """Follow the messages to the last. **Returns** the exit code."""
        lifecycle = Lifecycle(self._peer, self._editor, server, self._client.encoding, self._trace)
        lifecycle.followers = {
            "agent/languageModel/list": self._models.learn,
            "agent/languageModel/delta": self._models.take,
        }
        while (message := await messages.next()) is not None:
            if message.get("method") == "exit":
                return 0 if lifecycle.shut_down else 1
            lifecycle.take(message)
        return 0 if self._reader.trusted else 1


class Lifecycle:
    """Sorts what arrives: LSP's own messages are followed here, all others by the `AgentServer`."""

    def __init__(
        self, peer: Peer, editor: LspEditor, server: AgentServer, encoding: str, trace: Trace
    ) -> None:
        self._peer = peer
        self._editor = editor
        self._server = server
        self._encoding = encoding
        self._trace = trace
        self.shut_down = False
        self.followers: Mapping[str, Callable[[JsonObject], None]] = {}  # of notifications, by their method

    def take(self, message: JsonObject) -> None:
        """Follow a message."""
        match kind_of(message):
            case "response":
                self._peer.take_response(message)
            case "notification":
                self._notified(message)
            case "request":
                try:
                    self._requested(message)
                except Bad as bad:
                    bad.id = message["id"]
                    self._peer.refuse(bad)

    def _requested(self, message: JsonObject) -> None:
        if self.shut_down:
            raise Bad(INVALID_REQUEST, "The server was shut down; only exit may follow.")
        match message["method"]:
            case "initialize":
                raise Bad(INVALID_REQUEST, "The server is initialized already.")
            case "shutdown":
                self.shut_down = True
                self._peer.answer(message["id"], None)
            case _:
                self._server.request(message)

    def _notified(self, message: JsonObject) -> None:
        given = object_in(message, "params")
        match message["method"]:
            case "$/setTrace":
                self._trace.set(given.get("value"))
            case "agent/focus":
                self._editor.focus = read_focus(given)
            case "window/workDoneProgress/cancel":
                self._server.cancel_progress(given.get("token"))
            case str(method) if method in self.followers:
                self.followers[method](given)
            case str(method) if method == UNREAD:
                self._editor.lose(given.get("uri"))
            case str(method) if method.startswith(DOCUMENTS):
                self._sync.take(message)
            case _:
                self._server.notification(message)

    @cached_property
    def _sync(self) -> "Sync":
        """Loaded with the first document: the types of LSP take longer than all the rest together."""
        from agls.doors.lsp.sync import Sync  # noqa: PLC0415 - as the docstring says

        return Sync(self._encoding, self._editor)


def own_requests(connection: LspConnection) -> Mapping[str, DoorHandler]:
    """Return what follows the requests of LSP itself."""
    return {
        "workspace/executeCommand": partial(follow_command, connection),
        "textDocument/codeAction": partial(code_actions, connection),
        "textDocument/completion": partial(COMPLETION, connection),
        "textDocument/inlineCompletion": partial(INLINE_COMPLETION, connection),
        "workspace/textDocumentContent": partial(virtual_transcript, connection),
    }


def _secrets(world: WorldPort, setup: Setup) -> Iterable[str]:
    """Return all keys, those of the settings at the beginning and those of the settings as they are now."""
    return (*setup.secrets, *world.setup.secrets)


def serve(server: LspServer, arguments: JsonObject) -> int:
    """Serve a greeted client. **Returns** the exit code."""

    async def connect() -> int:
        return await server.serve(arguments)

    return asyncio.run(connect())

"""A connection after its first answer: what arrives goes to the dispatcher, the documents, or a question."""

import asyncio
import gc
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, suppress
from functools import cached_property, partial
from queue import Empty
from typing import TYPE_CHECKING

from agls.config import ConfigError, Setup
from agls.doors.agent.client import member
from agls.doors.agent.client_tools import ClientTools
from agls.doors.agent.dispatch import Dispatcher
from agls.doors.agent.door import Door
from agls.doors.agent.flow.heartbeat import pulse
from agls.doors.agent.focus import read_focus
from agls.doors.agent.limits import Limits
from agls.doors.agent.peer import Peer
from agls.doors.agent.recovery import recover
from agls.doors.agent.secrets import EditorSecrets
from agls.doors.agent.stream.transport import Reader, Writer
from agls.doors.agent.stream.unread import UNREAD
from agls.doors.agent.world import NoWorld, World, opened, read_opening
from agls.doors.force_exit import force_exit_after
from agls.doors.logs import Trace
from agls.doors.lsp.editor import LspEditor
from agls.doors.lsp.editor_undo import EditorUndo
from agls.doors.lsp.initialize import Greeting
from agls.doors.lsp.loading import SIGNALS
from agls.doors.lsp.watchdog import PATIENCE
from agls.doors.messages import INVALID_REQUEST, METHOD_NOT_FOUND, Bad, JsonObject, kind_of

if TYPE_CHECKING:
    from agls.doors.lsp.sync import Sync

DOCUMENTS = "textDocument/"
INFO = 3  # the type of a message that is no warning (LSP 3.17)
GIVEN_UP = 0.8  # the same, when the stream could not be followed any more
COLLECTED = (10_000, 20, 20)  # new objects before the garbage collector looks; runs make few cycles
BREATH = 64  # messages taken before other work gets its turn


class Connection:
    """One client, from its first message after `initialize` to the exit code."""

    def __init__(
        self, reader: Reader, writer: Writer, greeting: Greeting, limits: Limits, loaded: Callable[[], None]
    ) -> None:
        self._reader = reader
        self._client = greeting.client
        self._loaded = loaded
        self._opening = read_opening(greeting.params)
        self._peer = Peer(writer, limits)
        self._editor = LspEditor(self._peer, self._client)
        self._tools = ClientTools(self._peer, self._client.tools)
        self._arrived = asyncio.Event()
        self._shut_down = False
        self._trace = Trace(self._peer.trace)
        self._traced = greeting.params.get("trace")

    async def serve(self, arguments: JsonObject) -> int:
        """Serve until the connection ends; gives the exit code."""
        async with asyncio.TaskGroup() as tasks:
            places = [EditorSecrets(self._peer)] if self._client.secrets else []
            open_world = partial(opened, self._opening, self._editor, self._tools, places, arguments)
            async with open_world() as world:
                self._learn_keys(world)
                self._trace.set(self._traced)
                gc.freeze()  # what was loaded stays: going through it again and again would only stop runs
                gc.set_threshold(*COLLECTED)
                gc.enable()
                door = Door(world, self._peer, self._client, self._editor, self._opening)
                dispatcher = Dispatcher(door, tasks)
                self._listen_from_here()
                self._tell_notices(world)
                undo, mended = EditorUndo(door), self._mend(door, open_world)
                self._editor.on_edit = undo.edited
                follows = (pulse(door, self._peer), recover(door), undo.follow(), mended)
                besides = [tasks.create_task(each) for each in follows]
                code = await self._listen(door, dispatcher)
                for task in besides:
                    task.cancel()
                force_exit_after(PATIENCE if self._reader.trusted else GIVEN_UP, code)
            dispatcher.give_up()
        self._trace.set("off")
        return code

    async def _mend(self, door: Door, open_world: Callable[[], AbstractAsyncContextManager[World]]) -> None:
        """Open the world, once its configuration was corrected, and hold it until this is cancelled."""
        while isinstance(door.world, NoWorld):
            before = door.world
            await before.asked()
            async with open_world() as world:
                door.world = world
                before.tried()
                if not isinstance(world, NoWorld):
                    world.sessions.hosts.append(door.welcome)
                    self._learn_keys(world)
                    self._tell_notices(world)
                    await recover(door)
                    await asyncio.Event().wait()

    def _learn_keys(self, world: World) -> None:
        with suppress(ConfigError):  # then nobody knows them
            secrets = partial(_secrets, world, world.setup)
            self._trace.secrets = secrets
            self._reader.tap.know(secrets)

    def _tell_notices(self, world: World) -> None:
        with suppress(ConfigError):  # then there is no world, and who wants to work hears why
            for notice in world.setup.notices:
                self._peer.notify("window/showMessage", {"type": INFO, "message": notice})

    def _listen_from_here(self) -> None:
        """What arrives, and what ends the process, is followed in order from now on."""
        loop = asyncio.get_running_loop()
        self._reader.wake(partial(_wake, loop, self._arrived))
        self._arrived.set()
        for end in SIGNALS:
            loop.add_signal_handler(end, self._reader.end)
        self._loaded()

    @cached_property
    def _sync(self) -> "Sync":
        """Loaded with the first document: the types of LSP take longer than all the rest together."""
        from agls.doors.lsp.sync import Sync  # noqa: PLC0415 - as the docstring says

        return Sync(self._client.encoding, self._editor)

    async def _listen(self, door: Door, dispatcher: Dispatcher) -> int:
        taken = 0
        while True:
            try:
                message = self._reader.inbox.get_nowait()
            except Empty:
                self._arrived.clear()
                await self._arrived.wait()
                continue
            if message is None:
                return 0 if self._reader.trusted else 1
            if message.get("method") == "exit":
                return 0 if self._shut_down else 1
            self._take(message, door, dispatcher)
            taken += 1
            if taken % BREATH == 0:
                await asyncio.sleep(0)

    def _take(self, message: JsonObject, door: Door, dispatcher: Dispatcher) -> None:
        match kind_of(message):
            case "response":
                self._peer.take_response(message)
            case "notification":
                self._notified(message, door, dispatcher)
            case "request":
                try:
                    self._requested(message, dispatcher)
                except Bad as bad:
                    bad.id = message["id"]
                    self._peer.refuse(bad)

    def _requested(self, message: JsonObject, dispatcher: Dispatcher) -> None:
        method: str = message["method"]
        if self._shut_down:
            raise Bad(INVALID_REQUEST, "The server was shut down; only exit may follow.")
        if method == "initialize":
            raise Bad(INVALID_REQUEST, "The server is initialized already.")
        if method == "shutdown":
            self._shut_down = True
            self._peer.answer(message["id"], None)
        elif dispatcher.knows(method):
            dispatcher.take(message)
        else:
            raise Bad(METHOD_NOT_FOUND, f"There is no method {method[:200]!r}.")

    def _notified(self, message: JsonObject, door: Door, dispatcher: Dispatcher) -> None:
        given = member(message, "params")
        match message["method"]:
            case "$/cancelRequest":
                dispatcher.cancel(given.get("id"))
            case "$/setTrace":
                self._trace.set(given.get("value"))
            case "agent/ack":
                acknowledge(door, given)
            case "agent/focus":
                self._editor.focus = read_focus(given)
            case "window/workDoneProgress/cancel":
                cancel_progress(door, dispatcher, given.get("token"))
            case str(method) if method == UNREAD:
                self._editor.lose(given.get("uri"))
            case str(method) if method.startswith(DOCUMENTS):
                self._sync.take(message)
            case _:
                pass  # LSP 3.17: what is not known is ignored


def _wake(loop: asyncio.AbstractEventLoop, arrived: asyncio.Event) -> None:
    with suppress(RuntimeError):  # the loop is closed: nobody listens any more
        loop.call_soon_threadsafe(arrived.set)


def _secrets(world: World, setup: Setup) -> Iterable[str]:
    """Return all keys, those of the settings at the beginning and those of the settings as they are now."""
    return (*setup.secrets, *world.setup.secrets)


def acknowledge(door: Door, params: JsonObject) -> None:
    """The client has taken in the events of a session up to a fact; what makes no sense is ignored."""
    session_id, seq = params.get("sessionId"), params.get("seq")
    told = {**door.attached, **door.followed}
    attached = told.get(session_id) if isinstance(session_id, str) else None
    if attached and isinstance(seq, int):
        attached.meant.acknowledge(seq)
        attached.publisher.acknowledge(seq)


def cancel_progress(door: Door, dispatcher: Dispatcher, token: object) -> None:
    """Cancel the run that reports under this token, or the request that will begin it."""
    if dispatcher.cancel_by_token(token):
        return
    for attached in door.attached.values():
        if run_id := attached.progress.token_of(token):
            attached.session.cancel(run_id)


def serve(connection: Connection, arguments: JsonObject) -> int:
    """Serve a greeted client; gives the exit code."""

    async def connect() -> int:
        return await connection.serve(arguments)

    return asyncio.run(connect())

"""One language server for one folder: started on the first request, kept up to date, ended when idle."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.json_values import objects_in, value_in
from agls.language_servers.connection import ServerConnection, ServerGone, ServerRefusal
from agls.language_servers.declared import CAPABILITIES
from agls.language_servers.published import PublishedDiagnostics
from agls.room.code_ports import CodeDocument, ServerProgram
from agls.workspace.kept_process import PATIENCE
from agls.workspace.stream_programs import StreamProgram, StreamPrograms
from agls.workspace.uris import to_uri

if TYPE_CHECKING:
    from agls.workspace.sandbox.entrances import Entrance

MOST_OPEN = 50  # documents that a server holds open
REST = 300.0  # seconds for which a server that ended twice is left alone
PULL = "textDocument/diagnostic"
QUIET = 0.5  # seconds of silence after which a server that began just now knows the folder
LONGEST_LOAD = 20.0  # seconds that it gets for that
OF_FOLDER = {  # what cannot be answered without knowing all files
    "callHierarchy/incomingCalls",
    "textDocument/implementation",
    "textDocument/references",
    "textDocument/rename",
    "workspace/symbol",
}


Confine = Callable[[], Awaitable["Entrance | None"]]
"""Opens the way into a sandbox in which nothing can be changed, `None` for no sandbox.

**Raises** `WorkspaceError`.
"""


class LanguageServer:
    """Implements `OwnServer` for a program of this machine; `enter` leads to the sandbox that it runs in."""

    encoding = "utf-16"  # the one that every server has

    def __init__(
        self, program: ServerProgram, folder: str, streams: StreamPrograms, enter: Confine | None = None
    ) -> None:
        self.name = Path(program.argv[0]).name
        self._program = program
        self.folder, self._streams = folder, streams
        self._enter = enter
        self._loop = asyncio.get_running_loop()
        self._starting = asyncio.Lock()
        self._process: StreamProgram | None = None
        self._stopped = False
        self._crashes = 0
        self._rests_until = 0.0
        self._trouble = ""
        self.last_error = ""
        self._asking = 0  # questions that are not answered yet
        self._idle: asyncio.TimerHandle | None = None

    @property
    def runs(self) -> bool:
        """Whether it runs and may be asked without waiting for its start."""
        return self._process is not None

    async def ask(
        self, method: str, params: JsonObject, documents: Sequence[CodeDocument], seconds: float
    ) -> Any:
        """Ask the server, which is started for that, or once more if it ends meanwhile.

        **Returns** its answer. **Raises** `WorkspaceError`.
        """
        self._asking += 1
        try:
            return await self._ask(method, params, documents, seconds)
        finally:
            self._asking -= 1
            self._touch()

    async def _ask(
        self, method: str, params: JsonObject, documents: Sequence[CodeDocument], seconds: float
    ) -> Any:
        while True:
            try:
                await self.start()
                for document in documents:
                    self._sync(document)
                if method in OF_FOLDER:
                    await self._load()
                answer = await self._connection.request(method, params, seconds)
            except ServerGone:
                if self._process:  # it cannot be followed, and is being ended
                    await asyncio.wait({self._process.over}, timeout=PATIENCE)
                if self._crashes > 1:
                    raise WorkspaceError(self._trouble) from None
                if self._stopped or self._process:
                    raise
            else:
                self._crashes = 0
                return answer

    async def diagnostics(
        self,
        document: CodeDocument,
        seconds: float,
        *,
        changed: bool = False,
        beside: Sequence[CodeDocument] = (),
    ) -> Sequence[JsonObject] | None:
        """Return what is wrong in a document as it is now, `None` when that is not known in time.

        **Raises** `WorkspaceError`.
        """
        await self.start()
        for each in (*beside, document):
            self._sync(each)
        if not self._pulls:
            return await self._published.wait(document.uri, seconds)
        params = {"textDocument": {"uri": document.uri}}
        with suppress(ServerRefusal):  # it may be busy with something newer
            answer = await self._connection.request(PULL, params, seconds)
            return objects_in(value_in(answer, "items"))
        return None

    async def start(self) -> None:
        """Start the server if it does not run, and greet it. **Raises** `WorkspaceError`."""
        self._touch()
        async with self._starting:
            if self._process and self._process.is_ending:
                await asyncio.wait({self._process.over}, timeout=PATIENCE)
            if self._process:
                return
            if self._crashes > 1:
                if self._loop.time() < self._rests_until:
                    raise WorkspaceError(self._trouble)
                self._crashes = 0
            try:
                await self._launch()
            except ServerGone:  # `ended` knows more
                raise
            except WorkspaceError as problem:
                self.last_error = str(problem)
                raise

    async def restart(self) -> None:
        """End the server if it runs, and start it even when it is left alone.

        **Raises** `WorkspaceError`.
        """
        self._crashes = 0
        await self.stop()
        await self.start()

    async def stop(self) -> None:
        """End the server, if it runs, and wait for that."""
        process = self._process
        self.end()
        if process:
            await asyncio.wait({process.over}, timeout=PATIENCE)

    def end(self) -> None:
        """End the server, if it runs; it may be started again."""
        if self._idle:
            self._idle.cancel()
        if self._process:
            self._stopped = True
            with suppress(WorkspaceError):
                self._connection.notify("exit", {})
            self._process.end()

    # --- its life ---

    async def _launch(self) -> None:
        self._versions: dict[str, tuple[int, str]] = {}  # of the documents it holds, with their texts
        self._published = PublishedDiagnostics()
        self._pulls, self._stopped = False, False
        self._loads = set[str]()  # tokens of work that it said it does
        self._loaded = False
        process = await self._started()
        self._connection = ServerConnection(
            self.name, process.write, process.end, self._notified, self._asked
        )
        self._process = process
        try:
            answer = await self._connection.request("initialize", self._greeting(), self._program.patience)
        except asyncio.CancelledError:
            self.end()  # that is no crash; whoever starts it next waits for its end
            raise
        except WorkspaceError:
            process.end()
            await asyncio.wait({process.over}, timeout=3)
            raise
        self._pulls = bool(value_in(answer, "capabilities", "diagnosticProvider"))
        self._connection.notify("initialized", {})
        self._connection.notify("workspace/didChangeConfiguration", {"settings": self._program.settings})

    async def _started(self) -> StreamProgram:
        entrance = await self._enter() if self._enter else None
        program = self._program
        if entrance is None:
            return await self._streams.start(program.argv, self.folder, self, program.variables)
        try:
            argv = (*entrance.words, *program.argv)
            return await self._streams.start(argv, self.folder, self, program.variables, entrance.descriptors)
        finally:
            entrance.close()

    def received(self, data: bytes) -> None:
        """Take in what the server wrote."""
        self._heard = self._loop.time()
        self._connection.received(data)

    def ended(self) -> None:
        """Note that the server ended."""
        process = self._process
        self._process = None
        words = " ".join(process.complaints.split())[-300:] if process else ""
        if not self._stopped:
            self._crashes += 1
            self._rests_until = self._loop.time() + REST
            self.last_error = f"{self.name} ended by itself. {words}".strip()
        self._trouble = f"{self.name} ended twice, and is left alone for now. {words}".strip()
        self._connection.close(f"{self.name} ended.")

    async def _load(self) -> None:
        """Wait until a server that began just now knows the folder, as far as that can be seen."""
        until = self._loop.time() + LONGEST_LOAD
        while not self._loaded and self._process and (now := self._loop.time()) < until:
            wait = max(self._heard + QUIET - now, QUIET if self._loads else 0.0)
            if wait <= 0:
                break
            await asyncio.sleep(wait)
        self._loaded = True

    def _touch(self) -> None:
        if self._idle:
            self._idle.cancel()
        self._idle = self._loop.call_later(self._program.idle, self._rest)

    def _rest(self) -> None:
        if self._asking:
            self._touch()
        else:
            self.end()

    # --- documents ---

    def _greeting(self) -> JsonObject:
        uri = to_uri(self.folder)
        return {
            "processId": os.getpid(),
            "clientInfo": {"name": "agls"},
            "rootUri": uri,
            "rootPath": self.folder,
            "workspaceFolders": [{"uri": uri, "name": Path(self.folder).name}],
            "capabilities": CAPABILITIES,
            "initializationOptions": self._program.options,
        }

    def _sync(self, document: CodeDocument) -> None:
        """Send the server the text of a document, unless it knows it."""
        version, text = self._versions.pop(document.uri, (0, ""))
        self._versions[document.uri] = (version, text)  # the newest is last
        if version and text == document.text:
            return
        version += 1
        self._versions[document.uri] = (version, document.text)
        self._published.expect(document.uri, version)
        named: JsonObject = {"uri": document.uri, "version": version}
        if version == 1:
            opened = {**named, "languageId": document.language, "text": document.text}
            self._connection.notify("textDocument/didOpen", {"textDocument": opened})
        else:
            changes = [{"text": document.text}]
            self._connection.notify(
                "textDocument/didChange", {"textDocument": named, "contentChanges": changes}
            )
        if len(self._versions) > MOST_OPEN:
            self._close(next(iter(self._versions)))

    def _close(self, uri: str) -> None:
        del self._versions[uri]
        self._published.forget(uri)
        self._connection.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    @property
    def documents(self) -> Sequence[str]:
        """The URIs of the documents that the server has open."""
        return tuple(self._versions) if self._process else ()

    # --- what it says and asks ---

    def _notified(self, method: str, params: Any) -> None:
        if method == "textDocument/publishDiagnostics":
            self._published.publish(params)
        elif method == "$/progress":
            kind = value_in(params, "value", "kind")
            token = str(value_in(params, "token"))
            if kind == "begin":
                self._loads.add(token)
            elif kind == "end":
                self._loads.discard(token)

    def _asked(self, method: str, params: Any) -> Any:
        """Answer a request of the server. **Raises** `KeyError`."""
        match method:
            case "workspace/configuration":
                items = objects_in(value_in(params, "items"))
                return [self._section(str(item.get("section") or "")) for item in items]
            case "workspace/workspaceFolders":
                return [{"uri": to_uri(self.folder), "name": Path(self.folder).name}]
            case "workspace/applyEdit":
                return {"applied": False, "failureReason": "only the agent edits"}
            case (
                "client/registerCapability" | "client/unregisterCapability" | "window/workDoneProgress/create"
            ):
                return None
            case "window/showMessageRequest":
                return None
            case _:
                raise KeyError(method)

    def _section(self, name: str) -> Any:
        return value_in(self._program.settings, *(name.split(".") if name else ()))

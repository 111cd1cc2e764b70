"""The door's editor and a workspace over it, joined to a fake editor without a process.

Messages wait on both ways until a test delivers them, so that a test decides what crosses what.
"""

import asyncio
import json
from collections import deque
from pathlib import Path
from typing import Any

from agls.doors.agent.limits import ConnectionLimits
from agls.doors.agent.peer import Peer
from agls.doors.lsp.client import read_client
from agls.doors.lsp.editor import LspEditor as Door
from agls.doors.lsp.sync import Sync
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.lsp_editor import CAPABILITIES, LspEditor, Message

ANSWERS = {"never": 0, "twice": 2}
AGENT: Message = {"agent": {"protocolVersions": [1], "edits": {"save": {}}}}


class Link:
    """Implements `Writer` for the door. `to_editor` and `to_server` hold what is on its way, as bytes.

    `answers` is how often the editor answers an edit. With "later" its answers are `held` until `answer`.
    """

    backlog = 0

    def __init__(self, root: Path, encoding: str) -> None:
        general = {"positionEncodings": [encoding]}
        capabilities = {**CAPABILITIES, "general": general, "experimental": AGENT}
        client = read_client({"capabilities": capabilities})
        self.to_editor: deque[bytes] = deque()
        self.to_server: deque[bytes] = deque()
        self.held: deque[bytes] = deque()
        self.answers = "once"
        writer: Any = self
        self._peer = Peer(writer, ConnectionLimits(), client)
        self.door = Door(self._peer, client)
        self._sync = Sync(client.encoding, self.door)
        self.editor = LspEditor(self._notify, encoding, lag=None)
        self.workspace = OpenWorkspace(str(root), (), self.door, Processes())

    def send(self, message: Message, *, urgent: bool = False) -> None:
        """The door says something."""
        self.to_editor.append(json.dumps(message).encode())

    def notify(self, method: str, **params: Any) -> None:
        """The editor says this, and it arrives at once."""
        self._sync.take({"jsonrpc": "2.0", "method": method, "params": params})

    def reach_editor(self) -> None:
        """Deliver the next message to the editor, if there is one."""
        if self.to_editor:
            message = json.loads(self.to_editor.popleft())
            if message["method"] == "workspace/applyEdit":
                self._reply(message["id"], self.editor.apply(message["params"]))
            elif message["method"] == "agent/saveDocuments":
                self._reply(message["id"], self.editor.save_all(message["params"]))

    def reach_server(self) -> None:
        """Deliver the next message to the door, if there is one."""
        if self.to_server:
            message = json.loads(self.to_server.popleft())
            if "method" in message:
                self._sync.take(message)
            else:
                self._peer.take_response(message)

    def answer(self) -> None:
        """The editor gives the answers it held back."""
        self.to_server.extend(self.held)
        self.held.clear()

    async def settle(self, task: "asyncio.Task[Any]") -> None:
        """Deliver everything until this is done."""
        while not task.done():
            self.reach_editor()
            self.editor.flush()
            self.answer()
            while self.to_server:
                self.reach_server()
            await asyncio.sleep(0.001)

    def _notify(self, method: str, params: Message) -> None:
        self._put({"jsonrpc": "2.0", "method": method, "params": params})

    def _reply(self, id: Any, result: Message) -> None:
        way = self.held if self.answers == "later" else self.to_server
        for _ in range(ANSWERS.get(self.answers, 1)):
            self._put({"jsonrpc": "2.0", "id": id, "result": result}, way)

    def _put(self, message: Message, way: deque[bytes] | None = None) -> None:
        (self.to_server if way is None else way).append(json.dumps(message).encode())

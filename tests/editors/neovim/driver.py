"""A real Neovim, driven over its RPC as a user would: keys in, what is on the screen out."""

import itertools
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

import msgpack

from support.machine import NO_LOCAL_SERVERS
from support.patience import PATIENCE
from support.wire import Message, script

from .screen import Screen

ROOT = Path(__file__).parents[3]
CLIENT = ROOT / "clients" / "neovim"
SCREEN = """
vim.cmd.redraw()
local rows = {}
for row = 1, vim.o.lines do
  local cells = {}
  for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
  rows[row] = (table.concat(cells):gsub('%s+$', ''))
end
return rows
"""


class Rpc:
    """Neovim's RPC over a socket: requests, one at a time. What it tells of its own is what to draw."""

    def __init__(self, address: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(PATIENCE)
        try:
            self._socket.connect(str(address))
        except OSError:
            self._socket.close()
            raise
        self._unpacker = msgpack.Unpacker(strict_map_key=False, ext_hook=lambda code, data: int(data[-1]))
        self._ids = itertools.count(1)
        self.on_redraw: Callable[[list[Any]], None] = lambda events: None
        self.told: list[str] = []  # the names of other notifications

    def call(self, method: str, *arguments: Any) -> Any:
        """Send a request and wait for its result. Raises `RuntimeError` with Neovim's message."""
        number = next(self._ids)
        self._socket.sendall(msgpack.packb([0, number, method, arguments]))
        while True:
            for message in self._unpacker:
                if message[1] == "redraw":
                    self.on_redraw(message[2])
                elif message[0] == 2:
                    self.told.append(message[1])
                elif message[:2] == [1, number]:
                    if message[2] is not None:
                        raise RuntimeError(f"{method}{arguments}: {message[2][1]}")
                    return message[3]
            data = self._socket.recv(65_536)
            if not data:
                raise ConnectionError("nvim ended")
            self._unpacker.feed(data)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


class Editor:
    """A process, and the user in front of it. `play` says what the scripted model will answer."""

    latest: ClassVar["Editor | None"] = None  # for what is told of a test that failed

    def __init__(self, program: str, folder: Path) -> None:
        self.folder = folder
        self.workspace = folder / "workspace"
        self.workspace.mkdir(exist_ok=True)
        self._socket = Path(tempfile.mkdtemp(prefix="nvim-"))  # short: the path of a socket has a limit
        self.program = program
        self._process: subprocess.Popen[bytes] | None = None
        self.rpc: Rpc | None = None
        self.drawn = Screen()
        Editor.latest = self

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.quit()
        finally:
            shutil.rmtree(self._socket, ignore_errors=True)

    # --- the process ---

    def start(self) -> None:
        """Start Neovim with nothing of this machine's user in it."""
        homes = {f"XDG_{name}_HOME": str(self.folder / name) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
        for home in homes.values():
            Path(home).mkdir(exist_ok=True)
        environment = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(self.folder),
            "AGLS_STATE_DIR": str(self.folder / "state"),
            "AGLS_CONFIG": str(self.folder / "config.toml"),
            **homes,
            **NO_LOCAL_SERVERS,
        }
        self.launch(["--clean", "-n", "-i", "NONE", "--cmd", f"set runtimepath^={CLIENT}"], environment)

    def launch(self, arguments: list[str], environment: dict[str, str]) -> None:
        """Start Neovim in the workspace, and sit down in front of it."""
        address = self._socket / "s"
        address.unlink(missing_ok=True)
        self._process = subprocess.Popen(
            [self.program, "--headless", "--listen", str(address), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.workspace,
            env=environment,
        )
        self.rpc = self._connected(address)
        self.rpc.on_redraw = self.drawn.take
        self.call("nvim_ui_attach", 110, 36, {"rgb": True, "ext_linegrid": True})

    def _connected(self, address: Path) -> Rpc:
        assert self._process
        deadline = time.monotonic() + PATIENCE
        while True:
            assert self._process.poll() is None, "nvim ended"
            assert time.monotonic() < deadline, "nvim did not start"
            with suppress(FileNotFoundError, ConnectionRefusedError):  # it does not listen yet
                return Rpc(address)
            time.sleep(0.01)

    def quit(self) -> None:
        """Leave without saving; the process is gone afterwards, and the server with it."""
        if self._process is None:
            return
        try:
            if self.rpc:
                with suppress(OSError):  # it ends before it answers
                    self.call("nvim_command", "qa!")
                self.rpc.close()
            self._process.wait(PATIENCE)
        finally:
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
            self._process = self.rpc = None

    def call(self, method: str, *arguments: Any) -> Any:
        """A function of Neovim's API."""
        assert self.rpc, "nvim is not running"
        try:
            return self.rpc.call(method, *arguments)
        except TimeoutError:  # this one question is answered even then; mode r is "press Enter"
            mode = self.rpc.call("nvim_get_mode")
            raise AssertionError(f"{method}{arguments}: Neovim waits for a key, in {mode}") from None

    # --- the product ---

    def play(self, *prompts: Message, **settings: Any) -> None:
        """What the scripted model answers, prompt by prompt."""
        script(self.folder, *prompts, **settings)

    def setup(self, **options: Any) -> None:
        """What a user has in their init.lua, with the server of this checkout."""
        cmd = [sys.executable, "-m", "agls", "serve", "--stdio"]
        self.lua("require('agls').setup(...)", {"cmd": cmd, **options})

    # --- the user ---

    def lua(self, code: str, *arguments: Any) -> Any:
        """Run Lua; gives its result."""
        return self.call("nvim_exec_lua", code, arguments)

    def command(self, line: str) -> None:
        """Type a command line."""
        self.call("nvim_command", line)

    def keys(self, keys: str) -> None:
        """Press keys, in the notation of mappings."""
        self.call("nvim_input", keys)

    def lines(self, buffer: int = 0) -> list[str]:
        """The lines of a buffer."""
        return self.call("nvim_buf_get_lines", buffer, 0, -1, False)

    def screen(self) -> list[str]:
        """What a user sees, floating windows included."""
        return self.lua(SCREEN)

    def shows(self, text: str) -> None:
        """Wait until a row of the screen has this text; a change is drawn a moment after it happened."""
        self._wait(lambda: any(text in row for row in self.screen()), f"on the screen: {text}")

    def until(self, condition: str, *arguments: Any, patience: float = PATIENCE) -> None:
        """Wait until a Lua expression is true; Neovim goes on working meanwhile."""
        self._wait(lambda: self.lua(f"return not not ({condition})", *arguments), condition, patience)

    def _wait(self, true: Callable[[], object], what: str, patience: float = PATIENCE) -> None:
        deadline = time.monotonic() + patience
        while not true():
            if time.monotonic() > deadline:
                raise AssertionError(f"never {what}\n{self.told()}")
            time.sleep(0.02)

    def told(self) -> str:
        """What is on the screen, in the messages and in the logs, for a test that failed."""
        logs = [log.read_text()[-3000:] for log in (self.folder / "STATE").rglob("*.log")]
        messages = self.call("nvim_exec2", "messages", {"output": True})["output"]
        return "\n".join([*self.screen(), "--- messages", messages, "--- logs", *logs])

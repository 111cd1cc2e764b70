"""The program, loaded once: what a `LoadedProcess` is forked from (docs/decisions/990).

Runs as a script. It reads what to start from a socket, and never begins a thread or an event loop: a fork has
nothing that would have to go on in it.
"""

import atexit
import ctypes
import gc
import inspect
import io
import json
import marshal
import os
import re
import selectors
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import SimpleNamespace
from typing import Any, NoReturn, cast

import agls
from agls.__main__ import leave_out, main

LARGEST = 1 << 20  # bytes of what is to be started
MEASURED = "COVERAGE_PROCESS_CONFIG"  # variable of a process whose coverage is measured


def load() -> None:
    """Import all modules of the server; those that are programs of their own do nothing when imported."""
    leave_out()
    for module in walk_packages(agls.__path__, "agls."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    complete()
    gc.collect()
    gc.freeze()  # what never changes is shared by all


def complete() -> None:
    """Do what each process does when it first needs it, and what comes out the same each time."""
    from pydantic import BaseModel  # noqa: PLC0415 - not before `leave_out`

    from agls.config.schema import Config  # noqa: PLC0415 - as above
    from agls.doors.headless.options.table import build_parser  # noqa: PLC0415 - as above
    from agls.features.families.table import family_of  # noqa: PLC0415 - as above
    from agls.regex import Regex  # noqa: PLC0415 - as above
    from agls.stores import codec  # noqa: PLC0415 - as above

    modules = [module for name, module in sys.modules.items() if name.startswith("agls.")]
    for made in [made for module in modules for made in vars(module).values()]:
        if isinstance(made, Regex):
            re.compile(made.pattern, made.__dict__["_flags"])
        elif isinstance(made, type) and is_dataclass(made):
            fields(made)
        elif isinstance(made, type) and issubclass(made, BaseModel) and made is not BaseModel:
            made.model_rebuild()
    for kind, name in codec.KINDS.items():
        codec.structure(name, {})
        vars(codec)["_row_writer"](kind)
    for tables in ((), *((name,) for name in Config.model_fields)):
        Config.of_json("{}", tables)
    family_of("")  # compiles what tells one family from another
    build_parser().parse_args(["run", "go"])


class Measuring:
    """The measuring of the coverage of all forks, made ready once: to begin and to end it takes longest.

    A fork goes on with it, and leaves what it reached in a file of this folder; all is written as one.
    """

    def __init__(self, config: str, folder: str) -> None:
        self._folder = Path(folder)
        os.environ[MEASURED] = config
        self._coverage: Any = cast("Any", import_module("coverage")).process_startup(force=True, slug="fork")
        self._coverage.stop()
        self._coverage._auto_save = False  # else each fork that is not measured writes an empty database
        # Which files there are beside those that ran is asked once, by the tests, not by each process.
        vars(self._coverage)["_inorout"].source_pkgs = []
        self._collector = cast("Any", vars(self._coverage)["_collector"])
        judge = self._collector.should_trace
        for module in list(sys.modules.values()):
            if (file := getattr(module, "__file__", None)) and file.endswith(".py"):
                frame = SimpleNamespace(f_globals=vars(module))
                self._collector.should_trace_cache[file] = judge(file, frame)
        inspect.stack()  # finds the files of all modules

    def begin(self) -> None:
        """Go on in this fork."""
        self._collector.pid = os.getpid()
        self._coverage.start()
        atexit.register(self._leave)

    def _leave(self) -> None:
        self._coverage.stop()
        reached: dict[str, set[int]] = self._collector.data.copy()
        (self._folder / str(os.getpid())).write_bytes(
            marshal.dumps({file: set(lines) for file, lines in reached.items()})
        )

    def write(self) -> None:
        """Write what all forks reached that came to their end."""
        for left in self._folder.iterdir():
            for file, reached in marshal.loads(left.read_bytes()).items():
                self._collector.data.setdefault(file, set()).update(reached)
        self._coverage.save()


def begin(asked: dict[str, Any], streams: list[int], ready: int, measured: Measuring | None) -> NoReturn:
    """Be a fresh process: its streams, folder, environment and signals; then run the command line."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    if asked["session"]:
        os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.chdir(asked["folder"])
    rename(asked["command"])
    os.write(ready, os.getpid().to_bytes(4, "little"))
    os.closerange(3, 1 << 12)
    os.environ.clear()
    os.environ.update(asked["variables"])
    time.tzset()
    follow(asked["variables"])
    if asked["looks_in_folder"]:
        sys.path.insert(0, asked["folder"])  # as `python -m` has it
    sys.argv[1:] = asked["arguments"]
    open_streams(unbuffered=bool(asked["variables"].get("PYTHONUNBUFFERED")))
    if measured:
        measured.begin()
        del os.environ[MEASURED]  # a program that this one starts is another, and takes thrice as long so
    try:
        code = run(asked["code"]) if asked["code"] else main()
    except SystemExit as wish:
        code = wish.code
    end(code)


def follow(variables: dict[str, str]) -> None:
    """Do what Python does with some variables when it starts."""
    sys.dont_write_bytecode = bool(variables.get("PYTHONDONTWRITEBYTECODE"))
    sys.path[:0] = filter(None, variables.get("PYTHONPATH", "").split(os.pathsep))


def open_streams(*, unbuffered: bool) -> None:
    """Make the streams anew from their descriptors."""
    for name, number, mode in (("stdin", 0, "rb"), ("stdout", 1, "wb"), ("stderr", 2, "wb")):
        old: io.TextIOWrapper = getattr(sys, name)
        at_once = unbuffered and number > 0
        binary = open(number, mode, 0 if at_once else -1, closefd=False)  # noqa: SIM115 - it stays open
        lines = name == "stderr" or os.isatty(number)
        text = io.TextIOWrapper(
            cast("Any", binary),
            encoding=old.encoding,
            errors=old.errors,
            line_buffering=lines,
            write_through=at_once,
        )
        setattr(sys, name, text)


def run(code: str) -> None:
    """Run this in place of the program, as `python -c` does."""
    exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})


def end(code: str | int | None) -> NoReturn:
    """End as Python does, but do not take apart what was loaded: that takes longer than most command lines.

    What cannot be written any more is left to Python, which says so.
    """
    if isinstance(code, int):
        with suppress(OSError, ValueError):
            vars(threading)["_shutdown"]()  # waits for the threads
            vars(atexit)["_run_exitfuncs"]()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    sys.exit(code)


def rename(arguments: list[str]) -> None:
    """Let the system show this command line (proc_pid_cmdline(5)), as far as there is room for it."""
    begin, end = (
        int(number) for number in Path("/proc/self/stat").read_text().rpartition(")")[2].split()[45:47]
    )
    line = b"".join(os.fsencode(word) + b"\0" for word in arguments)[: end - begin - 1]
    ctypes.memmove(begin, line.ljust(end - begin, b"\0"), end - begin)


class Starter:
    """Starts forks, those that are measured as well."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._measuring: Measuring | None = None

    def start(self, asked: dict[str, Any], streams: list[int], ready: int) -> int:
        """Start what is asked for. **Returns** its number."""
        config = asked["variables"].get(MEASURED)
        if config and not self._measuring:
            self._measuring = Measuring(config, self._folder)
        number = os.fork()
        if not number:
            begin(asked, streams, ready, self._measuring if config else None)
        for stream in streams:
            os.close(stream)
        return number

    def end(self) -> None:
        """Write the coverage of all."""
        if self._measuring:
            self._measuring.write()


def serve(requests: socket.socket, folder: str) -> None:
    """Start what is asked for until nobody asks any more; each tells its number, and this how it ended."""
    woken, wake = socket.socketpair()
    wake.setblocking(False)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    ends: dict[int, int] = {}
    starter = Starter(folder)
    with selectors.DefaultSelector() as ready:
        ready.register(requests, selectors.EVENT_READ)
        ready.register(woken, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                if key.fileobj is woken:
                    woken.recv(1 << 10)
                    continue
                data, handles, _, _ = socket.recv_fds(requests, LARGEST, 4)
                if not data:
                    starter.end()
                    return
                told = handles.pop()
                ends[starter.start(json.loads(data), handles, told)] = told
            while ends:
                number, status = os.waitpid(-1, os.WNOHANG)
                if not number:
                    break
                os.write(ends[number], status.to_bytes(4, "little"))
                os.close(ends.pop(number))


if __name__ == "__main__":
    load()
    serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2])

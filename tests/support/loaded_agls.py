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
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, NoReturn

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
    Config.of_json("{}", ())
    build_parser()


@cache
def load_measuring() -> None:
    """Do once what each measured process does first: to ask for the stack finds the files of all modules."""
    import_module("coverage")
    inspect.stack()


def begin(asked: dict[str, Any], streams: list[int], ready: int) -> NoReturn:
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
    if "--folder" in sys.argv:
        sys.path.insert(0, asked["folder"])  # as `python -m` has it
    sys.argv[1:] = asked["arguments"]
    for name, number, mode in (("stdin", 0, "rb"), ("stdout", 1, "wb"), ("stderr", 2, "wb")):
        old: io.TextIOWrapper = getattr(sys, name)
        binary = open(number, mode, closefd=False)  # noqa: SIM115 - it stays open as long as the process runs
        at_once = name == "stderr" or os.isatty(number)
        text = io.TextIOWrapper(binary, encoding=old.encoding, errors=old.errors, line_buffering=at_once)
        setattr(sys, name, text)
    if MEASURED in os.environ:
        measured = import_module("coverage").process_startup(force=True, slug="fork")
        # Which files there are beside those that ran is asked once, by the tests, not by each process.
        measured.__dict__["_inorout"].source_pkgs = []
    try:
        code = main()
    except SystemExit as wish:
        code = wish.code
    end(code)


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


def serve(requests: socket.socket) -> None:
    """Start what is asked for until nobody asks any more; each tells its number, and this how it ended."""
    woken, wake = socket.socketpair()
    wake.setblocking(False)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    ends: dict[int, int] = {}
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
                    return
                told, asked = handles.pop(), json.loads(data)
                if MEASURED in asked["variables"]:
                    load_measuring()
                if not (number := os.fork()):
                    begin(asked, handles, told)
                for handle in handles:
                    os.close(handle)
                ends[number] = told
            while ends:
                number, status = os.waitpid(-1, os.WNOHANG)
                if not number:
                    break
                os.write(ends[number], status.to_bytes(4, "little"))
                os.close(ends.pop(number))


if __name__ == "__main__":
    load()
    serve(socket.socket(fileno=int(sys.argv[1])))

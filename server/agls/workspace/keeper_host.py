"""The process that keepers are forked from: what they need is loaded, so a command waits for none of that.

`keepers.py` starts it as `main CALLS`, a socket over which each call comes: open descriptors, the first of
which says what to start. It answers with the process that the keeper is, 0 when there is none.

A keeper is forked twice. The one between ends at once, so that the server, which adopts what is below it,
becomes the parent of the keeper, as if it had started it. The keeper waits for a byte on the lifeline before
it starts the program: a server that gave up waiting for the answer closes it, and nothing runs twice.
"""

import _socket
import array
import fcntl
import marshal
import os
import sys

from agls.workspace.keeper import keep

READY = b"!"
MOST = 250  # descriptors of one call; the kernel's limit is 253
WORD = 4  # bytes of a number


def main() -> None:
    """Answer calls until the server is gone."""
    for name in ("_ctypes", "warnings"):  # a keeper imports them, and would each time
        __import__(name)
    calls = _socket.socket(fileno=int(sys.argv[1]))
    pipe = os.pipe()
    calls.send(READY)
    while handles := _received(calls):
        call = handles.pop(0)
        said = os.pread(call, os.fstat(call).st_size, 0)
        os.close(call)
        number = _forked(pipe, calls, marshal.loads(said), handles)
        for handle in handles:
            os.close(handle)
        calls.send(number.to_bytes(WORD, "little"))


def _received(calls: _socket.socket) -> list[int]:
    """Return the descriptors of the next call; none at the end."""
    try:
        _, given, _, _ = calls.recvmsg(1, _socket.CMSG_SPACE(MOST * WORD), _socket.MSG_CMSG_CLOEXEC)
    except OSError:
        return []
    handles = array.array("i")
    for _, _, data in given:
        handles.frombytes(data)
    return list(handles)


def _forked(
    pipe: tuple[int, int],
    calls: _socket.socket,
    said: tuple[list[bytes], dict[bytes, bytes], list[int]],
    handles: list[int],
) -> int:
    """Fork a keeper. **Returns** its number, 0 when there is none."""
    answer, tell = pipe
    try:
        between = os.fork()
    except OSError:
        return 0
    if between:
        _, status = os.waitpid(between, 0)  # by then the server is the keeper's parent
        return int.from_bytes(os.read(answer, WORD), "little") if status == 0 else 0
    try:
        if number := os.fork():
            os.write(tell, number.to_bytes(WORD, "little"))
            os._exit(0)
        for handle in (*pipe, calls.detach()):
            os.close(handle)
        _be_keeper(*said, handles)
    finally:
        os._exit(1)


def _be_keeper(
    argv: list[bytes], environment: dict[bytes, bytes], numbers: list[int], handles: list[int]
) -> None:
    """Give the descriptors their numbers, and keep the program once the server knows of it."""
    os.setsid()
    free = max((2, *numbers)) + 1
    moved = [fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, free) for handle in handles]
    for handle in handles:
        os.close(handle)
    lifeline, folder, *others = moved
    for handle, number in zip(others, (0, 1, 2, *numbers), strict=True):
        os.dup2(handle, number)
        os.close(handle)
    if os.read(lifeline, 1):
        keep(argv, environment, lifeline, folder)
    os._exit(0)

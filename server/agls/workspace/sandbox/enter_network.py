"""Opens the door to the proxy and becomes another program: `enter_network.py SOCKET PORT PROGRAM ...`.

It listens on the port of the sandbox's own loopback, hands what listens to agls through the socket, and runs
the program. So the proxy takes connections out of a network that it is not in. It is a program of its own,
which imports nothing of agls, and as little as possible of Python: it is in the way of each command.
"""

import _socket
import errno
import os
import sys

WAITING = 64  # connections


def main() -> None:
    """Open the door, and run the program; without the door nothing runs."""
    handle, port = int(sys.argv[1]), int(sys.argv[2])
    program = sys.argv[3]
    try:
        door = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        door.bind(("127.0.0.1", port))
        door.listen(WAITING)
        given = door.fileno().to_bytes(4, sys.byteorder)
        own = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, handle)
        own.sendmsg([b"+"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, given)])
        own.close()
        door.close()
    except OSError as error:
        os.write(2, f"The network of the sandbox could not be opened, so nothing was run: {error}\n".encode())
        os._exit(126)
    try:
        os.execvp(program, sys.argv[3:])
    except OSError as error:
        os.write(2, f"{program}: {error.strerror}\n".encode(errors="replace"))
        os._exit(127 if error.errno == errno.ENOENT else 126)


if __name__ == "__main__":
    main()

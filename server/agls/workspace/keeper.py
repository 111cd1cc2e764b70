"""The keeper of one command: a small program of its own, so that nothing outlives what it belongs to.

`keepers.py` starts it as `main LIFELINE FOLDER PROGRAM ARGUMENT...`, or has it forked by `keeper_host.py`;
the first two are descriptors: a socket whose other end the server holds, and the folder to work in. It starts
the program in a session of its own, adopts whatever the program leaves behind (PR_SET_CHILD_SUBREAPER,
which also catches what forked twice and left the session), and ends it all when the program has
ended or the lifeline is cut: by the server, or by its death, however sudden. It leaves as the program
left: with its exit code, or by its signal.

One keeper per command, because only so the kernel itself says which orphan belongs to which command.
It has one thread, so that PR_SET_PDEATHSIG, which is bound to the thread that forked, can be trusted.
"""

import errno
import os
import select
import sys
import time

signal = __import__("_signal")  # the C part of `signal`: without its enums we start in half the time
GRACE = 0.6  # seconds between asking a program to end and killing it
SETTLING = 0.02  # seconds that what ends with the program may take
GIVE_UP = 1.0  # seconds for the last killed to be gone: the kernel may hold one in a system call
USUAL = (  # programs expect that these end them
    signal.SIGPIPE,  # Python ignores this one, and the next
    signal.SIGXFSZ,
    signal.SIGINT,  # a shell ignores this one, and the next, for its background jobs
    signal.SIGQUIT,
)
HEARD = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)  # they wake a keeper, and end none
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # prctl(2)


def main() -> None:
    """Be the keeper of the program that the arguments name."""
    words = [os.fsencode(word) for word in sys.argv[1:]]
    keep(words[2:], dict(os.environb), int(words[0]), int(words[1]))


def keep(argv: list[bytes], environment: dict[bytes, bytes], lifeline: int, folder: int) -> None:
    """Start the program, wait, end its remaining processes, and leave as the program left."""
    _control(_PR_SET_CHILD_SUBREAPER, 1)
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, HEARD)  # what comes before there is a bell waits
    tree = ProcessTree(_start(argv, environment, lifeline, folder, blocked))
    bell = _hang_bell()  # after the fork: the program must not inherit a deaf ear for the first signals
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # the output ends when the command closes it, not when its keeper does
        os.dup2(nothing, stream)
    tree.reap()
    while tree.status is None and lifeline not in _wait(None, bell, lifeline):
        tree.reap()
    if tree.status is not None and tree.settle(bell):
        _report(lifeline, len(_descendants(os.getpid())))
    tree.end(bell)
    _leave(-signal.SIGKILL if tree.status is None else tree.status)


def _report(lifeline: int, left: int) -> None:
    """Report how many processes the program left running; nobody may be there to read it."""
    try:
        os.write(lifeline, b"%d" % left)
    except OSError:
        return


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        c = __import__("_ctypes")  # the C part of `ctypes`, whose rest takes as long as all else here
        prctl = c.dlsym(c.dlopen(None, os.RTLD_NOW), "prctl")
        c.call_cdeclfunction(prctl, (option, value, 0, 0, 0))


def _hang_bell() -> int:
    """Return a descriptor that becomes readable with every signal."""
    bell, rope = os.pipe()
    os.set_blocking(bell, False)
    os.set_blocking(rope, False)
    signal.set_wakeup_fd(rope, warn_on_full_buffer=False)
    for number in HEARD:
        signal.signal(number, _hear)  # only the lifeline ends a keeper
    return bell


def _hear(number: int, frame: object) -> None:
    """Do nothing: the signal wakes the descriptor by itself."""


def _wait(seconds: float | None, bell: int, *others: int) -> set[int]:
    """Wait until one of these is readable or closed. **Returns** those that are."""
    poll = select.poll()
    for descriptor in (bell, *others):
        poll.register(descriptor, select.POLLIN)
    ready = {descriptor for descriptor, _ in poll.poll(None if seconds is None else seconds * 1000)}
    if bell in ready:
        os.read(bell, 4096)
    return ready


def _start(
    argv: list[bytes], environment: dict[bytes, bytes], lifeline: int, folder: int, blocked: set[int]
) -> int:
    os.set_inheritable(lifeline, False)
    os.fchdir(folder)
    os.close(folder)
    keeper = os.getpid()
    program = os.fork()
    if program:
        return program
    os.setsid()
    _control(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != keeper:
        os._exit(1)
    for ignored in USUAL:
        signal.signal(ignored, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    try:
        os.execvpe(argv[0], argv, environment)
    except OSError as error:
        os.write(2, b"%s: %s\n" % (argv[0], (error.strerror or "").encode()))
        os._exit(127 if error.errno == errno.ENOENT else 126)


class ProcessTree:
    """Every process below this one. `status` is that of the program, once it ended (-N: signal N)."""

    def __init__(self, program: int) -> None:
        self._program = program
        self.status: int | None = None

    def reap(self) -> bool:
        """Take note of who ended; whether anybody is left."""
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if process == 0:
                return True
            if process == self._program:
                self.status = os.waitstatus_to_exitcode(status)

    def settle(self, bell: int) -> bool:
        """Wait a moment for those that are ending anyway, as the first process of a sandbox is.

        **Returns** whether anybody is left. To look for them among all processes takes longer than they do.
        """
        until = time.monotonic() + SETTLING
        while (is_left := self.reap()) and (now := time.monotonic()) < until:
            _wait(until - now, bell)
        return is_left

    def end(self, bell: int) -> None:
        """Ask all to end, kill those that do not, until none is left but those that the kernel holds."""
        asked_until = time.monotonic() + GRACE
        if self.reap():
            self._signal(signal.SIGTERM)
        while self.reap() and (now := time.monotonic()) < asked_until:
            _wait(asked_until - now, bell)
        killed, give_up_at = set[int](), time.monotonic() + GIVE_UP
        while self.reap() and time.monotonic() < give_up_at:
            if self.status is None:
                _send(-self._program, signal.SIGKILL)  # its whole group at once: most fork bombs end here
            left = self._signal(signal.SIGKILL)
            if not killed.issuperset(left):  # a dying parent had forked: again, however long it takes
                killed.update(left)
                give_up_at = time.monotonic() + GIVE_UP
            _wait(0.01, bell)

    def _signal(self, number: int) -> list[int]:
        processes = _descendants(os.getpid()) or [-self._program]
        for process in processes:
            _send(process, number)
        return processes


def _send(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except (ProcessLookupError, PermissionError):
        return


def _descendants(ancestor: int) -> list[int]:
    """Return the processes below `ancestor`, parents first; none where there is no `/proc`."""
    children: dict[int, list[int]] = {}
    for process in _all_processes():
        if status := _status_of(process):
            parent = int(status.rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(process)
    found = list(children.get(ancestor, ()))
    for process in found:
        found += children.get(process, ())
    return found


def _all_processes() -> list[int]:
    try:
        with os.scandir("/proc") as entries:
            return [int(entry.name) for entry in entries if entry.name.isdigit()]
    except FileNotFoundError:
        return []


def _status_of(process: int) -> bytes:
    """Return the kernel's status of a process, "" when it is gone."""
    try:
        handle = os.open(f"/proc/{process}/stat", os.O_RDONLY)
    except FileNotFoundError:
        return b""
    try:
        return os.read(handle, 4096)
    except ProcessLookupError:
        return b""
    finally:
        os.close(handle)


def _leave(status: int) -> None:
    if status < 0:
        import resource  # noqa: PLC0415 - seldom does a signal end a program

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.set_wakeup_fd(-1)
        if -status not in {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status if status >= 0 else 128 - status)

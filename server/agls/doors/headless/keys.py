"""`agls key`: store an API key for a host, list the hosts that have one, remove it."""

import argparse
import getpass
import sys

from agls.config import ConfigError, ConfigInputs, KeyFile, StoredKeys, read
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.listing import table
from agls.doors.headless.open_session import folder
from agls.doors.headless.streams import write, write_stderr
from agls.views.escape import escape_controls
from agls.workspace.redact import harden

LONGEST = 10_000  # characters
NO_KEYRING = (
    "There is no keyring here (pip install 'agls[keyring]', and a desktop's or the system's keyring)."
)


def key(arguments: argparse.Namespace) -> int:
    """Follow `agls key set`, `list` and `remove`."""
    harden()
    here = folder(".")
    try:
        setup = read(ConfigInputs(), here, lambda _: False)
        stored = KeyCommands(StoredKeys(setup, here))
        match arguments.command:
            case "key set":
                return stored.set(arguments.host, arguments.place)
            case "key remove":
                return stored.remove(arguments.host)
            case _:
                return stored.list()
    except OSError as problem:
        raise CannotBegin(f"the key cannot be stored: {problem}", "configInvalid", Exit.FAILED) from problem


class KeyCommands:
    """The commands on the keys of this user, which are in the keyring or in a file."""

    def __init__(self, stored: StoredKeys) -> None:
        self._stored = stored

    def set(self, name: str, place: str) -> int:
        """Ask for the key of a host and store it: in the keyring where there is one.

        **Raises** `CannotBegin`.
        """
        host = self.host(name)
        if place == "keyring" and not self._stored.keyring.usable:
            raise CannotBegin(NO_KEYRING, "usage")
        where = self._stored.set(host, _entered(host), place)
        at = f" ({where.file})" if isinstance(where, KeyFile) else ""
        name = escape_controls(host)
        write_stderr(f"The key for {name} is kept in {where.name}{at}. It is sent to that host only.\n")
        return Exit.DONE

    def remove(self, name: str) -> int:
        """Remove the key of a host from every place. **Raises** `CannotBegin`."""
        host = self.host(name)
        if not self._stored.remove(host):
            raise CannotBegin(f"No key is stored for {host}. See: agls key list", "usage", Exit.FAILED)
        name = escape_controls(host)
        write_stderr(f"The key for {name} was deleted.\n")
        return Exit.DONE

    def list(self) -> int:
        """Write for which hosts a key is kept, and where; never the key."""
        if rows := self._stored.rows():
            write(table([("HOST", "KEPT IN"), *rows]))
        else:
            write_stderr("No key is stored. Store one: agls key set HOST\n")
        return Exit.DONE

    def host(self, name: str) -> str:
        """Return the host that a name stands for. **Raises** `CannotBegin`."""
        try:
            return self._stored.host(name)
        except ConfigError as problem:
            raise CannotBegin(str(problem), "usage") from None


def _entered(host: str) -> str:
    """Read the key from the terminal, unseen, or from standard input.

    Never from arguments, which all can see.
    """
    try:
        given = (
            getpass.getpass(f"API key for {host}: ") if sys.stdin.isatty() else sys.stdin.read(LONGEST + 1)
        )
    except (EOFError, KeyboardInterrupt):
        raise CannotBegin("No key was entered; nothing was changed.", "cancelled", Exit.CANCELLED) from None
    entered = given.strip()
    if not entered or len(entered) > LONGEST:
        raise CannotBegin("No key was entered; nothing was changed.", "usage")
    if not (entered.isascii() and entered.isprintable()) or " " in entered:
        raise CannotBegin("A key is one line of letters, digits and signs; nothing was changed.", "usage")
    return entered

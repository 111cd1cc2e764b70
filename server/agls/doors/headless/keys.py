"""`agls key`: store an API key for a host, list the hosts that have one, remove it."""

import argparse
import getpass
import sys
from collections.abc import Sequence
from pathlib import Path

from agls.config import ConfigError, ConfigInputs, KeyFile, Keyring, Setup, offered_models, read
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.listing import table
from agls.doors.headless.open_session import folder
from agls.doors.headless.streams import tell, write
from agls.models.catalog.providers import PROVIDERS
from agls.models.endpoint import Endpoint, host_of
from agls.views.escape import escape_controls
from agls.workspace.redact import harden

LONGEST = 10_000  # characters
NO_KEYRING = (
    "There is no keyring here (pip install 'agls[keyring]', and a desktop's or the system's keyring)."
)
LOCAL = "A server on this machine gets a key only from a variable: api_key_env in [models.NAME]."
UNKNOWN = "{!r} is no host, provider ({}) or configured model ({})."


def key(arguments: argparse.Namespace) -> int:
    """Follow `agls key set`, `list` and `remove`."""
    harden()
    here = folder(".")
    try:
        setup = read(ConfigInputs(), here, lambda _: False)
        stored = KeyCommands(setup, _models(setup, here))
        match arguments.command:
            case "key set":
                return stored.set(arguments.host, arguments.place)
            case "key remove":
                return stored.remove(arguments.host)
            case _:
                return stored.list()
    except OSError as problem:
        raise CannotBegin(f"the key cannot be kept: {problem}", "configInvalid", Exit.FAILED) from problem


class KeyCommands:
    """The commands on the keys of this user, which are in the keyring or in a file."""

    def __init__(self, setup: Setup, models: Sequence[Endpoint]) -> None:
        self._models = models
        self._keyring = Keyring()
        self._file = KeyFile(setup.state_folder)

    def set(self, name: str, place: str) -> int:
        """Ask for the key of a host and store it: in the keyring where there is one.

        **Raises** `CannotBegin`.
        """
        host = self.host(name)
        if place == "keyring" and not self._keyring.usable:
            raise CannotBegin(NO_KEYRING, "usage")
        where = self._keyring if self._keyring.usable and place != "file" else self._file
        where.set(host, _entered(host))
        at = f" ({self._file.file})" if where is self._file else ""
        name = escape_controls(host)
        tell(f"The key for {name} is kept in {where.name}{at}. It is sent to that host only.\n")
        return Exit.DONE

    def remove(self, name: str) -> int:
        """Remove the key of a host from every place. **Raises** `CannotBegin`."""
        host = self.host(name)
        if not [place for place in (self._keyring, self._file) if place.remove(host)]:
            raise CannotBegin(f"No key is kept for {host}. See: agls key list", "usage", Exit.FAILED)
        name = escape_controls(host)
        tell(f"The key for {name} is forgotten.\n")
        return Exit.DONE

    def list(self) -> int:
        """Write for which hosts a key is kept, and where; never the key."""
        filed = self._file.read()
        hosts = [*filed, *(e.host for e in self._models), *(host_of(p.base_url) for p in PROVIDERS)]
        rows = [
            (host, place.name)
            for host in dict.fromkeys(filter(None, hosts))
            for place, has in ((self._keyring, self._keyring.get(host)), (self._file, filed.get(host)))
            if has
        ]
        if rows:
            write(table([("HOST", "KEPT IN"), *rows]))
        else:
            tell("No key is kept. Keep one: agls key set HOST\n")
        return Exit.DONE

    def host(self, name: str) -> str:
        """Return the host of a provider, a configured model, an address or a host's name."""
        known = {provider.name: provider.base_url for provider in PROVIDERS}
        known |= {endpoint.name: endpoint.base_url for endpoint in self._models if endpoint.base_url}
        host = host_of(known.get(name, name if "://" in name else f"https://{name}" if "." in name else ""))
        if not host and name != "localhost":
            providers = ", ".join(provider.name for provider in PROVIDERS)
            names = ", ".join(endpoint.name for endpoint in self._models) or "none"
            raise CannotBegin(UNKNOWN.format(name[:100], providers, names), "usage")
        if Endpoint(name="", base_url=f"https://{host or name}").is_local:
            raise CannotBegin(LOCAL, "usage")
        return host


def _models(setup: Setup, here: str) -> Sequence[Endpoint]:
    """Return the configured models; none where the configuration is wrong: it does not matter here."""
    try:
        return offered_models(setup, setup.load(str(Path(here))), complete=False).endpoints
    except ConfigError:
        return ()


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

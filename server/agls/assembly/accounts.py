"""What the user keeps for all folders: the ports `KeptKeys` and `TrustedFolders`."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from agls.assembly.services import RunServices
from agls.config import ConfigError, Setup, StoredKeys
from agls.engine.actions import ActionError

Found = TypeVar("Found")


class UserKeys:
    """Implements `KeptKeys`."""

    def __init__(self, run: RunServices) -> None:
        self._setup, self._folder = run.setup, run.folder.root

    @cached_property
    def _stored(self) -> StoredKeys:
        return StoredKeys(self._setup, self._folder)

    def rows(self) -> Sequence[tuple[str, str]]:
        """**Returns** the hosts with a key, and where it is kept. **Raises** `ActionError`."""
        return _as_action_error(self._stored.rows)

    def known(self) -> Mapping[str, str]:
        """**Returns** the addresses of providers and models, by their names."""
        return self._stored.known

    def host(self, name: str) -> str:
        """**Returns** the host that a name stands for. **Raises** `ActionError`."""
        return _as_action_error(lambda: self._stored.host(name))

    def remove(self, host: str) -> bool:
        """Forget a key. **Returns** whether there was one. **Raises** `ActionError`."""
        return _as_action_error(lambda: self._stored.remove(host))


class UserTrust:
    """Implements `TrustedFolders`."""

    def __init__(self, run: RunServices) -> None:
        self._setup: Setup = run.setup
        self._servers = run.process.mcp_servers

    def all(self) -> Sequence[str]:
        """**Returns** the folders that are trusted from now on."""
        return self._setup.trust.folders()

    def trusts(self, folder: str) -> bool:
        """**Returns** whether this folder is trusted."""
        return self._setup.trusts_folder(folder)

    def forget(self, folder: str) -> bool:
        """Take trust back. **Returns** whether there was any. **Raises** `ActionError`."""
        return _as_action_error(lambda: self._setup.trust.forget(Path(folder).expanduser()))

    def end_servers(self, folder: str) -> None:
        """End the MCP servers that a folder offers, and those below that are not trusted by themselves."""
        real = Path(folder).expanduser().resolve()

        def is_meant(scope: str) -> bool:
            inside = Path(scope).resolve().is_relative_to(real) and not self._setup.trusts_folder(scope)
            return inside or scope.startswith(f"{folder} ")  # that of an agent which the folder defines

        self._servers().revoke(is_meant)


def _as_action_error(work: Callable[[], Found]) -> Found:
    """Return the result of the work. **Raises** `ActionError` where the configuration or the disk refuses."""
    try:
        return work()
    except ConfigError as problem:
        raise ActionError(str(problem)) from None
    except OSError as problem:
        raise ActionError(f"That cannot be kept: {problem}") from problem

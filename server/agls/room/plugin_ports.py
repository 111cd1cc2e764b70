"""The port for the plugins that the user installed. The assembly implements it."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from agls.frozen import frozen


@frozen
class InstalledPlugin:
    """An installed plugin: where it came from, the digest of its files, whether it `is_on`.

    `problem` says why it cannot be used ("": it can), `remarks` what is wrong with it all the same, `unused`
    what it has that is of no use here, and `missing` which of its options need a value.
    """

    name: str
    source: str
    digest: str
    is_on: bool
    version: str = ""
    description: str = ""
    problem: str = ""
    remarks: Sequence[str] = ()
    unused: Sequence[str] = ()
    missing: Sequence[str] = ()


class PluginShelf(Protocol):
    """The plugins that the user installed; all look at the disk.

    `all` **returns** them by name, `powers` what one brings, line by line. `switch` and `remove` raise
    `ActionError` for one that is not there. They count from the next run on.
    """

    def all(self) -> Sequence[InstalledPlugin]: ...
    def powers(self, name: str) -> Sequence[str]: ...
    def switch(self, name: str, *, on: bool, values: Mapping[str, str]) -> None: ...
    def remove(self, name: str) -> None: ...

"""The ports to what the user wants models to know in every session."""

from collections.abc import Callable, Sequence
from typing import Protocol

from agls.frozen import frozen

LONGEST_ENTRY = 500  # characters of an entry that agls writes; files may have longer ones


class MemoryFile(Protocol):
    """A file of Markdown in which the user keeps what models shall remember.

    `read` **returns** its text, "" where there is none. `change` replaces it by what a function makes of it,
    while no other process does. Both raise `OSError`.
    """

    @property
    def path(self) -> str: ...
    def read(self) -> str: ...
    def change(self, edit: Callable[[str], str]) -> None: ...


@frozen
class MemoryFiles:
    """The user's files for everything and for the project of this run, which is in `folder`.

    `own` is the file of the run's agent, where it has one.
    """

    user: MemoryFile
    project: MemoryFile
    folder: str
    own: Sequence[MemoryFile] = ()

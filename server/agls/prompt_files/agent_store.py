"""The port to the files of agents."""

from collections.abc import Sequence
from typing import Protocol

from agls.prompt_files.found_agents import FoundAgent


class AgentStore(Protocol):
    """The files of agents that count in the folder of a session.

    `found` **returns** all, in their order. `write` makes a file of the user's or the project's, `replace`
    puts another text into one, `remove` deletes one. These **return** its path and raise `ActionError`.
    """

    def found(self) -> Sequence[FoundAgent]: ...
    def write(self, name: str, text: str, *, project: bool) -> str: ...
    def replace(self, path: str, text: str) -> str: ...
    def remove(self, path: str) -> str: ...

"""What users gave for the inputs of MCP servers' files: the port `GivenInputs`."""

from collections.abc import Mapping

from agls.config import ConfigError, InputValues
from agls.frozen import frozen
from agls.room.mcp_ports import InputNotKept


@frozen
class SessionInputs:
    """Implements `GivenInputs` for a session and those that work for it."""

    values: InputValues
    declined: set[tuple[str, str, str]]
    session_id: str

    def read(self, folder: str) -> Mapping[str, str]:
        """**Returns** the values for a folder, by the names of the inputs."""
        return self.values.read(folder)

    def keep(self, folder: str, name: str, value: str, *, secret: bool) -> None:
        """Keep a value. **Raises** `InputNotKept`."""
        try:
            self.values.keep(folder, name, value, secret=secret)
        except (ConfigError, OSError) as problem:
            raise InputNotKept(str(problem)) from None

    def forget(self, folder: str, name: str) -> bool:
        """Forget a value, and whether it was declined. **Raises** `InputNotKept`."""
        self.declined.discard((self.session_id, folder, name))
        try:
            return self.values.forget(folder, name)
        except (ConfigError, OSError) as problem:
            raise InputNotKept(str(problem)) from None

    def decline(self, folder: str, name: str) -> None:
        """Remember that the user was asked, and gave nothing."""
        self.declined.add((self.session_id, folder, name))

    def is_declined(self, folder: str, name: str) -> bool:
        """**Returns** whether that was in this session."""
        return (self.session_id, folder, name) in self.declined

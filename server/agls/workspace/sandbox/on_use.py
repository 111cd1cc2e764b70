"""The sandboxes of a process, made with the first command: a session begins without them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agls.workspace.sandbox.backend import Sandboxes


class SandboxesOnUse:
    """Makes them; what is taken back is kept in `folder`."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._made: Sandboxes | None = None

    def get(self) -> "Sandboxes":
        """Return the sandboxes, the same each time."""
        if self._made is None:
            from agls.workspace.sandbox.backend import Sandboxes  # noqa: PLC0415 - see above

            self._made = Sandboxes(self._folder)
        return self._made

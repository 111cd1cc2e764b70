"""A file of the workspace that holds no text."""

from agls.engine.ports import WorkspaceError


class NotText(WorkspaceError):
    """The file was read and holds no text. `data` are its bytes, `shown` is its path as people read it."""

    def __init__(self, message: str, data: bytes, shown: str) -> None:
        super().__init__(message)
        self.data, self.shown = data, shown


class LargeFile(WorkspaceError):
    """The file is too large to be read whole; a part of it may be."""

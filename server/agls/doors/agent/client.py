"""The client, as far as the agent protocol uses its capabilities."""

from collections.abc import Sequence
from typing import Any, NamedTuple


class ClientCapabilities(NamedTuple):
    """The client's capabilities as far as they are used; absent means unsupported (protocol#initialize)."""

    name: str = ""
    process_id: int | None = None
    encoding: str = "utf-16"
    version: int | None = None  # of the agent protocol; `None` is plain mode
    events: bool = False
    excluded: frozenset[str] = frozenset()
    interval: float = 0.0  # seconds between two deltas
    largest: int = 0  # bytes of one event, 0 for what the server chooses
    permission: bool = False
    remembers: bool = False  # its dialog offers answers that hold for longer than once
    edits_input: bool = False  # its user can change what a call would do
    confirms: bool = False  # its user takes single changes of an edit and leaves others
    forms: bool = False
    urls: bool = False  # it opens addresses, and says when its user is done there
    by_events: bool = False  # it reads questions in the events, and answers each with agent/respond
    message_requests: bool = False
    progress: bool = False
    show_document: bool = False
    virtual_documents: bool = False
    document_changes: bool = False
    saves: bool = False
    file_events: bool = False
    secrets: bool = False
    diagnostics: bool = False
    code_query: bool = False  # it asks its language servers for us
    language_models: bool = False  # it asks models of its own for us
    notebooks: bool = False  # it shows and changes the notebooks that it has open
    followed: bool = False  # its user wants to see where the agent works
    action_literals: bool = False
    disabled_actions: bool = False
    tools: Sequence[Any] = ()  # as the client describes them

    @property
    def can_answer(self) -> bool:
        """Whether a question can be put to somebody through this client."""
        return self.permission or self.forms or self.message_requests or self.by_events or self.plain

    def hears(self, type: str) -> bool:
        """Return whether the client wants events of this type."""
        return self.events and type not in self.excluded

    @property
    def follows(self) -> bool:
        """Whether its user is shown where the agent works."""
        return self.followed and self.show_document

    @property
    def plain(self) -> bool:
        """Whether the client knows only LSP: its user answers by commands if by nothing else."""
        return self.version is None

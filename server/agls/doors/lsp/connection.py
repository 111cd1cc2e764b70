"""A connection to an LSP client: with its open documents, and with what it sees of each session."""

from contextlib import suppress
from weakref import WeakValueDictionary

from agls.doors.agent.attached import Role
from agls.doors.agent.connection import Connection
from agls.doors.agent.peer import Peer
from agls.doors.agent.world import WorldPort
from agls.doors.lsp.opening import Opening
from agls.doors.lsp.plain.presenter import LspPresenter
from agls.engine.ports import WorkspaceError
from agls.engine.session import Session
from agls.workspace.editor import Buffer, Editor


class LspConnection(Connection):
    """The connection of one LSP client."""

    def __init__(self, world: WorldPort, peer: Peer, editor: Editor, opening: Opening) -> None:
        self._editor = editor
        self._presenters = WeakValueDictionary[str, LspPresenter]()  # kept by what is attached
        super().__init__(world, peer, opening.folder, opening.options)

    def present(self, session: Session, role: Role) -> LspPresenter:
        """Return what shows this session as progress, messages and transcript."""
        presenter = LspPresenter(session, role, self.peer)
        self._presenters[session.session_id] = presenter
        return presenter

    def presenter(self, session_id: str) -> LspPresenter:
        """Return the presenter of an attached session."""
        return self._presenters[session_id]

    def buffer(self, uri: str) -> Buffer | None:
        """Return the open document with this URI, if its text is known."""
        with suppress(WorkspaceError):
            return self._editor.buffer(uri)
        return None

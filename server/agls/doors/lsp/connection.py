"""A connection to an LSP client: with its open documents, and with what it sees of each session."""

from contextlib import suppress
from weakref import WeakValueDictionary

from agls.doors.agent.attached import Role
from agls.doors.agent.connection import Connection
from agls.doors.agent.peer import Peer
from agls.doors.agent.world import WorldPort
from agls.doors.lsp.editor import LspEditor
from agls.doors.lsp.opening import Opening
from agls.doors.lsp.plain.presenter import LspPresenter
from agls.engine.ports import WorkspaceError
from agls.engine.session import Session
from agls.workspace.editor import Buffer

PROMPT = "agls-prompt"  # the language of documents that are prompts, and the scheme of their addresses
PROMPTS = f"{PROMPT}:"


class LspConnection(Connection):
    """The connection of one LSP client."""

    def __init__(self, world: WorldPort, peer: Peer, editor: LspEditor, opening: Opening) -> None:
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

    def prompt(self, uri: str) -> str | None:
        """Return the text of a document that is a prompt, `None` for any other."""
        buffer = self.buffer(uri)
        is_prompt = buffer and (uri.startswith(PROMPTS) or self._editor.language(uri) == PROMPT)
        return buffer.text if buffer and is_prompt else None

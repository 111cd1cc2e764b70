"""What an LSP client sees of a session beside its events: progress, messages, the transcript."""

from collections.abc import Sequence

from agls.doors.agent.asking import Way
from agls.doors.agent.attached import Role
from agls.doors.agent.peer import Peer
from agls.doors.lsp.plain import questions
from agls.doors.lsp.plain.progress import NoProgress, ProgressReporter
from agls.doors.lsp.plain.transcript import TranscriptPage, VirtualPage, virtual_uri
from agls.doors.messages import JsonObject
from agls.engine.facts import Asked
from agls.engine.session import Session
from agls.engine.vocabulary import Question


class LspPresenter:
    """Implements `Presenter` for one session of an LSP client."""

    def __init__(self, session: Session, role: Role, peer: Peer) -> None:
        self._peer = peer
        self._client = client = peer.client
        self._progress = (NoProgress if role == "child" else ProgressReporter)(peer, client)
        self.transcript = TranscriptPage()
        self.page = VirtualPage(peer, virtual_uri(session.session_id))

    def give_token(self, run_id: str, token: object) -> None:
        """Report this run's progress under the client's own token."""
        self._progress.give(run_id, token)

    def run_of(self, token: object) -> str:
        """Return the run that reports under this token, "" for none."""
        return self._progress.run_of(token)

    def report(self, events: Sequence[JsonObject]) -> None:
        """Report the progress of runs, and to a client without events what it would learn from them."""
        self._progress.show(events)

    def record(self, events: Sequence[JsonObject], *, attached: bool) -> str:
        """Keep the transcript up to date. **Returns** why that is not possible any more, "" when it is."""
        problem = self.transcript.take(events)
        if attached and self._client.virtual_documents:
            self.page.take(events)
        return problem

    def way(self, question: Question) -> Way | None:
        """Return how the question is put to the client by a message with buttons, if it has them."""
        return questions.way(self._client, question)

    def announce(self, asked: Asked) -> bool:
        """Say in a message by which command the question is answered."""
        return questions.announce(self._peer, self._client, asked)

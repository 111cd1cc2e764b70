"""The questions a session has put to its human, from asking to the one answer that counts."""

import asyncio
from dataclasses import replace

from agls.engine.facts import Answered, Asked
from agls.engine.log import Log
from agls.engine.ports import new_id
from agls.engine.vocabulary import Answer, Question

UNANSWERED = Answer("unanswered", feedback="Nobody was there to answer.")
WITHDRAWN = Answer("cancelled", feedback="The question was withdrawn.")


class Questions:
    """Implements `Asker`. Doors say with `attend` that somebody can answer, and answer with `answer`."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._open: dict[str, asyncio.Future[Answer]] = {}
        self._secret: set[str] = set()  # open ones with answers that no fact has
        self._attending = self._reading_forms = 0

    @property
    def available(self) -> bool:
        """Whether anybody could answer now."""
        return self._attending > 0

    @property
    def takes_forms(self) -> bool:
        """Whether anybody could fill in a form now."""
        return self._reading_forms > 0

    def attend(self, present: bool, *, forms: bool = True) -> None:
        """Count one more door with a human behind it, or one less; `forms`: it can show those.

        The last to leave ends the waiting.
        """
        self._attending += 1 if present else -1
        self._reading_forms += (1 if present else -1) if forms else 0
        if not self.available:
            for request_id in list(self._open):
                self.answer(request_id, UNANSWERED)

    async def ask(self, question: Question) -> Answer:
        """Put the question and wait for its answer. Cancelling the wait withdraws the question."""
        request_id = new_id("ask")
        future = asyncio.get_running_loop().create_future()
        self._open[request_id] = future
        if question.is_secret:
            self._secret.add(request_id)
        self._log.record(Asked(request_id, question))
        try:
            if not self.available:
                self.answer(request_id, UNANSWERED)
            return await future
        finally:
            self.answer(request_id, WITHDRAWN)

    def answer(self, request_id: str, answer: Answer) -> bool:
        """Answer an open question. **Returns** False when it is not open (any more)."""
        future = self._open.pop(request_id, None)
        if future is None:
            return False
        is_secret = request_id in self._secret
        self._secret.discard(request_id)
        self._log.record(Answered(request_id, replace(answer, content={}) if is_secret else answer))
        if not future.done():
            future.set_result(answer)
        return True

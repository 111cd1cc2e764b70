"""Somebody who can be asked."""

from agls.engine.vocabulary import Answer, Question


class FakeUser:
    """Implements `Asker`: gives one answer to everything and remembers what it was asked."""

    def __init__(self, answer: Answer, *, available: bool = True) -> None:
        self.answer, self.available, self.takes_forms = answer, available, available
        self.asked: list[Question] = []

    async def ask(self, question: Question) -> Answer:
        """Answer."""
        self.asked.append(question)
        return self.answer

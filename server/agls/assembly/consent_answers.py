"""Answers about offers that are not kept with the consents: a no, and a yes for once."""

from agls.frozen import frozen
from agls.room.offers import Offer

UNBIDDEN = frozenset({"hook", "server"})  # they come up by themselves in each run


@frozen
class OnceAnswered:
    """An answer that is not kept: to an offer with which digest, in which run, and whether it was yes."""

    digest: str
    run_id: str
    is_yes: bool


class SessionAnswers:
    """What users answered in the sessions of this process, by session, kind and name."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str, str], OnceAnswered] = {}

    def give(self, session_id: str, offer: Offer, answer: OnceAnswered) -> None:
        """Remember an answer."""
        if offer.kind in UNBIDDEN:
            self._answers[session_id, offer.kind, offer.name] = answer

    def of(self, session_id: str, offer: Offer, digest: str, run_id: str) -> bool | None:
        """**Returns** what was answered for exactly this, `None` for nothing; a yes holds for its run."""
        known = self._answers.get((session_id, offer.kind, offer.name))
        if known is None or known.digest != digest or (known.is_yes and run_id not in {"", known.run_id}):
            return None
        return known.is_yes

"""What a session answers when it is asked to do something: admitted, cancelled, or refused."""

from typing import Literal

from aglet.engine.facts import Admitted, Steered
from aglet.engine.vocabulary import Content
from aglet.frozen import frozen

Policy = Literal["ifIdle", "queue", "steer", "interrupt"]
Queued = Literal["keep", "drop"]  # what becomes of the runs that wait when one is cancelled
IfEnded = Literal["run", "queue", "return"]
REQUESTS = "requests"  # whose notes say which requests were followed


class Refused(Exception):
    """A session cannot do this now. `kind` is the wire's name for why, `run_id` the run in the way."""

    def __init__(self, message: str, kind: str, run_id: str = "") -> None:
        super().__init__(message)
        self.kind, self.run_id = kind, run_id


class KeyConflict(Refused):
    """The same `clientKey` for another request."""

    def __init__(self) -> None:
        super().__init__("This clientKey was used for another request. Use a new one.", "keyConflict")


@frozen
class Request:
    """What a client wants to be done once: its `key` ("" for none), and a digest of all it `asked`."""

    key: str = ""
    asked: str = ""


ANYBODY = Request()


@frozen
class Admission:
    """What became of a prompt. `item_id` is the user's message; `returned` means nothing was done."""

    outcome: Literal["started", "queued", "injected", "returned"]
    run_id: str = ""
    item_id: str = ""


@frozen
class Cancelled:
    """What a cancel reached, and which waiting runs it kept or dropped."""

    state: Literal["cancelling", "notRunning", "alreadyEnded"]
    run_id: str = ""
    kept: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def same_again(known: Admitted | Steered, content: tuple[Content, ...]) -> Admission:
    """The answer to a request that was already followed. Raises `Refused` when it asks for something else."""
    if known.content != content:
        raise KeyConflict
    outcome = "injected" if isinstance(known, Steered) else "queued"
    return Admission(outcome, known.run_id, known.item_id)

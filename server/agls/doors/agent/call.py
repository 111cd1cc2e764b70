"""One request of the client while it is followed."""

from collections.abc import Awaitable, Callable
from contextlib import ExitStack

from agls.doors.messages import RequestId
from agls.engine.vocabulary import BY_USER


class Call:
    """A request. What is entered into `until_answered` is left when its answer was written.

    An `ordered` answer takes its place behind the events that wait; others may overtake them.
    `interruptible` is true while nothing would be lost if the work stopped here; a cancel that comes
    at another time only sets `cancelled`, and a run that it begins all the same ends with `stop`. `token` is
    the client's `workDoneToken`. `behind` is work that begins when the answer was written: a client may be
    unable to do anything before.
    """

    def __init__(self, id: RequestId, token: object = None) -> None:
        self.id, self.token = id, token
        self.ordered = False
        self.interruptible = False
        self.cancelled, self.stop = False, BY_USER
        self.until_answered = ExitStack()
        self.behind: Callable[[], Awaitable[None]] | None = None

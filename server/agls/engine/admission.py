"""The answers of a session to a request: admitted, cancelled, or refused."""

import asyncio
from collections.abc import Iterable
from typing import Any, Literal

from agls.engine.facts import Admitted
from agls.engine.log import Log
from agls.engine.ports import JournalError
from agls.engine.vocabulary import Content, JsonObject, Stop
from agls.frozen import frozen

Policy = Literal["ifIdle", "queue", "steer", "interrupt"]
Queued = Literal["keep", "drop"]  # the runs that wait when one is cancelled
IfEnded = Literal["run", "queue", "return"]
REQUESTS = "requests"  # whose notes say which requests were followed
NOT_BEGUN = "The session was closed before this run began. It waits there, and begins with the next prompt."


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
class ClientRequest:
    """A request that must be carried out once: its `key` ("" for none), and a digest of all it `asked`."""

    key: str = ""
    asked: str = ""


ANYBODY = ClientRequest()


@frozen
class Prompter:
    """The sender of a prompt.

    The run of one that is `gone` (why) never begins. One that `waits` for the end of the run gets the
    admission before it is durable: the end is durable with all before it.
    """

    gone: Stop | None = None
    waits: bool = False


SOMEBODY = Prompter()


@frozen
class Admission:
    """The outcome of a prompt. `item_id` is the user's message; `returned` means that nothing was done."""

    outcome: Literal["started", "queued", "injected", "returned"] = "returned"
    run_id: str = ""
    item_id: str = ""


@frozen
class Cancelled:
    """The run that a cancel reached, and which waiting runs it kept or dropped."""

    state: Literal["cancelling", "notRunning", "alreadyEnded"]
    run_id: str = ""
    kept: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


async def same_again(
    log: Log, key: str, content: tuple[Content, ...], options: JsonObject, *, continues: bool = False
) -> Admission:
    """Return the answer to a request that was carried out before: durable, as it was.

    **Raises** `Refused` (`keyConflict`) when the key was used for another request.
    """
    known, waited = log.state.keys[key]
    began = isinstance(known, Admitted)
    if known.content != content or (began and (known.options, bool(known.recovers)) != (options, continues)):
        raise KeyConflict
    await log.sync()
    outcome = "injected" if not began else "queued" if waited else "started"
    return Admission(outcome, known.run_id, known.item_id)


def fail(ends: Iterable[asyncio.Future[Any]], problem: JournalError | None = None) -> None:
    """Release everybody who waits for these runs: their ends will not be seen here."""
    for end in ends:
        if not end.done():
            end.set_exception(problem or JournalError(NOT_BEGUN))
            end.exception()  # whether or not anybody waits for it

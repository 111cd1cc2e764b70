"""What a request of a room used is recorded once, whether it is answered, fails, or is given up."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import pytest

from agls.engine.facts import ModelDelta, Replied, Retrying, TextDelta, Used
from agls.engine.ports import AnswerCancelled, JournalError, ModelError, ModelRequest, Reply
from agls.engine.vocabulary import Usage
from agls.room.metered_request import metered
from support.scenario import FakeModel

PART = Usage(100, 3, estimated=True)
WHOLE = Replied("item", "Yes.", usage=Usage(120, 9), cost=0.5)
Ending = Callable[[], AsyncGenerator[ModelDelta | Reply]]


async def answered() -> AsyncGenerator[ModelDelta | Reply]:
    yield Retrying(1, 0.0, "It broke off.", PART, 0.25)
    yield WHOLE


async def failed() -> AsyncGenerator[ModelDelta | Reply]:
    yield TextDelta("item", "half")
    problem = ModelError("It broke off.", kind="network")
    problem.usage, problem.cost = PART, 0.25
    raise problem


async def hanging() -> AsyncGenerator[ModelDelta | Reply]:
    yield TextDelta("item", "half")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        raise AnswerCancelled(PART, 0.25) from None


async def unanswered() -> AsyncGenerator[ModelDelta | Reply]:
    yield Retrying(1, 0.0, "There is no connection.")
    raise ModelError("There is no connection.", kind="network")


class EndingModel(FakeModel):
    """Answers each request in one way."""

    def __init__(self, ending: Ending) -> None:
        super().__init__([])
        self._ending = ending

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta | Reply]:
        return self._ending()


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize(
    ("ending", "error", "spent"),
    [
        (answered, None, [(PART, 0.25), (WHOLE.usage, 0.5)]),
        (failed, ModelError, [(PART, 0.25)]),
        (hanging, TimeoutError, [(PART, 0.25)]),
        (unanswered, ModelError, []),
    ],
)
async def test_use_of_a_request_counts_however_it_ends(
    ending: Ending, error: type[Exception] | None, spent: list[tuple[Usage, float]], closed: bool
) -> None:
    """A session that was closed meanwhile records nothing, and the end of the request stays what it was."""
    recorded: list[Used] = []

    def spend(used: Used) -> None:
        if closed and ending is not answered:
            raise JournalError("The session is closed.")
        recorded.append(used)

    async def ask() -> None:
        request = ModelRequest("item", "", ())
        async with (
            asyncio.timeout(0.05),
            aclosing(metered(EndingModel(ending), request, "room", spend)) as parts,
        ):
            async for part in parts:
                if part is WHOLE:
                    return

    if error:
        with pytest.raises(error):
            await ask()
    else:
        await ask()
    expected = (
        [] if closed and ending is not answered else [Used("room", usage, cost) for usage, cost in spent]
    )
    assert recorded == expected

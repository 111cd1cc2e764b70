"""Works side by side: their results in order, and none left behind."""

import asyncio

import pytest

from agls.engine.together import together


async def test_results_stand_in_the_order_of_the_works() -> None:
    ready = asyncio.Event()

    async def first() -> str:
        await ready.wait()
        return "first"

    async def second() -> str:
        ready.set()
        return "second"

    assert await together([first(), second()]) == ["first", "second"]


async def test_failure_of_one_cancels_the_others() -> None:
    over: list[str] = []

    async def waits() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            over.append("cancelled")

    async def fails() -> None:
        raise ValueError("broken")

    with pytest.raises(ExceptionGroup):
        await together([waits(), fails()])
    assert over == ["cancelled"]

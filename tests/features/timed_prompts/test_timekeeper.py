"""One prompt at its times, with a clock that nobody waits for and a session that ends runs as it is told."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from agls.engine.actions import ActionError
from agls.engine.facts import Admitted, Entry, Fact, RunEnded
from agls.engine.state import State, fold
from agls.engine.vocabulary import Stop, StopReason, Text, ToolOutcome
from agls.features.timed_prompts.settings import Settings
from agls.features.timed_prompts.timekeeper import SessionWatch, TimedPrompt, Timekeeper
from agls.room.session_ports import Observer

START = 1_764_417_600.0


class Desk:
    """A session and its clock: `ends` are the ends of its runs, each of which takes a minute."""

    def __init__(self, ends: Sequence[StopReason | str]) -> None:
        self.time, self.state = START, State()
        self.begun: list[float] = []
        self.said: list[str] = []
        self._ends, self._observers = list(ends), list[Observer]()

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += seconds
        await asyncio.sleep(0)

    def watch(self, observer: Observer) -> Callable[[], None]:
        self._observers.append(observer)
        return lambda: self._observers.remove(observer)

    def record(self, fact: Fact) -> None:
        entry = Entry(self.state.seq + 1, self.time, fact)
        self.state = fold(self.state, entry)
        for observer in [*self._observers]:
            observer(entry, self.state)

    async def type(self, text: str) -> str:
        assert not self.state.queue
        end = self._ends.pop(0)
        if isinstance(end, str) and not isinstance(end, StopReason):
            raise ActionError(end)
        self.begun.append(self.time - START)
        run_id = f"run_{len(self.begun)}"
        self.record(Admitted(run_id, "item_1", (Text(text),)))
        asyncio.get_running_loop().call_soon(self._end, run_id, end)
        return run_id

    def _end(self, run_id: str, reason: StopReason) -> None:
        self.time += 60
        self.record(RunEnded(run_id, Stop(reason)))

    async def keep(self, every: float, due: float = 0.0, **settings: float) -> ToolOutcome:
        """Send a prompt at its times to the end, and let nothing watch behind it."""
        prompt = TimedPrompt("look", START + due, every)
        watch = SessionWatch(self, self.state)  # pyright: ignore[reportArgumentType] - only this of it
        made = Settings(**settings)  # pyright: ignore[reportArgumentType] - numbers
        keeper = Timekeeper(prompt, self, watch, made, self.now, self.sleep)
        outcome = await asyncio.wait_for(keeper.work(self.said.append), 20)
        assert not self._observers
        return outcome


END, FAILED = StopReason.END_TURN, StopReason.MODEL_ERROR
KEPT = [
    ([END] * 3, {"max_runs": 3}, [0, 360, 720], "completed", "3 runs are the most that there may be"),
    ([END] * 9, {"max_hours": 0.2}, [0, 360, 720], "completed", "it is 0.2 hours old"),
    (
        [FAILED, FAILED, END, FAILED, FAILED, FAILED],
        {},
        [0, 360, 720, 1080, 1440, 1800],
        "failed",
        "3 runs in",
    ),
    ([END, StopReason.BUDGET], {}, [0, 360], "failed", "no more may be spent"),
    ([END, StopReason.CANCELLED], {}, [0, 360], "cancelled", "its run was stopped"),
    ([END, "The model is gone."], {}, [0], "failed", "no run could begin: The model is gone."),
]


@pytest.mark.parametrize(("ends", "settings", "begun", "status", "why"), KEPT)
async def test_repetition_waits_behind_each_run_and_ends_for_a_reason(
    ends: list[StopReason | str], settings: dict[str, float], begun: list[float], status: str, why: str
) -> None:
    desk = Desk(ends)
    outcome = await desk.keep(300, **settings)
    assert desk.begun == begun
    assert outcome.status == status
    assert outcome.text.startswith(f"Over after {len(begun)} run")
    assert why in outcome.text
    assert not outcome.text.endswith("..")


async def test_prompt_for_a_time_is_sent_once_behind_the_run_that_is_on() -> None:
    desk = Desk([END])
    desk.record(Admitted("run_0", "item_0", (Text("something else"),)))
    waiting = asyncio.get_running_loop().create_task(desk.keep(0, due=1200))
    while desk.time < START + 1200:
        await asyncio.sleep(0)
    for _ in range(5):
        await asyncio.sleep(0)
    assert desk.begun == [], "another run is on"
    desk.time += 600  # a machine that slept
    desk.record(RunEnded("run_0", Stop(END)))
    assert (await waiting).text == "Over after 1 run."
    assert desk.begun == [1800]
    assert "Run 1, 10m late ended: done." in desk.said[-1]


async def test_prompt_for_a_time_says_how_its_run_failed() -> None:
    outcome = await Desk([FAILED]).keep(0)
    assert (outcome.status, outcome.text) == ("failed", "Over after 1 run: it ended: model error.")

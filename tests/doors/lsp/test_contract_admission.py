"""Admission, steering, queue and idempotency keys, also when they race the end of a run (protocol#order)."""

import random
import time
from collections import Counter
from pathlib import Path

import pytest

from support.wire import Message, Wire, script

from .conftest import Serve

HANGING = {"match": "hang", "turns": [{"text": "I begin", "hang": True}]}
ANY = {"match": "", "repeat": True, "turns": [{"text": "yes"}]}
SHORT = {"match": "", "repeat": True, "turns": [{"text": ["a", "b", "c"], "delay": 0.002}]}


class Talk:
    """One session of a server."""

    def __init__(self, wire: Wire, **params: str) -> None:
        self.wire = wire
        self.session = wire.session(**params)

    def post(self, method: str, **params: object) -> int:
        return self.wire.post(f"agent/{method}", {"sessionId": self.session, **params})

    def ask(self, method: str, **params: object) -> Message:
        return self.wire.answer_of(self.post(method, **params))

    def call(self, method: str, **params: object) -> Message:
        answer = self.ask(method, **params)
        assert "result" in answer, answer
        return answer["result"]

    def refusal(self, method: str, **params: object) -> tuple[int, str]:
        error = self.ask(method, **params)["error"]
        return error["code"], error["data"]["kind"]

    def busy(self) -> str:
        """Begin a run that does not end; gives its id."""
        run_id = self.call("run", input="hang")["runId"]
        self.wire.until(lambda m: any(e["type"] == "itemDelta" for e in self.events()))
        return run_id

    def events(self, type: str = "") -> list[Message]:
        events = [event for event in self.wire.events if event["sessionId"] == self.session]
        return [event for event in events if type in {"", event["type"]}]

    def idle(self) -> None:
        """Wait until every admitted run has ended."""
        self.wire.until(lambda m: len(self.events("runEnded")) >= len(self.events("runAdmitted")))

    def words(self) -> list[str]:
        """What the user said, as the journal has it, in order."""
        told = self.wire.history(self.session)
        items = [e["data"]["item"] for e in told if e["type"] == "itemCompleted"]
        return [item["content"][0]["text"] for item in items if item["kind"] == "userMessage"]


def talk(serve: Serve, *prompts: Message) -> Talk:
    wire = serve(*prompts)
    wire.initialize()
    return Talk(wire)


POLICIES = {  # what happens when idle, and when a run is active
    "queue": ("started", "queued"),
    "ifIdle": ("started", (-33001, "runActive")),
    "steer": ("started", "injected"),
    "interrupt": ("started", "queued"),
}


@pytest.mark.item(34)
def test_every_policy_does_what_it_says_idle_and_busy(serve: Serve) -> None:
    wire = serve(HANGING, ANY)
    wire.initialize()
    for policy, (idle, busy) in POLICIES.items():
        here = Talk(wire, clientKey=policy)
        assert here.call("run", input="first", admission=policy, wait=True)["outcome"] == idle
        hanging = here.busy()
        answer = here.ask("run", input="second", admission=policy)
        if isinstance(busy, tuple):
            assert (answer["error"]["code"], answer["error"]["data"]["kind"]) == busy
            assert answer["error"]["data"]["runId"] == hanging
        else:
            assert answer["result"]["outcome"] == busy
            assert (answer["result"]["runId"] == hanging) == (busy == "injected")
        if policy != "interrupt":
            assert here.call("cancel")["state"] == "cancelling"
        here.idle()
        reasons = [event["data"]["stopReason"] for event in here.events("runEnded")]
        assert reasons == ["endTurn", "cancelled", *["endTurn"] * (policy in {"queue", "interrupt"})]
        assert here.words() == ["first", "hang", *["second"] * (policy != "ifIdle")]


def test_an_interrupting_prompt_goes_before_those_that_wait(serve: Serve) -> None:
    here = talk(serve, HANGING, ANY)
    here.busy()
    for text in ("b", "c"):
        here.call("run", input=text)
    assert here.call("run", input="now", admission="interrupt", wait=True)["stopReason"] == "endTurn"
    here.idle()
    assert here.words() == ["hang", "now", "b", "c"]


def test_only_one_of_many_ifIdle_prompts_at_once_begins(serve: Serve) -> None:  # noqa: N802 - the wire's name
    here = talk(serve, HANGING, ANY)
    asked = [here.post("run", input="hang", admission="ifIdle") for _ in range(20)]
    answers = [here.wire.answer_of(number) for number in asked]
    assert sum("result" in answer for answer in answers) == 1
    assert {a["error"]["data"]["kind"] for a in answers if "error" in a} == {"runActive"}
    here.call("cancel")
    here.idle()
    assert here.words() == ["hang"]


STEERS = {
    "steer": ("steer", {"ifEnded": "run"}, {"injected", "started", "queued"}),
    "steer or queue": ("steer", {"ifEnded": "queue"}, {"injected", "started", "queued"}),
    "steer or not": ("steer", {"ifEnded": "return"}, {"injected", "returned"}),
    "run, steering": ("run", {"admission": "steer"}, {"injected", "started", "queued"}),
}


def duration(here: Talk) -> float:
    """How long a run takes on this machine, in seconds."""
    begun = time.monotonic()
    here.call("run", input="run", wait=True)
    return time.monotonic() - begun


@pytest.mark.item(34)
@pytest.mark.parametrize("races", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_a_message_that_races_the_end_of_a_run_is_neither_lost_nor_followed_twice(
    serve: Serve, races: int
) -> None:
    """With every way to steer, at a random moment around the end."""
    wire = serve(SHORT)
    wire.initialize()
    chance = random.Random(7)
    sessions = {name: Talk(wire, clientKey=name) for name in STEERS}
    sent: dict[str, list[str]] = {name: [] for name in STEERS}
    outcomes: Counter[str] = Counter()
    lasts = duration(Talk(wire, clientKey="measured"))
    for number in range(races):
        name = list(STEERS)[number % len(STEERS)]
        here, (method, params, possible) = sessions[name], STEERS[name]
        run = here.post("run", input=f"run {number}", wait=True)
        time.sleep(chance.uniform(0, 2 * lasts))
        steered = here.call(method, input=f"steer {number}", clientKey=f"k{number}", **params)
        assert steered["outcome"] in possible
        again = here.call(method, input=f"steer {number}", clientKey=f"k{number}", **params)
        assert steered["outcome"] == "returned" or again["itemId"] == steered["itemId"]
        assert wire.answer_of(run)["result"]["stopReason"] == "endTurn"
        outcomes[again["outcome"] if steered["outcome"] == "returned" else steered["outcome"]] += 1
        sent[name].append(f"run {number}")
        if "returned" not in {steered["outcome"], again["outcome"]}:
            sent[name].append(f"steer {number}")
    for name, here in sessions.items():
        here.idle()
        assert Counter(here.words()) == Counter(sent[name])
    assert len(outcomes) > 1, outcomes


@pytest.mark.item(33)
def test_a_key_is_followed_once_also_by_the_next_process(tmp_path: Path) -> None:
    config = script(tmp_path, HANGING, ANY)
    run = {"input": "once", "clientKey": "r", "wait": True}
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        here = Talk(wire)
        first = here.call("run", **run)
        here.busy()
        steer = {"input": "aside", "clientKey": "s"}
        steered = here.call("steer", **steer)
        wire.process.kill()
        wire.process.wait()
        wire.unchecked = "it was killed"
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        here.wire = wire
        assert here.call("run", **run) == first
        assert here.call("run", **{**run, "wait": False})["itemId"] == first["itemId"]
        assert here.call("steer", **steer) == steered
        assert here.refusal("run", **{**run, "input": "other"}) == (-33010, "keyConflict")
        assert here.refusal("run", **run, options={"maxTurns": 2}) == (-33010, "keyConflict")
        assert here.refusal("steer", input="other", clientKey="s") == (-33010, "keyConflict")
        assert here.words() == ["once", "hang", "aside"]


@pytest.mark.item(33)
def test_next_process_answers_a_known_key_with_the_first_answer(tmp_path: Path) -> None:
    """The answers may have been lost with the server: whoever asks again gets them."""
    config = script(tmp_path, HANGING, ANY)
    changes: list[Message] = [{"op": "remove"}, {"op": "move", "to": 0}, {"op": "replace", "input": "other"}]
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        new = {"cwd": wire.workspace.as_uri(), "clientKey": "n", "title": "Mine"}
        here = Talk(wire, **new)
        here.busy()
        waiting = [here.call("run", input=text)["itemId"] for text in "123"]
        asked = [(change | {"itemId": waiting[n], "clientKey": f"q{n}"}) for n, change in enumerate(changes)]
        asked[1]["itemId"], asked[2]["itemId"] = waiting[2], waiting[1]
        queue = [here.call("queue", **change) for change in asked][-1]
        fork = here.call("session/fork", clientKey="f")
        wire.process.kill()
        wire.process.wait()
        wire.unchecked = "it was killed"
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        assert wire.session(**new) == here.session
        here.wire = wire
        assert here.refusal("session/new", **{**new, "title": "Another"}) == (-33010, "keyConflict")
        assert [here.call("queue", **change) for change in asked] == [queue] * 3
        assert [prompt["content"][0]["text"] for prompt in queue["queue"]] == ["3", "other"]
        assert here.refusal("queue", **{**asked[1], "to": 1}) == (-33010, "keyConflict")
        assert here.call("session/fork", clientKey="f")["sessionId"] == fork["sessionId"]
        assert here.refusal("session/fork", clientKey="n") == (-33010, "keyConflict")
        assert here.refusal("session/fork", clientKey="f", title="Another") == (-33010, "keyConflict")
        assert len(wire.call("agent/session/list")["sessions"]) == 2
        assert here.call("run", input="last", wait=True)["stopReason"] == "endTurn"
        assert here.words() == ["hang", "3", "other", "last"]


def test_one_key_asked_many_times_at_once_is_one_run(serve: Serve) -> None:
    here = talk(serve, ANY)
    asked = [here.post("run", input="once", clientKey="k", wait=True) for _ in range(20)]
    assert len({here.wire.answer_of(number)["result"]["runId"] for number in asked}) == 1
    assert here.words() == ["once"]


@pytest.mark.parametrize("races", [20, pytest.param(100, marks=pytest.mark.slow)])
def test_changes_of_the_queue_that_race_its_start_lose_and_repeat_nothing(serve: Serve, races: int) -> None:
    """Each change either counts before its prompt begins, or is refused because it has begun."""
    here = talk(serve, {**SHORT, "match": "p"})
    chance = random.Random(11)
    expected: list[str] = []
    for number in range(races):
        first = here.post("run", input=f"p{number} first", wait=True)
        waiting = here.call("run", input=f"p{number} second")
        last = here.post("run", input=f"p{number} third", wait=True)
        time.sleep(chance.uniform(0, 0.03))
        op = chance.choice(["remove", "replace", "move"])
        more = {"input": f"p{number} other"} if op == "replace" else {"to": 1} if op == "move" else {}
        answer = here.ask("queue", op=op, itemId=waiting["itemId"], clientKey=f"q{number}", **more)
        done = "result" in answer
        assert done or answer["error"]["data"]["kind"] == "noSuchItem"
        for request in (first, last):
            assert here.wire.answer_of(request)["result"]["stopReason"] == "endTurn"
        second = {"remove": [], "replace": [f"p{number} other"], "move": [f"p{number} second"]}[op]
        expected += [f"p{number} first", f"p{number} third", *(second if done else [f"p{number} second"])]
    here.idle()
    assert Counter(here.words()) == Counter(expected)

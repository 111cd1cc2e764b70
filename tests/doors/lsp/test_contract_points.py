"""The nine points of the cancellation contract, one by one, with a real model server (protocol#cancel)."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from agls.views.transcript import fold
from support.model_server import ModelServer, Reply
from support.patience import PATIENCE
from support.rich_run import CAPABILITIES, Company, allow, left_behind
from support.wire import Message, Wire, events_in

BOUND = 4.0  # seconds from a cancel to the end of the run, by the contract
LOAD = 40.0  # more seconds, for a machine that has other things to do; the command needs 120
BEGUN = Reply(["I begin"], cut_after=2, then="hang")
STUBBORN = Reply(calls=[("shell", {"command": "trap '' TERM INT; echo begun; sleep 120 & wait; sleep 120"})])
EDIT = Reply(calls=[("edit_file", {"path": "open.txt", "old_text": "old line", "new_text": "new line"})])
READ = Reply(calls=[("read_file", {"path": "open.txt"})])
ASK = Reply(calls=[("ask_user", {"question": "Which?"})])

Stage = Callable[..., "Scene"]


class Scene:
    """One session, a model server behind it, and a run that can be cancelled."""

    def __init__(self, wire: Wire, model: ModelServer, mode: str) -> None:
        wire.initialize(capabilities=CAPABILITIES)
        self.wire, self.model, self.company = wire, model, Company(wire)
        self.session = self.company.session("here", options={"mode": mode})
        self.name = {"sessionId": self.session}

    def begin(self, text: str = "go") -> int:
        return self.wire.post("agent/run", {**self.name, "input": text, "wait": True})

    def cancel(self, **params: str) -> Message:
        return self.wire.call("agent/cancel", {**self.name, **params})

    def stop_reason(self, request: int) -> str:
        return self.wire.answer_of(request)["result"]["stopReason"]

    def items(self, kind: str) -> list[Message]:
        return [item for item in fold(self.wire.events).items.values() if item["kind"] == kind]

    def asked(self, method: str) -> Message:
        return self.wire.until(lambda m: m.get("method") == method)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A scene with these answers of the model."""
    with ExitStack() as stack:

        def make(*replies: Reply, mode: str = "allowAll") -> Scene:
            model = stack.enter_context(ModelServer(replies))
            config = tmp_path / "config.toml"
            config.write_text(
                f'model = "m"\n[models.m]\ndialect = "chat"\nbase_url = "{model.url}"\nmodel = "x"\n'
            )
            return Scene(stack.enter_context(Wire(tmp_path, config)), model, mode)

        yield make


def test_point_1_a_run_is_cancelled_before_it_begins_and_the_model_is_never_asked(stage: Stage) -> None:
    scene = stage(BEGUN, Reply("never"))
    first = scene.begin()
    scene.wire.event("itemDelta")
    second = scene.begin("second")
    waiting = scene.wire.event("runAdmitted", admission="queued")["runId"]
    assert scene.cancel(runId=waiting)["state"] == "cancelling"
    assert scene.stop_reason(second) == "cancelled"
    scene.cancel()
    assert scene.stop_reason(first) == "cancelled"
    assert len(scene.model.posts) == 1


def test_point_2_the_stream_is_closed_at_once_and_no_further_tool_starts(stage: Stage) -> None:
    late = Reply("I begin", calls=[("shell", {"command": "touch late"})], delay=2.0)
    scene = stage(late, Reply("never"))
    run = scene.begin()
    scene.wire.event("itemDelta")
    receipt = scene.cancel()
    assert receipt["state"] == "cancelling"
    assert scene.stop_reason(run) == "cancelled"
    assert scene.model.posts[0].closed.wait(PATIENCE)
    assert not (scene.company.folder("here") / "late").exists()
    assert scene.items("toolCall") == []
    assert len(scene.model.posts) == 1


@pytest.mark.parametrize(("reply", "method"), [(STUBBORN, "agent/requestPermission"), (ASK, "agent/askUser")])
def test_point_3_an_open_question_is_withdrawn_and_a_late_answer_counts_for_nothing(
    stage: Stage, reply: Reply, method: str
) -> None:
    scene = stage(reply, mode="ask")
    scene.company.silent.add(method)
    run = scene.begin()
    asked = scene.asked(method)
    scene.cancel()
    assert scene.stop_reason(run) == "cancelled"
    withdrawn = scene.asked("$/cancelRequest")
    assert withdrawn["params"] == {"id": asked["id"]}
    request_id = asked["params"]["requestId"]
    assert scene.wire.event("requestResolved", requestId=request_id)["data"]["outcome"] == "cancelled"
    answer = allow(asked["params"]) if "options" in asked["params"] else {"outcome": "accept", "content": {}}
    scene.company.reply(asked, answer)
    late = scene.wire.call("agent/respond", {"requestId": request_id, "response": answer})
    assert late == {"outcome": "alreadyResolved"}
    (item,) = scene.items("toolCall")
    assert (item["status"], item["effects"]) == ("cancelled", "none" if method[6] == "r" else "unknown")


def test_points_4_and_6_a_command_that_does_not_want_to_end_is_ended_within_the_bound(stage: Stage) -> None:
    scene = stage(STUBBORN)
    run = scene.begin()
    scene.wire.event("itemDelta", field="output")
    begun = time.monotonic()
    scene.cancel()
    assert scene.stop_reason(run) == "cancelled"
    assert time.monotonic() - begun < BOUND + LOAD
    assert left_behind(scene.company.folder("here")) == []
    (item,) = scene.items("toolCall")
    assert (item["status"], item["effects"]) == ("cancelled", "unknown")
    assert "begun" in item["output"], "what it produced is kept"


def test_point_4_an_edit_that_was_sent_is_awaited_and_never_assumed_undone(stage: Stage) -> None:
    scene = stage(READ, EDIT, Reply("I look again."))
    scene.company.silent.add("workspace/applyEdit")
    run = scene.begin()
    sent = scene.asked("workspace/applyEdit")
    scene.cancel()
    answered = len(scene.wire.messages)
    scene.company.reply(sent, scene.company.apply(sent["params"]))
    assert scene.stop_reason(run) == "cancelled"
    ended = scene.wire.index(lambda m: any(event["type"] == "runEnded" for event in events_in(m)))
    assert ended >= answered, "the run waited for the answer"
    item = scene.items("toolCall")[-1]
    ends = {("completed", "applied"), ("cancelled", "applied"), ("cancelled", "unknown")}
    assert (item["status"], item["effects"]) in ends, "never assumed undone"
    assert scene.company.text("here").startswith("new line")
    assert scene.wire.run(scene.session, "next")["stopReason"] == "endTurn"


def test_an_edit_whose_answer_never_comes_does_not_hold_the_cancel_up(stage: Stage) -> None:
    scene = stage(READ, EDIT)
    scene.company.silent.add("workspace/applyEdit")
    run = scene.begin()
    scene.asked("workspace/applyEdit")
    begun = time.monotonic()
    scene.cancel()
    assert scene.stop_reason(run) == "cancelled"
    assert time.monotonic() - begun < BOUND + LOAD


def test_point_5_finished_output_is_kept_and_the_model_learns_what_was_cut(stage: Stage) -> None:
    scene = stage(STUBBORN, BEGUN, Reply("I see."))
    run = scene.begin()
    scene.wire.event("itemDelta", field="output")
    scene.cancel()
    assert scene.stop_reason(run) == "cancelled"
    run = scene.begin("second")
    scene.wire.event("itemDelta", field="text")
    scene.cancel()
    assert scene.stop_reason(run) == "cancelled"
    assert [(item["status"], item["text"]) for item in scene.items("message")] == [("cancelled", "I begin")]
    assert scene.wire.run(scene.session, "third")["stopReason"] == "endTurn"
    said = [message for message in scene.model.posts[-1].body["messages"] if message["role"] != "system"]
    told = {message["role"]: str(message["content"]) for message in said[:-1]}
    assert "Cancelled while it ran" in told["tool"]
    assert "begun" in told["tool"]
    assert "I begin" in told["assistant"]
    assert "stopped" in told["assistant"].lower() or "cancel" in told["assistant"].lower()


def test_point_6_usage_is_reported_only_if_known(stage: Stage) -> None:
    scene = stage(BEGUN, Reply("whole", usage=(7, 2)))
    run = scene.begin()
    scene.wire.event("itemDelta")
    scene.cancel()
    assert "usage" not in scene.wire.answer_of(run)["result"]
    assert scene.wire.event("runEnded")["data"]["estimated"] == 1
    assert scene.wire.run(scene.session)["usage"]["inputTokens"] == 7


@pytest.mark.parametrize("queued", ["keep", "drop"])
def test_point_7_waiting_prompts_survive_unless_they_are_to_be_dropped(stage: Stage, queued: str) -> None:
    scene = stage(BEGUN, Reply("second"), Reply("third"), Reply("fourth"))
    first = scene.begin()
    scene.wire.event("itemDelta")
    waiting = [scene.wire.call("agent/run", {**scene.name, "input": text})["runId"] for text in "ab"]
    receipt = scene.cancel(queued=queued)
    assert receipt["kept"] == (waiting if queued == "keep" else [])
    assert receipt["dropped"] == (waiting if queued == "drop" else [])
    assert scene.stop_reason(first) == "cancelled"
    ends = {"keep": "endTurn", "drop": "cancelled"}[queued]
    for run_id in waiting:
        scene.wire.until(lambda m, r=run_id: any(_ended(e, r, ends) for e in scene.wire.events))
    assert scene.wire.run(scene.session)["stopReason"] == "endTurn"


def test_point_8_only_requests_without_effect_are_answered_as_cancelled(stage: Stage) -> None:
    scene = stage(BEGUN)
    run = scene.begin()
    scene.wire.event("itemDelta")
    reads = [("agent/events", scene.name), ("agent/session/list", {})]
    for method, params in reads:
        read = scene.wire.post(method, params)
        scene.wire.notify("$/cancelRequest", {"id": read})
        answer = scene.wire.answer_of(read)
        assert "result" in answer or answer["error"]["code"] == -32800
    scene.wire.notify("$/cancelRequest", {"id": run})
    assert scene.stop_reason(run) == "cancelled"
    assert all(m.get("error", {}).get("code") != -32800 for m in scene.wire.messages if m.get("id") == run)


def test_point_9_cancelling_nothing_is_success_and_a_second_cancel_changes_nothing(stage: Stage) -> None:
    scene = stage(STUBBORN)
    assert scene.cancel()["state"] == "notRunning"
    run = scene.begin()
    scene.wire.event("itemDelta", field="output")
    receipts = [scene.cancel() for _ in range(3)]
    assert receipts[0]["state"] == "cancelling"
    assert len({str(receipt) for receipt in receipts}) == 1 or receipts[-1]["state"] == "notRunning"
    assert scene.stop_reason(run) == "cancelled"
    assert scene.cancel()["state"] == "notRunning"
    assert scene.cancel(runId=receipts[0]["runId"])["state"] == "alreadyEnded"
    assert scene.cancel(runId="run_unknown")["state"] == "alreadyEnded"


def _ended(event: Message, run_id: str, reason: str) -> bool:
    return event["type"] == "runEnded" and event["runId"] == run_id and event["data"]["stopReason"] == reason

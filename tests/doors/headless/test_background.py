"""Commands in the background of `agls run`: nothing is left running behind it, and it says so."""

import json

import pytest

from doors.headless.conftest import Agls
from support.leftovers import gone
from support.patience import PATIENCE, wait_until

pytestmark = pytest.mark.promise("P7")

FOREVER = "echo $$ > pid; echo up; sleep 1000"


def script(agls: Agls) -> None:
    begin = {"name": "shell", "arguments": {"command": FOREVER, "background": True}}
    ready = {"name": "shell", "arguments": {"command": "until [ -s pid ]; do sleep 0.02; done"}}
    agls.prompts([{"calls": [begin, ready]}, {"text": "It is up."}], [{"text": "I know."}])


@pytest.mark.item(39)
def test_a_task_is_stopped_with_the_only_run(agls: Agls) -> None:
    script(agls)
    done = agls.run("run", "Go.", "--mode", "allowAll", "--output", "jsonl")
    assert done.code == 0
    pid = int((agls.workspace / "pid").read_text())
    wait_until(lambda: gone(pid))
    ends = [e for e in done.events if e["type"] == "itemCompleted" and e["data"]["item"]["kind"] == "task"]
    (item,) = [end["data"]["item"] for end in ends]
    assert item["status"] == "cancelled"
    assert "the run ended, and nothing is left running behind it here" in item["output"]
    assert done.events[-1]["type"] == "runEnded"
    again = agls.run("resume", "And now?", "--output", "jsonl")
    (told,) = [e["data"] for e in again.events if e.get("data", {}).get("by") == "background"]
    assert "task_1: stopped" in told["content"][0]["text"]


def test_stopped_run_is_reported_to_people(agls: Agls) -> None:
    script(agls)
    done = agls.run("run", "Go.", "--mode", "allowAll")
    assert done.code == 0
    assert done.out == "It is up.\n"
    assert (
        "cancelled, in the background: echo $$ > pid; echo up; sleep 1000 [Stopped: the run ended" in done.err
    )


def test_a_program_stops_tasks_over_its_input(agls: Agls) -> None:
    begin = {"name": "shell", "arguments": {"command": FOREVER, "background": True}}
    agls.prompts([{"calls": [begin]}, {"text": "I think", "hang": True}])
    arguments = ("run", "Go.", "--mode", "allowAll", "--output", "jsonl", "--input", "jsonl")
    process = agls.start(*arguments, stdin=-1)
    pid = agls.workspace / "pid"
    wait_until(lambda: pid.exists() and pid.read_text())
    request = {"jsonrpc": "2.0", "id": 1, "method": "agent/cancel", "params": {"tasks": "stop"}}
    out, _ = process.communicate(json.dumps(request) + "\n", timeout=PATIENCE)
    lines = [json.loads(line) for line in out.splitlines()]
    (answer,) = [line for line in lines if "type" not in line]
    assert answer["result"]["stoppedTasks"] == ["task_1"]
    assert lines[-1]["data"]["stopReason"] == "cancelled"
    wait_until(lambda: gone(int(pid.read_text())))

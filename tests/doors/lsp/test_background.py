"""Commands in the background, through the real server: item 39 of the conformance list."""

from pathlib import Path
from typing import Any

import pytest

from support.family import cast, config_for, delegate, task
from support.leftovers import gone
from support.model_server import ModelServer, Reply
from support.patience import wait_until
from support.wire import Message, Wire, script, turns

from .conftest import Serve

pytestmark = pytest.mark.promise("P7")

ALLOW = {"initializationOptions": {"trusted": True, "options": {"mode": "allowAll"}}}
FOREVER = "echo $$ > pid; echo up; sleep 1000"
UNTIL_TOLD = "echo begun; until [ -e go ]; do sleep 0.02; done; echo over; exit 3"


def shell(command: str, **more: Any) -> Message:
    """A turn that begins a command in the background."""
    return {"calls": [{"name": "shell", "arguments": {"command": command, "background": True, **more}}]}


def look(**arguments: Any) -> Message:
    """A turn that looks at tasks."""
    return {"calls": [{"name": "shell_task", "arguments": arguments}]}


def items(wire: Wire, session: str, kind: str = "task") -> list[Message]:
    """The items of a kind that are complete."""
    told = (e for e in wire.events if e["type"] == "itemCompleted" and e["sessionId"] == session)
    return [event["data"]["item"] for event in told if event["data"]["item"]["kind"] == kind]


def states(wire: Wire) -> list[tuple[str, int]]:
    """What `sessionState` said, each time."""
    told = [event["data"] for event in wire.events if event["type"] == "sessionState"]
    return [(data["state"], data["backgroundTasks"]) for data in told]


def invoke(wire: Wire, session: str, name: str, **given: Any) -> Any:
    return wire.call("agent/action/invoke", {"sessionId": session, "name": name, "input": given})


def pid_of(wire: Wire, file: str = "pid") -> int:
    """The process that wrote its number into this file, when it did."""
    place = wire.workspace / file
    wait_until(lambda: place.exists() and place.read_text().strip())
    return int(place.read_text())


@pytest.mark.item(39)
def test_a_task_ends_after_its_run_and_the_session_is_idle_meanwhile(serve: Serve) -> None:
    wire = serve(turns(shell(UNTIL_TOLD), "It is on its way."), "I see it ended.", "I know.")
    wire.initialize(**ALLOW)
    session = wire.session()
    ended = wire.run(session)
    assert ended["stopReason"] == "endTurn"
    wire.until(lambda m: ("idle", 1) in states(wire))
    (call,) = items(wire, session, "toolCall")
    assert "task_1" in call["output"]
    started = next(e for e in wire.events if e["type"] == "itemStarted" and e["itemId"] == "task_1")
    assert started["runId"] == ended["runId"]
    assert started["data"]["item"]["background"] is True
    wire.event("itemDelta", field="output", append="begun\n")
    (wire.workspace / "go").touch()
    wire.until(lambda m: ("idle", 0) in states(wire))
    (item,) = items(wire, session)
    assert (item["status"], item["terminal"]["exitCode"], item["background"]) == ("completed", 3, True)
    assert item["output"].startswith("begun\nover\n[exit code 3")
    assert states(wire) == [("running", 0), ("running", 1), ("idle", 1), ("idle", 0)]
    changed = [event["data"] for event in wire.events if event["type"] == "taskChanged"]
    assert [(one["state"], one.get("exitCode")) for one in changed] == [("running", None), ("completed", 3)]
    wire.run(session, "and now?")
    said = [e["data"] for e in wire.events if e["type"] == "recorded" and e["data"].get("by") == "background"]
    (told,) = said
    assert "task_1: completed, exit code 3" in told["content"][0]["text"]
    assert "begun\nover" in told["content"][0]["text"]
    wire.run(session, "again")
    assert len([e for e in wire.events if e["data"].get("by") == "background"]) == 1


def began(wire: Wire, **more: Any) -> str:
    """A session with a command that runs in the background until it is stopped."""
    wire.initialize(**ALLOW)
    session = wire.session()
    assert wire.run(session, **more)["stopReason"] == "endTurn"
    pid_of(wire)
    return session


@pytest.mark.item(39)
def test_the_user_sees_what_a_task_prints_and_stops_it(serve: Serve) -> None:
    wire = serve(turns(shell(FOREVER), "Up."))
    session = began(wire)
    wire.event("itemDelta", field="output", append="up\n")
    offered = {a["name"]: a for a in wire.call("agent/action/list", {"sessionId": session})["actions"]}
    assert {"task.list", "task.output", "task.stop"} <= set(offered)
    (listed,) = invoke(wire, session, "task.list")["data"]["tasks"]
    assert (listed["taskId"], listed["state"], listed["command"]) == ("task_1", "running", FOREVER)
    shown = invoke(wire, session, "task.output", task_id="task_1")
    assert shown["data"]["output"] == "up\n"
    assert "up" in shown["output"][0]["text"]
    assert invoke(wire, session, "task.stop", task_id="task_1")["data"] == {"stopped": ["task_1"]}
    wait_until(lambda: gone(pid_of(wire)))
    wire.until(lambda m: states(wire)[-2:] == [("idle", 1), ("idle", 0)])
    (item,) = items(wire, session)
    assert (item["status"], item["effects"]) == ("cancelled", "unknown")
    assert item["output"] == "up\n[Stopped: stopped by the user. What it did is unknown.]"
    assert invoke(wire, session, "task.list")["data"]["tasks"][0]["state"] == "stopped"
    assert "Stopped" in invoke(wire, session, "task.output", task_id="task_1")["data"]["output"]
    assert invoke(wire, session, "task.stop")["data"] == {"stopped": []}
    wrong = {"sessionId": session, "name": "task.stop", "input": {"task_id": "task_9"}}
    assert "task_1" in wire.ask("agent/action/invoke", wrong)["error"]["message"]


@pytest.mark.item(39)
def test_model_reads_and_stops_a_task_and_gets_no_second_report(serve: Serve) -> None:
    ready = {"calls": [{"name": "shell", "arguments": {"command": "until [ -s pid ]; do sleep 0.02; done"}}]}
    stop = look(task_id="task_1", stop=True)
    wire = serve(turns(look(), shell(FOREVER), ready, look(), stop, look(task_id="no"), "Stopped."))
    session = began(wire)
    calls = [call for call in items(wire, session, "toolCall") if call["name"] == "shell_task"]
    assert [call["output"].split("\n")[0] for call in calls] == [
        "No command was begun in the background.",
        "task_1: running: echo $$ > pid; echo up; sleep 1000",
        "up",
        "There is no task 'no' in this session. There are: task_1.",
    ]
    assert calls[2]["output"].endswith("[Stopped: the model asked for it. What it did is unknown.]")
    wait_until(lambda: gone(pid_of(wire)))
    assert not [event for event in wire.events if event["data"].get("by") == "background"]


@pytest.mark.item(39)
def test_a_cancel_keeps_tasks_or_stops_them_and_says_so(serve: Serve) -> None:
    hanging = {"text": "I think", "hang": True}
    wire = serve(turns(shell(FOREVER), hanging))
    wire.initialize(**ALLOW)
    session = wire.session()
    wire.post("agent/run", {"sessionId": session, "input": "go"})
    wire.event("itemDelta", append="I think")
    pid = pid_of(wire)
    receipt = wire.call("agent/cancel", {"sessionId": session})
    assert (receipt["state"], receipt["keptTasks"]) == ("cancelling", ["task_1"])
    assert "stoppedTasks" not in receipt
    wire.until(lambda m: ("idle", 1) in states(wire))
    assert not gone(pid)
    receipt = wire.call("agent/cancel", {"sessionId": session, "tasks": "stop", "reason": "no more"})
    assert (receipt["state"], receipt["stoppedTasks"]) == ("notRunning", ["task_1"])
    wire.until(lambda m: ("idle", 0) in states(wire))
    wait_until(lambda: gone(pid))
    assert "cancelled by the user: no more" in items(wire, session)[0]["output"]
    assert [e["data"]["state"] for e in wire.events if e["type"] == "taskChanged"] == ["running", "stopped"]


@pytest.mark.item(39)
@pytest.mark.parametrize("how", ["close", "delete", "end of input"])
def test_a_task_ends_with_its_session(serve: Serve, how: str) -> None:
    wire = serve(turns(shell(FOREVER), "Up."))
    session = began(wire)
    if how == "end of input":
        assert wire.process.stdin
        wire.process.stdin.close()
        wire.exit_code()
        wire.closed()
    else:
        wire.call(f"agent/session/{how}", {"sessionId": session})
        wire.event("sessionState", state="closed", backgroundTasks=0)
    wait_until(lambda: gone(pid_of(wire)))
    assert [item["status"] for item in items(wire, session)] == ["cancelled"]


@pytest.mark.process
@pytest.mark.item(39)
def test_a_task_dies_with_a_killed_server_and_is_not_begun_again(serve: Serve) -> None:
    command = "echo ran >> ran; echo $$ > pid; echo up; sleep 1000"
    first = serve(turns(shell(command), "Up."), "I see.")
    session = began(first)
    first.event("itemDelta", field="output", append="up\n")
    pid = pid_of(first)
    first.process.kill()
    first.exit_code()
    wait_until(lambda: gone(pid))
    wire = serve(turns(shell(command), "Up."), "I see.")
    wire.initialize(**ALLOW)
    resumed = wire.call("agent/resume", {"sessionId": session, "replay": "all"})
    (item,) = [one for one in resumed["snapshot"]["items"] if one["kind"] == "task"]
    assert (item["status"], item["effects"], resumed["openItems"]) == ("cancelled", "unknown", [])
    assert "was not begun again" in item["output"]
    assert wire.run(session, "and now?")["stopReason"] == "endTurn"
    (told,) = [e["data"] for e in wire.events if e["data"].get("by") == "background"]
    assert "task_1: stopped" in told["content"][0]["text"]
    assert (wire.workspace / "ran").read_text() == "ran\n"
    wire.unchecked = "it begins with a resume"


@pytest.mark.item(39)
def test_client_that_resumes_gets_the_running_task(serve: Serve) -> None:
    wire = serve(turns(shell(FOREVER), "Up."), "Two.")
    session = began(wire)
    wire.event("itemDelta", field="output", append="up\n")
    run = next(e["runId"] for e in wire.events if e["type"] == "itemStarted" and e["itemId"] == "task_1")
    wire.call("agent/detach", {"sessionId": session})
    resumed = wire.call("agent/resume", {"sessionId": session, "replay": "tail"})
    (item,) = resumed["openItems"]
    assert (item["kind"], item["status"], item["output"]) == ("task", "running", "up\n")
    assert "task_1" not in [one["itemId"] for one in resumed["snapshot"]["items"]]
    (owner,) = [one for one in resumed["snapshot"]["runs"] if "task_1" in one["itemIds"]]
    assert owner["runId"] == run
    assert wire.call("agent/item", {"sessionId": session, "itemId": "task_1"})["item"]["output"] == "up\n"
    answer = next(one["itemId"] for one in resumed["snapshot"]["items"] if one["kind"] == "userMessage")
    wire.call("agent/session/rewind", {"sessionId": session, "toItemId": answer, "what": "conversation"})
    assert wire.run(session, "again")["stopReason"] == "endTurn"
    assert invoke(wire, session, "task.stop")["data"] == {"stopped": ["task_1"]}
    kept = wire.call("agent/resume", {"sessionId": session, "replay": "all"})
    assert [one["status"] for one in kept["snapshot"]["items"] if one["kind"] == "task"] == ["cancelled"]
    wire.unchecked = "it was left and resumed"


@pytest.mark.item(39)
def test_there_are_only_so_many_tasks_at_once(tmp_path: Path) -> None:
    more = [shell(f"echo $$ > pid{n}; sleep 1000") for n in range(3)]
    config = script(tmp_path, turns(*more, shell(FOREVER), "Up."))
    config.write_text(config.read_text() + "[shell]\nmax_tasks = 3\n")
    with Wire(tmp_path, config) as wire:
        wire.initialize(**ALLOW)
        session = wire.session()
        assert wire.run(session)["stopReason"] == "endTurn"
        wire.until(lambda m: ("idle", 3) in states(wire))
        refused = items(wire, session, "toolCall")[-1]
        assert (refused["status"], refused["effects"]) == ("failed", "none")
        assert refused["output"].startswith("Nothing was begun: 3 commands may run in the background at once")
        assert "task_2 (echo $$ > pid1; sleep 1000)" in refused["output"]
        pids = [pid_of(wire, f"pid{n}") for n in range(3)]
        stopped = wire.call("agent/cancel", {"sessionId": session, "tasks": "stop"})["stoppedTasks"]
        assert stopped == ["task_1", "task_2", "task_3"]
        wire.until(lambda m: ("idle", 0) in states(wire))
        wait_until(lambda: all(map(gone, pids)))
        assert not (wire.workspace / "pid").exists()


@pytest.mark.item(39)
def test_a_noisy_task_is_kept_within_bounds(serve: Serve, tmp_path: Path) -> None:
    wire = serve(turns(shell("yes 0123456789 | head -c 20000000"), "Noise."))
    wire.initialize(**ALLOW)
    session = wire.session()
    wire.run(session)
    wire.until(lambda m: states(wire)[-1:] == [("idle", 0)])
    (item,) = items(wire, session)
    assert len(item["output"]) < 40_000
    assert item["truncated"] > 19_000_000
    assert item["output"].startswith("0123456789\n")
    (journal,) = (tmp_path / "state").rglob("sessions/*.jsonl")
    assert journal.stat().st_size < 200_000


@pytest.mark.item(39)
def test_background_command_that_is_refused_does_not_begin(serve: Serve) -> None:
    wire = serve(turns(shell(FOREVER), "Then not."))
    wire.answers["agent/requestPermission"] = lambda asked: {"outcome": "dismissed"}
    wire.initialize()
    session = wire.session()
    assert wire.run(session)["stopReason"] == "endTurn"
    (asked,) = wire.of_method("agent/requestPermission")
    assert asked["params"]["title"].startswith("Run in the background echo $$ > pid")
    assert asked["params"]["subject"]["command"] == FOREVER
    (call,) = items(wire, session, "toolCall")
    assert call["status"] == "rejected"
    assert not items(wire, session)
    assert not (wire.workspace / "pid").exists()
    assert {tasks for _, tasks in states(wire)} == {0}


def test_a_command_that_cannot_begin_says_why(serve: Serve) -> None:
    wire = serve(turns(shell("true", cwd="nowhere"), "Well."), turns(shell("true", cwd=".."), "Well."), "So.")
    wire.initialize(**ALLOW)
    session = wire.session()
    wire.run(session)
    wire.until(lambda m: states(wire)[-1:] == [("idle", 0)])
    (item,) = items(wire, session)
    assert item["status"] == "failed"
    assert "nowhere" in item["output"]
    wire.run(session, "outside?")
    refused = items(wire, session, "toolCall")[-1]
    assert (refused["status"], len(items(wire, session))) == ("failed", 1)


def test_the_tasks_of_a_helper_end_with_it(tmp_path: Path) -> None:
    ready = {"command": "until [ -s pid ]; do sleep 0.02; done"}
    begin = {"command": FOREVER, "background": True}
    parts: dict[str, list[Any]] = {
        "ROOT": [delegate(task("WORK", "w")), Reply("All done.")],
        "WORK": [Reply(calls=[("shell", begin), ("shell", ready)]), Reply("It is up.")],
    }
    with ModelServer(cast(parts)) as server, Wire(tmp_path, config_for(tmp_path, server)) as wire:
        wire.initialize()
        root = wire.session(options={"mode": "allowAll"})
        assert wire.run(root, "ROOT")["stopReason"] == "endTurn"
        wait_until(lambda: gone(pid_of(wire)))
        (ended,) = [e for e in wire.events if e["type"] == "taskChanged" and e["data"]["state"] == "stopped"]
        assert ended["sessionId"] != root
        assert invoke(wire, root, "task.list")["data"] == {"tasks": []}


@pytest.mark.item(39)
def test_in_plain_mode_a_command_cancels_tasks(serve: Serve) -> None:
    wire = serve(turns(shell(FOREVER), "Up."))
    wire.initialize({}, capabilities={"window": {"showMessage": {"messageActionItem": {}}}})
    wire.answers["window/showMessageRequest"] = lambda asked: asked["actions"][0]
    run = {"command": "agls.run", "arguments": ["go"]}
    wire.call("workspace/executeCommand", run)
    pid = pid_of(wire)
    wire.until(lambda m: m.get("method") == "window/showMessage" and "done" in m["params"]["message"])
    assert not gone(pid)
    stop = {"command": "agls.cancel", "arguments": [{"tasks": "stop"}]}
    assert wire.call("workspace/executeCommand", stop)["stoppedTasks"] == ["task_1"]
    wait_until(lambda: gone(pid))
    assert not wire.events


ON = "echo begun; until [ -e go ]; do sleep 0.02; done; seq 20000; echo over"


@pytest.mark.row(42)
def test_user_moves_a_running_command_to_the_background(serve: Serve) -> None:
    """The model goes on at once, hears of the end, and reads all of the output where it is told."""
    running = {"calls": [{"name": "shell", "arguments": {"command": ON}}]}
    wire = serve(turns(running, "It runs beside."), "I see it ended.")
    wire.initialize(**ALLOW)
    session = wire.session()
    wire.post("agent/run", {"sessionId": session, "input": "go"})
    wire.event("itemDelta", field="output", append="begun\n")
    call_id = next(
        e["itemId"] for e in wire.events if e["type"] == "itemDelta" and e["data"]["field"] == "output"
    )
    moved = invoke(wire, session, "task.background", call_id=call_id)
    assert [one["taskId"] for one in moved["data"]["tasks"]] == ["task_1"]
    assert wire.event("runEnded")["data"]["stopReason"] == "endTurn"
    (call,) = items(wire, session, "toolCall")
    assert call["output"].startswith(
        "begun\n[It goes on in the background, as task_1: the user moved it there."
    )
    (wire.workspace / "go").touch()
    wire.until(lambda m: bool(items(wire, session)))
    (item,) = items(wire, session)
    assert (item["status"], item["terminal"]["exitCode"]) == ("completed", 0)
    assert "All of it is in " in item["output"]
    whole = wire.call("agent/item", {"sessionId": session, "itemId": "task_1"})["item"]
    assert "\n10000\n10001\n" in whole["output"]
    shown = invoke(wire, session, "task.output", task_id="task_1")["data"]["output"]
    file = shown.partition("All of it is in ")[2].partition(": read that file")[0]
    assert "\n10000\n10001\n" in Path(file).read_text()
    wire.run(session, "and now?")
    (told,) = [
        e["data"] for e in wire.events if e["type"] == "recorded" and e["data"].get("by") == "background"
    ]
    assert "task_1: completed, exit code 0" in told["content"][0]["text"]


@pytest.mark.row(35)
def test_command_over_its_time_limit_continues_in_the_background(tmp_path: Path) -> None:
    running = {"calls": [{"name": "shell", "arguments": {"command": ON, "timeout_s": 0.2}}]}
    config = script(tmp_path, turns(running, "It runs beside."))
    config.write_text(config.read_text() + "[shell]\nat_time_limit = 'background'\n")
    with Wire(tmp_path, config) as wire:
        wire.initialize(**ALLOW)
        session = wire.session()
        assert wire.run(session)["stopReason"] == "endTurn"
        (call,) = items(wire, session, "toolCall")
        assert "as task_1: it ran longer than 0.2 s." in call["output"]
        (wire.workspace / "go").touch()
        wire.until(lambda m: bool(items(wire, session)))
        assert items(wire, session)[0]["terminal"]["exitCode"] == 0

"""Whole sessions of the real program: what rows of the parity table promise, every clause in one piece."""

import json
import os
import signal

import pytest

from doors.headless.conftest import Agls
from support.patience import PATIENCE, wait_until

READ = {"calls": [{"name": "read_file", "arguments": {"path": "a.txt"}}]}
WRITE = {"calls": [{"name": "write_file", "arguments": {"path": "b.txt", "content": "b\n"}}]}


@pytest.mark.row(1)
def test_one_shot_with_a_file_that_is_read(agls: Agls) -> None:
    """The model reads a file and answers; its text, two model calls, the usual end."""
    (agls.workspace / "a.txt").write_text("the answer is 42\n")
    agls.script(READ, {"text": "It says 42."})
    events = agls.run("run", "What does a.txt say?", "--output", "jsonl").events
    done = [event["data"]["item"] for event in events if event["type"] == "itemCompleted"]
    assert "the answer is 42" in next(item["output"] for item in done if item["kind"] == "toolCall")
    assert done[-1]["text"] == "It says 42."
    assert sum(event["type"] == "turnStarted" for event in events) == 2
    assert events[-1]["data"]["stopReason"] == "endTurn"


@pytest.mark.row(5)
@pytest.mark.parametrize("output", ["text", "json"])
def test_an_answer_that_was_cut_at_the_limit_is_printed_whole(agls: Agls, output: str) -> None:
    """`length`, then `stop`: the text is joined, and the model is asked to go on once."""
    agls.script({"text": "first ha", "finish": "length"}, {"text": "lf, second half."})
    done = agls.run("run", "go", "--output", output)
    text = done.whole["result"] if output == "json" else done.out.removesuffix("\n")
    assert text == "first half, second half."
    (journal,) = agls.state.glob("sessions/*.jsonl")
    assert journal.read_text().count('"origin":"continuation"') == 1


@pytest.mark.row(11)
def test_run_cancelled_in_a_tool_leaves_no_process_and_can_be_continued(agls: Agls) -> None:
    """A signal in the middle of a command: its processes end, the session goes on."""
    tree = "sleep 600 & echo $! > child; echo $$ > parent; wait"
    agls.prompts([{"calls": [{"name": "shell", "arguments": {"command": tree}}]}], [{"text": "I am back."}])
    process = agls.start("run", "go", "--mode", "allowAll", "--output", "jsonl")
    files = [agls.workspace / name for name in ("child", "parent")]
    wait_until(lambda: all(file.exists() and file.read_text().strip() for file in files))
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    assert json.loads(out.splitlines()[-1])["data"]["stopReason"] == "cancelled"
    for file in files:
        assert not os.path.exists(f"/proc/{file.read_text().strip()}/stat")  # noqa: PTH110 - a process
    assert agls.run("resume", "Where are you?").out == "I am back.\n"


@pytest.mark.row(76)
def test_a_resume_may_widen_and_narrow_what_is_allowed(agls: Agls) -> None:
    """Flags may widen or narrow permissions, each for its run."""
    agls.prompts([WRITE, {"text": "1"}], [WRITE, {"text": "2"}], [WRITE, {"text": "3"}])
    file = agls.workspace / "b.txt"
    assert (agls.run("run", "go", "--mode", "acceptEdits").code, file.exists()) == (0, True)
    file.unlink()
    assert (agls.run("resume", "go", "--mode", "plan").out, file.exists()) == ("2\n", False)
    assert (agls.run("resume", "go", "--mode", "acceptEdits").out, file.exists()) == ("3\n", True)


@pytest.mark.row(78)
def test_branch_can_be_continued_beside_its_origin(agls: Agls) -> None:
    """Branch, list, export; each by another process, and what one did is there for the next."""
    agls.prompts([{"text": "The pump works."}], [{"text": "In the branch."}])
    origin = agls.run("run", "Repair the pump", "--output", "json").whole["sessionId"]
    fork = agls.run("sessions", "fork", origin).out.strip()
    assert agls.run("resume", fork, "And now?").out == "In the branch.\n"
    rows = {row["sessionId"]: row.get("parentSessionId", "") for row in agls.sessions()}
    assert rows == {origin: "", fork: origin}
    told = [agls.run("sessions", "export", one, "--format", "md").out for one in (origin, fork)]
    assert ["In the branch." in page for page in told] == [False, True]

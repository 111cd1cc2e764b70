"""What looks like a circle and is none: a healthy run goes on, and so does what it waits for."""

from typing import Any

from doors.headless.conftest import Agls


def calls(*made: dict[str, Any]) -> dict[str, Any]:
    """A turn that makes these calls."""
    return {"calls": list(made)}


def read(path: str) -> dict[str, Any]:
    """A call that reads a file."""
    return {"name": "read_file", "arguments": {"path": path}}


def test_files_that_are_missing_side_by_side_end_no_run(agls: Agls) -> None:
    first = calls(*(read(f"src/{n}.py") for n in range(4)))
    second = calls(*(read(f"lib/{n}.py") for n in range(3)))
    agls.script(first, second, {"text": "There are none."})
    done = agls.run("run", "look")
    assert (done.code, done.out) == (0, "There are none.\n")


def test_looking_again_and_again_at_a_build_neither_ends_the_run_nor_the_build(agls: Agls) -> None:
    build = {"command": "sleep 2; echo built > done.txt", "background": True}
    look = {"name": "shell_task", "arguments": {"task_id": "task_1"}}
    wait = {"name": "shell_task", "arguments": {"task_id": "task_1", "wait_s": 30}}
    agls.script(
        calls({"name": "shell", "arguments": build}), *[calls(look)] * 12, calls(wait), {"text": "Built."}
    )
    done = agls.run("run", "build", "--mode", "allowAll", "--max-turns", "50")
    assert (done.code, done.out) == (0, "Built.\n")
    assert (agls.workspace / "done.txt").read_text() == "built\n"


def test_repeating_model_is_warned_twice_before_the_run_ends(agls: Agls) -> None:
    agls.script(*[calls(read("nothing.py"))] * 12, {"text": "Never said."})
    done = agls.run("run", "look", "--output", "json", "--max-turns", "50")
    assert done.whole["stopReason"] == "guard"
    assert [len(step["calls"]) for step in done.whole["steps"]] == [1] * 9

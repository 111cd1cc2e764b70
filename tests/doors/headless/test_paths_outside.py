"""An absolute path that is meant in the workspace: what the model reads when nobody opens it."""

import pytest

from doors.headless.conftest import Agls

pytestmark = pytest.mark.row(31)


def answers(agls: Agls, *calls: tuple[str, dict[str, str]], mode: str) -> list[str]:
    """Return what the model reads of these calls."""
    turns = [{"calls": [{"name": name, "arguments": arguments}]} for name, arguments in calls]
    agls.script(*turns, {"text": "Done."})
    done = agls.run("run", "Go.", "--mode", mode, "--output", "jsonl")
    items = [event["data"]["item"] for event in done.events if event["type"] == "itemCompleted"]
    return [item["output"] for item in items if item["kind"] == "toolCall"]


def test_refusal_of_a_path_outside_names_the_root_and_what_may_be_meant(agls: Agls) -> None:
    (agls.workspace / "src").mkdir()
    (agls.workspace / "src" / "app.py").write_text("x = 1\n")
    read, written, other, inside = answers(
        agls,
        ("read_file", {"path": "/repo/src/app.py"}),
        ("write_file", {"path": "/src/new.py", "content": "y = 2\n"}),
        ("read_file", {"path": "/nowhere/else.py"}),
        ("write_file", {"path": "src/more.py", "content": "y = 2\n"}),
        mode="ask",
    )
    outside = f"is outside of the workspace, whose root is {agls.workspace}."
    assert read.endswith(f"\n/repo/src/app.py {outside} Did you mean src/app.py?")
    assert written.endswith(f"\n/src/new.py {outside} Did you mean src/new.py?")
    assert other.endswith(f"\n/nowhere/else.py {outside}")
    assert "outside" not in inside


def test_missing_path_outside_is_answered_with_the_one_inside(agls: Agls) -> None:
    (agls.workspace / "src" / "deep").mkdir(parents=True)
    listed, searched = answers(
        agls,
        ("list_dir", {"path": "/no-such/src/deep"}),
        ("grep", {"pattern": "x", "path": "/src"}),
        mode="allowAll",
    )
    assert listed == "/no-such/src/deep does not exist. Did you mean src/deep?"
    assert searched == "/src does not exist. Did you mean src?"

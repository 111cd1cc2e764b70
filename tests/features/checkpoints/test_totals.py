"""What a run changed so far, as it is shown after each call that changed a file."""

from typing import Any

from agls.engine.facts import RunDiff
from agls.features.checkpoints.totals import LONGEST

from .scene import Scene, turn

HEAD = "--- a/a.txt\n+++ b/a.txt\n"


def heard(scene: Scene) -> list[RunDiff]:
    """What is shown from now on."""
    told: list[RunDiff] = []

    def look(event: Any, state: object) -> None:
        if isinstance(event, RunDiff):
            told.append(event)

    scene.session.log.subscribe(look)
    return told


def edit(scene: Scene, old: str, new: str) -> Any:
    return turn(scene.call("edit_file", path="a.txt", old_text=old, new_text=new))


async def test_edits_of_one_file_come_to_one_diff_and_the_next_run_begins_anew(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("one\ntwo\n")
    told = heard(scene)
    read = turn(scene.call("read_file", path="a.txt"))
    new = turn(scene.call("write_file", path="b.txt", content="b\n"))
    await scene.prompt(
        read, edit(scene, "one", "1"), edit(scene, "two", "2"), new, edit(scene, "1\n2", "one\ntwo")
    )
    added = "--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1,1 @@\n+b\n"
    assert told == [
        RunDiff(f"{HEAD}@@ -1,2 +1,2 @@\n-one\n+1\n two\n"),
        RunDiff(f"{HEAD}@@ -1,2 +1,2 @@\n-one\n-two\n+1\n+2\n"),
        RunDiff(f"{HEAD}@@ -1,2 +1,2 @@\n-one\n-two\n+1\n+2\n{added}"),
        RunDiff(added),
    ]
    await scene.prompt(read, edit(scene, "one", "eins"))
    assert told[4:] == [RunDiff(f"{HEAD}@@ -1,2 +1,2 @@\n-one\n+eins\n two\n")]


async def test_turn_diff_has_the_changes_of_a_command_and_comes_only_when_something_changed(
    scene: Scene,
) -> None:
    (scene.root / "a.txt").write_text("one\n")
    told = heard(scene)
    commands = [turn(scene.call("shell", command=line)) for line in ("true", "echo two > a.txt")]
    await scene.prompt(turn(scene.call("read_file", path="a.txt")), *commands)
    assert told == [RunDiff(f"{HEAD}@@ -1,1 +1,1 @@\n-one\n+two\n")]


async def test_a_diff_that_does_not_fit_is_left_out_whole_and_counted(scene: Scene) -> None:
    told = heard(scene)
    contents = {"large.txt": "é" * LONGEST + "\n", "small.txt": "s\n"}
    calls = [scene.call("write_file", path=path, content=text) for path, text in contents.items()]
    await scene.prompt(*(turn(call) for call in calls))
    large = len(f"--- /dev/null\n+++ b/large.txt\n@@ -0,0 +1,1 @@\n+{contents['large.txt']}".encode())
    small = "--- /dev/null\n+++ b/small.txt\n@@ -0,0 +1,1 @@\n+s\n"
    assert told == [RunDiff("", large), RunDiff(small, large)]

"""What the user sees of checkpoints: points, diffs, the change set of a run, and one file reverted."""

import pytest

from agls.engine.actions import ActionError
from agls.engine.run_action import actions

from .scene import Scene, turn


async def test_the_actions_of_the_room(scene: Scene) -> None:
    found = {spec.name: spec.when for spec in actions(scene.session)}
    assert found == {
        "checkpoint.list": "any",
        "checkpoint.diff": "any",
        "checkpoint.restore": "idle",
        "changes": "any",
        "changes.revert": "idle",
        **dict.fromkeys(("task.list", "task.output", "task.stop", "shell.state", "shell.reset"), "any"),
        "task.background": "running",
    }
    restore = next(spec for spec in actions(scene.session) if spec.name == "checkpoint.restore")
    assert set(restore.schema["properties"]) == {"toItemId", "checkpointId", "dryRun"}


async def test_the_list_names_prompts_what_followed_and_restores(scene: Scene) -> None:
    first = await scene.write("a.txt", "one\n")
    second = await scene.run("true")
    restored = await scene.data("checkpoint.restore", toItemId="")
    data = await scene.data("checkpoint.list")
    uri = scene.uri("a.txt")
    assert data["checkpoints"] == [
        {"itemId": first, "beforeItemId": "", "title": "go", "commandsRan": False,
         "files": [{"uri": uri, "change": "added"}]},
        {"itemId": second, "beforeItemId": scene.before(second), "title": "go", "commandsRan": True,
         "files": [{"uri": uri, "change": "deleted"}]},
    ]  # fmt: skip
    assert data["restores"] == [
        {"checkpointId": restored["checkpointId"], "toItemId": "", "undoes": "", "reverts": "",
         "files": [{"uri": uri, "change": "deleted"}]}
    ]  # fmt: skip
    for point, content in ((data["checkpoints"][1]["beforeItemId"], b"one\n"), ("", None)):
        await scene.act("checkpoint.restore", toItemId=point)
        assert scene.bytes("a.txt") == content


async def test_an_empty_session_has_nothing_to_show(scene: Scene) -> None:
    assert (await scene.act("checkpoint.list")).text == "This session has no prompts yet."
    assert (await scene.act("changes")).text == "No file was changed."
    assert (await scene.data("checkpoint.restore", toItemId=""))["files"] == []


# --- diffs -----------------------------------------------------------------------------------------


async def test_a_diff_since_a_point_ends_with_what_is_there_now(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("one\n")
    await scene.write("a.txt", "two\n")
    second = await scene.write("a.txt", "three\n")
    await scene.write("b.txt", "b\n")
    (scene.root / "a.txt").write_text("mine\n")
    data = await scene.data("checkpoint.diff", uri=scene.uri("a.txt"))
    (file,) = data["files"]
    assert file["patch"] == "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+mine\n"
    since = await scene.data("checkpoint.diff", toItemId=scene.before(second), uri="a.txt")
    assert since["files"][0]["patch"].endswith("-two\n+mine\n")
    assert [one["uri"] for one in (await scene.data("checkpoint.diff"))["files"]] == [
        scene.uri("a.txt"), scene.uri("b.txt"),
    ]  # fmt: skip


async def test_a_diff_of_one_call(scene: Scene) -> None:
    await scene.write("a.txt", "one\n")
    call = scene.call("edit_file", path="a.txt", old_text="one", new_text="``` two")
    await scene.prompt(turn(call))
    await scene.write("a.txt", "three\n")
    outcome = await scene.act("checkpoint.diff", callId=call.call_id)
    assert outcome.data is not None
    (file,) = outcome.data["files"]
    assert (file["change"], file["insertions"], file["deletions"]) == ("modified", 1, 1)
    assert file["patch"].endswith("-one\n+``` two\n")
    assert "````diff\n" in outcome.text
    assert (await scene.data("checkpoint.diff", callId="nothing"))["files"] == []


async def test_binary_file_is_compared_as_binary(scene: Scene) -> None:
    (scene.root / "a.bin").write_bytes(b"text for now\n")
    await scene.read("a.bin")
    await scene.run("printf '\\0\\1' > a.bin")
    (file,) = (await scene.data("checkpoint.diff"))["files"]
    assert file["patch"] == "Binary file a.bin differs.\n"
    await scene.act("checkpoint.restore", toItemId="")
    assert scene.bytes("a.bin") == b"text for now\n"


async def test_row_of_a_file_without_a_snapshot_says_why(scene: Scene) -> None:
    await scene.write(".env", "KEY=1\n")
    outcome = await scene.act("checkpoint.diff")
    assert outcome.data is not None
    assert "secrets" in outcome.data["files"][0]["problem"]
    assert "KEY" not in outcome.text


# --- the change set --------------------------------------------------------------------------------


async def test_the_net_changes_of_a_run_and_of_the_session(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("one\n")
    await scene.write("a.txt", "one\ntwo\n")
    first = scene.session.state.run_id
    await scene.prompt(
        turn(scene.call("write_file", path="b.txt", content="b\n")),
        turn(scene.call("write_file", path="a.txt", content="one\ntwo\nthree\n")),
        turn(scene.call("write_file", path="a.txt", content="one\ntwo\n3\n")),
    )
    data = await scene.data("changes")
    assert data["runId"] == scene.session.state.run_id != first
    counts = {file["uri"]: (file["change"], file["insertions"], file["deletions"]) for file in data["files"]}
    assert counts == {scene.uri("a.txt"): ("modified", 1, 0), scene.uri("b.txt"): ("added", 1, 0)}
    (before,) = (await scene.data("changes", runId=first))["files"]
    assert (before["insertions"], before["standing"]) == (1, "changedSince")
    whole = await scene.data("changes", scope="session")
    assert {file["uri"]: file["insertions"] for file in whole["files"]} == {
        scene.uri("a.txt"): 2, scene.uri("b.txt"): 1,
    }  # fmt: skip


async def test_the_users_part_is_not_in_the_change_set(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("one\n")
    await scene.write("a.txt", "one\nagent\n")
    (scene.root / "a.txt").write_text("user\none\nagent\n")
    await scene.write("a.txt", "user\none\nagent\nagain\n")
    (file,) = (await scene.data("changes", scope="session"))["files"]
    assert (file["insertions"], file["deletions"]) == (2, 0)
    assert "+user" not in file["patch"]


async def test_one_file_of_a_run_is_reverted(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("old\n")
    await scene.prompt(
        turn(scene.call("read_file", path="a.txt")),
        turn(scene.call("write_file", path="a.txt", content="new\n")),
        turn(scene.call("write_file", path="b.txt", content="b\n")),
    )
    reverted = await scene.data("changes.revert", uri=scene.uri("a.txt"))
    assert (scene.bytes("a.txt"), scene.bytes("b.txt")) == (b"old\n", b"b\n")
    standing = {file["uri"]: file["standing"] for file in (await scene.data("changes"))["files"]}
    assert standing == {scene.uri("a.txt"): "takenBack", scene.uri("b.txt"): "applied"}
    await scene.act("checkpoint.restore", checkpointId=reverted["checkpointId"])
    assert scene.bytes("a.txt") == b"new\n"


async def test_a_revert_is_refused_where_it_would_lose_something(scene: Scene) -> None:
    await scene.write("a.txt", "agent\n")
    (scene.root / "a.txt").write_text("user\n")
    with pytest.raises(ActionError, match=r"a\.txt was left alone\. It was changed by you"):
        await scene.act("changes.revert", uri="a.txt")
    with pytest.raises(ActionError, match=r"b\.txt was not changed by the agent"):
        await scene.act("changes.revert", uri="b.txt")
    assert scene.bytes("a.txt") == b"user\n"


async def test_a_revert_of_an_earlier_run_spares_the_later_one(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("0\n")
    await scene.write("a.txt", "1\n")
    first = scene.session.state.run_id
    await scene.write("a.txt", "2\n")
    with pytest.raises(ActionError, match="The agent changed it again after that"):
        await scene.act("changes.revert", uri="a.txt", runId=first)
    await scene.act("changes.revert", uri="a.txt", scope="session")
    assert scene.bytes("a.txt") == b"0\n"

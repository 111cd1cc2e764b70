"""Files go back to any point of a session, and nothing that somebody else changed is lost."""

import os
import shutil
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agls.engine.actions import ActionError
from agls.engine.admission import Refused
from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.vocabulary import FileChange, FileVersion, ToolOutcome

from .scene import Scene, opened, turn


def text_of(scene: Scene, name: str) -> str:
    buffer = scene.editor.buffer(scene.uri(name))
    assert buffer
    return buffer.text


def typing(action: Callable[[], Awaitable[None]]) -> Feature:
    """Something that happens when the snapshots are taken and the call has not begun."""

    async def act_first(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        await action()
        return await inner(invocation)

    return Feature(name="typing", around_tool=act_first)


def changes_of(data: dict[str, Any]) -> dict[str, str]:
    return {Path(file["uri"]).name: file["change"] for file in data["files"]}


@pytest.mark.row(77)
async def test_edited_and_created_files_go_back_to_any_prompt(scene: Scene) -> None:
    """Bytes equal, at every prompt."""
    (scene.root / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    first = await scene.write("a.txt", "one\nTWO\n")
    second = await scene.write("sub/new.txt", "new\n")
    await scene.write("a.txt", "one\nTWO\nthree\n")
    data = await scene.data("checkpoint.restore", toItemId=scene.before(second))
    assert changes_of(data) == {"a.txt": "modified", "new.txt": "deleted"}
    assert (scene.bytes("a.txt"), scene.bytes("sub/new.txt")) == (b"one\r\nTWO\r\n", None)
    again = await scene.data("checkpoint.restore", toItemId=scene.before(first))
    assert changes_of(again) == {"a.txt": "modified"}
    assert scene.bytes("a.txt") == b"one\r\ntwo\r\n"


async def test_folders_that_were_made_for_files_go_with_them_and_come_back(scene: Scene) -> None:
    """Of the folders that were there, and of those that hold something by now, none is touched."""
    (scene.root / "kept").mkdir()
    first = await scene.write("new/deep/a.txt", "a\n")
    await scene.write("new/b.txt", "b\n")
    await scene.write("other/c.txt", "c\n")
    await scene.write("kept/d.txt", "d\n")
    (scene.root / "other" / "mine.txt").write_text("mine\n")
    await scene.reopen()
    gone = await scene.data("checkpoint.restore", toItemId=scene.before(first))
    assert changes_of(gone) == dict.fromkeys(("a.txt", "b.txt", "c.txt", "d.txt"), "deleted")
    there = {str(path.relative_to(scene.root)) for path in scene.root.rglob("*")}
    assert there == {"kept", "other", "other/mine.txt"}
    await scene.data("checkpoint.restore", checkpointId=gone["checkpointId"])
    assert scene.bytes("new/deep/a.txt") == b"a\n"
    await scene.data("checkpoint.restore", toItemId=scene.before(first))
    assert not (scene.root / "new").exists()


async def test_folder_that_was_made_stays_while_a_file_in_it_stays(scene: Scene) -> None:
    await scene.write("new/a.txt", "a\n")
    second = await scene.write("new/b.txt", "b\n")
    await scene.data("checkpoint.restore", toItemId=scene.before(second))
    assert (scene.bytes("new/a.txt"), scene.bytes("new/b.txt")) == (b"a\n", None)


async def test_file_that_changed_only_the_case_of_its_name_is_removed_before_it_comes_back(
    scene: Scene,
) -> None:
    """Where a disk knows only one of the two names, the removal would take what came back."""
    (scene.root / "Case.txt").write_text("x\n")
    await scene.prompt(
        turn(scene.call("read_file", path="Case.txt")),
        turn(scene.call("move_file", path="Case.txt", to="case.txt")),
    )
    data = await scene.data("checkpoint.restore", toItemId="")
    assert list(changes_of(data).items()) == [("case.txt", "deleted"), ("Case.txt", "added")]
    assert (scene.bytes("Case.txt"), scene.bytes("case.txt")) == (b"x\n", None)


async def test_the_data_is_what_the_readme_promises(scene: Scene) -> None:
    prompt = await scene.write("a.txt", "one\ntwo\n")
    data = await scene.data("checkpoint.restore", toItemId="")
    uri = scene.uri("a.txt")
    assert data["checkpointId"].startswith("rewind_")
    assert data["files"] == [{"uri": uri, "change": "deleted", "insertions": 0, "deletions": 2}]
    assert (data["conflicts"], data["commandsRan"]) == ([], False)
    (change,) = data["changes"]
    made = FileChange(**{
        **change, "base": FileVersion(**change["base"]), "result": FileVersion(**change["result"])
    })  # fmt: skip
    assert (made.uri, made.change, made.via, made.result.hash) == (uri, "deleted", "disk", "")
    assert made.patch == "--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n"
    assert prompt  # the prompt itself stays: only files go back
    assert prompt in scene.prompts()


async def test_a_dry_run_says_the_same_and_does_nothing(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("old\n")
    await scene.write("a.txt", "new\n")
    await scene.write("b.txt", "made\n")
    entries = len(scene.session.log.journal.entries())
    dry = await scene.data("checkpoint.restore", toItemId="", dryRun=True)
    assert dry["checkpointId"] == ""
    assert len(scene.session.log.journal.entries()) == entries
    assert (scene.bytes("a.txt"), scene.bytes("b.txt")) == (b"new\n", b"made\n")
    real = await scene.data("checkpoint.restore", toItemId="")
    assert dry["files"] == real["files"]


async def test_a_restore_can_be_undone_and_the_undoing_too(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("old\n")
    await scene.write("a.txt", "new\n")
    await scene.write("b.txt", "made\n")
    restored = await scene.data("checkpoint.restore", toItemId="")
    assert (scene.bytes("a.txt"), scene.bytes("b.txt")) == (b"old\n", None)
    undone = await scene.data("checkpoint.restore", checkpointId=restored["checkpointId"])
    assert changes_of(undone) == {"a.txt": "modified", "b.txt": "added"}
    assert (scene.bytes("a.txt"), scene.bytes("b.txt")) == (b"new\n", b"made\n")
    await scene.data("checkpoint.restore", checkpointId=undone["checkpointId"])
    assert (scene.bytes("a.txt"), scene.bytes("b.txt")) == (b"old\n", None)


@pytest.mark.row(76, 77)
async def test_restore_works_after_the_session_was_opened_again(scene: Scene) -> None:
    """The history of files."""
    (scene.root / "a.txt").write_text("old\n")
    await scene.write("a.txt", "new\n")
    await scene.reopen()
    restored = await scene.data("checkpoint.restore", toItemId="")
    assert scene.bytes("a.txt") == b"old\n"
    await scene.reopen()
    await scene.data("checkpoint.restore", checkpointId=restored["checkpointId"])
    assert scene.bytes("a.txt") == b"new\n"


async def test_going_forward_again_after_a_restore(scene: Scene) -> None:
    first = await scene.write("a.txt", "1\n")
    second = await scene.write("a.txt", "2\n")
    await scene.data("checkpoint.restore", toItemId="")
    assert scene.bytes("a.txt") is None
    for last, text in ((scene.before(second), b"1\n"), (scene.transcript[-1].item_id, b"2\n")):
        await scene.data("checkpoint.restore", toItemId=last)
        assert scene.bytes("a.txt") == text
    assert first


async def test_users_change_after_the_agents_is_a_conflict_and_stays(scene: Scene) -> None:
    await scene.write("a.txt", "agent\n")
    await scene.write("b.txt", "agent\n")
    (scene.root / "a.txt").write_text("user\n")
    data = await scene.data("checkpoint.restore", toItemId="")
    assert scene.bytes("a.txt") == b"user\n"
    assert changes_of(data) == {"b.txt": "deleted"}
    assert data["conflicts"] == [
        {"uri": scene.uri("a.txt"),
         "reason": "It was changed by you or somebody else after the agent's last change."}
    ]  # fmt: skip
    assert "Left alone" in (await scene.act("checkpoint.restore", toItemId="", dryRun=True)).text


async def test_users_change_between_two_of_the_agent_stays(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("start\n")
    await scene.write("a.txt", "start\nagent\n")
    (scene.root / "a.txt").write_text("user\nstart\nagent\n")
    last = await scene.write("a.txt", "user\nstart\nagent\nagain\n")
    data = await scene.data("checkpoint.restore", toItemId="")
    assert [one["reason"] for one in data["conflicts"]] == [
        "It was changed by you or somebody else between the agent's changes."
    ]
    assert scene.bytes("a.txt") == b"user\nstart\nagent\nagain\n"
    await scene.data("checkpoint.restore", toItemId=scene.before(last))  # the user's change stays
    assert scene.bytes("a.txt") == b"user\nstart\nagent\n"


async def test_an_undo_never_overwrites_what_came_after_the_restore(scene: Scene) -> None:
    for name in ("user.txt", "agent.txt"):
        (scene.root / name).write_text("old\n")
        await scene.write(name, "new\n")
    restored = await scene.data("checkpoint.restore", toItemId="")
    (scene.root / "user.txt").write_text("mine\n")
    await scene.write("agent.txt", "other\n")
    undone = await scene.data("checkpoint.restore", checkpointId=restored["checkpointId"])
    assert {Path(one["uri"]).name: one["reason"] for one in undone["conflicts"]} == {
        "user.txt": "It was changed by you or somebody else after the agent's last change.",
        "agent.txt": "The agent changed it again after that.",
    }
    assert (scene.bytes("user.txt"), scene.bytes("agent.txt")) == (b"mine\n", b"other\n")


async def test_a_file_that_is_a_link_now_is_left_alone(scene: Scene, tmp_path: Path) -> None:
    await scene.write("a.txt", "agent\n")
    (tmp_path / "elsewhere").write_text("agent\n")
    (scene.root / "a.txt").unlink()
    (scene.root / "a.txt").symlink_to(tmp_path / "elsewhere")
    data = await scene.data("checkpoint.restore", toItemId="")
    assert (len(data["conflicts"]), data["files"]) == (1, [])
    assert (tmp_path / "elsewhere").read_text() == "agent\n"


async def test_a_mode_comes_back_with_a_removed_file(scene: Scene) -> None:
    (scene.root / "run.sh").write_text("echo\n")
    (scene.root / "run.sh").chmod(0o755)
    await scene.read("run.sh")
    await scene.run("rm run.sh")
    await scene.data("checkpoint.restore", toItemId="")
    assert (scene.root / "run.sh").stat().st_mode & 0o777 == 0o755


async def test_git_is_never_touched(scene: Scene) -> None:
    (scene.root / ".git").mkdir()
    (scene.root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    await scene.write(".git/HEAD", "ref: evil\n")
    data = await scene.data("checkpoint.restore", toItemId="")
    assert "version control" in data["conflicts"][0]["reason"]
    assert scene.bytes(".git/HEAD") == b"ref: evil\n"


# --- open documents --------------------------------------------------------------------------------


@pytest.mark.row(77)
@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
async def test_in_a_real_repository_neither_snapshots_nor_restores_touch_git(scene: Scene) -> None:
    """What is below .git keeps its bytes and its times; `git status` says what it said before."""

    def git(*arguments: str) -> str:
        known = {"HOME": str(scene.state_folder), "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"]}
        told = ("-c", "user.name=a", "-c", "user.email=a@b.c", *arguments)
        done = subprocess.run(["git", *told], cwd=scene.root, env=known, capture_output=True, check=True)
        return done.stdout.decode()

    def inside() -> dict[Path, tuple[bytes, int]]:
        files = [path for path in (scene.root / ".git").rglob("*") if path.is_file()]
        return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}

    git("init")
    (scene.root / "a.txt").write_text("old\n")
    (scene.root / "staged.txt").write_text("one\n")
    git("add", ".")
    git("commit", "-m", "first")
    (scene.root / "staged.txt").write_text("two\n")
    git("add", ".")
    status, before = git("status", "--porcelain"), inside()
    await scene.write("a.txt", "agent\n")
    await scene.write("new.txt", "agent\n")
    await scene.read("staged.txt")
    await scene.run("echo three > staged.txt")
    restored = await scene.data("checkpoint.restore", toItemId="")
    assert (len(restored["files"]), restored["conflicts"]) == (3, [])
    assert inside() == before
    assert git("status", "--porcelain") == status == "M  staged.txt\n"


async def test_change_by_another_session_counts_as_foreign(scene: Scene) -> None:
    """What two sessions did to one file goes back in turn, and never what is the other's."""
    (scene.root / "a.txt").write_text("old\n")
    await scene.write("a.txt", "first\n")
    first, scene.session = scene.session, await scene.sessions.create(str(scene.root))
    await scene.write("a.txt", "second\n")
    second, scene.session = scene.session, first
    left = await scene.data("checkpoint.restore", toItemId="")
    assert (len(left["conflicts"]), scene.bytes("a.txt")) == (1, b"second\n")
    for session, expected in ((second, b"first\n"), (first, b"old\n")):
        scene.session = session
        assert (await scene.data("checkpoint.restore", toItemId=""))["conflicts"] == []
        assert scene.bytes("a.txt") == expected


async def test_file_that_was_removed_or_replaced_is_a_conflict_and_stays(scene: Scene) -> None:
    """Deleted, renamed, a folder or a pipe now, or a file where its folder was: each is a conflict."""
    for name in ("deleted", "renamed", "folder", "pipe", "inner/file"):
        (scene.root / name).parent.mkdir(exist_ok=True)
        (scene.root / name).write_text("old\n")
        await scene.write(name, "agent\n")
    (scene.root / "deleted").unlink()
    (scene.root / "renamed").rename(scene.root / "other name")
    for name in ("folder", "pipe", "inner/file"):
        (scene.root / name).unlink()
    (scene.root / "folder").mkdir()
    os.mkfifo(scene.root / "pipe")
    (scene.root / "inner").rmdir()
    (scene.root / "inner").write_text("mine\n")
    data = await scene.data("checkpoint.restore", toItemId="")
    told = {Path(one["uri"]).name: one["reason"] for one in data["conflicts"]}
    assert (len(told), data["files"]) == (5, [])
    assert "changed by you or somebody else" in told["deleted"] and told["deleted"] == told["renamed"]
    assert "is a folder, not a file" in told["folder"] and "not a regular file" in told["pipe"]
    assert "a part of its path is a file" in told["file"]
    assert (scene.bytes("other name"), scene.bytes("inner"), scene.bytes("deleted")) == (
        b"agent\n", b"mine\n", None,
    )  # fmt: skip


async def test_an_open_document_goes_back_by_one_edit(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("old\n")
    scene.editor.open(scene.uri("a.txt"), "old\n")
    await scene.write("a.txt", "new\n")
    scene.editor.labels.clear()
    data = await scene.data("checkpoint.restore", toItemId="")
    assert text_of(scene, "a.txt") == "old\n"
    assert len(scene.editor.labels) == 1
    assert data["changes"][0]["via"] == "editor"
    undone = await scene.act("checkpoint.restore", checkpointId=data["checkpointId"])
    assert text_of(scene, "a.txt") == "new\n"
    assert "not saved" in undone.text


@pytest.mark.item(40)
async def test_unsaved_changes_of_the_user_are_protected(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("old\n")
    scene.editor.open(scene.uri("a.txt"), "old\n")
    await scene.write("a.txt", "new\n")
    scene.editor.type(scene.uri("a.txt"), "new and mine\n")
    data = await scene.data("checkpoint.restore", toItemId="")
    assert (len(data["conflicts"]), data["files"]) == (1, [])
    assert text_of(scene, "a.txt") == "new and mine\n"


async def test_unsaved_text_of_the_user_is_restored(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("disk\n")
    scene.editor.open(scene.uri("a.txt"), "disk\n")
    await scene.read("a.txt")
    scene.editor.type(scene.uri("a.txt"), "unsaved\n")
    await scene.write("a.txt", "agent\n")
    await scene.data("checkpoint.restore", toItemId="")
    assert (text_of(scene, "a.txt"), scene.bytes("a.txt")) == ("unsaved\n", b"disk\n")


async def test_a_keystroke_just_before_the_edit_arrives_wins(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("old\n")
    scene.editor.open(scene.uri("a.txt"), "old\n")
    await scene.write("a.txt", "new\n")
    scene.editor.meanwhile(lambda: scene.editor.type(scene.uri("a.txt"), "new!\n"))
    data = await scene.data("checkpoint.restore", toItemId="")
    assert (len(data["conflicts"]), data["files"]) == (1, [])
    assert text_of(scene, "a.txt") == "new!\n"


async def test_text_typed_while_a_tool_works_stays(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("old\n")
    uri = scene.uri("a.txt")
    scene.editor.open(uri, "old\n")
    replace = scene.editor.replace

    async def and_type(*edit: Any) -> Any:
        done = await replace(*edit)
        scene.editor.type(uri, "new and typed\n")
        return done

    scene.editor.replace = and_type
    await scene.write("a.txt", "new\n")
    scene.editor.replace = replace
    data = await scene.data("checkpoint.restore", toItemId="")
    assert (len(data["conflicts"]), data["files"]) == (1, [])
    assert text_of(scene, "a.txt") == "new and typed\n"


async def test_a_saved_and_closed_document_goes_back_on_the_disk(scene: Scene) -> None:
    (scene.root / "a.txt").write_bytes(b"\xef\xbb\xbfold\r\n")
    scene.editor.open(scene.uri("a.txt"), "old\r\n")
    await scene.write("a.txt", "new\n")
    (scene.root / "a.txt").write_bytes(b"\xef\xbb\xbfnew\r\n")
    scene.editor.close(scene.uri("a.txt"))
    await scene.data("checkpoint.restore", toItemId="")
    assert scene.bytes("a.txt") == b"\xef\xbb\xbfold\r\n"


async def test_a_made_file_that_is_open_now_is_removed_and_comes_back(scene: Scene) -> None:
    await scene.write("a.txt", "made\n")
    scene.editor.open(scene.uri("a.txt"), "made\n")
    restored = await scene.data("checkpoint.restore", toItemId="")
    assert scene.bytes("a.txt") is None
    assert text_of(scene, "a.txt") == "made\n"  # the editor still shows it
    await scene.data("checkpoint.restore", checkpointId=restored["checkpointId"])
    assert scene.bytes("a.txt") == b"made\n"


async def test_a_made_file_with_unsaved_changes_is_not_removed(scene: Scene) -> None:
    await scene.write("a.txt", "made\n")
    scene.editor.open(scene.uri("a.txt"), "made\n")
    scene.editor.type(scene.uri("a.txt"), "made and mine\n")
    data = await scene.data("checkpoint.restore", toItemId="")
    assert (len(data["conflicts"]), scene.bytes("a.txt")) == (1, b"made\n")


# --- commands --------------------------------------------------------------------------------------


async def test_of_a_command_only_what_was_touched_or_open_is_known(scene: Scene) -> None:
    for name in ("read.txt", "open.txt", "unknown.txt"):
        (scene.root / name).write_text("old\n")
    await scene.read("read.txt")
    scene.editor.open(scene.uri("open.txt"), "old\n")
    await scene.run("for f in read open unknown; do echo new > $f.txt; done")
    scene.editor.type(scene.uri("open.txt"), "new\n")  # the editor loads it anew
    outcome = await scene.act("checkpoint.restore", toItemId="")
    assert outcome.data is not None
    assert changes_of(outcome.data) == {"read.txt": "modified", "open.txt": "modified"}
    assert outcome.data["commandsRan"] is True
    assert "Commands ran" in outcome.text
    assert (scene.bytes("read.txt"), scene.bytes("unknown.txt")) == (b"old\n", b"new\n")
    assert text_of(scene, "open.txt") == "old\n"


async def test_document_that_the_editor_did_not_reload_delays_nothing(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("old\n")
    scene.editor.open(scene.uri("a.txt"), "old\n")
    await scene.run("echo new > a.txt")
    data = await scene.data("checkpoint.restore", toItemId="")
    assert data["conflicts"] == []
    assert text_of(scene, "a.txt") == "old\n"  # what the user sees, and what a save writes


async def test_text_typed_during_a_command_stays(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("old\n")
    scene.editor.open(scene.uri("a.txt"), "old\n")

    async def type_first() -> None:
        scene.editor.type(scene.uri("a.txt"), "old, typed\n")

    call = scene.call("shell", command="true")
    scene.more = (typing(type_first),)
    await scene.prompt(turn(call))
    data = await scene.data("checkpoint.restore", toItemId="")
    assert (data["files"], data["conflicts"]) == ([], [])
    assert text_of(scene, "a.txt") == "old, typed\n"


async def test_a_file_beyond_the_limit_of_looks_is_not_known(tmp_path: Path) -> None:
    async with opened(tmp_path, max_files=1) as scene:
        for name in ("a.txt", "b.txt"):
            (scene.root / name).write_text("old\n")
            await scene.read(name)
        await scene.run("echo new > a.txt; echo new > b.txt")
        assert changes_of(await scene.data("checkpoint.restore", toItemId="")) == {"b.txt": "modified"}


# --- what is not kept ------------------------------------------------------------------------------


async def test_restore_of_a_file_with_secrets_is_a_conflict(scene: Scene, tmp_path: Path) -> None:
    (scene.root / ".env").write_text("KEY=canary-1\n")
    await scene.write(".env", "KEY=canary-2\n")
    data = await scene.data("checkpoint.restore", toItemId="")
    assert "secrets" in data["conflicts"][0]["reason"]
    assert scene.bytes(".env") == b"KEY=canary-2\n"
    assert any("secrets" in text for text in scene.notices)
    kept = [path.read_bytes() for path in (tmp_path / "state/blobs").rglob("*") if path.is_file()]
    assert not [data for data in kept if b"canary" in data]


async def test_restore_of_a_file_that_is_too_large_is_a_conflict(tmp_path: Path) -> None:
    async with opened(tmp_path, max_file_bytes=10) as scene:
        (scene.root / "a.txt").write_text("x" * 11)
        await scene.write("a.txt", "y")
        data = await scene.data("checkpoint.restore", toItemId="")
        assert (len(data["conflicts"]), scene.bytes("a.txt")) == (1, b"y")
        assert any("a.txt" in text for text in scene.notices)


async def test_full_disk_stops_no_call_and_makes_a_conflict(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    (scene.root / "a.txt").write_text("old\n")

    async def refuse(data: bytes) -> str:
        raise OSError("No space left for snapshots.")

    with monkeypatch.context() as patch:
        patch.setattr(scene.blobs, "keep", refuse)
        await scene.write("a.txt", "new\n")
    assert scene.bytes("a.txt") == b"new\n"
    assert any("No space left for snapshots" in text for text in scene.notices)
    data = await scene.data("checkpoint.restore", toItemId="")
    assert "No space left" in data["conflicts"][0]["reason"]
    assert scene.bytes("a.txt") == b"new\n"


async def test_a_kept_content_that_is_damaged_is_named(scene: Scene, tmp_path: Path) -> None:
    (scene.root / "a.txt").write_text("old\n")
    await scene.write("a.txt", "new\n")
    for path in (tmp_path / "state/blobs").glob("??/*"):
        path.write_bytes(b"damaged")
    data = await scene.data("checkpoint.restore", toItemId="")
    assert "damaged" in data["conflicts"][0]["reason"]
    assert scene.bytes("a.txt") == b"new\n"


# --- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "Say where to go back to"),
        ({"toItemId": "", "checkpointId": "x"}, "Say where to go back to"),
        ({"toItemId": "nowhere"}, "There is no item 'nowhere'"),
        ({"checkpointId": "nowhere"}, "There is no rewind of files 'nowhere'"),
        ({"toItem": ""}, "there is no such argument"),
        ({"toItemId": "", "dryRun": "perhaps"}, "dryRun"),
    ],
)
async def test_bad_input_says_what_to_do(scene: Scene, arguments: dict[str, Any], told: str) -> None:
    await scene.write("a.txt", "agent\n")
    with pytest.raises(ActionError, match=told):
        await scene.act("checkpoint.restore", **arguments)
    assert scene.bytes("a.txt") == b"agent\n"


async def test_restore_during_a_run_is_refused(scene: Scene) -> None:
    refused: list[str] = []

    async def try_it() -> None:
        with pytest.raises(Refused) as caught:
            await scene.act("checkpoint.restore", toItemId="")
        refused.append(caught.value.kind)

    scene.more = (typing(try_it),)
    await scene.write("a.txt", "agent\n")
    assert set(refused) == {"runActive"}
    assert scene.bytes("a.txt") == b"agent\n"

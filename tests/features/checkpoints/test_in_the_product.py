"""The room as it is wired: a scripted run in the real world of a process, and the way back."""

import json
from pathlib import Path
from typing import Any

import pytest

from agls.config import ConfigInputs, read
from agls.engine.run_action import invoke
from agls.engine.vocabulary import Text
from agls.workspace.editor import NoEditor
from agls.world import open_world
from support.family import cast, delegate, opened, run, statuses, task
from support.model_server import ModelServer, Reply

CONFIG = """
model = "scripted"
[models.scripted]
dialect = "scripted"
script = "script.json"
[permissions]
mode = "acceptEdits"
deny = ["edit(secret.txt)"]
"""


def call(path: str, content: str) -> dict[str, Any]:
    return {"calls": [{"name": "write_file", "arguments": {"path": path, "content": content}}]}


async def test_a_run_is_taken_back_and_what_was_not_allowed_was_never_kept(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    root.mkdir()
    (root / "secret.txt").write_text("canary\n")
    turns = [call("new.txt", "made\n"), call("secret.txt", "stolen\n"), {"text": "Done."}]
    (home / "script.json").write_text(json.dumps({"prompts": [{"turns": turns}]}))
    (home / "config.toml").write_text(CONFIG)
    told = ConfigInputs(config_file=str(home / "config.toml"), state_dir=str(home / "state"))
    setup = read(told, str(root), lambda folder: False, {})
    async with open_world(setup, editor=NoEditor(), headless=True) as world:
        session = await world.sessions.create(str(root))
        admission = await session.prompt((Text("go"),))
        await session.finished(admission.run_id)
        assert (root / "new.txt").read_text() == "made\n"
        session_id = session.session_id
    async with open_world(setup, editor=NoEditor(), headless=True) as world:  # another process
        session = await world.sessions.open(session_id)
        restored = await invoke(session, "checkpoint.restore", {"toItemId": ""})
    assert not (root / "new.txt").exists()
    assert restored.data is not None
    assert [file["uri"] for file in restored.data["files"]] == [(root / "new.txt").as_uri()]
    assert (root / "secret.txt").read_text() == "canary\n"
    kept = [path for path in (home / "state/blobs").glob("??/*") if b"canary" in path.read_bytes()]
    assert kept == []


@pytest.mark.row(77)
async def test_changes_of_children_are_shown_and_restored_in_the_parent_session(
    tmp_path: Path,
) -> None:
    """A child's file, a child's command, and a grandchild's file go back with the prompt."""
    parts = {
        "ROOT": [delegate(task("ONE")), Reply("End")],
        "ONE": [
            Reply(calls=[("read_file", {"path": "old.txt"})]),
            Reply(calls=[("write_file", {"path": "old.txt", "content": "child\n"})]),
            Reply(calls=[("shell", {"command": "echo more >> old.txt"})]),
            delegate(task("TWO")),
            Reply("done"),
        ],
        "TWO": [
            Reply(calls=[("write_file", {"path": "deep.txt", "content": "grandchild\n"})]),
            Reply("done"),
        ],
    }
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server, 'permissions = { mode = "allowAll" }') as world:
            root = tmp_path / "workspace"
            (root / "old.txt").write_text("old\n")
            session = await world.sessions.create(str(root))
            state = await run(world, session)
            assert statuses(state) == {"task-1": "completed"}
            assert (root / "old.txt").read_text() == "child\nmore\n"
            changed = (await invoke(session, "changes", {})).data
            assert changed is not None
            told = [(file["uri"], file["change"], file["standing"]) for file in changed["files"]]
            assert told == [
                ((root / "old.txt").as_uri(), "modified", "applied"),
                ((root / "deep.txt").as_uri(), "added", "applied"),
            ]
            assert changed["commandsRan"], "a child's command may have changed more"
            back = (await invoke(session, "checkpoint.restore", {"toItemId": ""})).data
            assert back is not None
            assert ((root / "old.txt").read_text(), (root / "deep.txt").exists()) == ("old\n", False)
            await invoke(session, "checkpoint.restore", {"checkpointId": back["checkpointId"]})
            assert (root / "old.txt").read_text() == "child\nmore\n"
            (root / "deep.txt").write_text("mine\n")
            left = (await invoke(session, "checkpoint.restore", {"toItemId": ""})).data
            assert left is not None
            assert [conflict["uri"] for conflict in left["conflicts"]] == [(root / "deep.txt").as_uri()]

"""What the user denied to read is in no list that a tool gives."""

import json
from pathlib import Path

from agls.config import ConfigInputs, read
from agls.engine.vocabulary import Text
from agls.features import search
from agls.features.permissions.rules import denied
from agls.features.search.settings import Settings as SearchSettings
from agls.workspace.editor import NoEditor
from agls.workspace.hidden_files import Hiding
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from agls.world import open_world
from support.fake_editor import FakeEditor
from support.file_tools import file_tools
from support.rooms import results
from support.toolbox import Toolbox


def test_only_rules_about_reading_files_hide_them() -> None:
    rules = ["read(secrets/**)", "edit(src/**)", "shell(cat *)", "read", "read(/etc)", "read(*.pem)"]
    hiding = Hiding(denied(rules), (("/repo", "/repo"),))
    for path in ("/repo/Secrets/key", "/repo/secrets", "/etc/passwd", "/repo/deep/x.pem"):
        assert hiding.hides(path)
    assert not hiding.hides("/repo/src/a.py")
    assert denied(["read"]) == (), "the gate says so of every call"


async def test_search_and_lists_leave_out_what_is_denied(tmp_path: Path) -> None:
    for name in ("secrets/key.txt", "a.txt", "b.pem"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("token")
    editor = FakeEditor({(tmp_path / "secrets" / "open.txt").as_uri(): "token"})
    hidden = denied(["read(secrets/**)", "read(*.pem)"])
    workspace = OpenWorkspace(str(tmp_path), (), editor, Processes(), hidden=hidden)
    tools = Toolbox(search.ROOM.build(SearchSettings()), workspace)
    assert (await tools.call("grep", pattern="token")).text == "a.txt\n1:token"
    assert (await tools.call("grep", pattern="t.ken", output="files")).text == "a.txt"
    assert (await tools.call("glob", pattern="*")).text == "a.txt"
    lists = Toolbox(file_tools(), workspace)
    assert (await lists.call("list_dir")).text == "a.txt\t5"


async def test_a_run_hides_what_the_settings_deny(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    (folder / "secrets").mkdir(parents=True)
    (folder / "secrets/key").write_text("token")
    (folder / "a.txt").write_text("token")
    grep = {"name": "grep", "arguments": {"pattern": "token"}}
    turns = [{"text": "I look.", "calls": [grep]}, {"text": "Done."}]
    (tmp_path / "script.json").write_text(json.dumps({"prompts": [{"turns": turns}]}))
    (tmp_path / "config.toml").write_text(
        'model = "scripted"\npermissions.deny = ["read(secrets/**)"]\n'
        '[models.scripted]\ndialect = "scripted"\nscript = "script.json"\n'
    )
    told = ConfigInputs(config_file=str(tmp_path / "config.toml"), state_dir=str(tmp_path / "state"))
    setup = read(told, str(folder), lambda folder: True, {})
    async with open_world(setup, editor=NoEditor(), headless=True) as world:
        session = await world.sessions.create(str(folder))
        admission = await session.prompt((Text("go"),))
        await session.finished(admission.run_id)
        assert list(results(session.state).values()) == ["a.txt\n1:token"]

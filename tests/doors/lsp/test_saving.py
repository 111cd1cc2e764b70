"""Saving before a command, over a real process: a command sees what the agent wrote, or tells what not."""

import time
from pathlib import Path
from typing import Any

import pytest

from agls.views.transcript import fold
from support.lsp_editor import LspEditor, attach
from support.wire import Message, Wire, script, turns

from .conftest import Serve

TEXT = "one = 1\ntwo = 2\n"
NEW = TEXT.replace("two = 2", "two = 22")
READ: Message = {"calls": [{"name": "read_file", "arguments": {"path": "a.py"}}]}


def edit(old: str = "two = 2", new: str = "two = 22", path: str = "a.py") -> Message:
    return {"calls": [{"name": "edit_file", "arguments": {"path": path, "old_text": old, "new_text": new}}]}


def shell(command: str = "cat a.py", **more: Any) -> Message:
    return {"calls": [{"name": "shell", "arguments": {"command": command, **more}}]}


class Scene:
    """An editor with `a.py` open, at a server whose model plays these turns in each prompt."""

    def __init__(self, serve: Serve, *made: Any, saves: bool = True, how: str = "", files: int = 1) -> None:
        self.wire: Wire = serve(*(turns(*made, "done") for _ in range(3)))
        if how:
            config = self.wire.workspace.parent / "config.toml"
            config.write_text(config.read_text() + f'\n[shell]\nsave_before_commands = "{how}"\n')
        self.editor: LspEditor = attach(self.wire, saves=saves)
        self.files = [self.wire.workspace / name for name in ("a.py", "mine.py", "other.py")[:files]]
        for file in self.files:
            file.write_text(TEXT)
            self.editor.open_file(file)
        self.questions: list[Message] = []
        self.choice = "save"
        self._allow = self.wire.answers["agent/requestPermission"]
        self.wire.answers["agent/requestPermission"] = self._answer
        self.session = self.wire.session()

    def _answer(self, params: Message) -> Any:
        if params["subject"]["type"] != "save":
            return self._allow(params)
        self.questions.append(params)
        return {"outcome": "selected", "optionId": self.choice}

    def run(self) -> list[Message]:
        """One prompt; gives the items of its calls."""
        ended = self.wire.run(self.session)
        told = [event for event in self.wire.events if event.get("runId") == ended["runId"]]
        return [item for item in fold(told).items.values() if item["kind"] == "toolCall"]

    def type(self, place: int, text: str) -> None:
        """The user types at the start of one of the files."""
        self.editor.type(self.files[place].as_uri(), 0, text)

    def saved(self) -> list[str]:
        """The files that were saved, by name."""
        return [uri.rpartition("/")[2] for uri in self.editor.saves]

    def asked_to_save(self) -> list[Message]:
        """What the server asked the editor to save."""
        return [message["params"] for message in self.wire.of_method("agent/saveDocuments")]


def test_command_after_an_edit_sees_the_edit(serve: Serve) -> None:
    scene = Scene(serve, READ, edit(), shell())
    *_, ran = scene.run()
    assert "two = 22" in ran["output"]
    assert "Not saved" not in ran["output"]
    assert "unsaved" not in ran["terminal"]
    assert scene.questions == []
    (params,) = scene.asked_to_save()
    version = scene.editor.documents[scene.files[0].as_uri()].version
    assert params["sessionId"] == scene.session
    assert params["documents"] == [{"uri": scene.files[0].as_uri(), "version": version}]
    assert params["reason"] == "before a command of the agent"


def test_command_in_the_background_after_an_edit_sees_the_edit(serve: Serve) -> None:
    look = {"calls": [{"name": "shell_task", "arguments": {"task_id": "task_1", "wait_s": 60}}]}
    scene = Scene(serve, READ, edit(), shell(background=True), look)
    *_, looked = scene.run()
    assert "two = 22" in looked["output"]


def test_command_without_an_edit_before_it_saves_nothing(serve: Serve) -> None:
    scene = Scene(serve, READ, shell())
    scene.run()
    assert scene.asked_to_save() == []


@pytest.mark.parametrize("choice", ["save", "leave"])
def test_users_own_changes_are_asked_about_once_per_session(serve: Serve, choice: str) -> None:
    scene = Scene(serve, READ, shell("cat a.py mine.py"), shell("cat mine.py"), files=2)
    scene.choice = choice
    scene.type(1, "typed = 1\n")
    _, first, second = scene.run()
    (question,) = scene.questions
    assert "mine.py" in question["shown"]["text"]
    assert question["itemId"] == first["itemId"]
    assert scene.saved() == (["mine.py"] if choice == "save" else [])
    for ran in (first, second):
        assert ("typed = 1" in ran["output"]) == (choice == "save")
        assert ran["terminal"].get("unsaved") == (None if choice == "save" else ["mine.py"])
    scene.type(1, "more = 1\n")
    scene.run()
    assert len(scene.questions) == 1
    assert scene.saved() == (["mine.py"] * 2 if choice == "save" else [])
    scene.session = scene.wire.session(clientKey="another")
    scene.type(1, "again = 1\n")
    scene.run()
    assert len(scene.questions) == 2, "another session asks for itself"


def test_answer_holds_when_the_session_is_resumed_by_another_process(tmp_path: Path, serve: Serve) -> None:
    scene = Scene(serve, READ, shell("cat mine.py; rm -f none.txt"), files=2)
    scene.choice = "leave"
    scene.type(1, "typed = 1\n")
    scene.run()
    scene.wire.__exit__(None, None, None)
    prompt = turns(READ, shell("cat mine.py; rm -f none.txt"), "done")
    with Wire(tmp_path, script(tmp_path, prompt, prompt)) as wire:
        editor = attach(wire, saves=True)
        asked: list[Message] = []
        allow = wire.answers["agent/requestPermission"]
        wire.answers["agent/requestPermission"] = lambda params: asked.append(params) or allow(params)
        editor.open_file(scene.files[1])
        editor.type(scene.files[1].as_uri(), 0, "again = 1\n")
        wire.call("agent/resume", {"sessionId": scene.session})
        wire.run(scene.session)
        assert [params["subject"]["type"] for params in asked] == ["command"]
        assert editor.saves == []


def test_file_with_changes_of_both_is_the_users_to_decide(serve: Serve) -> None:
    scene = Scene(serve, READ, edit(), shell())
    scene.type(0, "typed = 1\n")
    scene.choice = "leave"
    *_, ran = scene.run()
    assert len(scene.questions) == 1
    assert scene.saved() == []
    assert "saw these files as they are on disk: a.py" in ran["output"]


def test_file_that_the_user_changed_after_the_agent_is_the_users_to_decide(serve: Serve) -> None:
    scene = Scene(serve, READ, edit(), shell("true"), shell())
    scene.editor.manners.behind = lambda: scene.type(0, "typed = 1\n")
    scene.choice = "leave"
    scene.run()
    assert (len(scene.questions), scene.saved()) == (1, [])


def test_text_that_changes_while_the_editor_is_asked_to_save_is_not_saved(serve: Serve) -> None:
    scene = Scene(serve, READ, edit(), shell())
    scene.editor.manners.before_save = lambda: scene.type(0, "typed = 1\n")
    *_, ran = scene.run()
    assert scene.saved() == []
    assert scene.files[0].read_text() == TEXT
    assert "on disk: a.py (it was changed meanwhile)]" in ran["output"]
    assert ran["terminal"]["unsaved"] == ["a.py"]


def test_formatter_that_changes_a_file_on_saving_is_named(serve: Serve) -> None:
    scene = Scene(serve, READ, edit("two = 2", "two = 22  "), shell(), edit("two", "x"))
    scene.editor.manners.on_save = lambda text: text.replace("  \n", "\n")
    _, edited, ran, unread = scene.run()
    assert edited["effects"] == "applied"
    assert (
        "[The editor changed these files when it saved them; read them before you edit: a.py]"
        in ran["output"]
    )
    assert scene.files[0].read_text() == NEW
    assert "changed since it was read" in unread["output"]


@pytest.mark.parametrize("saves", [True, False])
def test_stale_files_are_named_where_nothing_is_saved(serve: Serve, saves: bool) -> None:
    scene = Scene(serve, READ, edit(), shell(), saves=saves, how="never" if saves else "")
    *_, ran = scene.run()
    assert "two = 22" not in ran["output"]
    assert (
        "[Not saved in the editor, so the command saw these files as they are on disk: a.py" in ran["output"]
    )
    assert ran["terminal"]["unsaved"] == ["a.py"]
    assert (scene.asked_to_save(), scene.questions) == ([], [])


def test_everything_is_saved_unasked_where_the_user_wants_that(serve: Serve) -> None:
    scene = Scene(serve, READ, edit(), shell("cat a.py mine.py"), how="all", files=2)
    scene.type(1, "typed = 1\n")
    *_, ran = scene.run()
    assert "typed = 1" in ran["output"]
    assert "two = 22" in ran["output"]
    assert scene.questions == []


def test_cancel_while_the_editor_saves_takes_the_request_back(serve: Serve) -> None:
    scene = Scene(serve, READ, edit(), shell("touch ran"))
    del scene.wire.answers["agent/saveDocuments"]
    wire = scene.wire
    wire.call("agent/run", {"sessionId": scene.session, "input": "go"})
    asked = wire.until(lambda m: m.get("method") == "agent/saveDocuments")
    begun = time.monotonic()
    wire.call("agent/cancel", {"sessionId": scene.session})
    assert wire.event("runEnded")["data"]["stopReason"] == "cancelled"
    assert time.monotonic() - begun < 10
    withdrawn = [m["params"]["id"] for m in wire.of_method("$/cancelRequest")]
    assert asked["id"] in withdrawn
    assert not (wire.workspace / "ran").exists()


@pytest.mark.parametrize("answer", [None, "yes", {"saved": "a.py"}, {"failed": [7, {"uri": 7}]}], ids=repr)
def test_answer_of_another_shape_counts_as_not_saved(serve: Serve, answer: Any) -> None:
    scene = Scene(serve, READ, edit(), shell())
    scene.wire.answers["agent/saveDocuments"] = lambda params: answer
    *_, ran = scene.run()
    assert ran["terminal"]["unsaved"] == ["a.py"]


@pytest.mark.parametrize("formats", [False, True])
def test_saving_keeps_the_way_back_to_what_was(serve: Serve, formats: bool) -> None:
    scene = Scene(serve, READ, edit("two = 2", "two = 22  "), shell())
    if formats:
        scene.editor.manners.on_save = lambda text: text.replace("  \n", "\n")
    scene.run()
    assert scene.files[0].read_text() == (NEW if formats else NEW.replace("22", "22  "))
    back = {"sessionId": scene.session, "toItemId": "", "what": "both"}
    assert scene.wire.call("agent/session/rewind", back)["conflicts"] == []
    assert scene.editor.documents[scene.files[0].as_uri()].text == TEXT

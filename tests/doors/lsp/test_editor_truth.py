"""Editor truth (protocol#edits), by a real process and an editor that can misbehave.

| Point | Test |
|---|---|
| version mismatch | `test_a_user_who_types_first…`, `test_an_editor_that_shrugs…` |
| `applied: false`, `failedChange`, partial | `test_editing.py`, `test_an_edit_that_was_half_applied…` |
| `didChange` brings another text | `test_an_editor_that_formats…`, `test_an_editor_that_lies…` |
| slow, late, typing right behind | `…slow_editor…`, `…that_tells_late…`, `test_typing_right_behind…` |
| new unsaved files, named and untitled | `test_a_document_that_is_no_file_yet…` |
| CRLF, UTF-8/16/32, astral characters, BOM | `test_editing.py`, `test_every_byte_outside_an_edit…` |
| renamed or closed while it is edited | `test_a_file_renamed…`, `test_a_document_closed_right_behind…` |
| two sessions, one document | `test_two_sessions_edit_one_document…` |
| clean document, changed disk | `test_what_a_command…`, `…changed_between_two_runs…`, `test_a_deleted…` |
| dirty document, changed disk | `test_file_changed_by_user_and_command_is_not_written` |
| saving before a command | `test_saving.py` |
| one undo step, labelled | `test_one_edit_is_one_step_to_undo` |
| watched-file events; nothing unadvertised | `…that_wants_to…`, `…that_offers_nothing_more…` |
| a user who types all the time | `test_typing.py` |
| messages that cross, long lines, many changes | `test_editor_races.py` |
| a change that nobody could read | `test_unread.py` |
"""

import json
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Self

import pytest

from agls.views.transcript import fold
from support.lsp_editor import LspEditor, Manners, attach
from support.patience import PATIENCE
from support.wire import Message, Wire, script, turns

from .conftest import Serve

pytestmark = pytest.mark.promise("P12")

NAME = "söme file.txt"
TEXT = "one = 1 😋\ntwo = 2\nthree = 3\n"


def call(tool: str, **arguments: Any) -> Message:
    return {"text": "", "calls": [{"name": tool, "arguments": arguments}]}


def read(path: str = NAME) -> Message:
    return call("read_file", path=path)


def edit(old: str, new: str, path: str = NAME) -> Message:
    return call("edit_file", path=path, old_text=old, new_text=new)


def shell(command: str) -> Message:
    return call("shell", command=command)


class Scene:
    """A session in a folder of its own, and an editor with one open file of it, at a server that stays."""

    def __init__(self, editor: LspEditor, wire: Wire, *made: Any) -> None:
        self.wire, self.editor = wire, editor
        self.folder = Path(tempfile.mkdtemp(dir=wire.workspace))
        self.file = self.folder / NAME
        self.uri = self.file.as_uri()
        self._script = turns(*made, "done")
        self._first = len(wire.messages)

    def opened(self, text: str = TEXT) -> Self:
        """With the file, and open."""
        self.closed(text)
        self.editor.open_file(self.file)
        return self

    def closed(self, text: str = TEXT) -> Self:
        """With the file, not open."""
        self.file.write_bytes(text.encode())
        return self

    def session(self) -> str:
        """A new session that plays the script."""
        path = self.wire.workspace.parent / "script.json"
        path.write_text(json.dumps({"prompts": [self._script]}))
        return self.wire.session(cwd=self.folder.as_uri(), clientKey=f"{len(self.wire.messages)}")

    def run(self) -> list[Message]:
        """Run in a new session; gives the items of its calls."""
        return self.after(self.wire.run(self.session()))

    def after(self, ended: Message) -> list[Message]:
        """The items of the calls of a run that ended."""
        told = [event for event in self.wire.events if event.get("runId") == ended["runId"]]
        return [item for item in fold(told).items.values() if item["kind"] == "toolCall"]

    def heard(self, method: str) -> list[Message]:
        """The params of what the server sent of this method."""
        messages = self.wire.messages[self._first :]
        return [message["params"] for message in messages if message.get("method") == method]

    @property
    def text(self) -> str:
        """What the user sees."""
        return self.editor.documents[self.uri].text


Make = Callable[..., Scene]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LspEditor, Wire]]:
    """One server for all tests of this module, with an editor that can do everything."""
    folder = tmp_path_factory.mktemp("desk")
    with Wire(folder, script(folder, turns("done"))) as wire:
        yield attach(wire, saves=True, events=True), wire


@pytest.fixture
def make(desk: tuple[LspEditor, Wire]) -> Iterator[Make]:
    """Make a scene whose model plays these turns; afterwards the editor is as good as new."""
    editor, wire = desk
    usual = dict(wire.answers)
    yield partial(Scene, *desk)
    editor.manners = Manners()
    wire.answers |= usual
    editor.asked.clear()
    editor.saves.clear()
    for uri in list(editor.documents):
        editor.close(uri)


def saving(serve: Serve, how: str, **editor: bool) -> Make:
    """Scenes at a server that saves before commands like this."""
    wire = serve("done")
    config = wire.workspace.parent / "config.toml"
    config.write_text(config.read_text() + f'\n[shell]\nsave_before_commands = "{how}"\n')
    return partial(Scene, attach(wire, **editor), wire)


def ended(item: Message) -> tuple[str, str]:
    return item["status"], item["effects"]


def test_a_user_who_types_first_keeps_every_letter(make: Make) -> None:
    scene = make(read(), edit("two = 2", "two = 22")).opened()
    scene.editor.manners.before = lambda: scene.editor.type(scene.uri, 0, "# 😋\n")
    _, edited = scene.run()
    assert ended(edited) == ("failed", "none")
    assert "Read" in edited["output"]
    assert scene.text == "# 😋\n" + TEXT


def test_after_a_failed_edit_the_same_edit_goes_beside_what_was_typed(make: Make) -> None:
    scene = make(read(), edit("two = 2", "x"), edit("two = 2", "x")).opened()
    scene.editor.once(lambda: scene.editor.append(scene.uri, "four\n"))
    _, failed, edited = scene.run()
    assert ended(failed) == ("failed", "none")
    assert ended(edited) == ("completed", "applied")
    assert "had changed since you read it" in edited["output"]
    assert scene.text == TEXT.replace("two = 2", "x") + "four\n"


@pytest.mark.parametrize("late", [False, True])
def test_typing_right_behind_an_edit_is_not_held_against_it(make: Make, late: bool) -> None:
    scene = make(read(), edit("two = 2", "two = 22"), edit("three = 3", "three")).opened()
    scene.editor.manners.behind = lambda: scene.editor.append(scene.uri, "typed")
    scene.editor.manners.late = late
    _, first, second = scene.run()
    edited = TEXT.replace("two = 2", "two = 22")
    if late:  # nobody knows what became of the first edit, so the text must be read before another one
        assert scene.text == edited + "typed"
        assert (ended(first), ended(second)) == (("failed", "partial"), ("failed", "none"))
        assert len(scene.editor.asked) == 1
    else:
        assert scene.text == edited.replace("three = 3", "three") + "typedtyped"
        assert ended(first) == ended(second) == ("completed", "applied")


def test_late_report_of_an_editor_is_waited_for(make: Make) -> None:
    scene = make(read(), edit("two = 2", "two = 22"), edit("three = 3", "three")).opened()
    scene.editor.manners.late = True
    _, first, second = scene.run()
    assert [ended(first), ended(second)] == [("completed", "applied")] * 2
    assert first["changes"][0]["result"]["version"] == 2
    assert scene.text == TEXT.replace("two = 2", "two = 22").replace("three = 3", "three")


def test_editor_that_ignores_the_version_of_an_edit_is_not_believed(make: Make) -> None:
    scene = make(read(), edit("two = 2", "two = 22")).opened()
    scene.editor.manners = Manners(shrugs=True, before=lambda: scene.editor.append(scene.uri, "typed"))
    _, edited = scene.run()
    assert ended(edited) == ("failed", "none")
    assert scene.text == TEXT + "typed"


@pytest.mark.slow
def test_false_report_of_an_editor_is_not_believed(make: Make) -> None:
    scene = make(read(), edit("two = 2", "two = 22")).opened()
    scene.editor.manners.lies = True
    _, edited = scene.run()
    assert ended(edited) == ("failed", "none")
    assert "its text is what it was" in edited["output"]


def test_half_applied_edit_is_reported_as_partial(make: Make) -> None:
    scene = make(read(), edit("two = 2", "two = 2 + 2222")).opened()
    scene.editor.manners.half = True
    _, edited = scene.run()
    assert ended(edited) == ("failed", "partial")
    assert "a part of the edit" in edited["output"]
    assert "changes" not in edited or not edited["changes"]


def test_an_editor_that_formats_what_is_written_makes_the_model_read_again(make: Make) -> None:
    scene = make(read(), edit("two = 2", "two = 3 * 7"), edit("three = 3", "x"), read()).opened()
    scene.editor.manners.formats = lambda text: text.replace(" * ", "*")
    _, edited, unread, seen = scene.run()
    assert ended(edited) == ("failed", "partial")
    assert ended(unread) == ("failed", "none")
    assert "3*7" in seen["output"]


def test_a_slow_editor_is_waited_for_and_others_are_served_meanwhile(make: Make) -> None:
    scene = make(read(), edit("two = 2", "two = 22")).opened()
    arrived, go = threading.Event(), threading.Event()

    def wait() -> None:
        arrived.set()
        go.wait(PATIENCE)

    scene.editor.manners.before = wait
    wire, prompt = scene.wire, [{"type": "text", "text": "go"}]
    run = wire.post("agent/run", {"sessionId": scene.session(), "input": prompt, "wait": True})
    assert arrived.wait(PATIENCE)
    status = wire.post("agent/status")
    go.set()
    assert "result" in wire.answer_of(status)
    _, edited = scene.after(wire.answer_of(run)["result"])
    assert ended(edited) == ("completed", "applied")
    assert scene.text == TEXT.replace("two = 2", "two = 22")


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "untitled:{}/new.txt", "file://{}/sub/new.txt"])
def test_a_document_that_is_no_file_yet_is_read_and_edited_in_the_editor(make: Make, uri: str) -> None:
    name = {"untitled:U": uri, "untitled:{": "new.txt", "file://{}/": "sub/new.txt"}[uri[:10]]
    scene = make(read(name), edit("😋 old", "😋 new", name), shell("ls"))
    uri = uri.format(scene.folder)
    scene.editor.open(uri, "draft 😋 old\n", unsaved=True)
    seen, edited, listed = scene.run()
    assert "draft" in seen["output"]
    assert ended(edited) == ("completed", "applied"), edited
    change = edited["changes"][0]
    assert (change["uri"], change["via"]) == (uri, "editor")
    assert scene.editor.documents[uri].text == "draft 😋 new\n"
    assert not list(scene.folder.iterdir())
    assert f"as they are on disk: {name}" in listed["output"]


@pytest.mark.item(29)
def test_a_file_renamed_while_it_is_edited_is_looked_for_again(make: Make) -> None:
    there = read("new.txt"), edit("two = 2", "x", "new.txt")
    scene = make(read(), edit("two = 2", "x"), read(), *there).opened()
    new = scene.file.with_name("new.txt").as_uri()
    scene.editor.once(lambda: scene.editor.rename(scene.uri, new))
    _, edited, gone, seen, again = scene.run()
    assert ended(edited) == ("failed", "none")
    assert gone["status"] == "failed"
    assert "does not exist" in gone["output"]
    assert seen["status"] == "completed"
    assert ended(again) == ("completed", "applied")
    assert scene.editor.documents[new].text == TEXT.replace("two = 2", "x")
    assert not scene.file.exists()


def test_a_document_closed_right_behind_the_edit_is_not_called_edited(make: Make) -> None:
    scene = make(read(), edit("two = 2", "x")).opened()
    scene.editor.manners.late = True
    scene.editor.manners.behind = lambda: scene.editor.close(scene.uri)
    _, edited = scene.run()
    assert ended(edited) == ("failed", "partial")
    assert "closed or renamed" in edited["output"]
    assert scene.file.read_text() == TEXT


@pytest.mark.item(29)
def test_two_sessions_edit_one_document_one_after_the_other(make: Make) -> None:
    scene = make(read(), edit("two = 2", "two = 2 + 1")).opened()
    prompt = {"input": [{"type": "text", "text": "go"}], "wait": True}
    sessions = [scene.session(), scene.session()]
    runs = [scene.wire.post("agent/run", {"sessionId": session, **prompt}) for session in sessions]
    edits = [scene.after(scene.wire.answer_of(run)["result"])[1] for run in runs]
    assert {ended(item) for item in edits} <= {("completed", "applied"), ("failed", "none")}
    completed = [item for item in edits if item["status"] == "completed"]
    assert completed
    assert scene.text == TEXT.replace("two = 2", "two = 2" + " + 1" * len(completed))


@pytest.mark.item(30)
def test_file_changed_by_a_command_is_read_from_the_disk_before_any_watcher_fires(make: Make) -> None:
    change = shell(f"sed -i 's/two = 2/two = 222/' '{NAME}'")
    scene = make(read(), change, read(), edit("two = 222", "two = 4"), read()).opened()
    _, ran, seen, edited, last = scene.run()
    assert f"before you edit: {NAME}]" in ran["output"]
    assert "two = 222" in seen["output"]
    assert "on disk, which is newer" in seen["output"]
    assert ended(edited) == ("completed", "applied")
    assert scene.text == TEXT.replace("two = 2", "two = 4"), "the editor holds the command's and the edit's"
    assert "two = 222" in scene.file.read_text(), "saving is the user's"
    assert "with changes that are not saved" in last["output"]
    told = [params["changes"] for params in scene.heard("workspace/didChangeWatchedFiles")]
    assert [{"uri": scene.uri, "type": 2}] in told


def test_file_changed_between_two_runs_is_read_from_the_disk(make: Make) -> None:
    scene = make(read()).opened()
    scene.run()
    scene.file.write_text("checked out\n")
    (seen,) = scene.run()
    assert "checked out" in seen["output"]
    scene.editor.reload(scene.uri)
    scene.editor.append(scene.uri, "typed")
    (seen,) = scene.run()
    assert "typed" in seen["output"]
    scene.editor.save(scene.uri)
    scene.file.write_text("formatted by a hook\n")
    (seen,) = scene.run()
    assert "formatted by a hook" in seen["output"]


@pytest.mark.item(30)
def test_file_changed_by_user_and_command_is_not_written(make: Make) -> None:
    change = shell(f"echo four >> '{NAME}'")
    scene = make(change, read(), edit("two = 2", "x"), read()).opened()
    scene.editor.append(scene.uri, "typed")
    scene.wire.answers["agent/saveDocuments"] = lambda params: {"saved": []}
    ran, seen, edited, _ = scene.run()
    assert f"on disk: {NAME}]" in ran["output"]
    assert f"before you edit: {NAME}]" in ran["output"]
    assert "typed" in seen["output"]
    assert "cannot be edited until the user saves or reloads it" in seen["output"]
    assert ended(edited) == ("failed", "none")
    assert not scene.editor.asked
    assert (scene.text, scene.file.read_text()) == (TEXT + "typed", TEXT + "four\n")


def test_a_deleted_file_that_was_not_touched_in_the_editor_is_gone(make: Make) -> None:
    scene = make(read(), shell(f"rm '{NAME}'"), read(), edit("two = 2", "x")).opened()
    _, ran, seen, edited = scene.run()
    assert f"before you edit: {NAME}]" in ran["output"]
    assert (seen["status"], edited["status"]) == ("failed", "failed")
    assert "does not exist" in seen["output"]
    assert (scene.text, scene.editor.asked) == (TEXT, [])


def test_one_edit_is_one_step_to_undo(make: Make) -> None:
    everywhere = call("edit_file", path=NAME, old_text=" = ", new_text=": ", replace_all=True)
    scene = make(read(), everywhere).opened()
    _, edited = scene.run()
    assert scene.text == TEXT.replace(" = ", ": ")
    assert edited["changes"][0]["patch"].count("-") > 2
    assert scene.editor.undo(scene.uri) == f"Edit {NAME}"
    assert scene.text == TEXT
    assert not scene.editor.documents[scene.uri].undo


def test_editor_that_watches_files_is_notified_of_written_ones(make: Make) -> None:
    new = call("write_file", path="new.txt", content="x")
    scene = make(new, read(), edit("two", "x")).closed()
    created, _, edited = scene.run()
    told = [params["changes"] for params in scene.heard("workspace/didChangeWatchedFiles")]
    assert told == [
        [{"uri": created["changes"][0]["uri"], "type": 1}],
        [{"uri": edited["changes"][0]["uri"], "type": 2}],
    ]


def test_an_editor_that_offers_nothing_more_is_asked_for_nothing_more(serve: Serve) -> None:
    new, look = call("write_file", path="new.txt", content="x"), shell(f"cat '{NAME}'")
    scene = saving(serve, "all")(new, read(), edit("two = 2", "two = 22"), look).opened()
    *_, looked = scene.run()
    assert "Not saved in the editor" in looked["output"]
    assert not scene.heard("agent/saveDocuments")
    assert not scene.heard("workspace/didChangeWatchedFiles")


@pytest.mark.item(29)
@pytest.mark.parametrize("opened", [True, False])
def test_every_byte_outside_an_edit_is_kept(make: Make, opened: bool) -> None:
    text = "\ufeff# é 😋\r\nmixed\ntwo = 2\r\nno end"
    scene = make(read(), edit("two = 2", "two = 22\nmore"))
    scene.opened(text) if opened else scene.closed(text)
    _, edited = scene.run()
    assert ended(edited) == ("completed", "applied"), edited
    if opened:
        assert scene.text == text[1:].replace("two = 2", "two = 22\r\nmore")
        assert scene.file.read_bytes() == text.encode()
    else:
        assert scene.file.read_bytes() == text.replace("two = 2", "two = 22\r\nmore").encode()

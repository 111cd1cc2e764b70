"""Files that tools meet in real folders: in the home folder, binary, ignored, with bytes before a PDF."""

from typing import Any

import pytest

from doors.headless.conftest import Agls
from support.pdf_files import pdf

pytestmark = [pytest.mark.timeout(150)]


def _outputs(agls: Agls, calls: list[tuple[str, dict[str, Any]]], *options: str) -> list[tuple[str, str]]:
    """Return how each call of one turn ended, and its output."""
    wanted = [{"name": name, "arguments": arguments} for name, arguments in calls]
    agls.script({"calls": wanted}, {"text": "Done."})
    done = agls.run("run", "go", "--output", "jsonl", *options)
    begun = [event["itemId"] for event in done.events if event["type"] == "itemStarted"]
    items = [event["data"]["item"] for event in done.events if event["type"] == "itemCompleted"]
    ended = sorted(
        (item for item in items if item["kind"] == "toolCall"), key=lambda i: begun.index(i["itemId"])
    )
    return [(item["status"], item.get("output", "")) for item in ended]


def test_tilde_means_the_home_folder_and_rules_see_that_place(agls: Agls) -> None:
    note = agls.home / "notes" / "todo.txt"
    note.parent.mkdir()
    note.write_text("one needle\n")
    (agls.workspace / "~").mkdir()
    (agls.workspace / "~" / "todo.txt").write_text("literal\n")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("read_file", {"path": "~/notes/todo.txt"}),
        ("read_file", {"path": "./~/todo.txt"}),
    ]
    assert [_outputs(agls, [call])[0][0] for call in calls] == ["rejected", "completed"]
    read, found, listed, edited = _outputs(
        agls,
        [
            ("read_file", {"path": "~/notes/todo.txt"}),
            ("grep", {"pattern": "needle", "path": "~/notes/todo.txt"}),
            ("glob", {"pattern": "*.txt", "path": "~/notes"}),
            ("edit_file", {"path": "~/notes/todo.txt", "old_text": "one", "new_text": "two"}),
        ],
        "--yolo",
    )
    assert read == ("completed", "1\tone needle")
    assert "one needle" in found[1]
    assert "todo.txt" in listed[1]
    assert (edited[0], note.read_text()) == ("rejected", "one needle\n"), "it is outside of the workspace"


def test_tilde_in_a_patch_means_the_home_folder_in_both_forms_of_patches(agls: Agls) -> None:
    notes = agls.home / "notes"
    notes.mkdir()
    (notes / "todo.txt").write_text("one\n")
    envelope = (
        "*** Begin Patch\n*** Update File: ~/notes/todo.txt\n*** Move to: ~/notes/done.txt\n-one\n+two\n"
        "*** Add File: ~/notes/new.txt\n+new\n*** End Patch"
    )
    unified = "--- ~/notes/done.txt\n+++ ~/notes/done.txt\n@@ -1 +1 @@\n-two\n+three\n"
    _outputs(agls, [("apply_patch", {"patch": envelope})], "--yolo")
    assert sorted(path.name for path in notes.iterdir()) == ["todo.txt"], "it is outside of the workspace"
    for patch in (envelope, unified):
        ((status, _),) = _outputs(
            agls, [("apply_patch", {"patch": patch})], "--yolo", "--add-dir", str(notes)
        )
        assert status == "completed"
    assert {path.name: path.read_text() for path in notes.iterdir()} == {
        "done.txt": "three\n",
        "new.txt": "new\n",
    }
    assert not (agls.workspace / "~").exists()


def test_binary_file_that_is_searched_by_name_says_whether_it_matches(agls: Agls) -> None:
    (agls.workspace / "b.bin").write_bytes(b"\0\1Needle\0\n")
    calls = [
        {"pattern": "Needle", "path": "b.bin"},
        {"pattern": "needle", "path": "b.bin"},
        {"pattern": "needle", "path": "b.bin", "ignore_case": True},
        {"pattern": "N.*e", "path": "b.bin"},
    ]
    assert [text for _, text in _outputs(agls, [("grep", each) for each in calls])] == [
        "b.bin: binary file matches.",
        "No match in b.bin, which is binary.",
        "b.bin: binary file matches.",
        "b.bin is binary, and searched only for plain text. For an expression: grep -a.",
    ]


def test_ignored_file_that_is_looked_for_by_its_name_is_said_to_be_ignored(agls: Agls) -> None:
    (agls.workspace / "sub").mkdir()
    (agls.workspace / ".ignore").write_text("*.log\n")
    for name in ("secret.log", "sub/deep.log"):
        (agls.workspace / name).write_text("x\n")
    calls = [("glob", {"pattern": name}) for name in ("secret.log", "sub/deep.log", "absent.log")]
    there, below, absent = (text for _, text in _outputs(agls, calls))
    assert there.startswith("No file is called secret.log. But secret.log is there, and ignored")
    assert "But sub/deep.log is there, and ignored" in below
    assert absent == "No file is called absent.log."


@pytest.mark.parametrize("before", [b"\0\x80\r\n", b"X-Mail: yes\r\n\r\n"])
def test_pdf_with_bytes_before_it_is_read(agls: Agls, before: bytes) -> None:
    (agls.workspace / "a.pdf").write_bytes(before + pdf(["Hello page one"]))
    ((status, text),) = _outputs(agls, [("read_file", {"path": "a.pdf"})])
    assert (status, "Hello page one" in text) == ("completed", True)


def test_syntax_error_of_a_command_shows_the_command_alone(agls: Agls) -> None:
    ((_, text),) = _outputs(agls, [("shell", {"command": "true\nif then"})], "--yolo")
    assert "line 2: `if then'" in text
    assert "shift" not in text and "agls" not in text

"""Prompts are completed by the server: `agent/complete`, and `textDocument/completion` in a prompt."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.wire import Wire, script, turns


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    with Wire(tmp_path, script(tmp_path, turns("Done."))) as wire:
        files = {"src/app.py": 1, "src/apple.py": 2, "a b.py": 3, "ignored/app.py": 4, ".gitignore": 5}
        for name, age in files.items():
            file = wire.workspace / name
            file.parent.mkdir(exist_ok=True)
            file.write_text("ignored/\n")
            os.utime(file, (1_000_000 - age, 1_000_000 - age))
        yield wire


def complete(wire: Wire, text: str, cursor: int | None = None, **more: Any) -> list[dict[str, Any]]:
    given = {"text": text, "cursor": len(text) if cursor is None else cursor, **more}
    return wire.call("agent/complete", given)["items"]


def inserted(items: list[dict[str, Any]]) -> list[str]:
    return [item["insertText"] for item in items]


def test_words_of_other_products_are_completed(wire: Wire) -> None:
    wire.initialize()
    assert inserted(complete(wire, "#")) == ["#selection", "#changes", "#problems", "#codebase", "#file:"]
    assert inserted(complete(wire, "explain #sel")) == ["#selection"]
    assert inserted(complete(wire, "explain #file:apple")) == ["@src/apple.py"]
    assert inserted(complete(wire, "@work"))[0] == "@workspace"
    assert inserted(complete(wire, "@workspace /expl"))[0] == "/explain"
    assert complete(wire, "# ") == complete(wire, "#15") == []


def test_mention_is_completed_by_paths_that_are_not_ignored(wire: Wire) -> None:
    wire.initialize()
    found = complete(wire, "explain @ap")
    assert found[0] == {
        "label": "app.py",
        "kind": "file",
        "insertText": "@src/app.py",
        "start": 8,
        "end": 11,
        "detail": "src",
    }
    assert inserted(found) == ["@src/app.py", "@src/apple.py", '@"a b.py"']
    assert inserted(complete(wire, "@a"))[0] == "@src/app.py"
    assert inserted(complete(wire, "@a"))[-1] == "@diagnostics", "it only has that letter"
    assert inserted(complete(wire, "@")) == [
        "@diff",
        "@diagnostics",
        "@src/app.py",
        "@src/apple.py",
        '@"a b.py"',
        "@.gitignore",
        "@src/",
    ], "what was changed last comes first"
    assert complete(wire, "mail me@ap") == complete(wire, "words") == []


def test_what_programs_made_comes_behind_what_people_wrote(wire: Wire) -> None:
    for name in ("__pycache__/app.cpython-311.pyc", "node_modules/app/app.js", "app.so", "deep/down/app.py"):
        file = wire.workspace / "src" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"\0")
    wire.initialize()
    made = ["app.so", "node_modules/app/app.js", "__pycache__/app.cpython-311.pyc"]
    written = ["@src/deep/down/app.py", "@src/app.py", "@src/apple.py", '@"a b.py"']
    assert inserted(complete(wire, "@ap"))[:4] == written
    found = [name for name in inserted(complete(wire, "@")) if "/" in name and not name.endswith("/")]
    assert set(found[-3:]) == {f"@src/{name}" for name in made}
    assert inserted(complete(wire, "@cpython"))[0] == f"@src/{made[2]}", "it is there for whoever means it"


def test_commands_of_one_word_come_before_those_of_a_part(wire: Wire) -> None:
    wire.initialize()
    found = inserted(complete(wire, "/"))
    parts = ["." in name for name in found]
    assert parts == sorted(parts)
    assert {"/clear", "/help", "/compact", "/undo"} <= set(found), (
        "none of them is beyond the end of the list"
    )


def test_open_files_come_first(wire: Wire) -> None:
    wire.initialize()
    document = {"languageId": "python", "version": 1, "text": ""}
    for name in ("src/apple.py", "ignored/app.py"):
        uri = (wire.workspace / name).as_uri()
        wire.notify("textDocument/didOpen", {"textDocument": {**document, "uri": uri}})
    assert inserted(complete(wire, "@ap"))[:3] == ["@src/apple.py", "@ignored/app.py", "@src/app.py"]


@pytest.mark.parametrize(("encoding", "wide"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
def test_offsets_count_units_of_the_position_encoding(wire: Wire, encoding: str, wide: int) -> None:
    wire.initialize(capabilities={"general": {"positionEncodings": [encoding]}})
    start = wide + 1  # behind a character of two UTF-16 units and a line end
    found = complete(wire, '𝒳\n@"a b" tail', start + 5, sessionId=wire.session())[0]
    assert (found["insertText"], found["start"], found["end"]) == ('@"a b.py"', start, start + 6)
    assert complete(wire, "𝒳 @zzz", 999) == complete(wire, "@a", -1) == []


def test_names_that_the_workspace_defines_and_sources_are_completed(wire: Wire) -> None:
    (wire.workspace / "src" / "app.py").write_text("import x\nclass Diary:\n    pass\n")
    (wire.workspace / "diff").write_text("a file of that name\n")
    wire.initialize()
    found = complete(wire, "see @di")
    assert [(item["kind"], item["insertText"], item.get("detail")) for item in found] == [
        ("source", "@diff", "what is not committed"),
        ("source", "@diagnostics", "errors and warnings in the editor"),
        ("file", "@./diff", None),
        ("symbol", "@Diary", "src/app.py:2"),
    ]


def test_command_its_arguments_and_their_values_are_completed(wire: Wire) -> None:
    wire.initialize()
    commands = complete(wire, "/chan")
    assert commands[0] == {
        "label": "/changes",
        "kind": "command",
        "insertText": "/changes",
        "start": 0,
        "end": 5,
        "detail": "Show changed files",
    }
    assert complete(wire, "say /chan") == complete(wire, "/nothing x") == []
    found = [(item["kind"], item["insertText"]) for item in complete(wire, "/changes ")]
    assert found[:2] == [("value", "run"), ("value", "session")]
    assert found[2:] == [("argument", name) for name in ("scope=", "runId=", "patch=")]
    found = complete(wire, "/changes scope=se later", 17)
    assert [(item["insertText"], item["start"], item["end"]) for item in found] == [("session", 15, 17)]
    assert inserted(complete(wire, "/archive undo=")) == ["true", "false"]


def test_values_that_only_the_session_knows_are_completed(tmp_path: Path) -> None:
    call = {"name": "write_file", "arguments": {"path": "made.py", "content": "x"}}
    background = {"name": "shell", "arguments": {"command": "sleep 30", "background": True}}
    config = script(tmp_path, turns({"calls": [call, background]}, "Done."))
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        session = wire.session(options={"mode": "allowAll"})
        wire.run(session, "make it")
        wire.call("agent/run", {"sessionId": session, "input": "/tag one,two", "expand": True})
        found = {
            text: [
                (item["insertText"], item.get("detail")) for item in complete(wire, text, sessionId=session)
            ]
            for text in (
                "/changes.revert m",
                "/checkpoint.restore toItemId=",
                "/tag remove=",
                "/task.stop task",
            )
        }
        assert found["/changes.revert m"] == [("made.py", None)]
        assert found["/checkpoint.restore toItemId="] == [('""', "before: make it")]
        assert found["/tag remove="] == [("one", None), ("two", None)]
        assert [detail for _, detail in found["/task.stop task"][:1]] == ["sleep 30"]


def test_completion_needs_no_session_and_leaves_none_open(wire: Wire) -> None:
    wire.initialize()
    folder = wire.workspace / "src"
    assert inserted(complete(wire, "@ap", cwd=folder.as_uri())) == ["@app.py", "@apple.py"]
    refused = wire.ask("agent/complete", {"text": "@", "cursor": 1, "cwd": "file:///nowhere/at/all"})
    assert refused["error"]["data"]["kind"] == "configInvalid"
    refused = wire.ask("agent/complete", {"text": "@", "cursor": 1, "sessionId": "ses_none"})
    assert refused["error"]["data"]["kind"] == "sessionNotFound"
    assert wire.call("agent/session/list")["sessions"] == []


@pytest.mark.parametrize(("uri", "language"), [("agls-prompt:1", ""), ("untitled:1", "agls-prompt")])
def test_document_that_is_a_prompt_is_completed_by_any_editor(wire: Wire, uri: str, language: str) -> None:
    result = wire.initialize({}, capabilities={})
    assert result["capabilities"]["completionProvider"] == {"triggerCharacters": ["@", "/"]}
    document = {"uri": uri, "languageId": language, "version": 1, "text": "first\n𝒳 @apple x"}
    wire.notify("textDocument/didOpen", {"textDocument": document})
    at = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 8}}
    item = wire.call("textDocument/completion", at)["items"][0]
    span = {"start": {"line": 1, "character": 3}, "end": {"line": 1, "character": 9}}
    assert item["textEdit"] == {"range": span, "newText": "@src/apple.py"}
    assert (item["label"], item["kind"], item["filterText"]) == ("apple.py", 17, "@apple")


def test_other_documents_are_not_completed(wire: Wire) -> None:
    wire.initialize({}, capabilities={})
    uri = (wire.workspace / "src/app.py").as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": "@ap"}
    wire.notify("textDocument/didOpen", {"textDocument": document})
    for known in (uri, "agls-prompt:never-opened"):
        at = {"textDocument": {"uri": known}, "position": {"line": 0, "character": 3}}
        assert wire.call("textDocument/completion", at) == {"isIncomplete": False, "items": []}

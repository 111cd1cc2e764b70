"""What somebody typed is understood by the server, where a client says that it was typed."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.model_server import ModelServer, Reply
from support.wire import AGENT, Wire

TEXT = {"type": "text", "text": "explain @app.py:2 and @app.py, not @dataclass"}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer([Reply("Done.")] * 4) as server:
        yield server


def configured(folder: Path, server: ModelServer) -> Path:
    """A config file with this server."""
    config = folder / "config.toml"
    config.write_text(f'model = "m"\n[models.m]\nbase_url = "{server.url}"\n')
    return config


@pytest.fixture
def wire(tmp_path: Path, server: ModelServer) -> Iterator[Wire]:
    with Wire(tmp_path, configured(tmp_path, server)) as wire:
        (wire.workspace / "app.py").write_text("one\ntwo\nthree\n")
        yield wire


def said(wire: Wire) -> list[Any]:
    """What the user's messages have."""
    items = [event["data"].get("item", {}) for event in wire.events if event["type"] == "itemCompleted"]
    return [item["content"] for item in items if item["kind"] == "userMessage"]


def pieces(wire: Wire) -> list[dict[str, Any]]:
    """What the text points at."""
    uri = (wire.workspace / "app.py").as_uri()
    return [
        {"type": "resource", "uri": f"{uri}#L2-L2", "text": "two\n"},
        {"type": "resourceLink", "uri": uri, "name": "app.py"},
    ]


def test_text_that_was_typed_points_at_files_and_other_text_is_only_text(wire: Wire) -> None:
    wire.initialize()
    session = wire.session()
    wire.run(session, TEXT["text"], expand=True)
    wire.run(session, TEXT["text"])
    assert said(wire) == [[TEXT, *pieces(wire)], [TEXT]]


def test_piece_that_was_sent_is_not_there_twice(wire: Wire) -> None:
    wire.initialize()
    lines, link = pieces(wire)
    chip = {**link, "name": "my chip"}
    given = {"sessionId": wire.session(), "input": [TEXT, chip], "wait": True, "expand": True}
    wire.call("agent/run", given)
    assert said(wire) == [[TEXT, chip, lines]]


@pytest.mark.parametrize(("method", "more"), [("agent/run", {}), ("agent/steer", {"ifEnded": "run"})])
def test_repeated_request_means_what_it_meant_the_first_time(
    wire: Wire, method: str, more: dict[str, Any]
) -> None:
    wire.initialize()
    given = {"sessionId": wire.session(), "input": [TEXT], "expand": True, "clientKey": "k", **more}
    first = wire.call(method, given)
    wire.event("runEnded")
    (wire.workspace / "app.py").write_text("one\nanother\n")
    assert wire.call(method, given)["runId"] == first["runId"]
    assert said(wire) == [[TEXT, *pieces(wire)]]


def test_prompt_that_waits_is_typed_anew_as_it_was_typed_first(tmp_path: Path) -> None:
    """Its mentions come along, and what would be a command is refused and leaves it as it was."""
    answers = [Reply("Done.", delay=60), Reply("Done.")]
    with ModelServer(answers) as server, Wire(tmp_path, configured(tmp_path, server)) as wire:
        (wire.workspace / "app.py").write_text("one\ntwo\nthree\n")
        wire.initialize()
        session = wire.session()
        wire.call("agent/run", {"sessionId": session, "input": "go"})
        waits = wire.call("agent/run", {"sessionId": session, "input": "later"})
        wanted = {"sessionId": session, "op": "replace", "itemId": waits["itemId"], "expand": True}
        for command, problem in (("/usage", "A command does not wait"), ("/usagee", "/usagee")):
            refused = wire.ask("agent/queue", {**wanted, "input": command})["error"]
            assert refused["code"] == -32602
            assert problem in refused["message"]
        (other,) = wire.call("agent/queue", {**wanted, "input": [TEXT]})["queue"]
        assert other["content"] == [TEXT, *pieces(wire)]
        (other,) = wire.call("agent/queue", {**wanted, "itemId": other["itemId"], "input": "//usage"})[
            "queue"
        ]
        assert other["content"] == [{"type": "text", "text": "/usage"}]
        wire.call("agent/cancel", {"sessionId": session})
        wire.event("runEnded", stopReason="endTurn")
        assert "/usage" in json.dumps(server.posts[-1].body["messages"][-1])


def test_plain_command_with_a_bare_string_was_typed_and_blocks_were_not(
    wire: Wire, server: ModelServer
) -> None:
    wire.initialize({}, capabilities={})
    for count, argument in enumerate((TEXT["text"], {"prompt": TEXT["text"]}, {"input": [TEXT]}), 1):
        wire.call("workspace/executeCommand", {"command": "agls.run", "arguments": [argument]})
        wire.until(lambda _, count=count: len(wire.of_method("window/showMessage")) == count)
    asked = [json.dumps(post.body["messages"][-1]) for post in server.posts]
    assert ["app.py#L2-L2" in one for one in asked] == [True, True, False]


# --- commands ------------------------------------------------------------------------------------


def tag(wire: Wire, session: str, text: str, **more: Any) -> Any:
    return wire.ask("agent/run", {"sessionId": session, "input": text, "expand": True, **more})


def test_command_is_done_once_for_the_same_key_also_by_another_process(
    tmp_path: Path, server: ModelServer, wire: Wire
) -> None:
    wire.initialize()
    session = wire.session()
    first = tag(wire, session, "/tag one", clientKey="k")["result"]
    assert first["action"]["data"] == {"tags": ["one"]}
    tag(wire, session, "/tag remove=one")
    assert tag(wire, session, "/tag one", clientKey="k", wait=True)["result"] == first
    refused = tag(wire, session, "/tag two", clientKey="k")["error"]
    assert refused["data"]["kind"] == "keyConflict"
    assert tag(wire, session, "words", clientKey="k")["error"]["data"]["kind"] == "keyConflict"
    wire.call("agent/session/close", {"sessionId": session})
    with Wire(tmp_path, tmp_path / "config.toml") as other:
        other.initialize()
        assert tag(other, session, "/tag one", clientKey="k")["result"] == first
        shown = tag(other, session, "/tag add=three")["result"]["action"]["data"]
        assert shown == {"tags": ["three"]}, "it was done once, and taken back since"
    assert server.posts == [], "no model was asked"


def test_key_of_a_prompt_cannot_become_a_command(wire: Wire) -> None:
    wire.initialize()
    session = wire.session()
    wire.run(session, "hello", expand=True, clientKey="k")
    assert tag(wire, session, "/usage", clientKey="k")["error"]["data"]["kind"] == "keyConflict"


def test_command_is_recognised_only_in_typed_text_and_without_a_run(wire: Wire) -> None:
    wire.initialize()
    session = wire.session()
    wire.run(session, "/usage")
    assert said(wire) == [[{"type": "text", "text": "/usage"}]]
    refused = tag(wire, session, "/usage", continueRun=True)["error"]
    assert refused["data"]["kind"] == "noActiveRun", "it is a prompt for a run that goes on"


@pytest.mark.parametrize("method", ["agent/run", "agent/steer"])
def test_blocks_beside_a_command_stay_with_the_client(wire: Wire, method: str) -> None:
    wire.initialize()
    given = [{"type": "text", "text": "/usage"}, {"type": "resourceLink", "uri": "file:///a"}]
    done = wire.call(method, {"sessionId": wire.session(), "input": given, "expand": True})
    assert (done["outcome"], done["action"]["name"], done["action"]["input"]) == ("action", "usage", {})
    assert said(wire) == []


def test_command_is_done_while_a_run_runs_when_its_action_allows_that(tmp_path: Path) -> None:
    slow = Reply("one two three four", delay=20)
    with ModelServer([slow]) as server, Wire(tmp_path, configured(tmp_path, server)) as wire:
        check_commands_beside_a_run(wire)


def check_commands_beside_a_run(wire: Wire) -> None:
    """Steer commands into a session whose run does not end."""
    wire.initialize()
    session = wire.session()
    run = wire.call("agent/run", {"sessionId": session, "input": "go"})["runId"]
    given = {"sessionId": session, "expand": True, "ifEnded": "run"}
    done = wire.call("agent/steer", {**given, "input": "/usage"})
    assert (done["outcome"], done["action"]["name"]) == ("action", "usage")
    assert "runId" not in done
    refused = wire.ask("agent/steer", {**given, "input": "/compact"})["error"]
    assert refused["data"]["kind"] == "runActive"
    refused = wire.ask("agent/steer", {**given, "input": "/usage", "expectedRunId": "run_x"})["error"]
    assert refused["data"]["kind"] == "runMismatch"
    wire.call("agent/cancel", {"sessionId": session, "runId": run})
    wire.event("runEnded")
    assert [one[0]["text"] for one in said(wire)] == ["go"], "no command was said to the model"


# --- what is no path -----------------------------------------------------------------------------


def test_diagnostics_of_the_client_go_with_the_prompt(wire: Wire) -> None:
    uri = (wire.workspace / "app.py").as_uri()
    row = {"range": {"start": {"line": 1, "character": 0}}, "severity": 2, "message": "unused"}
    outside = {"uri": "file:///etc/passwd", "diagnostics": [row]}
    answer = {"files": [{"uri": uri, "diagnostics": [row]}, outside]}
    wire.answers["agent/diagnostics"] = lambda message: answer
    wire.initialize({**AGENT, "diagnostics": {}})
    session = wire.session()
    wire.run(session, "fix @diagnostics", expand=True)
    assert [message["params"] for message in wire.of_method("agent/diagnostics")] == [{"sessionId": session}]
    piece = {"type": "resource", "uri": f"{uri}#diagnostics", "text": "line 2: warning: unused\n"}
    assert said(wire) == [[{"type": "text", "text": "fix @diagnostics"}, piece]]


def test_client_that_refuses_to_say_what_is_wrong_shows_nothing(wire: Wire) -> None:
    wire.initialize({**AGENT, "diagnostics": {}})  # it answers with an error
    wire.run(wire.session(), "fix @diagnostics", expand=True)
    assert said(wire) == [[{"type": "text", "text": "fix @diagnostics"}]]


@pytest.mark.parametrize("trusted", [True, False])
def test_diff_is_what_git_says_and_only_in_a_trusted_folder(
    tmp_path: Path, server: ModelServer, *, trusted: bool
) -> None:
    config = configured(tmp_path, server)
    config.write_text(config.read_text() + '[permissions]\ndeny = ["read(secret.py)"]\n')
    with Wire(tmp_path, config) as wire:
        for name in ("app.py", "secret.py", "gone.py"):
            (wire.workspace / name).write_text("one\n")
        git(wire.workspace, "init", "-q")
        git(wire.workspace, "add", ".")
        git(wire.workspace, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "begin")
        (wire.workspace / "app.py").write_text("one\ntwo\n")
        (wire.workspace / "secret.py").write_text("canary\n")
        (wire.workspace / "new.py").write_text("x\n")
        (wire.workspace / "gone.py").unlink()
        wire.initialize(initializationOptions={"trusted": trusted})
        wire.run(wire.session(), "review @diff", expand=True)
        (content,) = said(wire)
        if not trusted:
            assert len(content) == 1
            return
        diff = content[1]["text"]
        assert content[1]["uri"] == "agls:diff"
        assert "+two\n" in diff
        assert "deleted file mode" in diff
        assert diff.endswith("New files, not shown: new.py\n")
        assert "canary" not in diff
        assert "secret" not in diff


def git(folder: Path, *arguments: str) -> None:
    """Run git."""
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def test_command_of_an_untrusted_folder_is_refused_and_begins_no_run(wire: Wire) -> None:
    place = wire.workspace / ".agls" / "commands" / "mend.md"
    place.parent.mkdir(parents=True)
    place.write_text("Mend $1")
    wire.initialize(initializationOptions={"trusted": False})
    answer = wire.ask("agent/run", {"sessionId": wire.session(), "input": "/mend 12", "expand": True})
    assert "mend.md, but the folder is not trusted" in answer["error"]["message"]
    assert not [event for event in wire.events if event["type"] == "runAdmitted"]

"""Commands of one's own: files of the user and of a trusted project become `/name`, in every door."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agls.doors.agent.limits import ConnectionLimits
from agls.library import Agent
from doors.headless.conftest import SCRIPTED, Agls
from support.wire import AGENT, Wire, script, turns

pytestmark = [pytest.mark.row(82), pytest.mark.timeout(300)]
FIX = """---
description: Fix an issue
argument-hint: [issue] [level]
allowed-tools: Bash(git add:*)
model: nosuch
---
Fix $1 ($2) in @app.py, not in `@other.py`.
"""


def write(root: Path, **files: str) -> None:
    """Write files: `a__b` is the file `b` in the folder `a`."""
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_md", ".md").replace("_toml", ".toml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    """A client of a server in memory, whose folder is trusted."""
    played = script(tmp_path, *[turns("Done.")] * 20)
    with Wire(tmp_path, played, inside=ConnectionLimits()) as wire:
        (wire.workspace / "app.py").write_text("x = 1\n")
        (wire.workspace / "other.py").write_text("y = 1\n")
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        yield wire


def typed(wire: Wire, text: str, **more: Any) -> dict[str, Any]:
    """Send what somebody typed, and wait for the end."""
    return wire.ask("agent/run", {"input": text, "expand": True, "wait": True, **more})


def calls(wire: Wire, session: str) -> list[dict[str, Any]]:
    """Return the completed calls of tools in a session."""
    page = wire.call("agent/events", {"sessionId": session})["events"]
    items = [event["data"]["item"] for event in page if event["type"] == "itemCompleted"]
    return [item for item in items if item["kind"] == "toolCall"]


def sent(wire: Wire, session: str) -> list[dict[str, Any]]:
    """Return the content of the last message of the user."""
    page = wire.call("agent/events", {"sessionId": session})["events"]
    items = [event["data"]["item"] for event in page if event["type"] == "itemCompleted"]
    return [item for item in items if item["kind"] == "userMessage"][-1]["content"]


def test_command_file_begins_a_run_with_its_text_and_what_it_points_at(wire: Wire) -> None:
    write(wire.workspace / ".agls/commands", fix_md=FIX)
    session = wire.session()
    answer = typed(wire, '/fix 12 "very high"', sessionId=session)["result"]
    assert (answer["outcome"], answer["stopReason"], "action" in answer) == ("started", "endTurn", False)
    text, prompt, link = sent(wire, session)
    assert text["text"] == '/fix 12 "very high"'
    assert prompt["uri"] == "agls:command/fix"
    assert prompt["text"].endswith("Fix 12 (very high) in @app.py, not in `@other.py`.")
    assert ".agls/commands/fix.md" in prompt["text"], "the model sees whose words these are"
    assert link["uri"].endswith("/app.py")


def test_command_file_is_listed_explained_and_completed(wire: Wire) -> None:
    write(wire.workspace / ".agls/commands", fix_md=FIX, git__log_md="Show the log.", usage_md="Mine.")
    session = wire.session()

    def told(text: str) -> str:
        return typed(wire, text, sessionId=session)["result"]["action"]["output"][0]["text"]

    assert "### Your commands" in told("/help")
    assert "- `/fix` (`/project:fix`): Fix an issue" in told("/help")
    assert "`/fix [issue] [level]`" in told("/help fix")
    assert "A file grants nothing" in told("/help fix")
    assert "chooses neither model nor effort" in told("/help fix")
    listed = told("/command.list")
    assert "- `/project:usage`: .agls/commands/usage.md. `/usage` is a command of agls, or a skill." in listed
    rows = {row["name"]: row for row in wire.call("agent/action/list", {"sessionId": session})["actions"]}
    assert rows["git:log"]["slash"] == "/git:log"

    def completed(text: str) -> list[str]:
        given = {"sessionId": session, "text": text, "cursor": len(text)}
        return [item["label"] for item in wire.call("agent/complete", given)["items"]]

    assert completed("/fi")[0] == "/fix"
    assert "/git:log" in completed("/log")
    assert completed("/usa") == ["/usage", "/project:usage"], "others have these letters only here and there"
    assert "/plugin.disable" in completed("/plgds")
    first = completed("/")
    assert first[0] == "/clear", "what is of the conversation comes first, as in /help"
    assert first.index("/compact") < first.index("/changes") < first.index("/help")
    assert "app.py" in completed("/fix @ap"), "its words may point at things"


def test_changed_and_new_files_count_without_a_restart(wire: Wire) -> None:
    session = wire.session()
    assert "There is no command /late" in typed(wire, "/late", sessionId=session)["error"]["message"]
    write(wire.workspace / ".agls/commands", late_md="First.")
    assert typed(wire, "/late", sessionId=session)["result"]["stopReason"] == "endTurn"
    assert sent(wire, session)[1]["text"].endswith("First.")
    write(wire.workspace / ".agls/commands", late_md="Second.")
    typed(wire, "/late", sessionId=session)
    assert sent(wire, session)[1]["text"].endswith("Second.")
    (wire.workspace / ".agls/commands/late.md").unlink()
    assert "error" in typed(wire, "/late", sessionId=session)


def test_commands_of_other_tools_and_of_the_user_count(wire: Wire, tmp_path: Path) -> None:
    write(wire.workspace, **{".claude__commands__one_md": "One.", ".opencode__commands__two_md": "$1|$2"})
    write(wire.workspace, **{".gemini__commands__three_toml": 'prompt = "Three {{args}}"'})
    (wire.workspace / ".github/prompts").mkdir(parents=True)
    (wire.workspace / ".github/prompts/four.prompt.md").write_text("Four.")
    write(tmp_path, **{".claude__commands__five_md": "Five.", "commands__six_md": "Six."})
    session = wire.session()
    for text, expected in {
        "/one": "One.",
        "/two a b c": "a|b c",
        "/three x y": "Three x y",
        "/four": "Four.",
        "/five": "Five.",
        "/six": "Six.",
    }.items():
        assert typed(wire, text, sessionId=session)["result"]["stopReason"] == "endTurn", text
        assert sent(wire, session)[1]["text"].endswith(expected)


def test_file_that_cannot_be_used_says_why_and_does_no_harm_to_others(wire: Wire) -> None:
    write(wire.workspace / ".agls/commands", bad_md="---\na: 'x\n---\nx", run_md="```!\nls", good_md="Go.")
    session = wire.session()
    assert ".agls/commands/bad.md: line " in typed(wire, "/bad", sessionId=session)["error"]["message"]
    assert "is never closed" in typed(wire, "/run", sessionId=session)["error"]["message"]
    assert "result" in typed(wire, "/good", sessionId=session)


def test_repeated_key_begins_one_run_though_the_file_changed(wire: Wire) -> None:
    write(wire.workspace / ".agls/commands", fix_md="Fix it.")
    session = wire.session()
    first = typed(wire, "/fix", sessionId=session, clientKey="one")["result"]
    write(wire.workspace / ".agls/commands", fix_md="Fix it otherwise.")
    again = typed(wire, "/fix", sessionId=session, clientKey="one")["result"]
    assert again["runId"] == first["runId"]


def test_command_that_is_steered_waits_for_its_turn_or_is_refused(wire: Wire) -> None:
    write(wire.workspace / ".agls/commands", fix_md="Fix it.")
    session = wire.session()
    given = {"sessionId": session, "input": "/fix", "expand": True, "clientKey": "k"}
    refused = wire.ask("agent/steer", {**given, "ifEnded": "return"})["error"]
    assert refused["data"]["kind"] == "notSteerable"
    begun = wire.call("agent/steer", {**given, "ifEnded": "run"})
    assert begun["outcome"] == "started"
    assert wire.call("agent/steer", {**given, "ifEnded": "run"})["runId"] == begun["runId"]


def test_invoked_action_begins_the_run_as_well(wire: Wire) -> None:
    write(wire.workspace / ".agls/commands", fix_md="Fix $1 and $2.")
    session = wire.session()
    given = {"sessionId": session, "name": "fix", "input": {"arguments": "'a b' c"}}
    run_id = wire.call("agent/action/invoke", given)["runId"]
    wire.until(lambda _: any(e["type"] == "runEnded" and e["runId"] == run_id for e in wire.events))
    assert sent(wire, session)[0]["text"] == "/fix 'a b' c"
    assert sent(wire, session)[1]["text"].endswith("Fix a b and c.")


def test_untrusted_folder_offers_no_commands(tmp_path: Path) -> None:
    with Wire(tmp_path, script(tmp_path, turns("Done.")), inside=ConnectionLimits()) as wire:
        write(wire.workspace / ".agls/commands", mend_md="Mend it.")
        wire.initialize(AGENT)
        session = wire.session()
        message = typed(wire, "/mend", sessionId=session)["error"]["message"]
        assert (
            f"/mend is made by {wire.workspace / '.agls/commands/mend.md'}, but the folder is not trusted"
            in message
        )
        message = typed(wire, "@workspace /mend", sessionId=session)["error"]["message"]
        assert message.startswith("/mend is made by ")


def test_commands_that_agls_brings_give_way_to_ones_own_and_are_not_in_their_list(wire: Wire) -> None:
    session = wire.session()
    for name in ("explain", "fix", "tests", "doc"):
        assert typed(wire, f"/{name} the parser", sessionId=session)["result"]["outcome"] == "started"
        text = sent(wire, session)[1]["text"]
        assert text.startswith(f"The user gave the command /{name}. Do what follows.")
        assert text.endswith("ARGUMENTS: the parser")
    listed = wire.call("agent/action/list", {"sessionId": session})["actions"]
    assert {each["name"]: each["group"] for each in listed}["explain"] == "Work"
    shown = wire.call("agent/action/invoke", {"sessionId": session, "name": "command.list"})
    assert shown["data"]["commands"] == []
    write(wire.workspace / ".agls/commands", fix_md="Mend $ARGUMENTS.")
    assert typed(wire, "/fix the parser", sessionId=session)["result"]["outcome"] == "started"
    assert sent(wire, session)[1]["text"].endswith("Mend the parser.")
    assert typed(wire, "/agls:fix the parser", sessionId=session)["result"]["outcome"] == "started"
    assert sent(wire, session)[1]["text"].endswith("ARGUMENTS: the parser")


def test_explaining_only_reads(tmp_path: Path) -> None:
    call = {"name": "write_file", "arguments": {"path": "new.py", "content": "y"}}
    played = script(tmp_path, *[turns({"calls": [call]}, "Done.")] * 2)
    with Wire(tmp_path, played, inside=ConnectionLimits()) as wire:
        wire.initialize(AGENT)
        for prompt, is_written in (("/explain app.py", False), ("/fix app.py", True)):
            session = wire.session(options={"mode": "allowAll"})
            typed(wire, prompt, sessionId=session)
            *_, made = calls(wire, session)
            assert made["status"] == ("completed" if is_written else "rejected")
            assert (wire.workspace / "new.py").exists() == is_written


def test_command_line_follows_the_run_in_each_format_and_takes_options(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    agls.configure(SCRIPTED)
    agls.script({"text": "Done."})
    write(agls.workspace / ".agls/commands", fix_md="Fix $ARGUMENTS.")
    lines = agls.run("run", "--trust", "--output", "jsonl", "/fix it", stdin="beside")
    assert (lines.code, lines.events[-1]["type"]) == (0, "runEnded")
    whole = agls.run("resume", "--trust", "--output", "json", "/fix more").whole
    assert (whole["result"], whole["stopReason"], whole["exitCode"]) == ("Done.", "endTurn", 0)
    assert whole["sessionId"] == lines.events[0]["sessionId"], "the session of a command with a run is kept"
    content = [e["data"]["item"]["content"] for e in lines.events if "userMessage" in json.dumps(e)]
    assert [part.get("uri", "") for part in content[0]] == ["", "stdin:", "agls:command/fix"]
    agls.script({"text": "", "calls": [{"name": "list", "arguments": {}}]}, {"text": "Never."})
    limited = agls.run("run", "--trust", "--output", "json", "--max-turns", "1", "/fix it")
    assert (limited.code, limited.whole["stopReason"]) == (4, "maxTurns")


async def test_library_begins_the_run_of_a_command(tmp_path: Path) -> None:
    write(tmp_path / "here/.agls/commands", fix_md="Fix $ARGUMENTS.")
    play = tmp_path / "play.json"
    play.write_text(json.dumps({"prompts": [{"turns": [{"text": "Done."}]}]}))
    models = {"m": {"dialect": "scripted", "script": str(play)}}
    async with Agent(tmp_path / "here", trusted=True, model="m", models=models) as agent:
        conversation = await agent.session()
        outcome = await conversation.act("fix", arguments="it")
        assert (await conversation.wait(outcome.run_id)).text == "Done."

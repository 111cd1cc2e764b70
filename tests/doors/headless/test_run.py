"""`agls run`: what is written, and the exit code that tells how it went."""

import hashlib
import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from agls.doors.headless.exits import CODES, exit_of
from agls.views.values import STOP_REASONS
from doors.headless.conftest import SCRIPTED, Agls
from support.images import png
from support.model_server import ModelServer, Reply

LIST = {"name": "list_dir", "arguments": {}}
WRITE = {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\ntwo\n"}}


def test_the_answer_goes_to_standard_output_and_what_led_to_it_to_the_other(agls: Agls) -> None:
    agls.script({"text": "I look.", "calls": [LIST]}, {"text": "It is empty."})
    done = agls.run("run", "look")
    assert (done.code, done.out, done.err) == (0, "It is empty.\n", "I look.\n→ list_dir\n")


def test_allowed_edit_is_made_and_reported(agls: Agls) -> None:
    agls.script({"calls": [WRITE]}, {"text": "Done."})
    done = agls.run("run", "write", "--mode", "acceptEdits", "--output", "json")
    assert (agls.workspace / "a.txt").read_text() == "one\ntwo\n"
    assert done.code == 0
    whole = done.whole
    assert whole["result"] == "Done."
    assert whole["stopReason"] == "endTurn"
    assert whole["exitCode"] == 0
    assert whole["model"] == "scripted"
    assert whole["sessionId"].startswith("ses_")
    assert whole["usage"]["inputTokens"] > 0
    uri = (agls.workspace / "a.txt").as_uri()
    assert whole["filesChanged"] == [{"uri": uri, "change": "added", "insertions": 2, "deletions": 0}]


def test_an_answer_that_fits_a_schema_is_given_as_json(agls: Agls) -> None:
    schema = agls.workspace / "schema.json"
    schema.write_text('{"type": "object", "required": ["ok"]}')
    agls.script({"text": "Yes."}, {"text": '```json\n{"ok": true}\n```'})
    done = agls.run("run", "look", "--output-schema", str(schema), "--output", "json")
    assert (done.code, done.whole["output"]) == (0, {"ok": True})
    agls.script({"text": "Yes."}, {"text": "Yes."}, {"text": "Yes."})
    done = agls.run("run", "look", "--output-schema", str(schema), "--output", "json")
    assert (done.code, done.whole["error"]["kind"]) == (1, "outputInvalid")


def test_answer_that_fits_a_schema_is_bare_json_for_a_pipe(agls: Agls) -> None:
    schema = agls.workspace / "schema.json"
    schema.write_text('{"type": "object", "required": ["ok"]}')
    agls.script({"text": '```json\n{"ok": ["ü"]}\n```'})
    done = agls.run("run", "look", "--output-schema", str(schema))
    assert (done.code, json.loads(done.out)) == (0, {"ok": ["ü"]})
    agls.script({"text": ' {"ok":  1}'})
    assert agls.run("run", "look", "--output-schema", str(schema)).out == ' {"ok":  1}\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [(None, "cannot be read"), ("{", "is not valid JSON"), ('{"type": 3}', "is not a JSON Schema")],
)
def test_invalid_schema_is_reported_before_any_request(agls: Agls, text: str | None, said: str) -> None:
    schema = agls.workspace / "schema.json"
    if text is not None:
        schema.write_text(text)
    agls.script({"text": "Yes."})
    done = agls.run("run", "look", "--output-schema", str(schema))
    assert done.code == 2
    assert said in done.err


# --- JSON lines ------------------------------------------------------------------------------------


@pytest.mark.row(84)
@pytest.mark.item(41)
def test_the_first_line_is_hello_and_the_last_is_the_end_of_the_run(agls: Agls) -> None:
    """JSON lines."""
    agls.script({"calls": [WRITE]}, {"text": "Done."})
    done = agls.run("run", "write", "--output", "jsonl", "--mode", "allowAll")
    first, *events, last = done.events
    assert first["type"] == "hello"
    assert first["protocolVersion"] == 1
    schema = files("agls_protocol").joinpath("schema.json").read_bytes()
    assert first["schema"]["sha256"] == hashlib.sha256(schema).hexdigest()
    assert (last["type"], last["data"]["stopReason"]) == ("runEnded", "endTurn")
    assert {event["sessionId"] for event in events} == {first["sessionId"]}
    assert done.code == 0


@pytest.mark.item(41)
def test_the_numbers_of_the_events_have_no_hole(agls: Agls) -> None:
    agls.script({"calls": [WRITE]}, {"text": "Done."})
    done = agls.run("run", "write", "--output", "jsonl")
    numbers = [event["seq"] for event in done.events if "seq" in event]
    assert sorted(set(numbers)) == list(range(1, max(numbers) + 1))
    assert numbers == sorted(numbers)


def test_deltas_add_up_to_the_message(agls: Agls) -> None:
    agls.script({"text": "Grüße, 世界: " * 10})
    events = agls.run("run", "greet", "--output", "jsonl").events
    deltas = [e["data"]["append"] for e in events if e["type"] == "itemDelta"]
    completed = [e["data"]["item"] for e in events if e["type"] == "itemCompleted"]
    assert len(deltas) > 1
    assert "".join(deltas) == completed[-1]["text"] == "Grüße, 世界: " * 10


@pytest.mark.item(41)
def test_there_is_no_colour_code_in_any_output(agls: Agls) -> None:
    agls.script({"calls": [WRITE]}, {"text": "Done."})
    for output in ("text", "json", "jsonl"):
        done = agls.run("run", "write", "--output", output)
        assert "\x1b" not in done.out + done.err


@pytest.mark.parametrize("output", ["text", "json", "jsonl"])
def test_output_with_invalid_characters_is_written(agls: Agls, output: str) -> None:
    (agls.workspace / os.fsdecode(b"\xff\xe2\x80\xa8.txt")).touch()
    agls.script({"calls": [LIST]}, {"text": "One\u2028line \x1b."})
    done = agls.run("run", os.fsdecode(b"prompt \xff"), "--output", output)
    assert (done.code, "Traceback" in done.err) == (0, False)
    if output == "jsonl":
        assert done.events[-1]["type"] == "runEnded"


# --- the prompt ------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["-"], []])
def test_the_prompt_may_come_from_standard_input(agls: Agls, arguments: list[str]) -> None:
    agls.prompts([])
    (agls.home / "script.json").write_text(
        '{"prompts": [{"match": "Grüße\\nzwei", "turns": [{"text": "Understood."}]}]}'
    )
    done = agls.run("run", *arguments, stdin="Grüße\nzwei\n")
    assert (done.code, done.out) == (0, "Understood.\n")


def test_a_title_names_the_session(agls: Agls) -> None:
    agls.script({"text": "Done."})
    agls.run("run", "go", "--title", "My work")
    assert [session["title"] for session in agls.sessions()] == ["My work"]


def test_another_folder_can_be_worked_in(agls: Agls, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    agls.script({"calls": [WRITE]}, {"text": "Done."})
    done = agls.run("run", "go", "--cwd", "../other", "--mode", "acceptEdits")
    assert (done.code, (tmp_path / "other/a.txt").exists()) == (0, True)


def test_a_folder_that_is_added_may_be_written(agls: Agls, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    path = str(tmp_path / "other/b.txt")
    agls.script(
        {"calls": [{"name": "write_file", "arguments": {"path": path, "content": "b"}}]}, {"text": "."}
    )
    assert agls.run("run", "go", "--mode", "acceptEdits").code == 3
    assert agls.run("run", "go", "--mode", "acceptEdits", "--add-dir", "../other").code == 0
    assert (tmp_path / "other/b.txt").read_text() == "b"


# --- every exit code -------------------------------------------------------------------------------


@pytest.mark.row(84)
@pytest.mark.item(41)
@pytest.mark.parametrize(
    ("turns", "arguments", "code", "reason"),
    [
        ([{"text": "ok"}], [], 0, "endTurn"),
        ([{"error": {"kind": "quota", "message": "no money left"}}], [], 1, "error"),
        ([{"calls": [WRITE]}, {"text": "ok"}], [], 3, "endTurn"),
        ([{"calls": [WRITE]}, {"text": "ok"}], ["--max-turns", "1"], 4, "maxTurns"),
        ([{"text": "cut", "finish": "length"}] * 5, [], 4, "maxTokens"),
        ([{"text": "no", "finish": "refusal"}], [], 5, "refusal"),
    ],
)
def test_each_way_to_end_has_its_exit_code(
    agls: Agls, turns: list[dict[str, Any]], arguments: list[str], code: int, reason: str
) -> None:
    """Success, budget, error: the exit code and the JSON object agree."""
    agls.script(*turns)
    done = agls.run("run", "go", "--output", "json", *arguments)
    assert (done.code, done.whole["exitCode"], done.whole["stopReason"]) == (code, code, reason)


@pytest.mark.row(84)
def test_every_stop_reason_of_the_wire_has_an_exit_code() -> None:
    """None is left out."""
    codes = {reason: exit_of({"stopReason": reason}) for reason in STOP_REASONS.values()}
    limits = {"maxTokens", "maxTurns", "budget", "contextFull", "timeout", "killed", "guard"}
    assert {reason for reason, code in codes.items() if code == 4} == limits
    assert set(codes) - limits == set(CODES)


@pytest.mark.item(42)
def test_question_without_an_attached_client_is_counted_and_the_run_continues(agls: Agls) -> None:
    agls.script({"calls": [WRITE]}, {"text": "I could not write."})
    done = agls.run("run", "write", "--output", "json")
    assert done.whole["unanswered"] == 1
    assert done.whole["result"] == "I could not write."
    assert done.code == 3
    assert not (agls.workspace / "a.txt").exists()
    assert "1 question without anybody" in agls.run("run", "write").err


def test_people_read_why_a_run_ended_and_how_to_go_on(agls: Agls) -> None:
    agls.script({"calls": [WRITE]}, {"text": "ok"})
    done = agls.run("run", "go", "--max-turns", "1")
    said = "Stopped at a limit: The budget of turns is used up: 1 of 1. Raise the limit (--max-"
    assert said in done.err
    assert "agls resume ses_" in done.err


def test_a_run_that_takes_too_long_ends_at_its_limit(agls: Agls) -> None:
    agls.script({"text": "begun", "hang": True})
    done = agls.run("run", "go", "--max-seconds", "0.5", "--output", "json")
    assert (done.code, done.whole["stopReason"]) == (4, "timeout")
    assert done.whole["detail"].startswith("The time limit of 0.5 seconds is reached. Give it more time")


def test_every_wait_for_the_model_is_reported_even_without_a_terminal(agls: Agls) -> None:
    busy = {"kind": "overloaded", "message": "It is busy.", "times": 1, "wait": 0.1}
    agls.script({"text": "ok", "error": busy})
    done = agls.run("run", "go")
    assert (done.code, done.out, done.err) == (0, "ok\n", "It is busy. Trying again in 0 s.\n")


def test_failed_tool_is_one_line_on_standard_error(agls: Agls) -> None:
    agls.script({"calls": [{"name": "read_file", "arguments": {"path": "absent"}}]}, {"text": "ok"})
    err = agls.run("run", "go").err
    assert err.startswith("failed: read_file absent  (")
    assert err.count("\n") == 1


# --- over HTTP -------------------------------------------------------------------------------------


def test_a_model_behind_http_needs_no_configuration_but_its_address(agls: Agls) -> None:
    agls.configure("")
    with ModelServer([Reply(calls=[("write_file", WRITE["arguments"])]), Reply("Done.")]) as server:
        arguments = ("--base-url", server.url, "--model", "test-model", "--mode", "acceptEdits")
        agls.environment["AGLS_API_KEY"] = "canary-key"
        done = agls.run("run", "write", *arguments)
        assert (done.code, done.out) == (0, "Done.\n")
        assert server.posts[0].headers["authorization"] == "Bearer canary-key"
        assert server.posts[1].body["messages"][-1]["role"] == "tool"
    assert (agls.workspace / "a.txt").exists()


def test_an_answer_that_breaks_off_before_its_first_word_is_asked_for_again(agls: Agls) -> None:
    torn = Reply("Half of what", cut_after=1, then="close")
    with ModelServer([torn, Reply("All of what I said.")]) as server:
        done = agls.run("run", "go", "--base-url", server.url, "--model", "m")
    assert (done.code, done.out) == (0, "All of what I said.\n")
    assert "broke off before it was complete. Trying again in" in done.err


def test_torn_answer_is_asked_for_once_more_and_does_not_count(agls: Agls) -> None:
    torn = Reply("Half of what", cut_after=2, then="close")
    with ModelServer([torn, Reply("All of what I said."), torn, torn, Reply("never")]) as server:
        done = agls.run("run", "go", "--base-url", server.url, "--model", "m")
        assert (done.code, done.out) == (0, "All of what I said.\n")
        assert "broke off before it was complete. Trying again in" in done.err
        again = agls.run("run", "go", "--base-url", server.url, "--model", "m", "--output", "jsonl")
        assert len(server.posts) == 4
    assert again.code == 1
    items = [event["data"]["item"] for event in again.events if event["type"] == "itemCompleted"]
    told = [(item["text"], item["status"], item["discarded"]) for item in items if item["kind"] == "message"]
    assert told == [("Half of what", "failed", True)] * 2
    retried = [event["data"]["discardPartial"] for event in again.events if event["type"] == "turnRetrying"]
    assert retried == [True]


def test_the_environment_alone_is_enough(agls: Agls) -> None:
    agls.configure("")
    with ModelServer([Reply("Hello.")]) as server:
        agls.environment |= {"OPENAI_BASE_URL": server.url, "OPENAI_MODEL": "m", "OPENAI_API_KEY": "k"}
        done = agls.run("run", "hi")
        assert (done.code, done.out) == (0, "Hello.\n")
        assert server.posts[0].body["model"] == "m"
        assert server.posts[0].headers["authorization"] == "Bearer k"


@pytest.mark.row(48)
@pytest.mark.item(45)
def test_a_key_is_in_no_output_no_session_and_no_log(agls: Agls) -> None:
    """Grep after a run finds none."""
    agls.configure("")
    command = {"name": "shell", "arguments": {"command": "env; cat /proc/$PPID/environ; echo ran"}}
    agls.environment["AGLS_API_KEY"] = "canary-4711"
    with ModelServer([Reply(calls=[("shell", command["arguments"])]), Reply("Done.")]) as server:
        arguments = ("--base-url", server.url, "--model", "m", "--mode", "allowAll", "--output", "jsonl")
        done = agls.run("run", "look", *arguments)
        assert done.code == 0
        assert "ran" in done.out
        assert server.posts[0].headers["authorization"] == "Bearer canary-4711"
    written = "".join(p.read_text(errors="replace") for p in agls.state.rglob("*") if p.is_file())
    assert "canary-4711" not in done.out + done.err + written


# --- trust -----------------------------------------------------------------------------------------


def test_a_folder_is_trusted_only_for_the_run_that_says_so(agls: Agls) -> None:
    (agls.workspace / ".agls").mkdir()
    (agls.workspace / ".agls/config.toml").write_text("[budget]\nmax_turns = 1\n")
    (agls.workspace / "AGENTS.md").write_text("CANARY INSTRUCTION")
    agls.script({"calls": [LIST]}, {"text": "ok"})
    assert agls.run("run", "go").code == 0
    assert agls.run("run", "go", "--trust").code == 4
    assert agls.run("run", "go").code == 0
    journals = [file.read_text() for file in agls.state.glob("sessions/*.jsonl")]
    assert sum("CANARY INSTRUCTION" in journal for journal in journals) == 1


def test_ignored_setting_of_a_trusted_project_is_reported(agls: Agls) -> None:
    (agls.workspace / ".agls").mkdir()
    (agls.workspace / ".agls/config.toml").write_text('[permissions]\nmode = "allowAll"\n')
    agls.script({"calls": [WRITE]}, {"text": "ok"})
    done = agls.run("run", "go", "--trust")
    assert done.code == 3
    assert "permissions.mode was ignored" in done.err


def test_the_result_also_goes_where_the_user_named(agls: Agls) -> None:
    agls.configure(SCRIPTED + '[delivery.targets.here]\nfile = "result.md"\n')
    agls.script({"text": "Fifteen birds."})
    assert agls.run("run", "count", "--deliver", "here").code == 0
    assert (agls.workspace / "result.md").read_text() == "Fifteen birds.\n"
    done = agls.run("run", "count", "--deliver", "elsewhere")
    assert done.code == 2
    assert "deliver must name a target of your config file (here), not 'elsewhere'" in done.err


def test_files_are_attached_and_an_image_needs_no_words(agls: Agls) -> None:
    (agls.workspace / "a.png").write_bytes(png())
    with ModelServer([Reply("A dot.")]) as server:
        done = agls.run("run", "--attach", "a.png", "--base-url", server.url, "--model", "m")
        assert (done.code, done.out) == (0, "A dot.\n")
        assert "data:image/png;base64," in str(server.posts[0].body["messages"])
    refused = agls.run("run", "look", "--attach", "gone.png", "--base-url", server.url, "--model", "m")
    assert refused.code == 2
    assert f"gone.png cannot be attached: there is no such file in {agls.workspace.resolve()}." in refused.err

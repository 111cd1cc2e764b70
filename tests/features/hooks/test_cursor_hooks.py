"""Hooks in Cursor's form: read after trust, run after consent, and understood as Cursor understands them."""

import json
from pathlib import Path
from typing import Any

import pytest

from agls.features.hooks.answers import NOTHING, HookAnswer, HookFailed
from agls.features.hooks.cursor import CursorForm
from agls.features.hooks.folder_hooks import find_hooks
from features.hooks.test_folder_hooks import ALL, Asked, OneFile
from support.rich_run import call
from support.wire import AGENT, Wire, script, turns

FILE = ".cursor/hooks.json"
PROGRAM = """
import json, os, sys
d = json.load(sys.stdin)
open("seen.jsonl", "a").write(json.dumps({**d, "env": os.environ["CURSOR_PROJECT_DIR"]}) + "\\n")
match d["hook_event_name"]:
    case "beforeShellExecution":
        print(json.dumps({"permission": "deny", "user_message": "No.", "agent_message": "never push"}))
    case "beforeReadFile":
        print(json.dumps({"permission": "deny" if "secret" in d["content"] else "allow"}))
    case "beforeSubmitPrompt":
        print(json.dumps({"continue": "bad" not in d["prompt"], "user_message": "not that"}))
    case "stop" if d["loop_count"] == 0:
        print(json.dumps({"followup_message": "check it"}))
"""
COMMAND = "python3 .cursor/hooks/h.py"
HOOKS: dict[str, Any] = {
    "beforeShellExecution": [{"command": COMMAND, "matcher": r"git\s+push"}],
    "beforeReadFile": [{"command": COMMAND}],
    "afterFileEdit": [{"command": COMMAND}],
    "afterShellExecution": [{"command": COMMAND, "matcher": "^echo"}],
    "beforeSubmitPrompt": [{"command": COMMAND}],
    "stop": [{"command": COMMAND, "loop_limit": 3}],
}


def write(folder: Path, hooks: object) -> None:
    (folder / ".cursor/hooks").mkdir(parents=True)
    (folder / ".cursor/hooks/h.py").write_text(PROGRAM)
    (folder / FILE).write_text(json.dumps({"version": 1, "hooks": hooks}))


def test_hooks_of_cursor_run_after_consent_and_are_understood(tmp_path: Path) -> None:
    calls = [
        call("shell", command="git  push"),
        call("shell", command="echo fine"),
        call("read_file", path="key.txt"),
        call("write_file", path="a.txt", content="one\n"),
    ]
    script(tmp_path, turns(*({"calls": [each]} for each in calls), "done", "checked"), turns("done"))
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "key.txt").write_text("a secret\n")
    write(folder, HOOKS)
    with Wire(tmp_path, tmp_path / "config.toml") as wire:
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        asked, session = Asked(wire, "always"), wire.session()
        assert wire.run(session, **ALL)["stopReason"] == "endTurn"
        assert asked.titles == [f"Use the hook {event} {at} of {FILE}" for at, event in enumerate(HOOKS, 1)]
        items = [each["data"]["item"] for each in wire.events if each["type"] == "itemCompleted"]
        outputs = [each["output"] for each in items if each["kind"] == "toolCall"]
        assert outputs[0] == f"Not run: the hook {COMMAND} refused it. never push"
        assert "fine" in outputs[1]
        assert outputs[2].startswith(f"Not run: the hook {COMMAND} refused it.")
        assert f"The hook {COMMAND} says: check it" in json.dumps(items)
        refused = wire.ask("agent/run", {"input": "bad", "sessionId": session})
        assert "refused the prompt, and it is not kept: not that" in json.dumps(refused)
    seen = [json.loads(line) for line in (folder / "seen.jsonl").read_text().splitlines()]
    by_event: dict[str, list[Any]] = {}
    for each in seen:
        by_event.setdefault(each["hook_event_name"], []).append(each)
    assert {event: len(each) for event, each in by_event.items()} == {
        "beforeShellExecution": 1,
        "beforeReadFile": 1,
        "afterFileEdit": 1,
        "afterShellExecution": 1,
        "stop": 2,
        "beforeSubmitPrompt": 1,
    }
    assert [each["loop_count"] for each in by_event["stop"]] == [0, 1]
    (push,) = by_event["beforeShellExecution"]
    assert (push["command"], push["cwd"], push["env"]) == ("git  push", str(folder), str(folder))
    assert push["workspace_roots"] == [str(folder)]
    (echo,) = by_event["afterShellExecution"]
    assert (echo["command"], "fine" in echo["output"]) == ("echo fine", True)
    (edit,) = by_event["afterFileEdit"]
    assert edit["file_path"] == f"{folder}/a.txt"
    assert edit["edits"] == [{"old_string": "", "new_string": "one\n"}]
    assert by_event["beforeReadFile"][0]["content"] == "a secret\n"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            '{"version": 1,\n"hooks": {\n"afterAgentThought": [{"command": "c"}]}}',
            f"{FILE}:3: hook 1 (afterAgentThought): Cursor has the event afterAgentThought, agls has not: ",
        ),
        (
            '{"hooks": {\n"stop": [{"command": "c",\n"matcher": "x"}]}}',
            f"{FILE}:2: hook 1 (stop): a matcher is a text, and for beforeShellExecution alone: take it out",
        ),
        (
            '{"hooks": {"beforeShellExecution": [\n{"matcher": "(?!x)",\n"command": "it"}]}}',
            f"{FILE}:3: hook 1 (beforeShellExecution): the matcher is no regular expression: ",
        ),
        (
            '{"hooks": {},\n"version": 2}',
            f'{FILE}: line 2: its version is not known here: write "version": 1',
        ),
        ('{"hooks": {"stop": {"command": "c"}}}', "the hooks of stop are no list"),
        ('{"hooks": {"stop": [{"command": "c", "loop_limit": "x"}]}}', "loop_limit is a number or null"),
        (
            '{"hooks": {"stop": [{"type": "agent"}]}}',
            "hook 1 (stop): a hook of the type 'agent' needs its 'prompt': add it",
        ),
    ],
)
def test_what_cannot_be_used_is_named_with_its_place_and_what_to_do(content: str, problem: str) -> None:
    class Shown(OneFile):
        def shown(self, path: str) -> str:
            return path.removeprefix("/p/")

    found = find_hooks([f"/p/{FILE}"], Shown(content))
    assert (found.offered, len(found.problems)) == ([], 1)
    assert problem in found.problems[0]


OURS: dict[str, Any] = {
    "session_id": "ses_1",
    "cwd": "/p",
    "transcript_path": "",
    "agls": {"run_id": "run_1", "turn": 1, "mode": "ask"},
    "agls_tool": {"name": "mcp__notes__find", "input": {"query": "x"}},
}


def test_call_of_a_server_is_given_by_the_name_that_the_server_knows() -> None:
    given = CursorForm("beforeMCPExecution").given(OURS)
    assert (given["tool_name"], given["tool_input"]) == ("find", '{"query": "x"}')
    assert (given["conversation_id"], given["generation_id"]) == ("ses_1", "run_1")
    came = CursorForm("afterMCPExecution").given({**OURS, "tool_response": {"output": "two"}})
    assert (came["tool_name"], came["tool_input"]) == ("find", '{"query": "x"}')
    assert json.loads(came["result_json"]) == {"content": [{"type": "text", "text": "two"}]}


@pytest.mark.parametrize(
    ("event", "code", "said", "expected"),
    [
        ("beforeMCPExecution", 0, {"permission": "ask"}, HookAnswer(decision="ask")),
        (
            "beforeReadFile",
            0,
            {"permission": "deny", "userMessage": "no"},
            HookAnswer(decision="deny", reason="no", message="no"),
        ),
        ("beforeSubmitPrompt", 0, {"continue": True}, NOTHING),
        ("beforeShellExecution", 0, "a log line", NOTHING),
        ("beforeShellExecution", 2, "", HookAnswer(decision="deny", reason="no reason was given")),
        ("afterFileEdit", 2, "", NOTHING),
        ("afterShellExecution", 2, "", NOTHING),
        ("afterFileEdit", 0, {"permission": "deny"}, NOTHING),
        ("stop", 0, {"followup_message": "go on"}, HookAnswer(decision="deny", reason="go on")),
        ("stop", 0, {"followup_message": ""}, NOTHING),
        ("stop", 2, "", NOTHING),
    ],
)
def test_answers_mean_what_they_mean_to_cursor(
    event: str, code: int, said: Any, expected: HookAnswer
) -> None:
    output = said if isinstance(said, str) else json.dumps(said)
    assert CursorForm(event).answer(code, output, "", OURS) == expected


def test_hook_for_the_end_goes_on_no_more_often_than_its_limit() -> None:
    again = json.dumps({"followup_message": "go on"})
    assert CursorForm("stop", most=2).answer(0, again, "", {**OURS, "agls_continued": 2}) == NOTHING
    assert CursorForm("stop", most=None).answer(0, again, "", {**OURS, "agls_continued": 7}) != NOTHING


@pytest.mark.parametrize(("code", "output"), [(1, ""), (0, "{"), (0, '{"permission": "maybe"}')])
def test_answer_that_makes_no_sense_is_a_failure(code: int, output: str) -> None:
    with pytest.raises(HookFailed):
        CursorForm("beforeShellExecution").answer(code, output, "", OURS)


def test_failure_of_a_hook_refuses_where_the_file_says_so() -> None:
    hooks = {"beforeReadFile": [{"command": "c", "failClosed": True}, {"command": "d", "timeout": 5}]}
    found = find_hooks([f"/p/{FILE}"], OneFile({"version": 1, "hooks": hooks}))
    assert [each.hook.on_failure for each in found.offered] == ["closed", "open"]
    assert found.offered[1].hook.setting.timeout == 5
    assert found.offered[0].offer.definition["failClosed"] is True

"""`agls hooks test EVENT`: hooks see an event that did not happen."""

import json
from typing import Any

import pytest

from agls.features.hooks.settings import EVENTS
from doors.headless.conftest import Agls
from doors.headless.hooked import Hooked, answer
from support.rich_run import call

NO = "sys.stderr.write('not so'); sys.exit(2)"
REFUSED = {  # what comes of exit code 2
    "UserPromptSubmit": "refuse the prompt, and not keep it: not so",
    "PreToolUse": "refuse the call, and let the model read why: not so",
    "PostToolUse": "add the reason to the result of the call: not so",
    "PostToolUseFailure": "add the reason to the result of the call: not so",
    "PostToolBatch": "end the run: not so",
    "Stop": "let the agent go on, and read the reason: not so",
    "SubagentStop": "let the helper go on, and read the reason: not so",
    "PreCompact": "make no summary now: not so",
    "TaskCreated": "leave the plan as it was, and let the model read why: not so",
    "TaskCompleted": "leave the plan as it was, and let the model read why: not so",
    "Elicitation": "decline in your place: not so",
    "ElicitationResult": "decline in your place: not so",
    "WorktreeCreate": "make no worktree: not so",
    "ConfigChange": "leave the file as it was: not so",
}


@pytest.fixture
def hooked(agls: Agls) -> Hooked:
    return Hooked(agls)


def tried(hooked: Hooked, *arguments: str) -> Any:
    done = hooked.agls.run("hooks", "test", *arguments, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.mark.parametrize("event", EVENTS)
def test_every_event_can_be_tried(hooked: Hooked, event: str) -> None:
    hooked.on(event, NO)
    told = tried(hooked, event, "--with", '{"mine": true}')
    assert told["would"] == [REFUSED.get(event, "go on as without hooks")]
    (row,) = told["hooks"]
    assert (row["state"], row["exitCode"], row["errors"]) == ("ran", 2, "not so")
    assert [row["given"]] == hooked.given(event)
    assert row["given"]["mine"] is True


def test_only_the_hooks_that_fit_run_and_others_say_why(hooked: Hooked) -> None:
    hooked.on("PreToolUse", answer(updatedInput={"command": "true"}), matcher="Bash")
    hooked.on("PreToolUse", NO, matcher="Write|Edit")
    hooked.on("PreToolUse", NO, condition="Bash(git push *)")
    hooked.on("UserPromptSubmit", NO, matcher="Bash")
    given = json.dumps({"tool_input": {"command": "git status"}})
    done = hooked.agls.run("hooks", "test", "preToolUse", "Bash", "--with", given)
    assert done.code == 0, done.err
    assert '"command": "git status"' in done.out
    lines = done.out.splitlines()
    assert "- PreToolUse: `h1` (user): not run: its matcher 'Write|Edit' fits none of shell, Bash" in lines
    assert (
        "- PreToolUse: `h2` (user): not run: its condition 'Bash(git push *)' does not fit this call" in lines
    )
    assert "- UserPromptSubmit: `h3` (user): not run: it is for UserPromptSubmit" in lines
    assert lines[-1] == "agls would call shell with other arguments: {'command': 'true'}."
    assert len(hooked.given("PreToolUse")) == 1
    assert tried(hooked, "UserPromptSubmit")["hooks"][-1]["state"] == "ran", "no matcher is looked at there"


def test_what_a_failure_means_is_told(hooked: Hooked) -> None:
    hooked.on("PreToolUse", "sys.exit(7)", on_failure="closed")
    told = tried(hooked, "PreToolUse")
    assert told["hooks"][0]["problem"] == "exit code 7"
    assert told["would"] == ["refuse the call, and let the model read why: The hook h0 failed: exit code 7."]


def test_hook_in_the_background_runs_and_decides_nothing(hooked: Hooked) -> None:
    hooked.on("Stop", NO, background=True)
    told = tried(hooked, "Stop")
    assert (told["hooks"][0]["background"], told["would"]) == (True, ["go on as without hooks"])


def test_recorded_call_of_a_session_takes_the_place_of_a_made_up_one(hooked: Hooked) -> None:
    hooked.on("PostToolUse", "pass")
    hooked.agls.script({"calls": [call("write_file", path="a.txt", content="one\n")]}, {"text": "done"})
    hooked.run()
    (session,) = hooked.agls.sessions()
    told = tried(hooked, "PostToolUse", "Write", "--session", session["sessionId"])
    path = str(hooked.agls.workspace / "a.txt")
    assert told["given"]["tool_input"] == {"file_path": path, "content": "one\n"}
    assert told["given"]["tool_response"] == hooked.given("PostToolUse")[0]["tool_response"]


def test_hook_of_a_folder_without_consent_is_named_and_not_run(hooked: Hooked) -> None:
    kept = hooked.agls.workspace / "ran"
    place = hooked.agls.workspace / ".agls" / "hooks.json"
    place.parent.mkdir()
    place.write_text(json.dumps({"hooks": {"Stop": [{"command": f"touch {kept}"}]}}))
    (row,) = tried(hooked, "Stop", "--trust")["hooks"]
    assert (row["origin"], row["state"], row["why"]) == (
        ".agls/hooks.json",
        "noConsent",
        "you did not consent to it",
    )
    assert not kept.exists()
    assert tried(hooked, "Stop")["hooks"] == [], "what is not trusted is not read"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("Foo",), f"there is no event Foo here, only {', '.join(EVENTS)}"),
        (
            ("SessionStart", "never"),
            "SessionStart is about one of startup, resume, clear, compact, fork, not about 'never'.",
        ),
        (("Stop", "Bash"), "The matcher of Stop is compared with nothing: leave out 'Bash'."),
        (("Stop", "--with", "[1"), "--with is no JSON"),
        (("Stop", "--with", "[1]"), "--with is no JSON object"),
        (("PreToolUse", "--with", '{"tool_input": 1}'), "The tool_input is no JSON object."),
        (("Stop", "--last", "3"), "--last is for recorded calls"),
        (("--with", "{}"), "--with is for the test of an event"),
    ],
)
def test_wrong_arguments_are_told(hooked: Hooked, arguments: tuple[str, ...], problem: str) -> None:
    done = hooked.agls.run("hooks", "test", *arguments)
    assert (done.code, problem in done.err) == (2, True), done.err

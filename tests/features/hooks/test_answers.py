"""What a hook said is read as it was meant, and several answers become the strictest."""

import json

import pytest

from agls.features.hooks.answers import (
    NOTHING,
    HookAnswer,
    HookFailed,
    after_failure,
    answer_of_json,
    answer_of_program,
    joined,
)
from agls.features.hooks.hook import Hook
from agls.features.hooks.settings import HookSetting, OnFailure


def special(**members: object) -> str:
    return json.dumps({"hookSpecificOutput": members})


@pytest.mark.parametrize(
    ("code", "out", "err", "expected"),
    [
        (0, "", "", NOTHING),
        (0, "some words", "", HookAnswer(context="some words")),
        (2, "", "not today\n", HookAnswer(decision="deny", reason="not today")),
        (2, special(permissionDecision="allow"), "no", HookAnswer(decision="deny", reason="no")),
        (0, special(permissionDecision="ask"), "", HookAnswer(decision="ask")),
        (0, '{"decision": "block", "reason": "r"}', "", HookAnswer(decision="deny", reason="r")),
        (0, '{"decision": "approve"}', "", HookAnswer(decision="allow")),
        (0, special(updatedInput={"command": "ls"}), "", HookAnswer(arguments={"command": "ls"})),
        (0, special(additionalContext="c"), "", HookAnswer(context="c")),
        (0, special(updatedToolOutput="o"), "", HookAnswer(output="o")),
        (0, '{"systemMessage": "m"}', "", HookAnswer(message="m")),
        (0, '{"continue": false, "stopReason": "s"}', "", HookAnswer(reason="s", stop="s")),
    ],
)
def test_output_of_a_program_is_read_as_it_was_meant(
    code: int, out: str, err: str, expected: HookAnswer
) -> None:
    assert answer_of_program(code, out, err, texts=True) == expected


def test_plain_text_of_other_events_says_nothing() -> None:
    assert answer_of_program(0, "a log line", "", texts=False) == NOTHING


@pytest.mark.parametrize(
    ("code", "out", "problem"),
    [
        (1, "", "exit code 1"),
        (None, "", "a signal ended it"),
        (0, "{oops", "no JSON"),
        (0, '{"decision": "perhaps"}', "'perhaps'"),
        (0, special(updatedInput="ls"), "updatedInput"),
    ],
)
def test_answer_that_makes_no_sense_is_a_failure(code: int | None, out: str, problem: str) -> None:
    with pytest.raises(HookFailed, match=problem):
        answer_of_program(code, out, "", texts=True)
    with pytest.raises(HookFailed, match="no JSON object"):
        answer_of_json([])


@pytest.mark.parametrize(
    ("policy", "origin", "decision"),
    [
        (None, "user", ""),
        (None, "managed", "deny"),
        ("ask", "user", "ask"),
        ("closed", "user", "deny"),
        ("open", "managed", ""),
    ],
)
def test_failure_means_what_the_policy_of_the_hook_says(
    policy: OnFailure | None, origin: str, decision: str
) -> None:
    hook = Hook(HookSetting(event="PreToolUse", command="check", on_failure=policy), origin)
    assert after_failure(hook, "exit code 1").decision == decision


def test_strictest_of_several_answers_counts_and_all_texts_are_kept() -> None:
    allow = HookAnswer(decision="allow", by="a", context="one")
    ask = HookAnswer(decision="ask", by="b", reason="look", arguments={"x": 1})
    deny = HookAnswer(decision="deny", by="c", reason="no", context="two")
    assert joined([allow, ask]) == HookAnswer(
        decision="ask", by="b", reason="look", arguments={"x": 1}, context="one"
    )
    assert joined([deny, ask, allow]).decision == "deny"
    assert joined([deny, allow]).context == "two\none"
    assert joined([]) == NOTHING


@pytest.mark.parametrize(
    ("matcher", "names", "fits"),
    [
        ("", ("shell", "Bash"), True),
        ("*", ("shell", "Bash"), True),
        ("Bash", ("shell", "Bash"), True),
        ("shell", ("shell", "Bash"), True),
        ("Read|Write", ("write_file", "Write"), True),
        ("Read, Write", ("write_file", "Write"), True),
        ("Writ", ("write_file", "Write"), False),
        ("Writ.*", ("write_file", "Write"), True),
        ("^mcp__git__", ("mcp__git__push",), True),
        ("Bash", ("read_file", "Read"), False),
    ],
)
def test_matcher_is_a_list_of_names_or_a_regular_expression(
    matcher: str, names: tuple[str, ...], fits: bool
) -> None:
    hook = Hook(HookSetting(event="PreToolUse", command="check", matcher=matcher), "user")
    assert hook.matches("PreToolUse", *names) is fits
    assert not hook.matches("PostToolUse", *names)

"""What agls does when hooks answered, in words."""

from pathlib import Path

import pytest

from agls.engine.state import State
from agls.engine.vocabulary import JsonObject
from agls.features.hooks.answers import HookAnswer
from agls.features.hooks.effects import NOTHING, effects
from agls.features.hooks.samples import sample
from agls.features.hooks.settings import EVENTS, WITHOUT_MATCHER, Event

PAGE = (Path(__file__).parents[3] / "docs" / "hooks.md").read_text("utf-8")
READS = {
    "SessionStart": "let the model read: more",
    "SubagentStart": "let the helper read: more",
    "UserPromptSubmit": "add to the prompt: more",
    "PreToolUse": "add to the result of the call: more",
    "PostToolUse": "add to the result of the call: more",
    "PostToolUseFailure": "add to the result of the call: more",
    "PostToolBatch": "let the model read: more",
    "Setup": "show you: more",
    "WorktreeCreate": "let the work be done in more, and make no worktree with git",
}
CALL: JsonObject = {"agls_tool": {"name": "shell", "input": {}}}


@pytest.mark.parametrize("event", EVENTS)
def test_context_is_for_the_events_that_have_a_place_for_it(event: Event) -> None:
    assert effects(event, HookAnswer(context="more"), {}) == [READS.get(event, NOTHING)]


@pytest.mark.parametrize(
    ("event", "answer", "would"),
    [
        ("Notification", HookAnswer(stop="enough"), ["end the run: enough"]),
        ("SessionEnd", HookAnswer(stop="enough"), [NOTHING]),
        ("Stop", HookAnswer(stop="enough", decision="deny", reason="x"), ["end the run: enough"]),
        ("Stop", HookAnswer(decision="deny", reason="it failed", is_failure=True), [NOTHING]),
        (
            "PreToolUse",
            HookAnswer(stop="enough", context="more"),
            ["end the run: enough", "refuse the call, and let the model read why: enough"],
        ),
        ("UserPromptSubmit", HookAnswer(stop="enough"), ["refuse the prompt, and not keep it: enough"]),
        ("PreToolUse", HookAnswer(decision="ask", reason="look"), ["ask you about the call: look"]),
        (
            "PreToolUse",
            HookAnswer(decision="allow"),
            ["not ask you about the call, unless a rule denies it or it is asked about each time"],
        ),
        (
            "PreToolUse",
            HookAnswer(arguments={"command": "true", "timeout": 1000}),
            ["call shell with other arguments: {'command': 'true', 'timeout_s': 1.0}"],
        ),
        ("Stop", HookAnswer(arguments={"command": "true"}), [NOTHING]),
        (
            "PermissionRequest",
            HookAnswer(decision="allow"),
            ["allow the call in your place, unless it is one that is asked about each time"],
        ),
        (
            "PostToolUse",
            HookAnswer(output="[removed]"),
            ["let the model read this in the place of what the tool gives: [removed]"],
        ),
    ],
)
def test_what_comes_of_an_answer_is_told(event: Event, answer: HookAnswer, would: list[str]) -> None:
    assert effects(event, answer, CALL) == would


@pytest.mark.parametrize("event", EVENTS)
def test_page_says_when_each_event_happens(event: Event) -> None:
    rows = [
        line for line in PAGE.splitlines() if line.startswith("| `") and f"`{event}`" in line.split("|")[1]
    ]
    assert rows, "give the event a row in the table of docs/hooks.md"


@pytest.mark.parametrize("event", EVENTS)
def test_event_has_something_for_a_matcher_or_says_that_it_has_nothing(event: Event) -> None:
    assert bool(sample(event, "", {}, State()).subjects) != (event in WITHOUT_MATCHER)

"""Hooks that see a prompt behave as others do: what they say is shown, and what ran is noted."""

import json
from typing import Any

import pytest

from doors.headless.conftest import Agls, Done
from doors.headless.hooked import Hooked
from support.patience import wait_until

EVENT = "UserPromptSubmit"


@pytest.fixture
def hooked(agls: Agls) -> Hooked:
    return Hooked(agls)


def notices(done: Done) -> list[dict[str, Any]]:
    return [event["data"] for event in done.events if event.get("type") == "notice"]


def test_failure_and_message_are_shown_and_each_run_of_a_hook_is_noted(hooked: Hooked) -> None:
    hooked.on(EVENT, "sys.exit('broken')")
    hooked.on(EVENT, "print(json.dumps({'systemMessage': 'I looked.'}))")
    hooked.agls.script({"text": "done"})
    shown = json.dumps(notices(hooked.run("go")))
    assert "A hook failed" in shown
    assert "h0: exit code 1: broken" in shown
    assert "I looked." in shown
    listed = hooked.agls.run("resume", "/hooks").out
    assert "`h0` (user, exit code 1)" in listed
    assert "`h1` (user, no objection)" in listed


def test_hook_runs_once_in_a_session(hooked: Hooked) -> None:
    hooked.on(EVENT, "pass", once=True)
    hooked.agls.script({"text": "done"}, {"text": "done"})
    hooked.run("one")
    hooked.agls.run("resume", "two")
    assert [d["prompt"] for d in hooked.given(EVENT)] == ["one"]


def test_hook_beside_the_prompt_decides_nothing(hooked: Hooked) -> None:
    hooked.on(EVENT, "sys.exit(2)", background=True)
    hooked.agls.script({"calls": [{"name": "shell", "arguments": {"command": "sleep 3"}}]}, {"text": "done"})
    assert hooked.run().code == 0
    wait_until(lambda: bool(hooked.given(EVENT)))


def test_prompt_that_a_failure_refuses_leaves_nothing(hooked: Hooked) -> None:
    hooked.on(EVENT, "sys.exit(d['prompt'])", on_failure="closed")
    done = hooked.run("a canary in the prompt")
    assert done.code != 0
    kept = [each for each in hooked.agls.home.rglob("*") if each.is_file() and each != hooked.seen]
    assert not any(
        b"canary in" in each.read_bytes() for each in kept if each.is_file() and each != hooked.seen
    )

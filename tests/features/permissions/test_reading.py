"""What may not be read is told by no call, whatever else that call does."""

import pytest

from agls.engine.vocabulary import ToolCall
from agls.features.permissions.settings import Settings
from support.rooms import do, use

from .scene import Scene, pick, result, run


@pytest.mark.parametrize(("mode", "told"), [("ask", False), ("acceptEdits", False), ("allowAll", True)])
async def test_reason_of_a_failing_edit_does_not_quote_an_unreadable_file(
    scene: Scene, mode: str, told: bool
) -> None:
    wrong = ToolCall("c1", "write", {"value": ".env", "problem": "the nearest line is SECRET=4711"})
    state = await scene.run(use(wrong), options={"mode": mode}, reply=pick("once"))
    assert scene.asked == []
    assert scene.write.done == []
    assert ("4711" in result(state).text) is told, "mode allowAll may read it"


@pytest.mark.parametrize("mode", ["ask", "acceptEdits", "allowAll"])
async def test_file_that_may_not_be_read_may_not_be_edited(scene: Scene, mode: str) -> None:
    scene.settings = Settings(deny=["read(secrets/**)"], ask=["read(private/**)"])
    calls = [do("c1", "write", "secrets/a"), do("c2", "write", "private/a"), do("c3", "write", "a")]
    state = await scene.run(use(*calls), options={"mode": mode}, reply=pick("reject"))
    assert "The rule deny read(secrets/**)" in result(state).text
    assert "the user said no" in result(state, "c2").text
    assert scene.asked[0].title == "write private/a"


DENIED_READS = ["read(secrets/**)", "read(*.pem)", "read(a/b/key)"]


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("cat secrets/a", "denied"), ("cd secrets && cat a", "denied"), ("cat < secrets/a", "denied"),
        ("cat x/y.pem", "denied"), ("cat a/b/key", "denied"), ("cd a; cd b; cat key", "denied"),
        ("cat se*/a", "asked"), ("cat */a", "asked"), ("cat *.pe?", "asked"), ("cat a/*/key", "asked"),
        ("cat $F", "asked"), ("cat ~/x", "asked"), ("cat {a,b}", "asked"), ("cat a/b/k[e]y", "asked"),
        ("cat b/*", "asked"), ("cat *.py", "run"), ("cat src/a.py", "run"),
    ],
)  # fmt: skip
async def test_a_deny_rule_about_paths_is_asked_where_a_command_may_mean_them(
    scene: Scene, command: str, verdict: str
) -> None:
    scene.settings = Settings(mode="allowAll", deny=DENIED_READS)
    state = await scene.run(run(command))
    assert bool(scene.asked) is (verdict == "asked")
    assert bool(scene.shell.done) is (verdict == "run")
    assert ("The rule deny" in result(state).text) is (verdict == "denied")

"""The condition of a hook in the real program: no other spelling of a call gets by."""

import pytest

from doors.headless.conftest import Agls
from doors.headless.hooked import Hooked, items
from support.rich_run import call

SPELLINGS = (
    "(git push)",
    "if true; then git  push; fi",
    "echo $(FOO=1 \\git push)",
    "git -C . push",
    'sh -c "git push"',
    "git push 'never closed",
)


@pytest.fixture
def hooked(agls: Agls) -> Hooked:
    return Hooked(agls)


def test_hook_that_stops_pushes_stops_every_spelling(hooked: Hooked) -> None:
    hooked.on("PreToolUse", "sys.exit(2)", condition="Bash(git push *)")
    commands = (*SPELLINGS, "echo git push")
    hooked.agls.script(*({"calls": [call("shell", command=each)]} for each in commands), {"text": "done"})
    calls = [item for item in items(hooked.run()) if item["kind"] == "toolCall"]
    assert [item["refusedBy"] for item in calls[:-1]] == ["hook"] * len(SPELLINGS)
    assert calls[-1]["status"] == "completed"


@pytest.mark.parametrize("path", ["x/../src/a.py", "{}/src/a.py"])
def test_hook_that_guards_a_folder_sees_every_path_into_it(hooked: Hooked, path: str) -> None:
    hooked.on("PreToolUse", "sys.exit(2)", condition="Write(src/**)")
    written = call("write_file", path=path.format(hooked.agls.workspace), content="x")
    hooked.agls.script({"calls": [written]}, {"text": "done"})
    (item,) = [item for item in items(hooked.run()) if item["kind"] == "toolCall"]
    assert item["refusedBy"] == "hook"
    assert not (hooked.agls.workspace / "src").exists()


def test_name_that_a_model_chose_does_not_hang_the_matcher(hooked: Hooked) -> None:
    hooked.on("PreToolUse", "sys.exit(2)", matcher="(a+)+$")
    names = ["a" * 60 + "!", "a" * 60]
    hooked.agls.script(*({"calls": [call(name)]} for name in names), {"text": "done"})
    done = hooked.run()
    assert done.code == 0
    assert [d["tool_name"] for d in hooked.given("PreToolUse")] == names[1:]

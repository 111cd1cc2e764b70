"""What one command leaves to the next: its folder and its variables."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from agls.engine.feature import Feature
from agls.engine.state import State
from agls.engine.vocabulary import Answer
from agls.features import shell
from agls.features.permissions.decision import Allow, Ask, Deny, Policy, Verdict, decide
from agls.features.permissions.resolved_targets import resolve_targets
from agls.features.permissions.rules import parse_rule
from agls.features.shell.settings import Settings
from agls.features.shell.state import ROOM, report_of, state_of
from agls.room.run_ports import RunInfo
from agls.terminal_codes import without_marks
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.background import no_tasks
from support.fake_editor import FakeEditor
from support.fake_user import FakeUser
from support.kept_outputs import NOTHING_KEPT
from support.toolbox import Toolbox

NOBODY = FakeUser(Answer("unanswered"), available=False)
KEY = "abcdef-123456-known"


def built(settings: Settings) -> Feature:
    return shell.ROOM.build(settings, NOBODY, no_tasks(), RunInfo(), lambda: (KEY,), NOTHING_KEPT)


@pytest.fixture
def tools(tmp_path: Path) -> Toolbox:
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    processes = Processes({"PATH": "/usr/local/bin:/usr/bin:/bin", "TZ": "UTC"})
    workspace = OpenWorkspace(str(tmp_path), (), FakeEditor(), processes)
    return Toolbox(built(Settings(environment_bytes=1_000)), workspace)


async def lines(tools: Toolbox, command: str, **more: object) -> list[str]:
    """What a command gives, without the line about its end."""
    outcome = await tools.call("shell", command=command, **more)
    return without_marks(outcome.text).split("\n")[:-1]


async def test_folder_that_a_command_changes_to_is_that_of_the_next(tools: Toolbox, tmp_path: Path) -> None:
    assert await lines(tools, "cd sub") == ["[The next command runs in sub]"]
    assert await lines(tools, "cd deep; pwd; false") == [
        str(tmp_path / "sub" / "deep"),
        "[The next command runs in sub/deep]",
    ]
    assert (await lines(tools, "pwd"))[0] == str(tmp_path / "sub" / "deep")
    assert (await lines(tools, "pwd; cd ..", cwd="."))[0] == str(tmp_path), "for this one only"
    assert (await lines(tools, "cd ../..")) == ["[The next command runs in the root of the workspace]"]
    assert await lines(tools, "pwd") == [str(tmp_path)]


@pytest.mark.parametrize(
    "command",
    ["cd sub; exit 3", "trap 'echo bye' EXIT; cd sub", "set -e; cd sub; false", "set -x; cd sub; set +x"],
)
async def test_folder_is_kept_however_the_command_comes_to_its_end(tools: Toolbox, command: str) -> None:
    await tools.call("shell", command=command)
    assert state_of(tools.state).folder == "sub"


@pytest.mark.parametrize("command", ["cd sub; kill -KILL $$", "cd sub; exec true", "cd sub; sleep 60"])
async def test_command_that_is_ended_leaves_what_was_known(tools: Toolbox, command: str) -> None:
    await tools.call("shell", command="cd secret; export A=1")
    await tools.call("shell", command=f"export A=2; cd ..; {command}", timeout_s=0.5)
    now = state_of(tools.state)
    assert (now.folder, now.variables) == ("secret", {"A": "1"})


async def test_cancelled_command_leaves_what_was_known(tools: Toolbox, tmp_path: Path) -> None:
    call = asyncio.create_task(tools.call("shell", command="cd sub; touch here; sleep 60"))
    while not (tmp_path / "sub" / "here").exists():
        await asyncio.sleep(0.01)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert ROOM not in tools.state.notes


async def test_dash_leads_to_the_folder_before(tools: Toolbox, tmp_path: Path) -> None:
    await tools.call("shell", command="cd sub/deep")
    await tools.call("shell", command="cd ../../secret")
    assert (await lines(tools, "cd - >/dev/null; pwd"))[0] == str(tmp_path / "sub" / "deep")
    assert (await lines(tools, "cd - >/dev/null; pwd"))[0] == str(tmp_path / "secret")
    assert state_of(tools.state).variables == {}


async def test_command_in_the_background_begins_there_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    tasks = no_tasks()
    feature = shell.ROOM.build(Settings(), NOBODY, tasks, RunInfo(), tuple, NOTHING_KEPT)
    tools = Toolbox(feature, OpenWorkspace(str(tmp_path), (), FakeEditor(), Processes()))
    await tools.call("shell", command="cd sub; export A=1")
    await tools.call("shell", command="pwd; echo $A; cd ..; export A=2", background=True)
    await tasks.over()
    outcome = tasks.tasks["task_1"].outcome
    assert outcome
    assert without_marks(outcome.text).startswith(f"{tmp_path / 'sub'}\n1\n[exit code 0")
    assert state_of(tools.state).folder == "sub"
    assert state_of(tools.state).variables == {"A": "1"}


async def test_variables_are_kept_changed_and_unset(tools: Toolbox) -> None:
    told = await lines(tools, "export A='x y'$'\\n'z B=1; C=2; unset TZ")
    assert told == ["[Kept for the next commands: A, B]", "[No longer set for the next commands: TZ]"]
    assert await lines(tools, 'echo "$A|$B|$C|${TZ-none}"') == ["x y", "z|1||none"]
    assert await lines(tools, "unset A; export B=2") == [
        "[Kept for the next commands: B]",
        "[No longer set for the next commands: A]",
    ]
    assert dict(state_of(tools.state).variables) == {"B": "2", "TZ": None}


async def test_virtual_environment_stays_active(tools: Toolbox, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "greet").write_text("#!/bin/sh\necho hello\n")
    (tmp_path / "bin" / "greet").chmod(0o755)
    (tmp_path / "activate").write_text('export VIRTUAL_ENV="$PWD" PATH="$PWD/bin:$PATH"\n')
    await tools.call("shell", command=". ./activate")
    assert await lines(tools, "greet") == ["hello"]


async def test_secrets_and_variables_of_the_shell_are_not_kept(tools: Toolbox) -> None:
    setting = f"export API_TOKEN=1 U=http://a:b@c X={KEY} LD_LIBRARY_PATH=/x CDPATH=/ BASH_ENV=/x OK=1"
    told = await lines(tools, setting)
    assert told[0] == "[Kept for the next commands: OK]"
    assert "may be secret: API_TOKEN, U, X." in told[1]
    assert dict(state_of(tools.state).variables) == {"OK": "1"}
    assert KEY not in str(tools.state.notes)


async def test_variables_beyond_the_limit_are_not_kept(tools: Toolbox) -> None:
    told = await lines(tools, "export A=1 B=$(printf %01000d 0) C=$'\\xff' D=2")
    assert told == [
        "[Kept for the next commands: A, D]",
        "[Not kept for the next command, because they are too long: B, C]",
    ]


async def test_folder_outside_of_the_workspace_is_not_kept(tools: Toolbox) -> None:
    await tools.call("shell", command="cd sub")
    assert await lines(tools, "cd /usr") == [
        "[/usr is outside of the workspace: the next command runs in sub]"
    ]
    assert (await tools.preview("shell", command="ls")).subject["cwd"].endswith("/sub")


async def test_deleted_folder_is_reported_and_the_root_used_instead(tools: Toolbox, tmp_path: Path) -> None:
    await tools.call("shell", command="cd sub/deep")
    (tmp_path / "sub" / "deep").rmdir()
    gone = await tools.call("shell", command="pwd")
    assert gone.status == "failed"
    assert gone.text.startswith("Nothing was run: sub/deep, where commands ran, is gone.")
    assert await lines(tools, "pwd") == [str(tmp_path)]


async def test_resumed_session_has_it_from_its_notes(tools: Toolbox, tmp_path: Path) -> None:
    await tools.call("shell", command="cd sub; export A=1")
    workspace = OpenWorkspace(str(tmp_path), (), FakeEditor(), Processes())
    later = Toolbox(built(Settings()), workspace)
    later.state = tools.state
    assert (await lines(later, "pwd; echo $A"))[:2] == [str(tmp_path / "sub"), "1"]


def test_report_that_is_not_whole_is_none() -> None:
    assert report_of("") is None
    assert report_of("A=1\0/home") is None
    assert state_of(State()).folder == ""


async def judged(
    tools: Toolbox, command: str, *, allow: Sequence[str] = (), deny: Sequence[str] = ()
) -> Verdict:
    """What the gate would say of the next command."""
    preview = await tools.preview("shell", command=command)
    workspace = tools.context().workspace
    tool = tools.tool("shell")
    targets = resolve_targets(tool.spec, preview, workspace)
    rules = [tuple(parse_rule(text) for text in texts) for texts in (deny, allow)]
    return decide(targets, Policy("ask", workspace.roots, deny=rules[0], allow=rules[1]))


async def test_commands_are_judged_by_the_folder_they_run_in(tools: Toolbox) -> None:
    """A relative name after a `cd` is no way around the rules."""
    deny, allow = ["read(secret/**)"], ["shell(cat *)", "shell(ls *)"]
    assert isinstance(await judged(tools, "cat key", allow=allow, deny=deny), Allow)
    await tools.call("shell", command="cd secret")
    assert isinstance(await judged(tools, "cat key", allow=allow, deny=deny), Deny)
    assert isinstance(await judged(tools, "ls ..", allow=allow), Ask), (
        "a rule for the root is one for the root"
    )
    await tools.call("shell", command="cd ..")
    assert isinstance(await judged(tools, "ls src", allow=allow), Allow)
    await tools.call("shell", command="cd sub")
    assert isinstance(await judged(tools, "cat ../secret/key", allow=allow, deny=deny), Deny)


async def test_commands_are_judged_with_the_variables_they_get(tools: Toolbox) -> None:
    """A variable can change what an allowed program does."""
    allow = ["shell(ls *)", "shell(ls)"]
    assert isinstance(await judged(tools, "ls", allow=allow), Allow)
    await tools.call("shell", command="export PATH=/tmp/evil:$PATH; unset HOME")
    assert isinstance(await judged(tools, "ls", allow=allow), Ask)
    assert isinstance(await judged(tools, "ls src", allow=allow), Ask)
    assert isinstance(await judged(tools, "ls", allow=["shell"]), Allow)
    preview = await tools.preview("shell", command="ls")
    assert preview.title.startswith("Run ls (variables that a command before it changed: ")
    assert preview.subject["environment"]["PATH"].startswith("/tmp/evil:")

"""Where a command runs: by the settings, by whether somebody was asked, and by what this machine can do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from agls.engine.facts import Notice
from agls.engine.feature import Invocation, Permit
from agls.engine.ports import Effect, Preview, ToolContext
from agls.engine.vocabulary import Answer, ToolCall, ToolOutcome
from agls.features.sandbox.gate import SandboxGate
from agls.features.sandbox.settings import Settings
from support.fake_user import FakeUser
from support.rooms import FakeDoer, FakeWorkspace

YES, NO = Answer("selected", "outside"), Answer("selected", "reject")
NOBODY = Answer("unanswered")
UNASKED, ASKED, READING = Permit(), Permit(asked=True), Permit(reads_only=True)


@dataclass
class FakeSandbox:
    """Implements `CommandSandbox` and `Confined`, and remembers what was let through."""

    lacks: str = ""
    narrower: str = ""
    stopped: Sequence[str] = ()
    workspace: Any = "inside"
    accepted: list[str] = field(default_factory=list[str])

    async def missing(self) -> str:
        """Why there is none."""
        return self.lacks

    async def lacking(self) -> str:
        """Why it is a narrower one."""
        return self.narrower

    def after_crash(self) -> Sequence[str]:
        """Nothing died."""
        return ()

    async def unavailable(self) -> str:
        """Why there is none."""
        return self.lacks

    async def remark(self, *, confined: bool = False) -> str:
        """What questions say of it."""
        return ""

    async def obeyed(self, command: str, folder: str) -> Mapping[str, str]:
        """Nothing that could change."""
        return {}

    def enter(self, writable: Sequence[str]) -> "FakeSandbox":
        """Return itself."""
        return self

    async def accept(self, writable: Sequence[str]) -> None:
        """Remember it."""
        self.accepted.append("now")


class Scene:
    """One command, judged before."""

    def __init__(self, folder: Path, use: Any = "default", answer: Answer = NOBODY, **sandbox: Any) -> None:
        self.user = FakeUser(answer, available=answer is not NOBODY)
        self.sandbox = FakeSandbox(**sandbox)
        settings = Settings(use=use, outside=("docker compose *", "make lint"))
        self.gate = SandboxGate(settings, self.user, self.sandbox)
        self.outside: Any = FakeWorkspace(folder)
        self.ran: list[str] = []
        self.shown: list[Notice] = []

    async def run(self, permit: Permit, subject: str = "command") -> ToolOutcome:
        """Pass the call through the gate."""
        call = ToolCall("c1", "shell", {"value": "make"})
        preview = Preview("Run make", {"type": subject, "command": "make"})
        context = ToolContext(self.outside, "c1", lambda text: None)
        tool = FakeDoer("shell", Effect.EXECUTES)
        invocation = Invocation(call, tool, context, preview, permit=permit)
        return await self.gate.pass_call(invocation, cast("Any", self), self._inner)

    def show(self, notice: Notice) -> None:
        """What the user sees beside the call (`RunView.show`)."""
        self.shown.append(notice)

    async def _inner(self, invocation: Invocation) -> ToolOutcome:
        self.ran.append("inside" if invocation.context.workspace is self.sandbox.workspace else "outside")
        return ToolOutcome(f"ran {self.ran[-1]}")


@pytest.mark.parametrize(
    ("use", "permit", "where"),
    [
        ("default", UNASKED, "inside"),
        ("default", READING, "inside"),
        ("default", ASKED, "outside"),
        ("always", UNASKED, "inside"),
        ("always", ASKED, "inside"),
    ],
)
async def test_command_runs_where_the_settings_say(
    tmp_path: Path, use: str, permit: Permit, where: str
) -> None:
    scene = Scene(tmp_path, use)
    await scene.run(permit)
    assert scene.ran == [where]
    assert scene.user.asked == []


async def test_state_of_the_sandbox_is_shown_once_in_a_run_when_it_is_not_the_best(tmp_path: Path) -> None:
    best = Scene(tmp_path)
    await best.run(UNASKED)
    assert best.shown == []
    for scene, text in (
        (Scene(tmp_path, lacks="bubblewrap is not installed"), "bubblewrap is not installed"),
        (Scene(tmp_path, narrower="bwrap may not"), "Landlock of the kernel makes it: bwrap may not"),
    ):
        await scene.run(UNASKED)
        await scene.run(UNASKED)
        assert [text in notice.text for notice in scene.shown] == [True]


async def test_tool_that_runs_no_command_stays_outside(tmp_path: Path) -> None:
    scene = Scene(tmp_path, lacks="nothing is installed")
    await scene.run(UNASKED, subject="tool")
    assert scene.ran == ["outside"]
    assert scene.sandbox.accepted


async def test_without_a_sandbox_an_unasked_command_is_asked_about(tmp_path: Path) -> None:
    scene = Scene(tmp_path, answer=YES, lacks="bubblewrap is not installed")
    await scene.run(UNASKED)
    assert scene.ran == ["outside"]
    assert "bubblewrap is not installed" in scene.user.asked[0].reason
    assert scene.user.asked[0].title == "Run make"


@pytest.mark.parametrize(("answer", "why"), [(NO, "did not allow it"), (NOBODY, "Nobody is there")])
async def test_without_a_sandbox_and_a_yes_an_unasked_command_does_not_run(
    tmp_path: Path, answer: Answer, why: str
) -> None:
    scene = Scene(tmp_path, answer=answer, lacks="bubblewrap is not installed")
    outcome = await scene.run(UNASKED)
    assert (scene.ran, outcome.status) == ([], "rejected")
    assert "bubblewrap is not installed" in outcome.text
    assert why in outcome.text


@pytest.mark.parametrize("permit", [READING, ASKED])
async def test_without_a_sandbox_what_only_reads_or_was_asked_about_runs(
    tmp_path: Path, permit: Permit
) -> None:
    scene = Scene(tmp_path, "always", lacks="bubblewrap is not installed")
    await scene.run(permit)
    assert scene.ran == ["outside"]


async def test_what_the_sandbox_stopped_may_run_outside_once(tmp_path: Path) -> None:
    scene = Scene(tmp_path, answer=YES, stopped=["[The sandbox has no network.]"])
    outcome = await scene.run(UNASKED)
    assert scene.ran == ["inside", "outside"]
    assert "ran again outside" in outcome.text
    assert "no network" in scene.user.asked[0].reason
    assert [option.scope for option in scene.user.asked[0].options] == ["once", "once"]


@pytest.mark.parametrize(("answer", "why"), [(NO, "did not let it"), (NOBODY, "Nobody is there")])
async def test_what_the_sandbox_stopped_is_said_when_it_stays_inside(
    tmp_path: Path, answer: Answer, why: str
) -> None:
    scene = Scene(tmp_path, answer=answer, stopped=["[The sandbox has no network.]"])
    outcome = await scene.run(UNASKED)
    assert scene.ran == ["inside"]
    assert why in outcome.text


@pytest.mark.parametrize(
    ("programs", "where"),
    [
        (("docker compose",), "outside"),
        (("docker compose up -d", "make lint"), "outside"),
        (("docker compose up", "make all"), "inside"),
        (("docker run x",), "inside"),
        (("docker composed",), "inside"),
        (("make lint x",), "inside"),
        ((), "inside"),
    ],
)
@pytest.mark.parametrize("use", ["default", "always"])
async def test_command_runs_outside_when_the_user_named_each_of_its_programs(
    tmp_path: Path, programs: tuple[str, ...], where: str, use: str
) -> None:
    scene = Scene(tmp_path, use)
    await scene.run(Permit(programs=programs))
    assert scene.ran == [where]
    confined = Scene(tmp_path, use)
    await confined.run(Permit(programs=programs, confined=True))
    assert confined.ran == ["inside"], "a deny rule beats it"


@pytest.mark.parametrize("pattern", ["*", " *", "", "docker * up", "docker; ls", "a $(b) *", "a  b", "a|b *"])
def test_program_that_runs_outside_is_named_in_plain_words(pattern: str) -> None:
    with pytest.raises(ValueError, match="as in docker compose"):
        Settings(outside=(pattern,))


@pytest.mark.parametrize("answer", [YES, NOBODY])
async def test_command_that_is_confined_never_runs_outside(tmp_path: Path, answer: Answer) -> None:
    confined = Permit(asked=True, confined=True)
    scene = Scene(tmp_path, answer=answer, stopped=["[The sandbox has no network.]"])
    outcome = await scene.run(confined)
    assert (scene.ran, scene.user.asked) == (["inside"], [])
    assert "may not run outside" in outcome.text
    without = Scene(tmp_path, answer=answer, lacks="bubblewrap is not installed")
    outcome = await without.run(confined)
    assert (without.ran, without.user.asked) == ([], [])
    assert "bubblewrap is not installed" in outcome.text


@pytest.mark.parametrize("folder", ["/", "//", "relative", "~/x"])
def test_folder_to_write_in_is_absolute_and_not_everything(folder: str) -> None:
    with pytest.raises(ValueError, match="absolute folder"):
        Settings(writable=[folder])

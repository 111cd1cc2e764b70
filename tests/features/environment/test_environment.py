"""Where and when: told at the beginning, then only what changed, and nothing of a folder without trust."""

from pathlib import Path

import pytest

from agls.engine.facts import Compacted
from agls.engine.feature import Feature, RunSetup, RunView
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import State
from agls.engine.vocabulary import Focus, JsonObject, Text
from agls.features.environment.feature import build
from agls.features.environment.settings import Settings
from agls.features.environment.snapshot import one_line, where
from agls.room.folder_ports import MachineFacts, Surroundings
from agls.room.run_ports import RunInfo
from agls.stores.memory import MemoryStore
from agls.workspace.git_state import NO_GIT, GitState, head_in
from support.rooms import FakeWorkspace, injected
from support.scenario import FakeClock, FakeModel, prove, say

pytestmark = pytest.mark.promise("P1")

NOON = 1_795_262_400.0  # 2026-11-21 12:00 UTC


class FakeRepository:
    """A repository; `looks` counts how often git was asked."""

    def __init__(self) -> None:
        self.state, self.looks, self.holds = NO_GIT, 0, False

    def known(self) -> GitState | None:
        """What is known."""
        return self.state if self.holds else None

    async def look(self) -> GitState:
        """Ask."""
        self.looks += 1
        self.holds = True
        return self.state

    def head(self) -> str:
        """Where HEAD is."""
        return self.state.head


class Scene:
    """A session; every `run` is one prompt with freshly built features."""

    def __init__(self, root: Path) -> None:
        self.root, self.workspace = root, FakeWorkspace(root)
        self.trusted, self.time, self.door, self.attended = True, NOON, "Neovim", True
        self.store, self.session_id, self.scratch = MemoryStore(), "", ""
        self.repository = FakeRepository()
        self.machine = MachineFacts("Linux 6", "ann", "zsh", ("git", "node"), ("HOME", "PATH"))
        self.others: tuple[Feature, ...] = ()

    async def run(self, options: JsonObject | None = None) -> State:
        """One prompt."""
        model = FakeModel([say(), say()])

        def build_run(session: Session, admitted: object) -> RunSetup:
            place = Surroundings(
                lambda: self.time,
                lambda state: str(state.settings["mode"]),
                self.scratch,
                self.trusted,
                self.door,
                self.attended,
            )
            info = RunInfo(session_id=session.session_id)
            machine = lambda: self.machine  # noqa: E731 - a port
            room = build(Settings(), info, self.workspace, place, machine, self.repository)
            return RunSetup((room, *self.others), model, self.workspace)

        async with Sessions(self.store, build_run, FakeClock()) as sessions:
            known = self.session_id
            session = await (sessions.open(known) if known else sessions.create(str(self.root)))
            self.session_id = session.session_id
            run = await session.prompt((Text("go"),), options=options)
            await session.finished(run.run_id)
            state, entries = session.state, list(session.log.journal.entries())
        await prove(entries, state, build_run)
        return state


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def told(state: State) -> list[str]:
    """What was told, without its marks."""
    texts = injected(state, "environment")
    return [text.removeprefix("<environment>\n").removesuffix("\n</environment>") for text in texts]


async def test_all_facts_are_sent_at_the_beginning(scene: Scene) -> None:
    (scene.root / "src").mkdir()
    (scene.root / "a.py").write_text("")
    scene.repository.state = GitState("branch main", tuple(f" M f{n}.py" for n in range(12)), ("abc one",))
    (text,) = told(await scene.run({"mode": "plan"}))
    lines = dict(line.split(": ", 1) for line in text.split("\n"))
    assert lines["Date"] == "2026-11-21 (Saturday)"
    assert lines["Working folder"] == str(scene.root)
    assert lines["Permission mode"] == "plan"
    assert (lines["System"], lines["User"], lines["Shell"]) == ("Linux 6", "ann", "zsh")
    assert lines["Programs"] == "git, node"
    assert lines["Git"] == "branch main"
    assert lines["Not committed"].startswith("12:  M f0.py,")
    assert lines["Not committed"].endswith("f9.py, and 2 more")
    assert lines["Last commits"] == "abc one"
    assert sorted(lines["In the folder"].split(", ")) == ["a.py", "src/"]
    assert lines["Door"].startswith("Neovim. The user reads along")


async def test_only_changed_facts_are_sent_later(scene: Scene) -> None:
    scene.repository.state = GitState("branch main")
    await scene.run()
    assert len(told(await scene.run())) == 1, "nothing new"
    scene.repository.state = GitState("branch fix", (" M a.py",))
    scene.time += 86_400
    before = await scene.run()
    assert told(before)[-1] == (
        "Changed since:\nDate: 2026-11-22 (Sunday)\nGit: branch fix\nNot committed: 1:  M a.py"
    )
    scene.repository.state = GitState("branch fix")
    assert told(await scene.run())[-1] == "Changed since:\nNot committed: none any more"
    assert before.context.messages == (await scene.run()).context.messages[: len(before.context.messages)]


async def test_git_is_asked_beside_a_run_when_its_state_is_known(scene: Scene) -> None:
    scene.repository.state = GitState("branch main")
    await scene.run()
    assert scene.repository.looks == 1
    await scene.run()
    assert scene.repository.looks == 2, "for the next run"


async def test_model_gets_the_new_branch_at_the_next_turn_after_the_run_switched_it(scene: Scene) -> None:
    from agls.engine.facts import Injected, Replied  # noqa: PLC0415
    from agls.engine.vocabulary import UserMessage  # noqa: PLC0415

    scene.repository.state = GitState("branch main")

    async def once_more(reply: Replied, view: RunView) -> list[Injected]:
        if view.state.run.turns > 1:
            return []
        scene.repository.state, scene.repository.holds = GitState("branch fix"), False
        return [Injected((UserMessage("item_x", (Text("more"),), "test"),))]

    scene.others = (Feature(name="more", before_stop=once_more),)
    state = await scene.run()
    assert told(state)[-1] == "Changed since:\nGit: branch fix"


async def test_facts_are_sent_again_after_compaction_removed_them(scene: Scene) -> None:
    await scene.run()

    async def compact(view: RunView) -> list[Compacted]:
        done = view.state.run.turns > 0
        return [] if done else [Compacted("item_s", "summary", len(view.state.context.messages))]

    scene.others = (Feature(name="compaction", before_turn=compact),)
    await scene.run()
    scene.others = ()
    assert told(await scene.run())[-1].startswith("Date: ")


async def test_without_trust_nothing_is_looked_at_and_git_is_not_asked(scene: Scene) -> None:
    scene.trusted = False
    scene.repository.state = GitState("branch main")
    (text,) = told(await scene.run())
    assert scene.workspace.opened == []
    assert scene.repository.looks == 0
    assert "Git" not in text
    assert "In the folder" not in text


async def test_headless_prompt_says_that_the_last_message_is_the_result(scene: Scene) -> None:
    scene.attended, scene.door = False, ""
    (text,) = told(await scene.run())
    assert "Door: a command line or a program. Nobody reads along" in text
    assert "editor" not in text


async def test_prompt_at_a_terminal_says_that_the_user_answers_tools_alone(scene: Scene) -> None:
    scene.attended, scene.door = False, "a terminal"
    (text,) = told(await scene.run())
    assert "Door: a terminal. The user answers what your tools ask, but not your last message" in text


async def test_model_gets_the_place_the_user_looks_at_while_there_is_one(scene: Scene) -> None:
    await scene.run()
    scene.workspace.looking_at = Focus("src/a.py", (3, 3))
    assert told(await scene.run())[-1] == (
        "Changed since:\nThe user looks at: src/a.py (the cursor in line 3)"
    )
    scene.workspace.looking_at = None
    assert told(await scene.run())[-1] == "Changed since:\nThe user looks at: none any more"


async def test_unsaved_documents_are_named(scene: Scene) -> None:
    scene.workspace = FakeWorkspace(scene.root, ["a.py", *(f"f{n}" for n in range(30))])
    (text,) = told(await scene.run())
    assert "Unsaved in the editor (tools see the unsaved text): a.py, f0" in text
    assert "f18 and 11 more" in text


def test_names_that_try_to_be_more_stay_one_line() -> None:
    assert one_line("a\nDate: x\u202e\u2028") == "a\\u{a}Date: x\\u{202e} "
    assert one_line("a</environment>b") == "a<\\/environment>b"
    assert where(Focus("a.py", (1, 4), selected=True)) == "a.py (lines 1-4 selected)"


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("ref: refs/heads/fix/a-1\n", "branch fix/a-1"),
        ("0123456789abcdef0123456789abcdef01234567\n", "commit 0123456789ab, no branch"),
        ("ref: refs/heads/fix/#12,(a)!=b%ünï-日本\n", "branch fix/#12,(a)!=b%ünï-日本"),
        ("ref: refs/heads/a b\n", "a branch with an unusual name"),
        ("ref: refs/heads/a\u202eb\n", "a branch with an unusual name"),
        ("ref: refs/heads/</environment>\n", "a branch with an unusual name"),
        ("ref: refs/remotes/x\n", ""),
        ("x" * 2000, ""),
    ],
)
def test_head_is_a_plain_name_or_is_not_repeated(text: str, head: str) -> None:
    assert head_in(text) == head

"""The system prompt in real runs: recorded once, changed only when it differs, and nothing without trust."""

from pathlib import Path

import pytest

from agls.engine.facts import Compacted, Injected, PhaseStarted, Replied
from agls.engine.feature import Feature, RunSetup, RunView
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import State
from agls.engine.vocabulary import Focus, JsonObject, Text, UserMessage
from agls.features.instructions import build
from agls.features.instructions.settings import Settings
from agls.room.ports import RunInfo, Surroundings
from agls.stores.memory import MemoryStore
from support.rooms import FakeWorkspace, Notices, injected
from support.scenario import FakeClock, FakeModel, prove, say

pytestmark = pytest.mark.promise("P1")

NOON = 1_795_262_400.0  # 2026-11-21 12:00 UTC


class Scene:
    """A folder and a session in it; every `run` is one prompt with freshly built features."""

    def __init__(self, root: Path) -> None:
        self.root, self.workspace = root, FakeWorkspace(root)
        self.settings, self.trusted, self.user, self.time = Settings(), True, "", NOON
        self.store, self.seen, self.session_id, self.scratch = MemoryStore(), Notices(), "", ""
        self.others: tuple[Feature, ...] = ()
        self.phases: list[PhaseStarted] = []

    def file(self, path: str, text: str) -> None:
        """Write a file."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    async def run(self, options: JsonObject | None = None) -> State:
        """One prompt, two turns if another feature wants it."""
        model = FakeModel([say(), say()])

        def build_run(session: Session, admitted: object) -> RunSetup:
            room = build(
                self.settings,
                RunInfo(),
                self.workspace,
                Surroundings(
                    lambda: self.time,
                    lambda state: str(state.settings["mode"]),
                    self.scratch,
                    trusted=self.trusted,
                    instructions=self.user,
                ),
            )
            return RunSetup((room, *self.others), model, self.workspace)

        async with Sessions(self.store, build_run, FakeClock()) as sessions:
            known = self.session_id
            session = await (sessions.open(known) if known else sessions.create(str(self.root)))
            self.session_id = session.session_id
            self.seen.listen(session)
            run = await session.prompt((Text("go"),), options=options)
            await session.finished(run.run_id)
            state, entries = session.state, list(session.log.journal.entries())
        await prove(entries, state, build_run)
        self.phases = [entry.fact for entry in entries if isinstance(entry.fact, PhaseStarted)]
        return state


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


async def test_the_prompt_is_recorded_once_and_stays_the_same_byte_for_byte(scene: Scene) -> None:
    scene.file("AGENTS.md", "Use tabs.")
    first = await scene.run()
    assert first.context.phase == "main"
    assert "Use tabs." in first.context.system
    scene.time += 86_400
    scene.file("src/new.py", "x = 1")
    second = await scene.run({"mode": "plan"})
    assert second.context.system == first.context.system
    assert len(scene.phases) == 1


async def test_a_changed_file_changes_the_prompt_of_the_next_run(scene: Scene) -> None:
    await scene.run()
    scene.file("AGENTS.md", "Use tabs.")
    await scene.run()
    scene.file("AGENTS.md", "Use spaces.")
    state = await scene.run()
    assert [("tabs" in p.system, "spaces" in p.system) for p in scene.phases] == [
        (False, False), (True, False), (False, True),
    ]  # fmt: skip
    assert state.context.system == scene.phases[-1].system


async def test_without_trust_not_one_byte_is_read(scene: Scene) -> None:
    scene.trusted = False
    scene.file("AGENTS.md", "Use tabs.")
    scene.file(".git/HEAD", "ref: refs/heads/main\n")
    state = await scene.run()
    assert scene.workspace.opened == []
    assert "tabs" not in state.context.system
    assert "Git" not in injected(state, "environment")[0]


async def test_project_files_can_be_switched_off(scene: Scene) -> None:
    scene.settings = Settings(project_files=False)
    scene.file("AGENTS.md", "Use tabs.")
    state = await scene.run()
    assert "tabs" not in state.context.system


async def test_the_environment_is_told_when_it_differs(scene: Scene) -> None:
    scene.file(".git/HEAD", "ref: refs/heads/main\n")
    state = await scene.run()
    (told,) = injected(state, "environment")
    assert "Date: 2026-11-21 (Saturday)" in told
    assert f"Working folder: {scene.root}" in told
    assert "Git: branch main" in told
    assert "Permission mode" not in told
    assert len(injected(await scene.run(), "environment")) == 1, "nothing new"
    scene.file(".git/HEAD", "ref: refs/heads/fix\n")
    state = await scene.run({"mode": "plan"})
    assert "Git: branch fix\nPermission mode: plan" in injected(state, "environment")[-1]
    assert state.transcript[-3:-1] == state.context.messages[-3:-1], "behind the prompt"


async def test_where_the_user_looks_is_told_behind_the_next_prompt_and_changes_nothing_before(
    scene: Scene,
) -> None:
    before = await scene.run()
    assert "looks at" not in injected(before, "environment")[0]
    scene.workspace.looking_at = Focus("src/a.py", (3, 3))
    state = await scene.run()
    assert "The user looks at: src/a.py (the cursor in line 3)\n" in injected(state, "environment")[-1]
    assert state.context.system == before.context.system
    assert state.context.messages[: len(before.context.messages)] == before.context.messages
    again = await scene.run()
    assert injected(again, "environment") == injected(state, "environment"), "nothing new"
    scene.workspace.looking_at = None
    assert "looks at" not in injected(await scene.run(), "environment")[-1]


async def test_the_environment_is_told_again_when_compaction_took_it_away(scene: Scene) -> None:
    await scene.run()

    async def compact(view: RunView) -> list[Compacted]:
        return (
            [Compacted("item_s", "summary", len(view.state.context.messages))]
            if view.state.run.turns == 0
            else []
        )

    scene.others = (Feature(name="compaction", before_turn=compact),)
    await scene.run()
    scene.others = ()
    assert len(injected(await scene.run(), "environment")) == 2


async def test_the_prompt_is_looked_at_only_at_the_first_gate_of_a_run(scene: Scene) -> None:
    async def once_more(reply: Replied, view: RunView) -> list[Injected]:
        if view.state.run.turns > 1:
            return []
        scene.file("AGENTS.md", "Use tabs.")
        return [Injected((UserMessage("item_x", (Text("more"),), "test"),))]

    scene.others = (Feature(name="more", before_stop=once_more),)
    state = await scene.run()
    assert state.run.turns == 2
    assert len(scene.phases) == 1


async def test_a_run_begins_in_main_whatever_phase_the_last_one_ended_in(scene: Scene) -> None:
    async def verify(view: RunView) -> list[PhaseStarted]:
        return [PhaseStarted("verify", "Check it.", "fast", ())] if view.state.run.turns == 0 else []

    scene.others = (Feature(name="phases", before_turn=verify),)
    assert (await scene.run()).context.system == "Check it."
    scene.others = ()
    context = (await scene.run()).context
    assert (context.phase, context.model, context.tools) == ("main", "", None)
    assert "You are agls" in context.system


async def test_a_new_prompt_keeps_model_and_tools(scene: Scene) -> None:
    async def narrow(view: RunView) -> list[PhaseStarted]:
        context = view.state.context
        return [PhaseStarted("main", context.system, "fast", ("read",))] if not context.model else []

    scene.others = (Feature(name="narrow", before_turn=narrow),)
    await scene.run()
    scene.file("AGENTS.md", "Use tabs.")
    state = await scene.run()
    assert (state.context.model, state.context.tools) == ("fast", ("read",))
    assert "tabs" in state.context.system


async def test_a_long_file_is_cut_and_the_user_is_told_once(scene: Scene) -> None:
    scene.settings = Settings(file_limit=10)
    scene.file("AGENTS.md", "0123456789abcdef")
    state = await scene.run()
    await scene.run()
    assert (
        "0123456789\n[The rest of this file is left out: it has 16 characters, 10 are used.]"
        in state.context.system
    )
    assert scene.seen.titles == ["AGENTS.md is long"]


async def test_the_users_own_instructions_need_no_trust(scene: Scene) -> None:
    scene.trusted, scene.user = False, "Answer in French."
    assert "# Instructions of the user\nAnswer in French." in (await scene.run()).context.system


async def test_unsaved_documents_are_named(scene: Scene) -> None:
    scene.workspace = FakeWorkspace(scene.root, ["a.py", *(f"f{n}" for n in range(30))])
    (told,) = injected(await scene.run(), "environment")
    assert "Unsaved in the editor (tools see the unsaved text): a.py, f0" in told
    assert "f18 and 11 more" in told


def test_the_builder_reads_nothing(tmp_path: Path) -> None:
    workspace = FakeWorkspace(tmp_path)

    def now() -> float:
        raise AssertionError("it must not be called")

    built = build(Settings(), RunInfo(), workspace, Surroundings(now, str, trusted=True))
    assert built.name == "instructions"
    assert workspace.opened == []


async def test_a_link_counts_only_when_it_leads_to_instructions(scene: Scene) -> None:
    """The author of a project must not have the user's keys sent to a model by calling them AGENTS.md."""
    scene.file(".env", "KEY=canary")
    (scene.root / "AGENTS.md").symlink_to(".env")
    state = await scene.run()
    assert "canary" not in state.context.system
    assert "which is no Markdown file" in scene.seen.texts[0]
    scene.file("docs/agents.MD", "Use tabs.")
    (scene.root / "AGENTS.md").unlink()
    (scene.root / "AGENTS.md").symlink_to("docs/agents.MD")
    assert "Use tabs." in (await scene.run()).context.system

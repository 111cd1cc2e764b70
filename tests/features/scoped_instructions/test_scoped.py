"""Instructions of deeper folders and rules with globs: told with the first file."""

from pathlib import Path

import pytest

from agls.engine.facts import Compacted
from agls.engine.feature import CallTool, Feature, Invocation, RunSetup, RunView
from agls.engine.ports import Effect
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import State
from agls.engine.vocabulary import Resource, Text, ToolCall, ToolOutcome
from agls.features.instructions.settings import Settings
from agls.features.scoped_instructions.feature import build
from agls.room import NoSettings
from agls.stores.memory import MemoryStore
from support.instruction_folders import FolderScene
from support.rooms import FakeDoer, do, injected, use
from support.scenario import FakeClock, FakeModel, Part, say

pytestmark = pytest.mark.promise("P1")
ROOM = "scoped_instructions"


async def look_first(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
    """Do what the permissions do before a call: look what it would touch."""
    from dataclasses import replace  # noqa: PLC0415

    preview = await invocation.tool.preview(invocation.call, invocation.context)
    return await inner(replace(invocation, preview=preview))


class Scene(FolderScene):
    """A session in a folder; every `run` is one prompt, in which the model makes these calls."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.store, self.session_id = MemoryStore(), ""
        self.others: tuple[Feature, ...] = ()
        self.requests: list[str] = []

    async def run(self, *calls: ToolCall, prompt: tuple[Text | Resource, ...] = (Text("go"),)) -> State:
        """One prompt."""
        turns: list[list[Part]] = [use(call) for call in calls]
        model = FakeModel([*turns, say()])

        def build_run(session: Session, admitted: object) -> RunSetup:
            room = build(NoSettings(), self.workspace, self.files)
            gate = Feature(name="gate", around_tool=look_first)
            tools = (FakeDoer("read", Effect.READS), FakeDoer("edit", Effect.WRITES))
            doers = Feature(name="tools", tools=tools)
            rooms = (gate, *self.others, *([room] if room else []), doers)
            return RunSetup(rooms, model, self.workspace)

        async with Sessions(self.store, build_run, FakeClock()) as sessions:
            known = self.session_id
            session = await (sessions.open(known) if known else sessions.create(str(self.root)))
            self.session_id = session.session_id
            run = await session.prompt(prompt)
            await session.finished(run.run_id)
            self.requests = [str(request.messages) for request in model.requests]
            return session.state


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene(tmp_path)
    scene.file("pkg/AGENTS.md", "Pkg says.")
    scene.file("pkg/a.py", "")
    scene.file(".claude/rules/ts.md", "---\npaths: '**/*.ts'\n---\nTs rule.")
    return scene


async def test_instructions_of_a_deeper_folder_come_with_the_request_after_the_first_read(
    scene: Scene,
) -> None:
    state = await scene.run(do("c1", "read", "pkg/a.py"), do("c2", "edit", "pkg/a.py"))
    assert ["Pkg says." in request for request in scene.requests] == [False, True, True]
    (told,) = injected(state, ROOM)
    assert '<project-file path="pkg/AGENTS.md">\nPkg says.\n</project-file>' in told
    assert len(injected(await scene.run(do("c3", "read", "pkg/a.py")), ROOM)) == 1, "once"


async def test_rule_is_sent_when_a_matching_file_is_edited(scene: Scene) -> None:
    state = await scene.run(do("c1", "edit", "src/x.ts"))
    assert "Ts rule." in injected(state, ROOM)[0]
    assert "Pkg says." not in injected(state, ROOM)[0]


async def test_file_that_the_prompt_points_at_counts_as_touched(scene: Scene) -> None:
    uri = (scene.root / "pkg/a.py").as_uri()
    await scene.run(prompt=(Text("go"), Resource(f"{uri}#L1-L2", "x")))
    assert "Pkg says." in scene.requests[0]


async def test_instructions_that_a_compaction_removed_are_in_the_next_request(scene: Scene) -> None:
    await scene.run(do("c1", "read", "pkg/a.py"))

    async def compact(view: RunView) -> list[Compacted]:
        done = view.state.run.turns != 1
        return [] if done else [Compacted("item_s", "summary", len(view.state.context.messages))]

    scene.others = (Feature(name="compaction", before_turn=compact),)
    await scene.run(do("c2", "read", "else.py"))
    assert ["Pkg says." in request for request in scene.requests] == [True, True]
    assert "summary" in scene.requests[1]


async def test_change_on_the_disk_is_reported_at_the_next_run(scene: Scene) -> None:
    await scene.run(do("c1", "read", "pkg/a.py"))
    scene.file("pkg/AGENTS.md", "Pkg says more.")
    state = await scene.run()
    assert "Pkg says more." in injected(state, ROOM)[-1]
    (scene.root / "pkg/AGENTS.md").unlink()
    assert injected(await scene.run(), ROOM)[-1] == "These do not count any more: pkg/AGENTS.md"


async def test_all_together_have_so_many_characters(scene: Scene) -> None:
    scene.settings = Settings(limit=10)
    scene.file("AGENTS.md", "123456")
    state = await scene.run(do("c1", "read", "pkg/a.py"))
    assert (
        "Pkg \n[The rest of this file is left out: it has 9 characters, 4 are here.]"
        in str(injected(state, ROOM))
        or "4 are here" in injected(state, ROOM)[0]
    )


async def test_nothing_is_sent_without_trust_or_when_switched_off(scene: Scene) -> None:
    scene.trusted = False
    assert injected(await scene.run(do("c1", "read", "pkg/a.py")), ROOM) == []
    scene.trusted, scene.settings = True, Settings(project_files=False)
    assert injected(await scene.run(do("c2", "read", "pkg/a.py")), ROOM) == []

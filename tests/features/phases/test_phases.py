"""Runs in phases: plan, edit, verify."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from agls.engine.facts import Admitted, Entry, Noted, PhaseStarted, Replied, RunStarted
from agls.engine.feature import Feature, RunSetup
from agls.engine.ports import ModelClient
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.vocabulary import Limits, StopReason, Text, UserMessage
from agls.features.instructions.feature import build as build_instructions
from agls.features.instructions.settings import Settings as Instructions
from agls.features.phases.feature import build
from agls.features.phases.settings import Phases, PhaseSettings
from agls.room.run_ports import RunInfo
from agls.stores.memory import MemoryStore
from support.instruction_folders import FolderScene
from support.rooms import FakeWorkspace
from support.scenario import FakeClock, FakeModel, FakeTool, Part, call, prove, say, words

PLAN = PhaseSettings(name="plan", prompt="Plan this: {{input}}", system="Only plan.", tier="strong", tools=())
EDIT = PhaseSettings(
    name="edit", prompt="Follow the plan: {{ phases.plan.output }}", tier="default", max_turns=2
)
VERIFY = PhaseSettings(name="verify", prompt="{{phases.plan.output}}/{{phases.edit.output}}?", tier="fast")
ALL = (PLAN, EDIT, VERIFY)


@dataclass
class Scene:
    """A session of an agent with phases. Every run has freshly built features."""

    model: FakeModel
    workspace: FakeWorkspace
    store: MemoryStore = field(default_factory=MemoryStore)
    asked: list[str] = field(default_factory=list[str])
    phases: tuple[PhaseSettings, ...] = ALL

    def resolve(self, name: str) -> ModelClient:
        """Every tier is the same model; which one was asked is kept."""
        self.asked.append(name)
        return self.model

    def build_run(self, session: Session, admitted: Admitted) -> RunSetup:
        """What a run works with."""
        header = Instructions(header="You work for ACME.", system="You are an agent.", project_files=False)
        instructions = build_instructions(
            header,
            RunInfo(),
            self.workspace,
            FolderScene(Path(self.workspace.root)).files,
            tuple,
        )
        tools = Feature(name="tools", tools=(FakeTool("look"), FakeTool("touch")))
        return RunSetup((instructions, build(self.phases), tools), self, self.workspace, Limits())

    @property
    def told(self) -> list[str]:
        """The last thing that each request said in the user's place."""
        return [
            [words(m.content) for m in request.messages if isinstance(m, UserMessage)][-1]
            for request in self.model.requests
        ]


@pytest.fixture
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return Scene(FakeModel([]), FakeWorkspace(tmp_path_factory.mktemp("work")))


async def run(scene: Scene, *turns: list[Part]) -> Session:
    """One prompt in a new session, to its end."""
    scene.model.turns[:] = turns
    async with Sessions(scene.store, scene.build_run, FakeClock()) as sessions:
        session = await sessions.create("/project")
        await session.finished((await session.prompt((Text("tea"),))).run_id)
        entries = list(session.log.journal.entries())
    await prove(entries, session.state, scene.build_run)
    return session


def started(session: Session) -> list[str]:
    return [e.fact.name for e in session.log.journal.entries() if isinstance(e.fact, PhaseStarted)]


@pytest.mark.port("Phases")
async def test_plan_edit_verify_with_three_tiers(scene: Scene) -> None:
    """Plan, edit, verify, each by its own tier, with the words of the ones before."""
    session = await run(scene, say("boil"), call(("c1", "touch")), say("boiled"), say("fine"))
    assert session.state.stop
    assert session.state.stop.reason is StopReason.END_TURN
    assert started(session) == ["main", "plan", "edit", "verify"]
    assert scene.asked == ["strong", "default", "default", "fast"]
    assert scene.told == [
        "Plan this: tea", "Follow the plan: boil", "Follow the plan: boil", "boil/boiled?"
    ]  # fmt: skip
    assert [len(request.tools) for request in scene.model.requests] == [0, 2, 2, 2]


@pytest.mark.row(20)
@pytest.mark.port("System header")
async def test_the_header_stands_in_front_of_every_phase(scene: Scene) -> None:
    """The platform's header, the agent's prompt, the phase's own."""
    await run(scene, say("a"), say("b"), say("c"))
    agents = "You work for ACME.\n\nYou are an agent.\n\n# Workspace\n- " + scene.workspace.root
    assert [request.system for request in scene.model.requests] == [
        agents + "\n\n# Phase: plan\nOnly plan.", agents, agents
    ]  # fmt: skip


async def test_a_phase_without_turns_left_hands_over_what_it_has(scene: Scene) -> None:
    touches = [call((f"c{n}", "touch"), text=f"step {n}") for n in range(2)]
    session = await run(scene, say("boil"), *touches, say("checked"))
    assert session.state.stop
    assert session.state.stop.reason is StopReason.END_TURN
    assert started(session) == ["main", "plan", "edit", "verify"]
    assert scene.told[-1] == "boil/step 1?"
    assert len(scene.model.requests) == 4


async def test_phase_without_a_reply_hands_over_nothing(scene: Scene) -> None:
    await run(scene, say("boil"), *(call((f"c{n}", "touch")) for n in range(2)), say("checked"))
    assert scene.told[-1] == "boil/?"


async def test_the_last_phase_without_turns_left_ends_the_run(scene: Scene) -> None:
    scene.phases = (PLAN, EDIT)
    session = await run(scene, say("boil"), *(call((f"c{n}", "touch")) for n in range(5)))
    assert session.state.stop
    assert session.state.stop.reason is StopReason.MAX_TURNS
    assert session.state.stop.detail == "The phase edit has used its 2 turns."
    assert len(scene.model.requests) == 3


async def test_system_prompt_of_a_phase_fills_its_placeholders(scene: Scene) -> None:
    own = PhaseSettings(name="act", prompt="Go.", system="The plan for {{input}}: {{phases.plan.output}}")
    scene.phases = (PLAN, own)
    await run(scene, say("boil"), say("done"))
    assert scene.model.requests[-1].system.endswith("# Phase: act\nThe plan for tea: boil")


async def test_the_next_prompt_begins_with_the_first_phase_again(scene: Scene) -> None:
    scene.model.turns[:] = [say(letter) for letter in "abcdef"]
    async with Sessions(scene.store, scene.build_run, FakeClock()) as sessions:
        session = await sessions.create("/project")
        for text in ("tea", "coffee"):
            await session.finished((await session.prompt((Text(text),))).run_id)
        assert started(session) == ["main", "plan", "edit", "verify"] * 2
        assert scene.told[3:] == ["Plan this: coffee", "Follow the plan: d", "d/e?"]


async def test_a_refusal_ends_the_run_in_its_phase(scene: Scene) -> None:
    session = await run(scene, say("no", "refusal"))
    assert session.state.stop
    assert session.state.stop.reason is StopReason.REFUSAL
    assert started(session) == ["main", "plan"]


def over_in(entries: Sequence[Entry]) -> int:
    """How many phases are over."""
    return sum(isinstance(e.fact, Noted) and e.fact.kind == "ended" for e in entries)


@pytest.mark.port("Phases")
async def test_a_run_that_was_cut_off_skips_what_is_over_wherever_it_was_cut(scene: Scene) -> None:
    """Cut after every fact, recovered: what is over is not run again, a prompt is said once."""
    session = await run(scene, say("boil"), say("boiled"), say("fine"))
    entries = list(session.log.journal.entries())
    begun = next(n for n, entry in enumerate(entries, 1) if isinstance(entry.fact, RunStarted))
    cuts = [n for n in range(begun, len(entries)) if not isinstance(entries[n - 1].fact, Replied)]
    for cut in cuts:
        over = over_in(entries[:cut])
        scene.store, scene.model.requests[:] = MemoryStore(), []
        scene.model.turns[:] = [say("boil"), say("boiled"), say("fine")][over:]
        journal = scene.store.create("ses_cut")
        journal.append(*entries[:cut])
        journal.close()
        async with Sessions(scene.store, scene.build_run, FakeClock()) as sessions:
            again = await sessions.open("ses_cut")
            await again.finished((await again.prompt((), recovers=again.state.run_id)).run_id)
            said = [words(m.content) for m in again.state.transcript if isinstance(m, UserMessage)]
            prompts = [text for text in said if text.startswith(("Plan", "Follow", "boil"))]
            assert prompts == ["Plan this: tea", "Follow the plan: boil", "boil/boiled?"], cut
            assert len(scene.model.requests) == 3 - over
            assert again.state.stop
            assert again.state.stop.reason is StopReason.END_TURN


@pytest.mark.parametrize(
    ("phases", "complaint"),
    [
        ([{"name": "a", "prompt": "x"}, {"name": "a", "prompt": "y"}], "two phases called 'a'"),
        (
            [{"name": "a", "prompt": "{{phases.b.output}}"}, {"name": "b", "prompt": "y"}],
            r"there is \{\{input\}\} ",
        ),
        ([{"name": "a", "prompt": "x"}, {"name": "b", "prompt": "{{nothing}}"}], r"\{\{phases.a.output\}\}"),
        ([{"name": "a b", "prompt": "x"}], "pattern"),
        ([{"name": "a", "prompt": "x", "system": "{{phases.a.output}}"}], r"there is \{\{input\}\}"),
    ],
)
def test_phases_that_make_no_sense_are_refused(phases: list[dict[str, str]], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        TypeAdapter(Phases).validate_python(phases)

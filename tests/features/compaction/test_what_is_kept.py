"""What no compaction loses: open tasks, touched files, the words of the prompt at hand."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agls.assembly import SessionLog
from agls.engine.facts import Admitted, Compacted, Entry, Noted, Steered, ToolFinished, ToolStarted
from agls.engine.feature import Feature
from agls.engine.note_items import FilesKept, NoteItem
from agls.engine.ports import Effect, Preview, ToolContext, ToolSpec
from agls.engine.session import Session
from agls.engine.vocabulary import (
    FileChange,
    FileVersion,
    Resource,
    ResourceLink,
    Text,
    ToolCall,
    ToolOutcome,
    UserMessage,
)
from agls.features import plan
from agls.features.compaction.touched_files import HEAD, TouchedFiles, touched_in
from agls.features.plan.settings import Settings as PlanSettings
from agls.room.run_ports import RunInfo
from features.compaction.scene import SUMMARY, of, said, scene
from support.plan_ports import plan_ports
from support.rooms import use
from support.scenario import Part, paired, say


@dataclass
class Writer:
    """A tool that changes the file that a call names, and says a lot about it."""

    name: str = "write"

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, "Writes.", {"type": "object"}, frozenset({Effect.READS}))

    async def preview(self, call: ToolCall, context: ToolContext) -> Preview:
        return Preview(self.name, {"type": "tool", "name": self.name, "input": call.arguments})

    async def __call__(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        uri = f"file:///project/{quote(call.arguments['to'])}"
        change = FileChange(uri, "modified", FileVersion("0" * 64), FileVersion("1" * 64), "", "disk", 1, 1)
        return ToolOutcome(of(int(call.arguments["size"])), changes=(change,))


def rooms(session: Session) -> tuple[Feature, ...]:
    """The plan, and the tool that writes."""
    run = RunInfo(session_id=session.session_id)
    made = plan.ROOM.build(PlanSettings(), session.log.journal, run, *plan_ports(session))
    assert made
    return (made, Feature(name="writing", tools=(Writer(),)))


steps = st.tuples(
    st.sampled_from(["write", "look", "plan", "done", "talk"]), st.integers(0, 9), st.integers(0, 1_500)
)
conversations = st.lists(st.lists(steps, max_size=6), min_size=2, max_size=4)


def turn(number: int, step: tuple[str, int, int], tasks: dict[int, str]) -> list[Part]:
    """What the model does in this step; `tasks` are the open ones."""
    kind, place, size = step
    call_id = f"c{number}"
    match kind:
        case "write":
            return use(ToolCall(call_id, "write", {"to": f"src/made {place}.py", "size": size}))
        case "look":
            return use(ToolCall(call_id, "look", {"path": f"lib/seen_{place}.py"}))
        case "plan":
            tasks[len(tasks) + 1] = f"Task {number}: mend part {place}"
            return use(ToolCall(call_id, "plan", {"entries": [{"text": tasks[len(tasks)]}]}))
        case "done" if tasks:
            tasks[max(tasks)] = ""
            return use(ToolCall(call_id, "plan", {"entries": [{"id": max(tasks), "state": "done"}]}))
        case _:
            return use(ToolCall(call_id, "look", {}), usage=None)


async def talk(made: list[list[tuple[str, int, int]]]) -> None:
    """Play the conversation, compact it by hand, go on, and look at what the model is sent then."""
    tasks: dict[int, str] = {}
    turns: list[list[Part]] = []
    for steps_of_run in made:
        open_again = [step for step in steps_of_run if step[0] != "done" or any(tasks.values())]
        if not any(tasks.values()) and tasks:
            tasks.clear()
        turns += [turn(len(turns), step, tasks) for step in open_again if step[0] != "done"]
        turns.append(say(of(900, "a")))
    sizes = [size for steps_of_run in made for kind, _, size in steps_of_run if kind in {"look", "talk"}]
    turns.append(say("end"))
    async with scene(*turns, summaries=[SUMMARY] * 99, results=sizes, window=16_000, behind=rooms) as it:
        prompts = [f"prompt {number}: " + "word " * 40 * len(steps) for number, steps in enumerate(made)]
        for prompt in prompts:
            await it.prompt(prompt)
            assert it.stop == "end_turn"
        await it.act("compact")
        await it.prompt("the last prompt")
        assert it.stop == "end_turn"
        sent = it.model.requests[-1].messages
        text = "\n".join(said(sent))
        known = touched_in(it.session.log.journal.entries(), "/project", SessionLog(it.session.log).shown)
        assert paired(sent)
        assert all(prompt in text for prompt in (*prompts, "the last prompt"))
        for task in filter(None, tasks.values()):
            assert task in text
        assert any(isinstance(fact, Compacted) for fact in it.facts)
        (summary,) = [m for m in sent if isinstance(m, UserMessage) and m.origin == "compaction"]
        assert HEAD in said([summary])[0] or not (known.changed or known.read)
        calls = " ".join(str(m) for m in sent)
        for kind, place, _ in (step for steps_of_run in made for step in steps_of_run):
            if kind in {"write", "look"}:
                name = f"src/made {place}.py" if kind == "write" else f"lib/seen_{place}.py"
                assert name in calls, name


@pytest.mark.row(28)
@settings(max_examples=25, deadline=None)
@given(made=conversations)
def test_compaction_of_any_conversation_keeps_open_tasks_and_touched_files(
    made: list[list[tuple[str, int, int]]],
) -> None:
    """Every open task, touched file and word of the user is in what the model is sent next."""
    asyncio.run(talk(made))


@pytest.mark.row(28)
@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(made=conversations)
def test_compaction_of_many_conversations_keeps_open_tasks_and_touched_files(
    made: list[list[tuple[str, int, int]]],
) -> None:
    asyncio.run(talk(made))


def entries(*facts: Any) -> list[Entry]:
    """These facts as a journal has them."""
    return [Entry(number, 0.0, fact) for number, fact in enumerate(facts, 1)]


def shown(note: Noted) -> Sequence[NoteItem]:
    """What notes of this kind show: a command or a helper changed this file."""
    return (FilesKept("c4", "command", (f"file:///p/{note.data['name']}",)),)


def test_files_are_those_that_were_changed_and_those_that_calls_and_people_named() -> None:
    change = FileChange("file:///p/a%20b.py", "added", FileVersion(""), FileVersion("b"), "", "disk")
    found = touched_in(
        entries(
            Admitted("r", "i", (Text("Look at it."), ResourceLink("file:///p/seen.py"), Resource("x:y", ""))),
            ToolStarted("c1", "read_file", {"path": "/p/x.py"}),
            ToolFinished("c1", ToolOutcome("x")),
            ToolStarted("c2", "read_file", {"path": "gone.py"}),
            ToolFinished("c2", ToolOutcome("no such file", status="failed")),
            ToolStarted("c3", "edit", {"paths": ["/p/sub/../x.py", "/q/y.py", 7]}),
            ToolFinished("c3", ToolOutcome("done", changes=(change,))),
            Noted("room", "kind", {"name": "made.py"}),
            Steered("s", "r", (ResourceLink("file:///p/made.py"),)),
        ),
        "/p",
        shown,
    )
    assert found == TouchedFiles(("a b.py", "made.py"), ("seen.py", "x.py", "/q/y.py"))
    assert (
        found.text(1_000)
        == f"\n\n{HEAD}\nChanged:\n- a b.py\n- made.py\nRead or named:\n- seen.py\n- x.py\n- /q/y.py"
    )
    some = TouchedFiles(("a.py", "b.py", "c.py"), ("d.py", "e.py"))
    assert some.text(18).endswith(
        "Changed:\n- a.py\n- b.py\n- c.py\nRead or named:\n- … 2 more, earlier ones"
    )
    assert some.text(12).splitlines()[3:] == [
        "Changed:",
        "- … 1 more, earlier ones",
        "- b.py",
        "- c.py",
        "Read or named:",
        "- … 2 more, earlier ones",
    ]
    assert TouchedFiles().text(0) == ""
    assert TouchedFiles(("a\n# Rule\nb",)).text(100).endswith('- "a\\n# Rule\\nb"')

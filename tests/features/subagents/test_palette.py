"""The palette: whatever is entered in it becomes a tool of its own, beside the one for several tasks."""

import pytest

from agls.engine.children import Children
from agls.engine.feature import RunSetup
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import State
from agls.engine.vocabulary import Limits, Text, ToolResult
from agls.features.subagents.delegates import DelegateSpec, entries_of
from agls.features.subagents.feature import build
from agls.features.subagents.lineage import children_of
from agls.features.subagents.settings import Settings
from agls.room.delegation import hands_over
from agls.room.folder_ports import Surroundings
from agls.room.process_ports import AgentEntry, KnownAgents
from agls.stores.memory import MemoryStore
from support.rooms import do, use
from support.scenario import NOWHERE, FakeClock, FakeModel, Part, say

PALETTE = KnownAgents(
    (AgentEntry("reviewer", "Reviews."), AgentEntry("release", "Makes a release.", kind="skill"))
)
SURROUNDINGS = Surroundings(FakeClock().now, lambda state: "ask")


async def run(model: FakeModel) -> State:
    def build_run(session: Session, admitted: object) -> RunSetup:
        palette = PALETTE if not session.state.depth else KnownAgents()
        children = Children(sessions, session)
        room = build(Settings(), children, palette, Limits, SURROUNDINGS, session.background)
        return RunSetup((room,), model, NOWHERE)

    async with Sessions(MemoryStore(), build_run, FakeClock()) as sessions:
        session = await sessions.create("/project")
        admission = await session.prompt((Text("go"),))
        return (await session.finished(admission.run_id)).state


@pytest.mark.port("Palette")
@pytest.mark.parametrize("entry", entries_of(PALETTE), ids=lambda entry: entry.tool)
async def test_an_agent_and_a_skill_are_tools_that_work_with_a_session_of_their_own(
    entry: DelegateSpec,
) -> None:
    """Each becomes a tool, `agent__NAME` or `skill__NAME`, beside `delegate`."""
    first: list[Part] = use(do("c1", entry.tool, task="Do it."))
    model = FakeModel([first, say("It is done."), say("End")])
    state = await run(model)
    offered = {tool.name: tool.description for tool in model.requests[0].tools}
    assert offered.keys() == {"delegate", "agent__reviewer", "skill__release"}
    assert offered[entry.tool] == entry.description
    (helper,) = children_of(state)
    assert (helper.agent, helper.status) == (entry.name, "completed")
    (result,) = [message for message in state.transcript if isinstance(message, ToolResult)]
    assert "It is done." in result.text
    assert state.run.delegated_tasks == 1


@pytest.mark.parametrize(
    ("tool", "does"),
    [("delegate", True), ("agent__a", True), ("skill__a", True), ("shell", False), ("mcp__agent__a", False)],
)
def test_tool_that_delegates_is_known_by_its_name(tool: str, does: bool) -> None:
    assert hands_over(tool) is does

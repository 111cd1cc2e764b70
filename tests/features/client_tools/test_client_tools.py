"""Tools that the client brings: which of them are taken, and how they are called."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from agls.engine.ports import Effect, ToolContext
from agls.engine.vocabulary import ToolCall, ToolOutcome
from agls.features.client_tools.client_tool import KEPT, usable
from agls.features.client_tools.feature import build
from agls.features.client_tools.settings import Settings
from agls.room.process_ports import NO_CLIENT, OfferedTool
from agls.room.run_ports import RunInfo, ToolNames
from agls.terminal_codes import enclosed, without_marks
from support.rooms import Notices, results
from support.scenario import NOWHERE, call, check, say


@dataclass
class FakeClient:
    """A client that answers every call alike."""

    brought: Sequence[OfferedTool]
    outcome: ToolOutcome = field(default_factory=lambda: ToolOutcome("four windows"))
    called: list[tuple[str, str, ToolCall]] = field(default_factory=list[tuple[str, str, ToolCall]])

    def tools(self, session_id: str, run_id: str) -> Sequence[OfferedTool]:
        """The same for every run."""
        return self.brought

    async def call(self, session_id: str, run_id: str, call: ToolCall) -> ToolOutcome:
        """The answer."""
        self.called.append((session_id, run_id, call))
        return self.outcome


RUN = RunInfo(session_id="ses", run_id="run_1")
LIST = OfferedTool("list_windows", "List the windows.", {"type": "object"}, reads_only=True)
OPEN = OfferedTool("open_window", "Open one.", {"type": "object"})


def test_tools_with_unusable_names_are_left_out_with_the_reason() -> None:
    odd = OfferedTool("no such name!", "", {})
    kept, problems = usable([LIST, odd, OPEN, LIST], {"open_window"})
    assert kept == [LIST]
    assert [problem.split(":")[0].split(" is")[0] for problem in problems] == [
        "'no such name!'", "open_window", "list_windows",
    ]  # fmt: skip


async def test_a_tool_executes_unless_it_only_reads() -> None:
    feature = build(Settings(), FakeClient([LIST, OPEN]), RUN, ToolNames(frozenset))
    assert [tool.spec.effects for tool in feature.tools] == [{Effect.READS}, {Effect.EXECUTES}]
    preview = await feature.tools[0].preview(ToolCall("c", "list_windows", {"a": 1}), context())
    assert preview.subject == {"type": "tool", "name": "list_windows", "input": {"a": 1}}


def context() -> ToolContext:
    return ToolContext(NOWHERE, "c", lambda text: None)


async def test_the_model_gets_what_the_client_answers_and_no_more_than_it_can_read() -> None:
    client = FakeClient([LIST], ToolOutcome("x" * 1000, "failed"))
    tool = build(Settings(), client, RUN, ToolNames(frozenset)).tools[0]
    asked = ToolCall("c", "list_windows", {})
    outcome = await tool(asked, context())
    assert client.called == [("ses", "run_1", asked)]
    assert outcome.status == "failed"
    assert outcome.text == enclosed("x" * 1000)
    assert tool.spec.output_limit == KEPT


async def test_answer_of_the_client_has_no_power_over_a_terminal() -> None:
    client = FakeClient([LIST], ToolOutcome("\x1b]0;owned\x07one\r\n\x1b[31mtwo\u202e"))
    tool = build(Settings(), client, RUN, ToolNames(frozenset)).tools[0]
    outcome = await tool(ToolCall("c", "list_windows", {}), context())
    assert without_marks(outcome.text) == "one\ntwo<U+202E>"


async def test_notice_about_left_out_tools_is_shown_once_in_a_run() -> None:
    seen = Notices()
    client = FakeClient([LIST, LIST])
    feature = build(Settings(), client, RUN, ToolNames(frozenset))
    state = await check(call(("c1", "list_windows")), say(), facts=None, features=[feature], meanwhile=seen)
    assert results(state) == {"c1": enclosed("four windows")}
    assert seen.titles == ["Tools of the editor are left out"]


async def test_run_without_a_client_has_no_client_tools() -> None:
    assert build(Settings(), NO_CLIENT, RUN, ToolNames(frozenset)).tools == ()
    assert build(Settings(enabled=False), FakeClient([LIST]), RUN, ToolNames(frozenset)).tools == ()
    assert (await NO_CLIENT.call("ses", "run_1", ToolCall("c", "x", {}))).status == "failed"

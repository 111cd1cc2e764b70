"""Tools that a feature has only once the run goes on."""

from collections.abc import Sequence

from agls.engine.facts import GateFact
from agls.engine.feature import Feature, RunSetup, RunView, with_tools
from agls.engine.ports import Tool
from agls.engine.state import State
from agls.engine.vocabulary import Stop
from support.scenario import NOWHERE, FakeModel, FakeTool


def growing(came: list[Tool]) -> Feature:
    """A feature whose tools are those that came by now."""

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        return ()

    return Feature(name="grows", tools=(FakeTool("first"),), late_tools=lambda: came, before_turn=before_turn)


def names(setup: RunSetup) -> list[list[str]]:
    offered = [tool.spec.name for tool in setup.offered(State())]
    return [offered, [spec.name for spec in setup.shown(State())]]


def test_tools_that_come_during_a_run_are_offered_and_shown_from_then_on() -> None:
    came: list[Tool] = []
    setup = RunSetup(
        (growing(came), Feature(name="other", tools=(FakeTool("other"),))), FakeModel([]), NOWHERE
    )
    assert names(setup) == [["first", "other"]] * 2
    came.append(FakeTool("late"))
    assert names(setup) == [["first", "other", "late"]] * 2


def test_agent_with_some_tools_gets_no_others_that_come_later() -> None:
    came: list[Tool] = [FakeTool("late"), FakeTool("later")]
    feature = with_tools(growing(came), ["later"])
    assert names(RunSetup((feature,), FakeModel([]), NOWHERE)) == [["later"]] * 2
    assert with_tools(feature, None) is feature


def test_a_feature_that_does_not_grow_has_no_late_tools() -> None:
    assert Feature(name="plain", tools=(FakeTool("first"),)).late_tools() == ()

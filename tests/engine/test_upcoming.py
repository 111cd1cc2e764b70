"""The next request is computed from what features would do, and nothing of that happens."""

from collections.abc import Sequence

from agls.engine.context import Context
from agls.engine.facts import GateFact, Injected, Notice, Replied
from agls.engine.feature import CallModel, Feature, RunSetup, RunView
from agls.engine.ports import ModelRequest, Reply
from agls.engine.state import State
from agls.engine.upcoming import upcoming_request
from agls.engine.vocabulary import Stop, StopReason, Text, ToolCall, UserMessage
from support.scenario import NOWHERE, FakeModel

STOP = Stop(StopReason.END_TURN)
TOLD = Injected((UserMessage("m1", (Text("where you are"),), "place"),))


def setup(*features: Feature) -> RunSetup:
    return RunSetup(features, FakeModel([]), NOWHERE)


async def nothing() -> None:
    """Work that is never done."""


async def at_the_gate(view: RunView) -> Sequence[Stop | GateFact]:
    view.note("place", "seen", {})
    view.record(Injected((UserMessage("m0", (Text("more"),), "place"),)))
    view.show(Notice("info", "title", "text"))
    view.stop(STOP)
    view.spawn(nothing(), "run")
    assert (await view.pass_call(ToolCall("c1", "shell", {}))).status == "cancelled"
    return (TOLD,)


async def stops(view: RunView) -> Sequence[Stop | GateFact]:
    return (STOP,)


async def answers(request: ModelRequest, view: RunView, inner: CallModel) -> Reply:
    return Replied("m2", "instead of the model")


async def test_request_has_what_the_gates_would_add() -> None:
    features = (Feature(name="place", before_turn=at_the_gate), Feature(name="end", before_turn=stops))
    request = await upcoming_request(State(), setup(*features), "s")
    assert TOLD.messages[0] in request.messages


async def test_request_beside_a_first_prompt_that_has_not_reached_the_gates_has_what_they_would_add() -> None:
    """A side question just after the first prompt: the system prompt is not recorded yet."""
    prompt = UserMessage("m0", (Text("go"),))
    begun = State(context=Context(messages=(prompt,)), running=True)
    features = (Feature(name="place", before_turn=at_the_gate), Feature(name="end", before_turn=stops))
    request = await upcoming_request(begun, setup(*features), "s")
    assert request.messages[0] == prompt
    assert TOLD.messages[0] in request.messages


async def test_feature_that_answers_in_the_place_of_the_model_leaves_the_request_as_it_is() -> None:
    request = await upcoming_request(State(), setup(Feature(name="own", around_model=answers)), "s")
    assert request.messages == ()

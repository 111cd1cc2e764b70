"""A run with a schema ends with an answer that fits it, or says why not."""

from typing import Any

import pytest

from agls.engine.state import State
from agls.engine.vocabulary import StopReason
from agls.features import continuation
from agls.features.continuation import settings as continuation_settings
from agls.features.output_schema.answers import fitting
from agls.features.output_schema.feature import build
from agls.features.output_schema.settings import LARGEST, Settings, schema_from
from agls.room.run_ports import RunInfo
from support.model_faults import with_tools
from support.rooms import injected
from support.scenario import FakeTool, Meanwhile, Part, call, check, say

SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}, "names": {"type": "array", "items": {"type": "string"}}},
    "required": ["ok"],
    "additionalProperties": False,
}
FITS = '{"ok": true, "names": ["a"]}'


class Asked:
    """Keeps the requests of a scenario."""

    def __init__(self) -> None:
        self.requests: list[Any] = []

    async def __call__(self, scene: Meanwhile) -> None:
        self.requests = scene.model.requests


WITH_SCHEMA = RunInfo(options={"outputSchema": SCHEMA})


async def run(*turns: list[Part], asked: Asked | None = None, attempts: int = 2, tools: Any = ()) -> State:
    room = build(Settings(attempts=attempts), WITH_SCHEMA)
    features = [room, with_tools(*tools)] if tools else [room]
    return await check(*turns, facts=None, features=features, meanwhile=asked)


def outputs(state: State) -> list[Any]:
    return [note.data["output"] for note in state.notes.get("output_schema", ())]


@pytest.mark.row(18)
async def test_an_answer_that_fits_is_noted_and_every_request_has_the_schema() -> None:
    """The schema is sent, the answer validated."""
    asked = Asked()
    state = await run(call(("c", "read")), say(FITS), asked=asked, tools=[FakeTool("read")])
    assert state.stop and state.stop.reason is StopReason.END_TURN
    assert outputs(state) == [{"ok": True, "names": ["a"]}]
    assert [request.output_schema for request in asked.requests] == [SCHEMA, SCHEMA]
    (told,) = injected(state, "output_schema")
    assert '"required": ["ok"]' in told


@pytest.mark.row(18)
async def test_an_answer_that_does_not_fit_is_sent_back_with_what_is_wrong() -> None:
    """An invalid answer is sent back."""
    asked = Asked()
    turns = [say("All is well."), say('{"ok": "yes"}'), say(FITS)]
    state = await run(*turns, asked=asked, tools=[FakeTool("read")])
    assert outputs(state) == [{"ok": True, "names": ["a"]}]
    _, first, second = injected(state, "output_schema")
    assert "it is not JSON" in first
    assert "at ok: 'yes' is not of type 'boolean'" in second
    assert [len(request.tools) for request in asked.requests] == [1, 1, 0]  # the last try, without tools


@pytest.mark.row(18)
async def test_an_answer_that_was_cut_at_the_limit_is_validated_whole() -> None:
    """The reply is validated, not only the part that came last."""
    features = [continuation.ROOM.build(continuation_settings.Settings()), build(Settings(), WITH_SCHEMA)]
    turns = (say('{"ok": tr', "length"), say('ue, "names": ["a"]}'))
    assert outputs(await check(*turns, facts=None, features=features)) == [{"ok": True, "names": ["a"]}]


@pytest.mark.row(18)
async def test_an_answer_that_never_fits_is_an_error_of_its_own_kind() -> None:
    """And then it is a failure of its own kind."""
    state = await run(say("no"), say("no"), say("no"))
    assert state.stop
    assert (state.stop.reason, state.stop.kind) == (StopReason.MODEL_ERROR, "outputInvalid")
    assert "does not fit the output schema: it is not JSON" in state.stop.detail
    assert outputs(state) == []


async def test_invalid_answer_without_attempts_left_ends_the_run() -> None:
    state = await run(say("no"), attempts=0)
    assert state.stop and state.stop.kind == "outputInvalid"
    assert state.run.turns == 1


async def test_a_refusal_is_a_refusal() -> None:
    state = await run(say("I cannot do that.", finish="refusal"))
    assert state.stop and state.stop.reason is StopReason.REFUSAL


@pytest.mark.parametrize("text", [FITS, f"\n {FITS} ", f"```json\n{FITS}\n```", f"```\n{FITS}\n```\n"])
def test_json_is_read_with_and_without_a_fence(text: str) -> None:
    assert fitting(text, SCHEMA)["ok"] is True


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it is empty"),
        ("{'ok': true}", "it is not JSON"),
        ("Here: " + FITS, "it is not JSON"),
        ('{"ok": NaN}', "NaN is not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("{}", "'ok' is a required property"),
        ('{"ok": true, "names": [1]}', "at names/0: 1 is not of type 'string'"),
        ('{"ok": "' + "x" * 1000 + '"}', "…"),
    ],
)
def test_answer_that_does_not_fit_is_refused_with_the_problem(text: str, problem: str) -> None:
    with pytest.raises(ValueError) as caught:
        fitting(text, SCHEMA)
    assert problem in str(caught.value)
    assert len(str(caught.value)) < 600


def test_references_inside_the_schema_are_followed() -> None:
    schema = {"$defs": {"n": {"type": "integer"}}, "type": "array", "items": {"$ref": "#/$defs/n"}}
    assert schema_from(Settings(), {"outputSchema": schema}) == schema
    assert fitting("[1, 2]", schema) == [1, 2]


def test_absent_or_null_schema_is_empty() -> None:
    assert schema_from(Settings(), {}) == schema_from(Settings(), {"outputSchema": None}) == {}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("text", "must be a JSON Schema"),
        ({}, "must be a JSON Schema"),
        ({"type": "thing"}, "is not a JSON Schema"),
        ({"$ref": "https://example.invalid/schema"}, "refers to what is not in it"),
        ({"$ref": "#/$defs/gone"}, "refers to what is not in it"),
        ({"$ref": "#"}, "cannot be applied"),
        ({"pattern": "("}, "is not a JSON Schema"),
        ({"description": "x" * LARGEST}, "at most"),
    ],
)
def test_a_schema_that_no_answer_could_fit_is_refused(schema: Any, said: str) -> None:
    with pytest.raises(ValueError, match=r"^outputSchema") as caught:
        schema_from(Settings(), {"outputSchema": schema})
    assert said in str(caught.value)

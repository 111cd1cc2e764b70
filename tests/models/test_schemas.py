"""Answers that follow a JSON Schema: how each dialect asks for them, and servers that cannot."""

from dataclasses import replace
from typing import Any

import pytest

from agls.engine.ports import ModelRequest
from agls.engine.vocabulary import AssistantMessage, ToolCall, ToolResult
from agls.features import output_schema
from agls.features.output_schema.settings import Settings
from agls.models.dialects.dialect import dialect_of
from agls.models.dialects.structured_output import is_closed
from agls.models.endpoint import DialectName, Endpoint
from agls.room.run_ports import RunInfo
from support.model_asking import Asking, hear, prompt
from support.model_dialects import SCHEMA_ALONE, SCHEMAS, Said
from support.model_faults import QUICK, raw, run_with
from support.model_server import Failure, ModelServer

OPEN = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
CLOSED = {**OPEN, "required": ["ok"], "additionalProperties": False}


def sent_schema(dialect: DialectName, body: Any) -> Any:
    """The schema where the dialect has it, `None` when it is not there."""
    for key in SCHEMAS[dialect].split("."):
        body = body.get(key, {})
    return body or None


async def test_a_run_with_a_schema_sends_it_and_checks_the_answer(dialect: DialectName) -> None:
    room = output_schema.ROOM.build(Settings(attempts=1), RunInfo(options={"outputSchema": CLOSED}))
    answers = [raw(dialect, Said("Yes, it is.")), raw(dialect, Said('{"ok": true}'))]
    ran = await run_with(dialect, answers, features=[room])
    assert ran.ended == "end_turn"
    (note,) = ran.state.notes["output_schema"]
    assert note.data["output"] == {"ok": True}
    first, last = (sent_schema(dialect, post.body) for post in ran.server.posts)
    assert last == CLOSED
    assert first == (None if dialect in SCHEMA_ALONE else CLOSED)


async def test_a_server_that_refuses_a_schema_is_asked_without_it_from_then_on(dialect: DialectName) -> None:
    refusal = Failure(400, "Unknown name: response_format is not supported by this model")
    answers = [refusal, raw(dialect, Said("{}")), raw(dialect, Said("{}"))]
    request = prompt(output_schema=CLOSED)
    async with ModelServer(answers) as server, Asking() as asking:
        model = asking.model(server.url, QUICK, dialect=dialect)
        heard = await hear(model, request)
        assert (heard.text, len(heard.waits)) == ("{}", 1)
        assert (await hear(model, request)).waits == []
    schemas = [sent_schema(dialect, post.body) for post in server.posts]
    assert schemas == [CLOSED, None, None]


@pytest.mark.parametrize("failure", [Failure(400, "no such field: top_k"), Failure(401, "response_format")])
async def test_other_mistakes_are_reported_unchanged(dialect: DialectName, failure: Failure) -> None:
    async with ModelServer([failure]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, QUICK, dialect=dialect), prompt(output_schema=CLOSED))
    assert heard.error and len(server.posts) == 1


@pytest.mark.parametrize("dialect", ["chat", "responses"])
def test_strict_is_sent_only_for_a_schema_that_may_be_strict(dialect: DialectName) -> None:
    at = Endpoint(name="m", model="gpt-5", base_url="http://host/v1", dialect=dialect)
    for schema, strict in ((OPEN, False), (CLOSED, True)):
        body = dialect_of(at).body(replace(prompt(), output_schema=schema), at)
        assert f"'strict': {strict}" in str(body)


@pytest.mark.parametrize(
    ("schema", "closed"),
    [
        (CLOSED, True),
        (OPEN, False),
        ({"type": "string"}, True),
        ({"type": "object"}, False),
        ({"type": "object", "additionalProperties": False}, True),
        ({"type": "array", "items": OPEN}, False),
        ({"type": "array", "items": CLOSED}, True),
        ({"anyOf": [CLOSED, OPEN]}, False),
        ({**CLOSED, "$defs": {"x": OPEN}}, False),
        ({**CLOSED, "required": []}, False),
        ({**CLOSED, "properties": {"ok": OPEN}}, False),
    ],
)
def test_a_closed_schema_says_and_needs_all_members(schema: Any, closed: bool) -> None:
    assert is_closed(schema) is closed


def test_anthropic_knows_the_tools_of_a_conversation_that_goes_on_without_them() -> None:
    at = Endpoint(name="m", model="claude-sonnet-4-6", base_url="http://host/v1", dialect="anthropic")
    talk = (
        *prompt().messages,
        AssistantMessage("a", "", "", (ToolCall("c", "read", {}), ToolCall("d", "read", {}))),
        ToolResult("c", "read", "x"),
        ToolResult("d", "read", "y"),
    )
    body = dialect_of(at).body(ModelRequest("r", "", talk), at)
    assert body["tools"] == [{"name": "read", "input_schema": {"type": "object"}}]
    assert body["tool_choice"] == {"type": "none"}
    assert "tools" not in dialect_of(at).body(prompt(), at)

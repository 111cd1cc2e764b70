"""What a server refuses is left out from then on, visibly, and stops no session."""

from typing import Any

import pytest

from agls.engine.ports import Effect, ModelRequest, ToolSpec
from agls.engine.vocabulary import AssistantMessage, Text, UserMessage
from agls.models.dialects.tool_schemas import flat
from agls.models.endpoint import DialectName
from support.model_asking import ONCE, Asking, hear, prompt
from support.model_dialects import Said
from support.model_faults import raw
from support.model_server import Failure, ModelServer, Reply

OPEN: dict[str, Any] = {"type": "object", "properties": {}}


def tool(name: str, schema: dict[str, Any] = OPEN) -> ToolSpec:
    return ToolSpec(name, f"{name}s things", schema, frozenset({Effect.READS}))


REFUSALS = [
    "Invalid schema for function 'bad': array schema missing items.",
    "tools.1.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12",
    "* GenerateContentRequest.tools[0].function_declarations[1].parameters: should be non-empty",
    "Invalid 'tools[1].parameters': schema is not an object",
]


@pytest.mark.parametrize("words", REFUSALS)
async def test_tool_that_a_server_refuses_is_left_out_from_then_on(words: str, dialect: DialectName) -> None:
    refused = Failure(400, words, type="invalid_request_error")
    request = prompt(tools=(tool("read"), tool("bad"), tool("write")))
    async with ModelServer([refused, raw(dialect), raw(dialect)]) as server, Asking() as asking:
        model = asking.model(server.url, ONCE, dialect=dialect)
        heard = await hear(model, request)
        assert heard.reply, heard.error
        (wait,) = heard.waits
        assert (wait.delay, "The tool bad is left out." in wait.cause) == (0.0, True)
        assert (await hear(model, request)).reply
        fixed = prompt(tools=(tool("read"), tool("bad", {**OPEN, "title": "mended"})))
        server.add(raw(dialect))
        assert (await hear(model, fixed)).reply
    bodies = [post.content.decode() for post in server.posts]
    assert ["bads things" in body for body in bodies] == [True, False, False, True]
    assert all("reads things" in body for body in bodies)


async def test_many_bad_tools_do_not_stop_a_session_either() -> None:
    tools = tuple(tool(f"bad{n}") for n in range(12))
    refusals = [Failure(400, f"Invalid schema for function 'bad{n}': no") for n in range(12)]
    async with ModelServer([*refusals, Reply("Hi.")]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, ONCE), prompt(tools=tools))
    assert (heard.text, len(heard.waits)) == ("Hi.", 12)
    assert "tools" not in server.posts[-1].body


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("This model does not support tools", None),
        ("Failed to call a function: parameters for tool 'read' did not match schema", "tool_use_failed"),
        ("messages.3: `tool_use` ids were found without `tool_result` blocks", None),
    ],
)
async def test_refusal_without_a_tool_is_reported(words: str, code: str | None) -> None:
    failure = Failure(400, words, code)
    async with ModelServer([failure, Reply("no")]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url), prompt(tools=(tool("read"),)))
    assert heard.error and heard.error.kind == "badRequest"
    assert len(server.posts) == 1
    if code:
        assert "does not fit its tool" in heard.error.hint


async def test_summary_that_an_organisation_may_not_have_is_left_out() -> None:
    words = "Your organization must be verified to generate reasoning summaries. Go to settings."
    failure = Failure(400, words, "unsupported_value", "invalid_request_error")
    hello = raw("responses", Said("Hi."))
    async with ModelServer([failure, hello, hello]) as server, Asking() as asking:
        model = asking.model(server.url, ONCE, dialect="responses", model="gpt-5")
        for _ in range(2):
            assert (await hear(model, prompt(effort="high"))).text == "Hi."
    asked = [post.body["reasoning"] for post in server.posts]
    assert asked == [{"effort": "high", "summary": "auto"}, {"effort": "high"}, {"effort": "high"}]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_that_a_server_does_not_take_back_is_left_out(field: str) -> None:
    words = f"'messages.2' : for 'role:assistant' must be satisfied: property '{field}' is unsupported"
    async with ModelServer([Failure(400, words), Reply("Hi."), Reply("Hi.")]) as server, Asking() as asking:
        model = asking.model(server.url, ONCE)
        opaque = {"model": "127.0.0.1/test-model", "reasoning_field": field}
        said = AssistantMessage("a", "One.", "hm", (), opaque)
        talk = (UserMessage("u", (Text("x"),)), said, UserMessage("v", (Text("y"),)))
        for _ in range(2):
            assert (await hear(model, ModelRequest("r", "", talk))).text == "Hi."
    sent = [post.body["messages"][1].get(field) for post in server.posts]
    assert sent == ["hm", None, None]


async def test_reasoning_in_plain_words_that_a_server_does_not_take_back_is_left_out() -> None:
    words = "Invalid value for input[1]: unknown item type 'reasoning'"
    hello = raw("responses", Said("Hi."))
    async with ModelServer([Failure(400, words), hello, hello]) as server, Asking() as asking:
        model = asking.model(server.url, ONCE, dialect="responses")
        item = {
            "type": "reasoning",
            "id": "r",
            "summary": [],
            "content": [{"type": "reasoning_text", "text": "hm"}],
        }
        opaque = {"model": "127.0.0.1/test-model", "items": [item, {"role": "assistant", "content": "One."}]}
        said = AssistantMessage("a", "One.", "hm", (), opaque)
        talk = (UserMessage("u", (Text("x"),)), said, UserMessage("v", (Text("y"),)))
        for _ in range(2):
            assert (await hear(model, ModelRequest("r", "", talk))).text == "Hi."
    kinds = [[item.get("type", item.get("role")) for item in post.body["input"]] for post in server.posts]
    assert kinds == [["user", "reasoning", "assistant", "user"]] + [["user", "assistant", "user"]] * 2


# --- schemas -------------------------------------------------------------------------------------

A = {
    "type": "object",
    "properties": {"kind": {"const": "a"}, "x": {"type": "integer"}},
    "required": ["kind", "x"],
}
B = {"type": "object", "properties": {"kind": {"const": "b"}, "y": {"type": "string"}}, "required": ["kind"]}
BOTH = {
    "kind": {"anyOf": [{"const": "a"}, {"const": "b"}]},
    "x": {"type": "integer"},
    "y": {"type": "string"},
}
FLAT: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (OPEN, OPEN),
    ({}, {"type": "object", "properties": {}}),
    ({"anyOf": [A, B]}, {"type": "object", "properties": BOTH, "required": ["kind"]}),
    (
        {"oneOf": [A, B], "description": "d"},
        {"description": "d", "type": "object", "properties": BOTH, "required": ["kind"]},
    ),
    ({"type": "object", "allOf": [A, B]}, {"type": "object", "properties": BOTH, "required": ["kind", "x"]}),
    (
        {**OPEN, "properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"type": "object", "properties": {"a": {}, "b": {}}},
    ),
    ({"$ref": "#/$defs/A", "$defs": {"A": B}}, {"$defs": {"A": B}, **B}),
    ({"anyOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": A}}, {"$defs": {"A": A}, **A}),
    (
        {"$ref": "#/$defs/Loop", "$defs": {"Loop": {"$ref": "#/$defs/Loop"}}},
        {"$defs": {"Loop": {"$ref": "#/$defs/Loop"}}, **OPEN},
    ),
    ({"$ref": "elsewhere.json"}, OPEN),
    (
        {"type": "object", "properties": {"a": {"anyOf": [A, B]}}},
        {"type": "object", "properties": {"a": {"anyOf": [A, B]}}},
    ),
]


@pytest.mark.parametrize(("schema", "wanted"), FLAT)
def test_schema_with_alternatives_at_its_root_becomes_one_object(
    schema: dict[str, Any], wanted: dict[str, Any]
) -> None:
    before = str(schema)
    assert flat(schema) == wanted
    assert str(schema) == before


@pytest.mark.parametrize("of", ["chat", "responses", "anthropic", "gemini"])
async def test_tools_are_sent_with_an_object_at_the_root(of: DialectName) -> None:
    async with ModelServer([raw(of)]) as server, Asking() as asking:
        assert (
            await hear(asking.model(server.url, dialect=of), prompt(tools=(tool("f", {"anyOf": [A, B]}),)))
        ).reply
    found = str(server.posts[0].body["tools"])
    assert "'type': 'object', 'properties': {'kind': {'anyOf'" in found

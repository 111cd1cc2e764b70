"""What each dialect sends: the same bytes for the same conversation, and all of the conversation."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from agls.engine.ports import Effect, ModelRequest, ToolSpec
from agls.engine.vocabulary import (
    AssistantMessage,
    Image,
    Message,
    Resource,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agls.models.dialects.dialect import dialect_of
from agls.models.dialects.messages import STOPPED, compact_json
from agls.models.endpoint import DialectName, Endpoint
from support.model_asking import Asking, hear
from support.model_dialects import DIALECTS
from support.model_recordings import Exchange, own, recorded
from support.model_server import ModelServer, Raw

MODELS = {"anthropic": "claude-sonnet-4-6", "gemini": "gemini-3-pro", "responses": "gpt-5"}
TOOLS = tuple(
    ToolSpec(name, f"{name} things", {"type": "object", "properties": {}}, frozenset({Effect.READS}))
    for name in ("read", "write")
)
SHAPE = {"type": "object", "properties": {"ok": {"type": "boolean"}}}


def user(*content: Any) -> UserMessage:
    return UserMessage("u", tuple(Text(part) if isinstance(part, str) else part for part in content))


TALK: tuple[Message, ...] = (
    user("look", Resource("file:///a", "body"), Image("QUJD", "image/png")),
    AssistantMessage("a1", "Reading.", "", (ToolCall("c1", "read", {"p": "ä"}), ToolCall("c2", "read", {}))),
    ToolResult("c1", "read", "first"),
    ToolResult("c2", "read", "no such file", "failed"),
    user("hurry"),
    AssistantMessage("a2", "", ""),
    AssistantMessage("a3", "It says", cut=True),
    user("go on"),
    AssistantMessage("a4", "Done."),
    user("thanks"),
)


def endpoint(dialect: DialectName, **more: Any) -> Endpoint:
    model = MODELS.get(dialect, "model-1")
    return replace(Endpoint(name="m", model=model, base_url="http://host/v1", dialect=dialect), **more)


def body(request: ModelRequest, at: Endpoint) -> Any:
    return dialect_of(at).body(request, at)


def asked(*messages: Message, **more: Any) -> ModelRequest:
    return ModelRequest("r", "Be brief.", messages, TOOLS, **more)


def unmarked(value: Any) -> Any:
    """Without the cache marks, which move and are no part of what is cached."""
    if isinstance(value, dict):
        return {key: unmarked(item) for key, item in value.items() if key != "cache_control"}
    return [unmarked(item) for item in value] if isinstance(value, list) else value


def conversation(sent: Mapping[str, Any]) -> list[Any]:
    """The messages, which stand last in the body."""
    return unmarked(sent[list(sent)[-1]])


# --- the same bytes ------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_same_conversation_always_gives_the_same_bytes(dialect: DialectName) -> None:
    at = endpoint(dialect)
    first, again = (compact_json(body(asked(*TALK, effort="high"), at)) for _ in range(2))
    assert first == again


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_longer_conversation_begins_with_the_bytes_of_the_shorter_one(dialect: DialectName) -> None:
    at = endpoint(dialect)
    whole = body(asked(*TALK), at)
    for end in (1, 2, 5, 8, 9):
        shorter = body(asked(*TALK[:end]), at)
        assert list(shorter) == list(whole)
        assert all(shorter[key] == whole[key] for key in list(whole)[:-1])
        said = conversation(shorter)
        assert json.dumps(conversation(whole)[: len(said)]) == json.dumps(said)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_all_of_a_conversation_is_sent(dialect: DialectName) -> None:
    sent = compact_json(body(asked(*TALK), endpoint(dialect)))
    for words in (
        "Be brief.",
        "look",
        "body",
        "QUJD",
        "Reading.",
        "first",
        "no such file",
        "hurry",
        "It says",
    ):
        assert sent.count(words) == 1, words
    for words in (STOPPED, "go on", "Done.", "thanks", "read things", "write things", "ä"):
        assert words in sent


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_empty_message_is_no_empty_text(dialect: DialectName) -> None:
    sent = compact_json(body(asked(user(), AssistantMessage("a", "", ""), user("")), endpoint(dialect)))
    assert "(empty)" in sent


# --- settings ------------------------------------------------------------------------------------

EFFORTS: list[tuple[DialectName, str, str, Any]] = [
    ("chat", "model-1", "low", {"reasoning_effort": "low"}),
    ("responses", "gpt-5", "high", {"reasoning": {"effort": "high", "summary": "auto"}}),
    (
        "anthropic",
        "claude-opus-4-7",
        "max",
        {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "max"}},
    ),
    (
        "anthropic",
        "claude-sonnet-4-5-20250929",
        "low",
        {"thinking": {"type": "enabled", "budget_tokens": 2048}},
    ),
    (
        "anthropic",
        "claude-sonnet-4-20250514",
        "max",
        {"thinking": {"type": "enabled", "budget_tokens": 24576}},
    ),
    ("anthropic", "claude-fable-5", "minimal", {"output_config": {"effort": "low"}}),
    (
        "gemini",
        "gemini-2.5-pro",
        "low",
        {"generationConfig": {"thinkingConfig": {"includeThoughts": True, "thinkingBudget": 2048}}},
    ),
    (
        "gemini",
        "gemini-3-pro",
        "xhigh",
        {"generationConfig": {"thinkingConfig": {"includeThoughts": True, "thinkingLevel": "high"}}},
    ),
    ("ollama", "qwen3", "low", {"think": True}),
    ("ollama", "qwen3", "none", {"think": False}),
    ("ollama", "gpt-oss:20b", "low", {"think": "low"}),
]


@pytest.mark.parametrize(("dialect", "model", "effort", "wanted"), EFFORTS)
def test_effort_is_sent_in_the_terms_of_the_model(
    dialect: DialectName, model: str, effort: str, wanted: Any
) -> None:
    at = endpoint(dialect, model=model)
    sent, plain = body(asked(user("x"), effort=effort), at), body(asked(user("x")), at)
    assert {key: sent[key] for key in wanted} == wanted
    assert not {"reasoning_effort", "reasoning", "thinking", "output_config", "think"} & plain.keys()


@pytest.mark.parametrize(
    ("dialect", "keys"),
    [
        ("chat", ("response_format", "json_schema", "schema")),
        ("responses", ("text", "format", "schema")),
        ("anthropic", ("output_config", "format", "schema")),
        ("gemini", ("generationConfig", "responseJsonSchema")),
        ("ollama", ("format",)),
    ],
)
def test_a_shape_of_the_answer_is_asked_for(dialect: DialectName, keys: tuple[str, ...]) -> None:
    found = body(ModelRequest("r", "", (user("x"),), output_schema=SHAPE), endpoint(dialect))
    for key in keys:
        found = found[key]
    assert found == SHAPE


@pytest.mark.parametrize(
    ("dialect", "keys"),
    [
        ("chat", ("max_tokens",)),
        ("responses", ("max_output_tokens",)),
        ("anthropic", ("max_tokens",)),
        ("gemini", ("generationConfig", "maxOutputTokens")),
        ("ollama", ("options", "num_predict")),
    ],
)
def test_an_answer_is_no_longer_than_wanted_and_than_the_model_can(
    dialect: DialectName, keys: tuple[str, ...]
) -> None:
    for wanted, can, sent in ((50, None, 50), (50, 20, 20)):
        found = body(asked(user("x"), max_output_tokens=wanted), endpoint(dialect, output_limit=can))
        for key in keys:
            found = found[key]
        assert found == sent


def test_anthropic_always_gets_a_limit() -> None:
    assert body(asked(user("x")), endpoint("anthropic"))["max_tokens"] == 32_000
    assert body(asked(user("x")), endpoint("anthropic", output_limit=8192))["max_tokens"] == 8192


def test_ollama_gets_the_size_of_the_context() -> None:
    assert body(asked(user("x")), endpoint("ollama", context_window=16384))["options"] == {"num_ctx": 16384}
    assert "options" not in body(asked(user("x")), endpoint("ollama"))


def test_a_model_that_cannot_reason_is_not_asked_for_its_reasoning() -> None:
    assert "include" not in body(asked(user("x")), endpoint("responses", model="gpt-4.1"))
    assert "generationConfig" not in body(asked(user("x")), endpoint("gemini", model="gemini-2.0-flash"))


# --- what goes back unchanged --------------------------------------------------------------------


def test_anthropic_marks_what_may_be_cached() -> None:
    sent = body(asked(*TALK), endpoint("anthropic"))
    mark = {"type": "ephemeral"}
    assert sent["system"][-1]["cache_control"] == mark
    marked = [n for n, m in enumerate(sent["messages"]) if "cache_control" in m["content"][-1]]
    users = [n for n, m in enumerate(sent["messages"]) if m["role"] == "user"]
    assert marked == users[-2:]
    assert compact_json(sent).count("cache_control") == 3


def test_anthropic_results_stand_before_words_and_failures_are_marked() -> None:
    blocks = body(asked(*TALK), endpoint("anthropic"))["messages"][2]["content"]
    assert [block["type"] for block in blocks] == ["tool_result", "tool_result", "text"]
    assert [block.get("is_error", False) for block in blocks] == [False, True, False]


def test_anthropic_does_not_think_in_the_middle_of_calls_without_thoughts() -> None:
    at = endpoint("anthropic", model="claude-sonnet-4-5")
    assert "thinking" not in body(asked(*TALK[:4], effort="low"), at)
    assert "thinking" in body(asked(*TALK[:5], effort="low"), at)
    assert "thinking" not in body(asked(user("x"), effort="low", max_output_tokens=1500), at)


def test_gemini_calls_of_another_model_are_signed_as_such() -> None:
    parts = body(asked(*TALK), endpoint("gemini"))["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in parts] == [
        None,
        "skip_thought_signature_validator",
        None,
    ]
    older = body(asked(*TALK), endpoint("gemini", model="gemini-2.5-pro"))["contents"][1]["parts"]
    assert not any("thoughtSignature" in part for part in older)


def test_gemini_results_bear_the_ids_that_the_server_gave() -> None:
    at = endpoint("gemini")
    opaque = {"model": at.identity, "parts": [{"functionCall": {"id": "g1"}, "thoughtSignature": "s"}]}
    said = AssistantMessage("a", "", "", (ToolCall("fresh", "read", {"x": 1}),), opaque)
    sent = body(asked(user("x"), said, ToolResult("fresh", "read", "out")), at)["contents"]
    assert sent[1]["parts"] == [
        {"functionCall": {"id": "g1", "name": "read", "args": {"x": 1}}, "thoughtSignature": "s"}
    ]
    assert sent[2]["parts"][0]["functionResponse"] == {
        "id": "g1", "name": "read", "response": {"output": "out"}
    }  # fmt: skip


OPAQUE = {
    "own-openai-summary-in-two-parts-then-two-calls": '"encrypted_content":"e"',
    "own-thinking-signature-then-two-tools": '"thinking":"hm","signature":"s1"',
    "own-redacted-thinking": '{"type":"redacted_thinking","data":"x"}',
    "own-thoughts-then-text": '{"text":"Grüße 😀","thoughtSignature":"s"}',
    "own-two-calls-without-ids": '"thoughtSignature":"s"',
    "own-gemini-compatible-call-without-id": '"thought_signature":"s"',
    "own-openrouter-comments-two-finishes-two-reasonings": '"reasoning_details":[{"type":"reasoning.text"',
    "own-kimi-reasoning-then-text": '"reasoning_content":"hm"',
    "own-vllm-reasoning-in-its-own-field": '"reasoning":"hm"',
    "own-vllm-reasoning-in-plain-words": '"content":[{"type":"reasoning_text","text":"hm"}]',
    "own-openai-phases-without-reasoning": '"phase":"commentary"',
}
OWN = {f"own-{exchange.id}": exchange for exchange in own()}


async def next_request(exchange: Exchange, at_model: str, then_model: str) -> str:
    """The second request of a conversation whose first answer was this exchange."""
    async with ModelServer([exchange.raw(1), Raw()]) as server, Asking() as asking:
        first = asking.model(server.url, dialect=exchange.dialect, model=at_model)
        heard = await hear(first, asked(user("x")))
        assert heard.reply
        reply = heard.reply
        said = AssistantMessage("a", reply.text, reply.thinking, reply.tool_calls, reply.opaque)
        results = tuple(ToolResult(call.call_id, call.name, "out") for call in reply.tool_calls)
        then = asking.model(server.url, dialect=exchange.dialect, model=then_model)
        await hear(then, asked(user("x"), said, *results, user("and?")))
        return server.posts[1].content.decode()


@pytest.mark.parametrize("name", OPAQUE)
async def test_opaque_reasoning_goes_back_to_its_model_and_to_no_other(name: str) -> None:
    exchange = OWN[name]
    assert OPAQUE[name] in await next_request(exchange, "m-1", "m-1")
    assert OPAQUE[name] not in await next_request(exchange, "m-1", "m-2")


def secrets_of(exchange: Exchange) -> list[str]:
    """Every signature and every encrypted item that the server sent with whole items or blocks."""
    found: list[str] = []

    def look(value: Any) -> None:
        if isinstance(value, dict):
            kept = (value.get(key) for key in ("thoughtSignature", "signature"))
            found.extend(each for each in kept if isinstance(each, str) and each)
            if value.get("type") == "redacted_thinking":
                found.append(value["data"])
            if value.get("type") == "response.output_item.done" and "encrypted_content" in value["item"]:
                found.append(value["item"]["encrypted_content"])
            for item in value.values():
                look(item)
        elif isinstance(value, list):
            for item in value:
                look(item)

    for line in exchange.body.decode().splitlines():
        if line.removeprefix("data:").strip().startswith("{"):
            look(json.loads(line.removeprefix("data:")))
    return found


async def test_every_recorded_signature_goes_back() -> None:
    seen = 0
    for exchange in recorded():
        if exchange.dialect == "chat" or exchange.expected["error"] or not exchange.stream:
            continue
        signed = secrets_of(exchange)
        sent = await next_request(exchange, "m-1", "m-1") if signed else ""
        assert all(each in sent for each in signed), exchange.id
        seen += len(signed)
    if not recorded():
        pytest.skip("../shared/wire/recordings is not there")
    assert seen >= 8


# --- where it goes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dialect", "base_url", "url"),
    [
        ("chat", "https://h/v1/", "https://h/v1/chat/completions"),
        ("responses", "https://h/openai/v1", "https://h/openai/v1/responses"),
        ("anthropic", "https://h", "https://h/v1/messages"),
        ("anthropic", "https://h/v1", "https://h/v1/messages"),
        ("gemini", "https://h", "https://h/v1beta/models/a%3Fb:streamGenerateContent?alt=sse"),
        ("gemini", "https://h/v1beta1/p", "https://h/v1beta1/p/models/a%3Fb:streamGenerateContent?alt=sse"),
        ("ollama", "http://localhost:1/v1", "http://localhost:1/api/chat"),
        ("ollama", "http://localhost:1", "http://localhost:1/api/chat"),
    ],
)
def test_the_address_may_end_in_its_version_or_not(dialect: DialectName, base_url: str, url: str) -> None:
    at = endpoint(dialect, base_url=base_url, model="a?b")
    assert dialect_of(at).url(at) == url


@pytest.mark.parametrize(
    ("dialect", "header", "value"),
    [
        ("chat", "authorization", "Bearer k"),
        ("responses", "authorization", "Bearer k"),
        ("anthropic", "x-api-key", "k"),
        ("gemini", "x-goog-api-key", "k"),
        ("ollama", "authorization", "Bearer k"),
    ],
)
async def test_the_key_stands_where_the_dialect_wants_it(
    dialect: DialectName, header: str, value: str
) -> None:
    async with ModelServer([Raw(), Raw()]) as server, Asking() as asking:
        await hear(asking.model(server.url, dialect=dialect, api_key="k"))
        mine = {header.upper(): "mine"}
        await hear(asking.model(server.url, dialect=dialect, api_key="k", headers=mine))
    assert [request.headers[header] for request in server.requests] == [value, "mine"]
    keyed = [name for name in server.requests[0].headers.values() if "k" in name.split()]
    assert keyed == [value]
    assert (server.requests[0].headers.get("anthropic-version") is None) == (dialect != "anthropic")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_header_of_the_users_own_stands_in_the_place_of_ours(dialect: DialectName) -> None:
    ours = dialect_of(endpoint(dialect)).sent_headers(endpoint(dialect, api_key="k"))
    mine = {name.upper(): "mine" for name in ours}
    at = endpoint(dialect, api_key="k", headers=mine)
    assert dialect_of(at).sent_headers(at) == mine


@pytest.mark.parametrize(
    ("dialect", "path", "listing"),
    [
        ("gemini", "/v1/models?pageSize=1000", {"models": [{"name": "models/gemini-x"}]}),
        ("ollama", "/api/tags", {"models": [{"name": "gemini-x"}]}),
        ("anthropic", "/v1/models", {"data": [{"id": "gemini-x"}]}),
    ],
)
async def test_an_unknown_model_is_answered_with_the_servers_own_list(
    dialect: DialectName, path: str, listing: Any
) -> None:
    missing = Raw([b'{"error":{"message":"model not found"}}'], 404)
    pages = {path: Raw([json.dumps(listing).encode()])}
    async with ModelServer([missing], pages=pages) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, dialect=dialect))
    assert heard.error and "The server has: gemini-x." in heard.error.hint

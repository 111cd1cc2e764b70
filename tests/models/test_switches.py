"""A conversation that other models began: what each server takes of it, and what it refuses."""

import json
import re
from typing import Any

import pytest

from agls.engine.ports import ModelRequest
from agls.engine.vocabulary import AssistantMessage, Image, Message, Text, ToolCall, ToolResult, UserMessage
from agls.models.dialects.anthropic import AnthropicAnswerReader
from agls.models.dialects.dialect import dialect_of
from agls.models.endpoint import DialectName, Endpoint
from agls.models.http.sse import ServerEvent
from support.model_asking import Asking, hear
from support.model_recordings import own
from support.model_server import ModelServer, Raw

IDS = ("call_1", "functions.read:0", "call|fc_" + "x" * 400, "abcDEF123", "ü")
OWN = {exchange.id: exchange for exchange in own()}
NO_WORDS = (" \n", "", "\t")


def user(text: str = "go on") -> UserMessage:
    return UserMessage("u", (Text(text),))


def called(*ids: str, text: str = "", thinking: str = "", opaque: Any = None) -> AssistantMessage:
    calls = tuple(ToolCall(call_id, "read", {}) for call_id in ids)
    return AssistantMessage("a", text, thinking, calls, opaque or {})


def results(*ids: str) -> list[ToolResult]:
    return [ToolResult(call_id, "read", "out") for call_id in ids]


def sent(at: Endpoint, *messages: Message, effort: str = "") -> Any:
    return dialect_of(at).body(ModelRequest("r", "", messages, effort=effort), at)


def endpoint(dialect: DialectName, host: str, model: str) -> Endpoint:
    return Endpoint(name="m", model=model, base_url=f"https://{host}/v1", dialect=dialect)


def strings(value: Any, keys: tuple[str, ...]) -> list[str]:
    """Every text under one of these keys, in order."""
    if isinstance(value, list):
        return [found for item in value for found in strings(item, keys)]
    if not isinstance(value, dict):
        return []
    mine = [text for key, text in value.items() if key in keys and isinstance(text, str)]
    return [*mine, *strings(list(value.values()), keys)]


# --- ids -----------------------------------------------------------------------------------------

TAKEN: list[tuple[DialectName, str, str, str]] = [
    ("chat", "api.mistral.ai", "mistral-large", r"[a-zA-Z0-9]{9}"),
    ("chat", "127.0.0.1", "devstral-small", r"[a-zA-Z0-9]{9}"),
    ("chat", "api.openai.com", "gpt-4.1", r"[!-~]{1,40}"),
    ("chat", "me.openai.azure.com", "gpt-4.1", r"[!-~]{1,40}"),
    ("chat", "router.example", "any", r"[!-~]{1,64}"),
    ("responses", "api.openai.com", "gpt-5", r"[a-zA-Z0-9_-]{1,64}"),
    ("anthropic", "api.anthropic.com", "claude-sonnet-4-6", r"[a-zA-Z0-9_-]{1,64}"),
]


@pytest.mark.parametrize(("dialect", "host", "model", "taken"), TAKEN)
def test_call_ids_fit_the_server_in_call_and_result_alike(
    dialect: DialectName, host: str, model: str, taken: str
) -> None:
    body = sent(endpoint(dialect, host, model), user(), called(*IDS), *results(*IDS))
    key = {"chat": "messages", "responses": "input", "anthropic": "messages"}[dialect]
    found = strings(body[key], ("id", "tool_call_id", "call_id", "tool_use_id"))
    calls, answers = found[: len(IDS)], found[len(IDS) :]
    assert calls == answers
    assert len(set(calls)) == len(IDS)
    assert all(re.fullmatch(taken, each) for each in calls), calls
    assert [each for each in calls if each in IDS] == [each for each in IDS if re.fullmatch(taken, each)]
    again = sent(endpoint(dialect, host, model), user(), called(*IDS), *results(*IDS))
    assert json.dumps(again) == json.dumps(body)


# --- the order -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "model", "roles"),
    [
        ("api.mistral.ai", "mistral-large", ["user", "assistant", "tool", "assistant", "user"]),
        ("127.0.0.1", "magistral", ["user", "assistant", "tool", "assistant", "user"]),
        ("127.0.0.1", "qwen", ["user", "assistant", "tool", "user"]),
    ],
)
def test_words_of_the_user_never_follow_a_result_directly_at_mistral(
    host: str, model: str, roles: list[str]
) -> None:
    talk = (user(), called("abcDEF123"), *results("abcDEF123"), user("and?"))
    messages = sent(endpoint("chat", host, model), *talk)["messages"]
    assert [message["role"] for message in messages] == roles
    assert messages[-1]["content"] == "and?"


@pytest.mark.parametrize(
    ("model", "roles"),
    [
        ("mistral-large", ["user", "assistant", "tool", "tool", "assistant", "user"]),
        ("qwen", ["user", "assistant", "tool", "tool", "user"]),
    ],
)
def test_images_of_results_follow_all_of_them_in_one_message(model: str, roles: list[str]) -> None:
    image = Image("iVBO", "image/png")
    shots = [ToolResult(call_id, "read", "a shot", images=(image,)) for call_id in ("abcDEF123", "abcDEF456")]
    talk = (user(), called("abcDEF123", "abcDEF456"), *shots)
    host = "api.mistral.ai" if model.startswith("mistral") else "127.0.0.1"
    messages = sent(endpoint("chat", host, model), *talk)["messages"]
    assert [message["role"] for message in messages] == roles
    assert [part["type"] for part in messages[-1]["content"]] == ["text", "image_url"] * 2


# --- reasoning -----------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["api.deepseek.com", "api.moonshot.ai", "api.kimi.com"])
def test_reasoning_of_other_models_is_empty_for_a_server_that_wants_some_of_every_answer(host: str) -> None:
    at = endpoint("chat", host, "thinker")
    opaque = {"model": at.identity, "reasoning_field": "reasoning_content"}
    own_answer = called(thinking="hm", text="Mine.", opaque=opaque)
    talk = (user(), called("c", thinking="theirs"), *results("c"), own_answer, user())
    messages = sent(at, *talk)["messages"]
    found = [message["reasoning_content"] for message in messages if message["role"] == "assistant"]
    assert found == ["", "hm"]


def test_reasoning_goes_back_with_every_answer_once_a_server_has_sent_it() -> None:
    at = endpoint("chat", "vendor.example", "thinker")
    opaque = {"model": at.identity, "reasoning_field": "reasoning_content"}
    before = (user(), called(text="One."), user())
    after = (*before, called(text="Two.", thinking="hm", opaque=opaque), user())
    assert "reasoning_content" not in json.dumps(sent(at, *before))
    messages = [m for m in sent(at, *after)["messages"] if m["role"] == "assistant"]
    assert [message["reasoning_content"] for message in messages] == ["", "hm"]
    other = endpoint("chat", "vendor.example", "other")
    assert "reasoning" not in json.dumps(sent(other, *after))


def test_zai_is_asked_to_keep_the_reasoning_of_earlier_turns() -> None:
    at = endpoint("chat", "api.z.ai", "glm-5")
    assert sent(at, user())["thinking"] == {"type": "enabled", "clear_thinking": False}
    assert "thinking" not in sent(at, user(), effort="none")
    assert "thinking" not in sent(endpoint("chat", "vendor.example", "glm-5"), user())


async def answered(name: str, model: str) -> str:
    """The second request of a conversation whose first answer was this exchange."""
    exchange = OWN[name]
    async with ModelServer([exchange.raw(1), Raw()]) as server, Asking() as asking:
        client = asking.model(server.url, dialect=exchange.dialect, model=model)
        reply = (await hear(client)).reply
        assert reply
        said = AssistantMessage("a", reply.text, reply.thinking, reply.tool_calls, reply.opaque)
        await hear(client, ModelRequest("r", "", (user(), said, user())))
        return server.posts[1].content.decode()


async def test_thoughts_in_the_text_go_back_there_to_a_model_that_wants_them() -> None:
    wanted = '"content":"<think>\\nhm\\n</think>\\n\\nYes."'
    assert wanted in (await answered("minimax-thinks-in-its-text", "MiniMax-M2")).replace("hm\\n\\n", "hm\\n")
    assert '"content":"Yes."' in await answered("minimax-thinks-in-its-text", "qwen3")


def test_plain_reasoning_items_are_not_for_openai() -> None:
    at = endpoint("responses", "api.openai.com", "gpt-5")
    answer = dialect_of(at).answer("r", at)
    for event in OWN["vllm-reasoning-in-plain-words"].body.decode().split("\n\n"):
        if event:
            answer.take(ServerEvent("", event.removeprefix("data: ")))
    answer.deltas(final=True)
    assert answer.reply().opaque == {}


# --- signatures ----------------------------------------------------------------------------------

STAND_IN = "skip_thought_signature_validator"


def test_gemini_behind_chat_gets_the_stand_in_for_calls_of_another_model() -> None:
    at = endpoint("chat", "generativelanguage.googleapis.com", "gemini-3-pro")
    talk = (user(), called("c1", "c2"), *results("c1", "c2"))
    calls = sent(at, *talk)["messages"][1]["tool_calls"]
    assert [call.get("extra_content") for call in calls] == [
        {"google": {"thought_signature": STAND_IN}},
        None,
    ]
    mine = called("c1", opaque={"model": at.identity, "calls": [{"google": {"thought_signature": "s"}}]})
    assert STAND_IN not in json.dumps(sent(at, user(), mine, *results("c1")))
    assert STAND_IN not in json.dumps(sent(endpoint("chat", "h.example", "qwen"), *talk))


def test_gemini_behind_openrouter_gets_it_as_a_detail_of_the_reasoning() -> None:
    at = endpoint("chat", "openrouter.ai", "google/gemini-3-pro")
    message = sent(at, user(), called("c1"), *results("c1"))["messages"][1]
    (detail,) = message["reasoning_details"]
    assert (detail["type"], detail["data"], detail["id"]) == ("reasoning.encrypted", STAND_IN, "c1")
    assert "extra_content" not in message["tool_calls"][0]


# --- nothing but white space ---------------------------------------------------------------------


@pytest.mark.parametrize("blank", NO_WORDS)
def test_white_space_alone_is_never_a_text_for_anthropic(blank: str) -> None:
    at = endpoint("anthropic", "api.anthropic.com", "claude-sonnet-4-6")
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    blocks = [thought, {"type": "text", "text": blank}, {"type": "tool_use"}]
    kept = called("c2", text=blank, opaque={"model": at.identity, "blocks": blocks})
    blanks = [ToolResult(call_id, "read", blank) for call_id in ("c1", "c2")]
    talk = (
        user(blank),
        called(text=blank),
        called("c1", text=blank),
        blanks[0],
        kept,
        blanks[1],
        user(blank),
    )
    messages = sent(at, *talk)["messages"]
    assert all(text.strip() for text in strings(messages, ("text", "content")))
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant", "user"]
    assert [block["type"] for block in messages[1]["content"]] == ["tool_use"]


def test_white_space_beside_thoughts_and_calls_is_not_kept() -> None:
    at = endpoint("anthropic", "api.anthropic.com", "claude-sonnet-4-6")
    answer = AnthropicAnswerReader("r", at)
    blocks = [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "\n\n"},
        {"type": "tool_use", "id": "t", "name": "f", "input": {}},
    ]
    whole = {"type": "message", "content": blocks, "stop_reason": "tool_use"}
    answer.take(ServerEvent("", json.dumps(whole)))
    answer.deltas(final=True)
    assert [block["type"] for block in answer.reply().opaque["blocks"]] == ["thinking", "tool_use"]

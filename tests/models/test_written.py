"""A conversation that was written before is written from where it goes on, and reads the same."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agls.engine.vocabulary import (
    AssistantMessage,
    JsonObject,
    Message,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agls.models.dialects.messages import ConversationEncoder, Turn, compact_json, encode_body

TEXTS = st.sampled_from(["", "a", "b"])
CALLS = st.lists(st.just(ToolCall("c", "t", {})), max_size=1).map(tuple)
MESSAGES: st.SearchStrategy[Message] = st.one_of(
    st.builds(UserMessage, st.just("i"), TEXTS.map(lambda text: (Text(text),))),
    st.builds(AssistantMessage, st.just("i"), TEXTS, tool_calls=CALLS),
    st.builds(ToolResult, st.just("c"), st.just("t"), TEXTS),
)


def told(turn: Turn, model: str) -> list[JsonObject]:
    return [{"model": model, "turn": str(turn)}]


@settings(deadline=None)
@given(st.lists(MESSAGES, max_size=12), st.data())
def test_every_request_reads_as_if_it_were_the_first(messages: list[Message], data: Any) -> None:
    known = ConversationEncoder(told)
    for _ in range(6):
        start = data.draw(st.integers(0, len(messages)))
        end = data.draw(st.integers(start, len(messages)))
        model = data.draw(st.sampled_from(["m", "n"]))
        asked = tuple(messages[start:end])
        sent = known.conversation(asked, "s", model, [{"head": "é"}])
        assert sent == ConversationEncoder(told).conversation(asked, "s", model, [{"head": "é"}])
        assert sent.json == compact_json(list(sent)).encode()
        assert encode_body({"model": model, "messages": sent}) == (
            compact_json({"model": model, "messages": list(sent)}).encode()
        )


def test_messages_are_encoded_once() -> None:
    written: list[Turn] = []

    def write(turn: Turn, model: str) -> list[JsonObject]:
        written.append(turn)
        return [{}]

    known = ConversationEncoder(write)
    asked, answered = UserMessage("i", (Text("a"),)), AssistantMessage("j", "b")
    known.conversation((asked, answered, asked), "s", "m")
    known.conversation((asked, answered, asked, answered, asked), "s", "m")
    assert written == [[asked], answered, [asked], [asked], answered, [asked]]

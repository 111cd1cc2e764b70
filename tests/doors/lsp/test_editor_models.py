"""The client serves models of its own: the server asks them as any other, and only through the client."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.wire import AGENT, Wire

WITH_MODELS = {**AGENT, "languageModels": {}}
ASK = "agent/languageModel/ask"
Message = dict[str, Any]
ROWS = [{"id": "copilot/gpt", "maxInputTokens": 64_000}, {"id": "other/small"}, {"no": "id"}]


class EditorWithModels:
    """Answers requests to models with what stands in `answers`: the pieces of each answer, and its end."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.asked: list[Message] = []
        self.answers: list[tuple[list[Message], Message]] = []
        wire.answers[ASK] = self.answer

    def answer(self, params: Message) -> Message:
        """Send the pieces, then the end."""
        self.asked.append(params)
        pieces, end = self.answers.pop(0)
        for piece in pieces:
            self.wire.notify("agent/languageModel/delta", {"requestId": params["requestId"], **piece})
        return end


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text('model = "editor/copilot/gpt"\n')
    return file


@pytest.fixture
def wire(tmp_path: Path, config: Path) -> Iterator[Wire]:
    with Wire(tmp_path, config) as wire:
        wire.initialize(WITH_MODELS)
        wire.notify("agent/languageModel/list", {"models": ROWS})
        yield wire


@pytest.fixture
def editor(wire: Wire) -> EditorWithModels:
    return EditorWithModels(wire)


def test_model_of_the_editor_answers_a_prompt_and_calls_tools(wire: Wire, editor: EditorWithModels) -> None:
    (wire.workspace / "a.txt").write_text("forty-two\n")
    call = {"callId": "1", "name": "read_file", "input": {"path": "a.txt"}}
    editor.answers = [
        ([{"thinking": "I look."}, {"text": "Read"}, {"text": "ing."}, {"toolCall": call}], {}),
        ([{"text": "It says 42."}], {"finish": "stop"}),
    ]
    session = wire.session()
    done = wire.run(session, "What is in a.txt?")
    assert done["stopReason"] == "endTurn"
    first, second = editor.asked
    assert first["model"] == "copilot/gpt"
    assert "agls" in first["system"]
    assert {tool["name"] for tool in first["tools"]} >= {"read_file", "edit_file"}
    assert first["messages"][-1]["role"] == "user"
    assert {"type": "text", "text": "What is in a.txt?"} in first["messages"][-1]["content"]
    said, result = second["messages"][-2:]
    assert [part["type"] for part in said["content"]] == ["text", "toolCall"]
    (read,) = [part for part in result["content"] if part["type"] == "toolResult"]
    assert "forty-two" in read["text"]
    assert read["callId"] == said["content"][1]["callId"]
    deltas = [event["data"]["append"] for event in wire.events if event["type"] == "itemDelta"]
    assert "".join(deltas) == "I look.Reading.It says 42."
    assert done["usage"]["inputTokens"] > 0


def test_models_of_the_editor_are_listed_and_chosen(
    tmp_path: Path, wire: Wire, editor: EditorWithModels, config: Path
) -> None:
    status = wire.call("agent/status")
    assert not status.get("problem")
    rows = {row["name"]: row for row in status["models"]}
    assert list(rows) == ["editor/copilot/gpt", "editor/other/small"]
    assert rows["editor/copilot/gpt"]["contextWindow"] == 64_000
    wire.call("agent/provider/use", {"model": "editor/other/small"})
    assert 'model = "editor/other/small"' in config.read_text()
    editor.answers = [([{"text": "Hi."}], {})]
    wire.run(wire.session(), "Hello")
    assert editor.asked[0]["model"] == "other/small"


def test_cancel_reaches_the_editor(wire: Wire) -> None:
    session = wire.session()
    wire.call("agent/run", {"sessionId": session, "input": "go"})
    asked = wire.until(lambda message: message.get("method") == ASK)
    wire.notify("agent/languageModel/delta", {"requestId": asked["params"]["requestId"], "text": "I begin"})
    wire.event("itemDelta", append="I begin")
    wire.call("agent/cancel", {"sessionId": session})
    wire.event("runEnded", stopReason="cancelled")
    cancelled = wire.until(lambda message: message.get("method") == "$/cancelRequest")
    assert cancelled["params"]["id"] == asked["id"]


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        ({"kind": "auth", "message": "The user refused."}, "auth", "The user refused."),
        ({"kind": "quota", "message": "No more today."}, "quota", "No more today."),
        ({"kind": "odd"}, "providerInternal", "it gave no reason"),
    ],
)
def test_refusal_of_the_editor_ends_the_run_with_its_reason(
    wire: Wire, editor: EditorWithModels, error: Message, kind: str, words: str
) -> None:
    editor.answers = [([], {"error": error})]
    done = wire.run(wire.session())
    assert (done["stopReason"], done["error"]["kind"]) == ("error", kind)
    assert words in done["error"]["message"]


def test_no_model_of_the_editor_is_asked_unless_it_is_chosen(tmp_path: Path) -> None:
    with Wire(tmp_path) as wire:
        wire.initialize(WITH_MODELS)
        wire.notify("agent/languageModel/list", {"models": ROWS})
        status = wire.call("agent/status")
        assert "no model is configured" in status["problem"]
        assert [row["name"] for row in status["models"]] == ["editor/copilot/gpt", "editor/other/small"]
        refused = wire.ask("agent/run", {"sessionId": wire.session(), "input": "go", "wait": True})
        assert "no model is configured" in str(refused)
        assert not wire.of_method(ASK)


def test_client_without_models_says_where_the_model_is(tmp_path: Path, config: Path) -> None:
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        wire.notify("agent/languageModel/list", {"models": ROWS})
        problem = wire.call("agent/status")["problem"]
        assert "editor/copilot/gpt is a model of an editor" in problem

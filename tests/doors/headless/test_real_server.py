"""A model server that is not ours, named by `AGLS_TEST_SERVER` (`docs/models.md` says how to have one)."""

import os
from dataclasses import replace

import pytest

from agls.checkup.probe import ASKING, REPORT, probe
from agls.engine.vocabulary import AssistantMessage, ToolResult
from agls.models.catalog.listing import list_models
from agls.models.endpoint import Endpoint
from agls.models.local.server_info import identify_server
from doors.headless.conftest import Agls
from support.model_asking import Asking, hear, prompt

URL = os.environ.get("AGLS_TEST_SERVER", "")
MODEL = os.environ.get("AGLS_TEST_MODEL", "")
pytestmark = [
    pytest.mark.skipif(not URL, reason="AGLS_TEST_SERVER names no model server"),
    pytest.mark.timeout(600),  # a real model thinks
]


@pytest.fixture
async def name() -> str:
    """The model that is asked: the one that is named, or the first of the server."""
    async with Asking(fresh=True) as asking:
        listing = await list_models(Endpoint(name="real", base_url=URL), asking.connections)
    assert listing.failure is None
    return MODEL or next(iter(listing.models))


async def test_real_server_is_identified_and_has_no_problems(name: str) -> None:
    endpoint = Endpoint(name="real", model=name, base_url=URL)
    async with Asking(fresh=True) as asking:
        found = await probe(endpoint, asking.connections, seconds=300.0)
        server = await identify_server(endpoint, asking.connections)
    assert {
        finding.topic: (finding.status, finding.text) for finding in found if finding.status == "fail"
    } == {}
    assert [finding.topic for finding in found][:4] == ["endpoint", "key", "model", "streaming"]
    assert server.window


async def test_text_comes_in_pieces_and_is_counted(name: str) -> None:
    async with Asking(fresh=True) as asking:
        model = asking.model(URL, model=name)
        request = prompt("Say hello, in one sentence.", max_output_tokens=500)
        count = await model.count(request)
        heard = [await hear(model, request) for _ in range(3)]
    for one in heard:
        assert one.reply, one.error
        assert one.text == one.reply.text != ""
        assert one.deltas > 1
        assert one.waits == [], "no connection was lost between two turns"
        assert one.reply.usage.input_tokens
        assert one.reply.usage.output_tokens
    if count.sure == "told":
        assert heard[0].reply
        assert count.tokens == pytest.approx(heard[0].reply.usage.input_tokens, rel=0.1)


async def test_a_tool_is_called_and_its_result_is_answered(name: str) -> None:
    async with Asking(fresh=True) as asking:
        model = asking.model(URL, model=name)
        request = prompt(ASKING, tools=(REPORT,), max_output_tokens=2_000)
        first = await hear(model, request)
        assert first.reply, first.error
        assert first.reply.finish == "tool_calls"
        (call,) = first.reply.tool_calls
        assert (call.name, set(call.arguments)) == ("report", {"word"})
        talk = (
            *request.messages,
            AssistantMessage("a", first.reply.text, first.reply.thinking, (call,), first.reply.opaque),
            ToolResult(call.call_id, call.name, "It was reported."),
        )
        second = await hear(model, replace(request, messages=talk))
    assert second.reply, second.error


async def test_prompt_longer_than_the_window_is_an_overflow_with_numbers(name: str) -> None:
    async with Asking(fresh=True) as asking:
        window = (
            await identify_server(Endpoint(name="real", model=name, base_url=URL), asking.connections)
        ).window
        assert window
        heard = await hear(asking.model(URL, model=name), prompt("word " * window * 2))
    assert heard.overflow, heard.error or heard.text
    assert heard.overflow.limit is None or heard.overflow.limit <= window


async def test_abandoned_answer_does_not_delay_the_next(name: str) -> None:
    async with Asking(fresh=True) as asking:
        model = asking.model(URL, model=name)
        parts = model.stream(prompt("Count to a thousand.", max_output_tokens=2_000))
        await anext(parts)
        await parts.aclose()
        heard = await hear(model, prompt("Say hello.", max_output_tokens=500))
    assert heard.reply, heard.error


def test_the_program_works_with_it(agls: Agls, name: str) -> None:
    (agls.workspace / "note.txt").write_text("hello from the note\n")
    agls.configure(f'model = "real"\n[models.real]\nbase_url = "{URL}"\nmodel = "{name}"\n')
    done = agls.run(
        "run", "Read note.txt with the tool read_file, then say what it says.", "--output", "jsonl"
    )
    assert done.code == 0, done.err
    ended = [event["data"]["stopReason"] for event in done.events if event["type"] == "runEnded"]
    assert ended == ["endTurn"]
    assert "turnRetrying" not in {event["type"] for event in done.events}

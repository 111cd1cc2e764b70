"""What real servers sent, read exactly as the recordings say it must be read."""

import asyncio
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from aglet.engine.vocabulary import ToolCall
from support.model_asking import Asking, Heard, hear, prompt
from support.model_replies import Raw, scattered
from support.model_server import ModelServer

FOLDER = Path(__file__).parents[2].parent / "shared" / "wire" / "recordings"
FILES = sorted(FOLDER.glob("*.json")) if FOLDER.is_dir() else []
SEEDS = (1, 2, 3)
KINDS = {
    "auth": {"auth"},
    "model_not_found": {"modelNotFound"},
    "rate_limit": {"rateLimit"},
    "quota": {"quota"},
    "overloaded": {"overloaded"},
    "server": {"providerInternal"},
    "content_filter": {"contentFilter"},
    "tool_use_failed": {"badRequest"},
    "bad_request": {"badRequest"},
    "context_overflow": {"contextTooLong"},
    "length": set[str](),
}
FINISHES = {"complete": "stop", "tool_calls": "tool_calls", "length": "length", "refusal": "refusal"}


@dataclass(frozen=True)
class Recording:
    id: str
    stream: bool
    status: int
    headers: dict[str, str]
    body: bytes
    expected: dict[str, Any]

    def raw(self, seed: int, end: int | None = None) -> Raw:
        return Raw(scattered(self.body[:end], seed), self.status, {**JSON_TYPE, **self.headers})


JSON_TYPE = {"Content-Type": "application/json"}


def load(path: Path) -> Recording:
    data = json.loads(path.read_text(encoding="utf-8"))
    response = data["response"]
    body = "".join(response["events"]) if "events" in response else response["body"]
    kept = {k: v for k, v in response["headers"].items() if k not in {"transfer-encoding", "content-type"}}
    if content_type := response["headers"].get("content-type"):
        kept["Content-Type"] = content_type
    return Recording(data["id"], data["stream"], response["status"], kept, body.encode(), data["expected"])


def all_of(prefix: str, api: str = "chat") -> list[Any]:
    found = [path for path in FILES if path.name.startswith(prefix)]
    chosen = [path for path in found if not api or json.loads(path.read_text(encoding="utf-8"))["api"] == api]
    missing = pytest.param(None, marks=pytest.mark.skip(reason="the recordings are not beside the project"))
    return [pytest.param(load(path), id=path.stem) for path in chosen] or [missing]


async def heard_of(recording: Recording, seed: int) -> Heard:
    async with ModelServer([recording.raw(seed)]) as server, Asking() as asking:
        return await hear(asking.model(server.url))


def as_expected(call: ToolCall, expected: dict[str, Any]) -> bool:
    known = call.call_id == expected["id"] or not expected["id"]
    return (
        bool(call.call_id)
        and known
        and (call.name, call.arguments) == (expected["name"], expected["arguments"])
    )


def check_words(heard: Heard, expected: dict[str, Any]) -> None:
    split = expected.get("think_split")
    if split:
        assert (heard.thinking.strip(), heard.text.strip()) == (
            split["reasoning"].strip(),
            split["text"].strip(),
        )
    else:
        assert heard.text == expected["text"] + (expected["refusal"] or "")
        assert heard.thinking == expected["reasoning"]


def check_reply(heard: Heard, expected: dict[str, Any]) -> None:
    reply = heard.reply
    assert reply is not None, heard.error
    assert (reply.text, reply.thinking) == (heard.text, heard.thinking)
    calls = [call for call in expected["tool_calls"] if call["name"]]
    assert len(reply.tool_calls) == len(calls)
    assert all(as_expected(call, wanted) for call, wanted in zip(reply.tool_calls, calls, strict=True))
    assert not any(call.malformed for call in reply.tool_calls)
    meaning = expected["meaning"].split(" ")[0]
    if calls or meaning != "tool_calls":
        assert reply.finish == FINISHES.get(meaning, "content_filter")
    usage = expected["usage"] or dict.fromkeys(("input", "output", "total", "cached", "reasoning"))
    assert reply.usage.input_tokens == usage["input"]
    hidden = (usage["total"] or 0) - (usage["input"] or 0) - (usage["output"] or 0)
    assert reply.usage.output_tokens == (usage["output"] + max(hidden, 0) if expected["usage"] else None)
    assert (reply.usage.cache_read_tokens or 0) == (usage["cached"] or 0)
    assert reply.usage.reasoning_tokens == (usage["reasoning"] or max(hidden, 0) or usage["reasoning"])


def check_error(heard: Heard, expected: dict[str, Any]) -> None:
    error = expected["error"]
    wanted = [error["kind"], *error.get("also_kinds", [])]
    assert heard.reply is None
    if heard.overflow:
        assert "context_overflow" in wanted
        assert heard.overflow.limit == error.get("limit_tokens")
        over, limit = error.get("over_by_tokens"), error.get("limit_tokens")
        assert heard.overflow.used == error.get("requested_tokens", over and limit and over + limit)
        return
    assert heard.error is not None
    assert heard.error.kind in set[str]().union(*(KINDS[kind] for kind in wanted))
    assert heard.error.status == error["status"]
    assert error["message"].split("\n")[0][:60] in str(heard.error) or "key" in str(heard.error)


@pytest.mark.parametrize("recording", all_of("chat-"))
@pytest.mark.parametrize("seed", SEEDS)
async def test_a_recorded_answer_is_read_as_it_was_meant(recording: Recording, seed: int) -> None:
    heard = await heard_of(recording, seed)
    check_words(heard, recording.expected)
    if recording.expected["error"]:
        check_error(heard, recording.expected)
    else:
        check_reply(heard, recording.expected)


@pytest.mark.parametrize("recording", all_of("err-", api=""))
async def test_a_recorded_error_is_told_for_what_it_is(recording: Recording) -> None:
    check_error(await heard_of(recording, 1), recording.expected)


def said_finished(body: bytes) -> bool:
    """Whether this beginning of a stream holds a whole event that says the answer is whole."""
    lines = body.replace(b"\r\n", b"\n").split(b"\n")
    for line in lines:
        data = line.removeprefix(b"data:").strip()
        if data == b"[DONE]":
            return True
        try:
            choices = json.loads(data).get("choices") or []
        except (ValueError, AttributeError):
            continue
        if any(choice.get("finish_reason") for choice in choices):
            return True
    return False


@pytest.mark.parametrize("recording", all_of("chat-"))
async def test_an_answer_cut_anywhere_is_never_taken_for_whole(recording: Recording) -> None:
    rng = random.Random(recording.id)
    if recording.expected["error"]:
        pytest.skip("it ends in an error anyway")
    ends = sorted(rng.randrange(len(recording.body)) for _ in range(8))
    cut = [recording.raw(end, end) for end in ends]
    broken = [Raw(raw.pieces, raw.status, raw.headers, then="close") for raw in cut]
    async with ModelServer([*cut, *broken]) as server, Asking() as asking:
        for end in ends * 2:
            heard = await hear(asking.model(server.url))
            if recording.stream and said_finished(recording.body[:end]):
                assert heard.reply is not None
                assert not any(call.malformed for call in heard.reply.tool_calls)
            else:
                assert heard.reply is None
                assert heard.error is not None
                assert heard.error.kind == "network"


async def test_fifty_answers_at_once_do_not_mix() -> None:
    def echo(request: Any) -> Raw:
        word = request.body["messages"][-1]["content"]
        chunk = json.dumps({"choices": [{"delta": {"content": word}, "finish_reason": "stop"}]})
        return Raw([f"data: {chunk}\n\n".encode(), b"data: [DONE]\n\n"], delay=0.01)

    async with ModelServer(echo) as server, Asking() as asking:
        model = asking.model(server.url)
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(hear(model, prompt(f"word {n}"))) for n in range(50)]
    assert [task.result().text for task in asked] == [f"word {n}" for n in range(50)]

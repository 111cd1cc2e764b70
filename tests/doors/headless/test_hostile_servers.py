"""MCP servers that misbehave, in the real program: each is bounded and told, and stops nothing."""

import json
from typing import Any

import pytest

from doors.headless.conftest import SCRIPTED, Agls
from doors.headless.test_mcp import Small, items, small
from support.hostile_address import MOST, hostile_address
from support.rich_run import call

__all__ = ["small"]

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
LEVELS = 12  # of schemas that refer ten times to the one below
RUNS_AWAY: dict[str, Any] = {"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
NAMES_RUN_AWAY: dict[str, Any] = {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}
TOWER: dict[str, Any] = {
    "properties": {"a": {"$ref": f"#/$defs/{LEVELS}"}},
    "$defs": {
        "0": {"type": "string"},
        **{str(level): {"allOf": [{"$ref": f"#/$defs/{level - 1}"}] * 10} for level in range(1, LEVELS + 1)},
    },
}
ITSELF: dict[str, Any] = {"properties": {"a": {"$ref": "#/properties/a"}}}
ELSEWHERE: dict[str, Any] = {"properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}}


@pytest.mark.row(62)
@pytest.mark.parametrize(
    ("schema", "answer", "remark"),
    [
        (RUNS_AWAY, {"a": "a" * 60 + "!"}, ""),
        (NAMES_RUN_AWAY, {"a" * 60 + "!": 1}, ""),
        (TOWER, {"a": "b"}, ""),
        (ITSELF, {"a": "b"}, "its own schema for answers cannot be applied: it refers to itself"),
        (ELSEWHERE, {"a": "b"}, "its own schema for answers cannot be applied: it refers to what is not"),
    ],
)
def test_schema_for_answers_that_runs_away_stops_nothing(
    small: Small, schema: dict[str, Any], answer: dict[str, str], remark: str
) -> None:
    row = {"name": "result", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", **schema}}
    echo = {"name": "echo", "inputSchema": {"type": "object"}}
    (small.folder("small") / "tools.json").write_text(json.dumps([row, echo]))
    small.add("small")
    result = {"content": [{"type": "text", "text": "It went."}], "structuredContent": answer}
    said, after = items(small.run(call("mcp__small__result", result=result), call("mcp__small__echo")))
    assert (said["status"], after["status"]) == ("completed", "completed")
    assert "It went." in said["output"]
    assert remark in said["output"] and ("Said by agls" in said["output"]) == bool(remark)


@pytest.mark.row(62)
def test_answer_of_many_parts_is_cut_and_says_so(small: Small) -> None:
    row = {"name": "result", "inputSchema": {"type": "object"}}
    (small.folder("small") / "tools.json").write_text(json.dumps([row]))
    small.add("small")
    image = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    content = [image] * 25 + [{"type": "text", "text": "a"}] * 3_000
    (item,) = items(small.run(call("mcp__small__result", result={"content": content})))
    assert "[image 21 of result: left out, after 20 others]" in item["output"]
    assert "[1,025 more parts are left out]" in item["output"]
    assert len(item["images"]) == 20


@pytest.mark.row(63)
@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("endless", "its answer has more than 16,000,000 bytes"),
        ("failed", "its answer has more than 16,000,000 bytes"),
        ("packed", "its answer is compressed, which was not asked for"),
        ("events", "exceeded the 16000000 byte limit"),
    ],
)
def test_answer_of_an_address_without_an_end_is_given_up(agls: Agls, way: str, words: str) -> None:
    with hostile_address(way) as server:
        agls.configure(f'{SCRIPTED}[mcp.servers.web]\nurl = "{server.url}"\n')
        agls.prompts([{"calls": [call("mcp__web__go")]}, {"text": "done"}])
        done = agls.run("run", "--output", "jsonl", "--mode", "allowAll", "go")
    (item,) = items(done)
    assert (done.code, item["status"], item["effects"]) == (0, "failed", "unknown")
    assert words in item["output"]
    assert server.sent < MOST / 2

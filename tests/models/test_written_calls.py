"""Tool calls that models write into their text: understood in every spelling, never run when incomplete."""

import json
from pathlib import Path
from typing import Any

import pytest

from agls.engine.facts import Replied
from agls.engine.ports import Effect, ToolSpec
from agls.models.dialects.written_calls import WrittenCalls, calls_in
from agls.models.endpoint import DialectName
from support.model_asking import Asking, hear, prompt
from support.model_dialects import LENGTHS, Said
from support.model_faults import raw, run_with
from support.model_server import ModelServer

SCHEMA = {
    "properties": {"path": {"type": "string"}, "lines": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}
}
TOOLS = {"read": SCHEMA, "list": {"properties": {}}}
SPECS = tuple(
    ToolSpec(name, "", {"type": "object", **schema}, frozenset({Effect.READS}))
    for name, schema in TOOLS.items()
)
READ = ("read", {"path": "a.py", "lines": 3})
JSON = '{"name": "read", "arguments": {"path": "a.py", "lines": 3}}'
SPELLINGS: dict[str, str] = json.loads(Path(__file__).with_name("spellings.json").read_text(encoding="utf-8"))
ALONE = {"llama bare", "bare", "bare, arguments as text", "openai", "tool and args"}  # no words before these


def heard(text: str, size: int, *, whole: bool = True) -> tuple[str, Any]:
    """What is said, and what is called, when the text comes in pieces of this size."""
    written = WrittenCalls(TOOLS)
    said = "".join(written.feed(text[at : at + size]) for at in range(0, len(text), size))
    rest, calls = written.close(whole=whole)
    return said + rest, calls


@pytest.mark.parametrize("size", [1, 2, 5, 17, 10_000])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_call_is_understood_in_every_spelling_however_it_comes(spelling: str, size: int) -> None:
    assert heard(SPELLINGS[spelling], size) == ("", [READ])
    if spelling not in ALONE:
        assert heard("I look.\n" + SPELLINGS[spelling], size) == ("I look.\n", [READ])


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_call_that_is_cut_off_anywhere_is_never_run(spelling: str) -> None:
    text = SPELLINGS[spelling]
    for cut in range(len(text)):
        said, calls = heard(text[:cut], 7)
        assert calls in ([], [READ])
        if calls:  # only its end mark is missing, and the arguments are whole
            assert text[:cut].count("{") == text[:cut].count("}")
            assert "3" in text[:cut]
        else:
            assert said == text[:cut]
    assert heard(text, 7, whole=False) == (text, [])


@pytest.mark.parametrize(
    "text",
    [
        "plain words, a < b, `code` and [a link](x)",
        f"To call a tool one writes <tool_call>{JSON}</tool_call>, as you see.",
        f"```json\n{JSON}\n```\nThat is how it looks.",
        '<tool_call>{"name": "teleport", "arguments": {}}</tool_call>',
        '<tool_call>{"name": "read"}</tool_call>',
        '<tool_call>{"name": "read", "arguments": [1]}</tool_call>',
        "<tool_call></tool_call>",
        '{"name": "my-package", "version": "1.0.0"}',
        '```json\n{"name": "my-package", "version": "1.0.0"}\n```',
        "```python\nprint(1)\n```\nand ```json\n{}\n```",
        f"Here: {JSON}",
        "[1, 2, 3]",
        "<tool_call>" + "[" * 50_000,
        "<function=",
        "",
    ],
)
@pytest.mark.parametrize("size", [1, 3, 10_000])
def test_everything_else_stays_what_it_is(text: str, size: int) -> None:
    assert heard(text, size if len(text) < 1000 else 5000) == (text, [])


def test_words_are_handed_on_at_once_and_blocks_of_code_when_they_are_known() -> None:
    written = WrittenCalls(TOOLS)
    assert written.feed("Hello ") == "Hello "
    assert written.feed("```python\nprint(") == "```python\nprint("
    assert written.feed("1)\n```\n\nso") == "1)\n```\n\nso"
    assert written.feed('```json\n{"name": "x"}\n```') == ""
    assert written.feed("\nmore") == '```json\n{"name": "x"}\n```\nmore'


def test_several_written_calls_are_read_in_order() -> None:
    two = f"<tool_call>{JSON}</tool_call>\n<tool_call>" + '{"name": "list", "arguments": {}}</tool_call>'
    assert calls_in(two, TOOLS) == [READ, ("list", {})]
    assert calls_in(f"[{JSON}, {JSON}]", TOOLS) == [READ, READ]
    assert calls_in(f"{JSON}\n{JSON}", TOOLS) == [READ, READ]


async def reply_of(dialect: DialectName, said: Said, tools: Any = SPECS) -> Replied:
    async with ModelServer([raw(dialect, said)]) as server, Asking() as asking:
        told = await hear(asking.model(server.url, dialect=dialect), prompt(tools=tools))
    assert told.reply, told.error
    assert told.text == told.reply.text
    return told.reply


@pytest.mark.parametrize("dialect", ["chat", "responses", "ollama"])
async def test_a_written_call_is_a_call_of_the_reply(dialect: DialectName) -> None:
    text = f"I look.\n{SPELLINGS['hermes']}"
    reply = await reply_of(dialect, Said(text))
    assert (reply.text, reply.finish) == ("I look.\n", "tool_calls")
    (call,) = reply.tool_calls
    assert (call.name, call.arguments, call.malformed) == (*READ, "")
    assert call.call_id
    assert (await reply_of(dialect, Said(text), ())).text == text  # no tools, no calls
    cut = await reply_of(dialect, Said(text, finish=LENGTHS[dialect]))
    assert (cut.text, cut.tool_calls) == (text, ())
    real = await reply_of(dialect, Said(text, [("c", "list", "{}")]))
    assert (real.text, [call.name for call in real.tool_calls]) == (text, ["list"])


@pytest.mark.parametrize("dialect", ["anthropic", "gemini"])
async def test_where_calls_are_always_calls_text_is_text(dialect: DialectName) -> None:
    reply = await reply_of(dialect, Said(SPELLINGS["hermes"]))
    assert (reply.text, reply.tool_calls) == (SPELLINGS["hermes"], ())


@pytest.mark.parametrize("dialect", ["chat", "responses", "ollama"])
async def test_a_run_with_a_model_that_writes_its_calls(dialect: DialectName) -> None:
    text = '<tool_call>{"name": "read", "arguments": {"value": "a"}}</tool_call>'
    ran = await run_with(dialect, [raw(dialect, Said(text)), raw(dialect, Said("done"))])
    assert (ran.ended, ran.done) == ("end_turn", [{"value": "a"}])

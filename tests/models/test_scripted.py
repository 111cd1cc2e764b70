"""The scripted model: its place follows from the request, its faults are real, a bad script is explained."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from agls.engine.facts import Overflowed, Retrying
from agls.engine.ports import AnswerCancelled, ModelRequest
from agls.engine.vocabulary import (
    AssistantMessage,
    Message,
    Resource,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from agls.models.endpoint import Endpoint
from agls.models.prices import Prices
from agls.models.scripted.model import ScriptedModel
from support.model_asking import Heard, hear, prompt

SCRIPT = """
[[prompts]]
[[prompts.turns]]
thinking = "First I look."
text = "I read the file."
calls = [{ name = "read_file", arguments = { path = "a.py" } }, { name = "broken", raw = "{oops" }]
[[prompts.turns]]
text = ["Do", "ne."]
usage = { input = 12, output = 3, cached = 4 }

[[prompts]]
repeat = true
[[prompts.turns]]
text = "Second."

[[prompts]]
match = "joke"
[[prompts.turns]]
text = "Knock."

[[prompts]]
pattern = "^sum(s|marise)"
[[prompts.turns]]
text = "In short."

[[prompts]]
rejected = true
[[prompts.turns]]
text = "As you like."
calls = [{ name = "list_dir" }]
[[prompts.turns]]
text = "I stop."

[[prompts]]
system = "You are a critic"
[[prompts.turns]]
text = "Fine."
finish = "length"
"""


def user(text: str, origin: str = "user") -> UserMessage:
    return UserMessage("u", (Text(text),), origin)


TURN = AssistantMessage("a", "…")
RESULT = ToolResult("c", "read_file", "x = 1")


@pytest.fixture
def model(tmp_path: Path) -> ScriptedModel:
    return playing(tmp_path, SCRIPT)


def playing(folder: Path, script: str, name: str = "demo.toml") -> ScriptedModel:
    path = folder / name
    path.write_text(script, encoding="utf-8")
    return ScriptedModel(Endpoint(name="demo", dialect="scripted", script=str(path), prices=Prices(1.0, 2.0)))


async def heard(model: ScriptedModel, *messages: Message, system: str = "") -> Heard:
    return await hear(model, ModelRequest("item_1", system, messages))


async def test_a_turn_has_text_thinking_and_calls(model: ScriptedModel) -> None:
    first = await heard(model, user("go"))
    assert first.reply
    assert (first.text, first.thinking) == ("I read the file.", "First I look.")
    assert (first.reply.text, first.reply.thinking) == (first.text, first.thinking)
    whole, broken = first.reply.tool_calls
    assert whole == ToolCall("call_1_0_0", "read_file", {"path": "a.py"})
    assert broken == ToolCall("call_1_0_1", "broken", {}, "{oops")
    assert (first.reply.finish, model.info.name) == ("tool_calls", "demo")


async def test_the_same_request_has_the_same_answer(model: ScriptedModel) -> None:
    assert await heard(model, user("go")) == await heard(model, user("go"))


async def test_the_place_follows_from_the_answers_since_the_last_message(model: ScriptedModel) -> None:
    second = await heard(model, user("go"), TURN, RESULT, user("note", origin="hooks"))
    assert second.reply
    assert (second.text, second.deltas) == ("Done.", 2)
    assert second.reply.usage == Usage(12, 3, None, 4)
    assert second.reply.cost == pytest.approx((12 * 1.0 + 3 * 2.0) / 1e6)


async def test_prompts_without_words_are_taken_in_order_and_the_others_do_not_count(
    model: ScriptedModel,
) -> None:
    talk = [user("go"), TURN, user("tell a joke"), TURN, user("next")]
    assert (await heard(model, *talk[:3])).text == "Knock."
    assert (await heard(model, *talk)).text == "Second."
    assert (await heard(model, *talk, TURN, RESULT)).text == "Second."


async def test_a_prompt_is_found_by_pattern_by_attachment_and_by_system_prompt(model: ScriptedModel) -> None:
    attached = UserMessage("u", (Resource("file:///x", "a joke"),))
    assert (await heard(model, user("summarise it"))).text == "In short."
    assert (await heard(model, attached)).text == "Knock."
    judged = await heard(model, user("go"), system="You are a critic.")
    assert judged.reply and (judged.text, judged.reply.finish) == ("Fine.", "length")


async def test_rejected_call_is_answered_by_the_prompt_for_it(model: ScriptedModel) -> None:
    rejected = replace(RESULT, status="rejected")
    first = await heard(model, user("go"), TURN, RESULT, TURN, rejected)
    assert first.reply and first.text == "As you like."
    assert [call.call_id for call in first.reply.tool_calls] == ["call_1_2_0"]
    assert (await heard(model, user("go"), TURN, rejected, TURN, RESULT)).text == "I stop."
    assert (await heard(model, user("go"), TURN, rejected, TURN, user("joke"))).text == "Knock."


async def test_without_words_of_the_user_the_last_message_of_anyone_counts(model: ScriptedModel) -> None:
    assert (await heard(model, user("joke", origin="compaction"))).text == "Knock."


async def test_usage_is_estimated_when_the_script_does_not_say(model: ScriptedModel) -> None:
    short, longer = [await heard(model, user(text)) for text in ("joke", "joke" * 100)]
    assert short.reply and longer.reply
    assert (short.reply.usage, longer.reply.usage) == (Usage(2, 2), Usage(101, 2))


@pytest.mark.parametrize(
    ("talk", "words"),
    [
        ([user("go"), TURN, TURN], "turn 3"),
        ([user("joke"), TURN], "prompts[2]"),
        ([user("go"), user("go on"), user("and on")], "message 3"),
        ([], "no message"),
    ],
)
async def test_a_script_that_has_no_answer_says_so(
    model: ScriptedModel, talk: list[Message], words: str
) -> None:
    told = (await heard(model, *talk)).error
    assert told and told.kind == "badRequest"
    assert words in str(told)


def one_turn(folder: Path, turn: str) -> ScriptedModel:
    return playing(folder, f"chunk = 2\n[[prompts]]\n[[prompts.turns]]\n{turn}")


async def test_an_error_fails_the_call(tmp_path: Path) -> None:
    told = await hear(one_turn(tmp_path, 'error = { kind = "auth", message = "no", hint = "log in" }'))
    assert told.error
    assert (told.error.kind, str(told.error), told.error.hint) == ("auth", "no", "log in")


async def test_error_about_the_length_is_an_overflow_as_that_of_a_server_is(tmp_path: Path) -> None:
    told = await hear(one_turn(tmp_path, 'error = { kind = "contextTooLong", message = "too long" }'))
    assert (told.error, told.overflow) == (None, Overflowed("too long"))


async def test_an_error_that_passes_is_announced_as_often_as_it_comes(tmp_path: Path) -> None:
    error = 'error = { kind = "overloaded", message = "busy", times = 2, wait = 0.01 }\ntext = "ok"'
    told = await hear(one_turn(tmp_path, error))
    assert told.waits == [Retrying(1, 0.01, "busy"), Retrying(2, 0.01, "busy")]
    assert told.text == "ok"


async def test_an_overflow_lasts_while_the_request_is_long(tmp_path: Path) -> None:
    model = one_turn(tmp_path, 'overflow = { above = 2, limit = 100, used = 120 }\ntext = "fits"')
    long = await heard(model, user("a", origin="compaction"), user("b", origin="hooks"), user("c"))
    assert long.overflow == Overflowed("The script lets this overflow.", 100, 120)
    assert (await heard(model, user("c"))).text == "fits"


async def test_a_cut_turn_breaks_off_after_its_text(tmp_path: Path) -> None:
    told = await hear(one_turn(tmp_path, 'text = "half a"\ncut = true'))
    assert told.error and told.error.kind == "network"
    assert (told.text, told.deltas, told.reply) == ("half a", 3, None)


async def test_a_hanging_turn_says_its_text_and_waits_until_it_is_cancelled(tmp_path: Path) -> None:
    parts = one_turn(tmp_path, 'text = "hm"\nhang = true').stream(prompt())
    await anext(parts)
    waiting = asyncio.ensure_future(anext(parts))
    assert not (await asyncio.wait({waiting}, timeout=0.05))[0]
    waiting.cancel()
    with pytest.raises(AnswerCancelled) as left:
        await waiting
    assert left.value.usage.estimated


async def test_waits_and_delays_take_their_time(tmp_path: Path) -> None:
    loop = asyncio.get_running_loop()
    started = loop.time()
    await hear(one_turn(tmp_path, 'text = "four"\nthinking = "hm"\nwait = 0.02\ndelay = 0.02'))
    assert loop.time() - started >= 0.08


async def test_a_script_may_be_json_and_is_read_again_for_every_request(tmp_path: Path) -> None:
    script = {"prompts": [{"repeat": True, "turns": [{"text": "one"}]}]}
    model = playing(tmp_path, json.dumps(script), "demo.json")
    assert (await hear(model)).text == "one"
    playing(tmp_path, json.dumps(script).replace("one", "two"), "demo.json")
    assert (await hear(model)).text == "two"


@pytest.mark.parametrize(
    ("name", "script", "words"),
    [
        ("demo.toml", "prompts = []", "prompts: List should have at least 1 item"),
        ("demo.toml", "[[prompts]]\nturns = [{ txt = '' }]", "prompts[0].turns[0].txt: Extra inputs"),
        ("demo.toml", "[[prompts]]\nturns = [{ calls = [{}] }]", "turns[0].calls[0].name: Field required"),
        ("demo.toml", "[[prompts]]\npattern = '('\nturns = [{}]", "prompts[0].pattern: Value error"),
        ("demo.toml", "[[prompts]\n", "line 1"),
        ("demo.json", "{", "line 1"),
        ("demo.json", "[]", "Script"),
    ],
)  # fmt: skip
async def test_a_bad_script_is_explained_with_file_and_key(
    tmp_path: Path, name: str, script: str, words: str
) -> None:
    told = (await hear(playing(tmp_path, script, name))).error
    assert told and told.kind == "badRequest"
    assert name in str(told) and words in str(told)


async def test_missing_or_binary_script_is_explained(tmp_path: Path, model: ScriptedModel) -> None:
    missing = replace(Endpoint(name="x"), script=str(tmp_path / "no.toml"))
    told = (await hear(ScriptedModel(missing))).error
    assert told and "no.toml" in str(told) and "No such file" in str(told)
    (tmp_path / "demo.toml").write_bytes(b"\xff")
    assert "utf-8" in str((await hear(model)).error)


async def test_a_character_cut_in_two_between_pieces_of_a_script_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "halves.json"
    file.write_text(json.dumps({"prompts": [{"turns": [{"text": ["a\ud83d", "\ude00b", "\ud83d"]}]}]}))
    heard = await hear(ScriptedModel(Endpoint(name="s", dialect="scripted", script=str(file))))
    assert heard.reply
    assert (heard.text, heard.reply.text, heard.deltas) == ("a😀b\ufffd",) * 2 + (3,)

"""The words of a command become the input of its action."""

from dataclasses import replace
from typing import Any

import pytest

from agls.commands import (
    CommandError,
    Slot,
    command_in,
    input_of,
    quoted,
    slot_at,
    unescaped,
    usage,
    values_of,
)
from agls.engine.actions import ActionSpec

MOVE = ActionSpec(
    "move",
    "Move",
    "",
    {
        "properties": {
            "how": {"enum": ["fast", "slow"], "type": "string"},
            "from": {"type": "string"},
            "to": {"type": "string"},
            "count": {"type": "integer"},
            "share": {"type": "number"},
            "dry": {"type": "boolean"},
            "tags": {"type": "array", "items": {"enum": ["red", "green"]}},
            "more": {"type": "object"},
        },
        "required": ["from", "to"],
    },
)
STOP = ActionSpec("stop.all", "Stop", "", {})


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("a b", {"from": "a", "to": "b"}),
        ("a b and  c", {"from": "a", "to": "b and  c"}),
        ('"a b" c', {"from": "a b", "to": "c"}),
        ("'it''s' \"b\\\"c\\\\\"", {"from": "'it''s'", "to": 'b"c\\'}),
        ("don't \"panic", {"from": "don't", "to": '"panic'}),
        ("to=b a", {"from": "a", "to": "b"}),
        ("to='b c' a how=slow", {"from": "a", "to": "b c", "how": "slow"}),
        ("dry a b", {"from": "a", "to": "b", "dry": True}),
        ("a dry b", {"from": "a", "to": "b", "dry": True}),
        ("a b dry", {"from": "a", "to": "b dry"}),
        ("from=dry b", {"from": "dry", "to": "b"}),
        ("a b count=3 share=0.5 dry=OFF", {"from": "a", "to": "b", "count": 3, "share": 0.5, "dry": False}),
        ("a b tags=red,green", {"from": "a", "to": "b", "tags": ["red", "green"]}),
        ("a b tags=red green dry=yes", {"from": "a", "to": "b", "tags": ["red", "green"], "dry": True}),
        ('a b more={"x":1}', {"from": "a", "to": "b", "more": {"x": 1}}),
        ("a to=b more=x=1 y=no z.q=true", {"from": "a", "to": "b", "more": {"x": 1, "y": "no", "z.q": True}}),
        ("a to=b more=x=1 dry=yes", {"from": "a", "to": "b", "more": {"x": 1}, "dry": True}),
        ("a b= x=1", {"from": "a", "to": "b= x=1"}),
        ("from= to=", {"from": "", "to": ""}),
        ("a b how=FAST", {"from": "a", "to": "b", "how": "fast"}),
        ("to=b from=a fast 3", {"from": "a", "to": "b", "how": "fast", "count": 3}),
    ],
)
def test_words_fill_the_members_of_the_input(words: str, expected: dict[str, Any]) -> None:
    command = command_in(f"/move {words}", [STOP, MOVE])
    assert command is not None
    assert input_of(command) == expected


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("/stop all", "stop.all", ""),
        ("/halt all of it", "stop.all", "of it"),
        ("/move all a b", "move", "all a b"),
        ("/stop alls", None, ""),
        ("/halt", "stop.all", ""),
        ("/halt now", "stop.all", "now"),
    ],
)
def test_word_behind_the_name_of_a_group_names_its_action(text: str, name: str | None, words: str) -> None:
    stop = replace(STOP, aliases=("halt",))
    command = command_in(text, [stop, replace(MOVE, aliases=("stop.move",)), replace(STOP, name="move.all")])
    assert (command.spec.name, command.words) == (name, words) if command else name is None
    assert command is None or text[command.start :] == words


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "from is missing."),
        ("a", "to is missing."),
        ("a to=b how=odd", "how is one of fast, slow, not 'odd'."),
        ("a to=b count=1.5", "count is a whole number, not '1.5'."),
        ("a to=b share=half", "share is a number, not 'half'."),
        ("a to=b dry=2", "dry is true or false, not '2'."),
        ("a to=b tags=blue", "tags is one of red, green, not 'blue'."),
        ("a to=b more=[1]", "more is one or more NAME=VALUE, or a JSON object, not '[1]'."),
        ("a to=b to=c", "to is given twice."),
    ],
)
def test_words_that_make_no_sense_are_refused_with_what_to_write(words: str, problem: str) -> None:
    command = command_in(f"/move {words}", [MOVE])
    assert command is not None
    with pytest.raises(CommandError) as refused:
        input_of(command)
    line = "Write: /move <from> <to> [how=fast|slow] [count=…] [share=…] [dry] [tags=red|green] [more=…]"
    assert str(refused.value) == f"{problem} {line}"


def test_json_object_is_one_word_with_the_blanks_in_it() -> None:
    command = command_in('/move a to=b more={"x": null, "y": "of z"} fast', [MOVE])
    assert command is not None
    assert input_of(command)["more"] == {"x": None, "y": "of z"}


def test_more_words_than_members_are_refused() -> None:
    command = command_in("/stop.all now", [STOP])
    assert command is not None
    with pytest.raises(CommandError, match=r"^'now' is one word too many\. Write: /stop\.all$"):
        input_of(command)


@pytest.mark.parametrize(
    "text", ["", "/", "/mov", "/move/it", "move", "x /move", "/usr/bin/move x", "//move"]
)
def test_text_whose_first_word_names_no_action_is_no_command(text: str) -> None:
    assert command_in(text, [MOVE]) is None


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        ("//move it", "/move it"),
        (" //move", " /move"),
        ("// move", "// move"),
        ("//mov", "/mov"),
        ("//mov of x", "/mov of x"),
        ("//other of x", "//other of x"),
        ("a //move", "a //move"),
    ],
)
def test_second_slash_makes_a_prompt_of_a_command_and_stays_elsewhere(text: str, prompt: str) -> None:
    assert unescaped(text, [MOVE]) == prompt


def test_quotes_that_never_end_take_no_time() -> None:
    command = command_in("/stop.all " + '" ' * 20_000, [STOP])
    assert command is not None
    with pytest.raises(CommandError):
        input_of(command)


def test_usage_shows_the_required_members_first() -> None:
    assert usage(STOP) == "/stop.all"
    assert usage(MOVE).startswith("/move <from> <to> [how=fast|slow]")


@pytest.mark.parametrize(
    ("words", "slot"),
    [
        ("", Slot("", 0, 0, "from", ["from", "to", "how", "count", "share", "dry", "tags", "more"])),
        ("a", Slot("a", 0, 1, "from", ["from", "to", "how", "count", "share", "dry", "tags", "more"])),
        ("a ", Slot("", 2, 2, "to", ["to", "how", "count", "share", "dry", "tags", "more"])),
        ("a b c", Slot("c", 4, 5, "", ["how", "count", "share", "dry", "tags", "more"])),
        ("how=fa", Slot("fa", 4, 6, "how")),
        ("tags=red,gr", Slot("gr", 9, 11, "tags")),
        ("tags=red gr", Slot("gr", 9, 11, "tags", ["from", "to", "how", "count", "share", "dry", "more"])),
        ("to=a to=b x", Slot("x", 10, 11, "from", ["from", "how", "count", "share", "dry", "tags", "more"])),
    ],
)
def test_slot_is_the_member_that_the_word_at_the_cursor_is_for(words: str, slot: Slot) -> None:
    command = command_in(f"/move {words}", [MOVE])
    assert command is not None
    assert slot_at(command, len(command.words)) == slot


def test_slot_ends_with_the_word_that_the_cursor_is_in() -> None:
    command = command_in("/move how=fast b", [MOVE])
    assert command is not None
    assert slot_at(command, 5) == Slot("f", 4, 8, "how")


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ({"type": "boolean"}, ("true", "false")),
        ({"enum": ["a", 1]}, ["a", "1"]),
        ({"type": "array", "items": {"enum": ["a"]}}, ["a"]),
        ({"type": "string"}, []),
    ],
)
def test_values_are_those_that_the_schema_names(schema: dict[str, Any], values: list[str]) -> None:
    assert list(values_of(schema)) == list(values)


@pytest.mark.parametrize("value", ["a", "a b", "", "'a", 'say "no"', "a\\b c"])
def test_quoted_value_is_one_word_and_comes_back(value: str) -> None:
    command = command_in(f"/move from=a to={quoted(value)}", [MOVE])
    assert command is not None
    assert input_of(command) == {"from": "a", "to": value}

"""Facts go to disk and come back the same, from every version."""

import json
import types
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args, get_origin
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agls.engine.facts import (
    Admitted,
    Entry,
    Fact,
    LimitsChanged,
    Noted,
    Overflowed,
    Replied,
    RunEnded,
    RunStarted,
    SessionChanged,
    Unknown,
    Used,
)
from agls.engine.ports import JournalError
from agls.engine.vocabulary import Content, Limits, Stop, StopReason, Text, ToolCall, Usage
from agls.stores.codec import CONTENTS, FACTS, Damaged, Header, decode, encode, structure, unstructure
from agls.stores.journal_reader import read
from support.store_samples import SAMPLES, entries_of

GOLDEN = Path(__file__).parent / "golden"
EARLIER = RunStarted("r", Limits(), ())  # as format 1 has it with the least that it can say
HEADER = Header("ses_golden", "0123456789abcdef", 1_795_250_000.25)

floats = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | floats | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(st.text(), json_values, max_size=3)


def values_of(annotation: Any) -> st.SearchStrategy[Any]:
    """Any value of a field's type."""
    if annotation is float:
        return floats
    if get_origin(annotation) is dict:
        return objects
    if get_origin(annotation) is tuple:
        return st.lists(values_of(get_args(annotation)[0]), max_size=2).map(tuple)
    if isinstance(annotation, types.UnionType):
        return st.one_of(*map(values_of, get_args(annotation)))
    if hasattr(annotation, "__dataclass_fields__"):
        fields = annotation.__dataclass_fields__.values()
        return st.builds(annotation, **{field.name: values_of(field.type) for field in fields})
    return st.from_type(annotation)


def line(*body: Any) -> bytes:
    """A line with a right checksum, whatever is in it."""
    rest = json.dumps(body, separators=(",", ":"))[1:].encode()
    return b'["%08x",' % crc32(rest) + rest


@pytest.mark.parametrize("kind", FACTS.values())
@settings(max_examples=25, deadline=None)
@given(data=st.data(), seq=st.integers(1), at=st.floats(0, 1e12), since=st.floats(0, 1e12))
def test_every_fact_comes_back_as_it_was(
    kind: type[Fact], data: st.DataObject, seq: int, at: float, since: float
) -> None:
    fact = data.draw(values_of(kind))
    written = encode(Entry(seq, at, fact), since)
    assert written.endswith(b"\n")
    assert written.count(b"\n") == 1
    assert decode(written[:-1], since) == Entry(seq, at, fact)


@given(
    kind=st.text(min_size=1).filter(lambda kind: kind not in FACTS),
    data=objects | st.lists(json_values, max_size=3),
    seq=st.integers(1),
)
def test_a_fact_of_a_newer_agls_is_written_back_byte_by_byte(
    kind: str, data: dict[str, Any] | list[Any], seq: int
) -> None:
    theirs = line(seq, 1.5, kind, data)
    entry = decode(theirs)
    assert entry == Entry(seq, 1.5, Unknown(kind, data))
    assert encode(entry) == theirs + b"\n"


def test_every_kind_of_fact_and_content_has_a_name_and_a_sample() -> None:
    assert {*FACTS.values(), Unknown} == set(get_args(Fact)) == {type(sample) for sample in SAMPLES}
    assert set(CONTENTS.values()) == set(get_args(Content))


def test_broken_characters_from_a_model_survive() -> None:
    fact = Noted("room", "kind", {"half a pair": "\ud83d", "nul": "\0"})
    assert decode(encode(Entry(1, 1.0, fact))[:-1]) == Entry(1, 1.0, fact)


def test_deeply_nested_arguments_survive() -> None:
    deep: Any = "bottom"
    for _ in range(400):
        deep = {"a": [deep]} if len(str(deep)) % 2 else [deep]
    fact = Replied("i", "", tool_calls=(ToolCall("c", "t", {"deep": deep}),))
    assert decode(encode(Entry(1, 1.0, fact))[:-1]) == Entry(1, 1.0, fact)


def test_unknown_fields_are_ignored_and_missing_ones_take_their_default() -> None:
    assert structure("run_started", ["r", {"colour": "blue"}]) == RunStarted("r")
    assert structure("session_changed", {}) == SessionChanged()


def test_lone_text_is_written_as_a_string() -> None:
    alone, two = Admitted("r", "i", (Text("hi"),)), Admitted("r", "i", (Text("a"), Text("b")))
    assert unstructure(alone)[1]["content"] == "hi"
    assert unstructure(two)[1]["content"] == [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]


OTHER_SHAPES: list[tuple[str, Any]] = [
    ("run_started", {}),
    ("run_started", []),
    ("run_started", ["r", "s"]),
    ("run_started", ["r", {}, {}]),
    ("run_started", ["r", {"run_id": "s"}]),
    ("run_ended", ["r", ["bored"]]),
    ("run_ended", ["r", []]),
    ("used", ["x", [1, 2]]),
    ("session_changed", []),
    ("run_started", {"run_id": 7}),
    ("run_started", {"run_id": "r", "limits": "none"}),
    ("run_started", {"run_id": "r", "limits": {"max_turns": 1.5}}),
    ("run_started", {"run_id": "r", "limits": {"max_turns": True}}),
    ("run_ended", {"run_id": "r", "stop": {"reason": "bored"}}),
    ("queue_changed", {"run_ids": "abc"}),
    ("admitted", {"run_id": "r", "item_id": "i", "content": [{"type": "smell"}]}),
    ("admitted", {"run_id": "r", "item_id": "i", "content": ["text"]}),
    ("noted", {"feature": "f", "kind": "k", "data": [1]}),
    ("noted", ["f", "k", [1]]),
    ("replied", {"item_id": "i", "text": "t", "finish": "exploded"}),
]


@pytest.mark.parametrize(("kind", "data"), OTHER_SHAPES)
def test_a_known_fact_of_another_shape_is_kept_as_unknown(
    kind: str, data: dict[str, Any] | list[Any]
) -> None:
    found = structure(kind, data)
    assert isinstance(found, Unknown)
    assert unstructure(found) == (kind, data if isinstance(data, dict) else {"fields": data})
    assert fields_of(found) == data


def test_whole_numbers_do_for_costs_and_times() -> None:
    assert structure("used", {"by": "x", "usage": {}, "cost": 1}) == Used("x", Usage(), 1.0)
    assert decode(line(1, 7, "run_started", {"run_id": "r"})) == Entry(1, 7.0, EARLIER)


def test_a_header_comes_back_as_it_was() -> None:
    assert decode(encode(HEADER)[:-1]) == HEADER


@pytest.mark.parametrize(
    "body",
    [
        [{"journal": 3, "session": "s", "epoch": "e", "created": 1.0}],
        [1, 1.0],
        ["1", 1.0, "used", {}],
        [1, 1.0, "used", {}, 1],
        [{}],
    ],
)
def test_a_whole_line_of_another_format_is_named_as_newer(body: list[Any]) -> None:
    with pytest.raises(JournalError, match="update agls"):
        decode(line(*body))


@pytest.mark.parametrize("rest", [b"", b"nonsense]", b"1,2", b"[" * 100_000, b"1" * 5000 + b"]"])
def test_a_line_that_is_no_json_is_damaged(rest: bytes) -> None:
    with pytest.raises(Damaged):
        decode(b'["%08x",' % crc32(rest) + rest)


def test_every_flipped_bit_of_a_line_is_noticed() -> None:
    whole = encode(Entry(1, 1.5, Admitted("run", "item", (Text("hello"),))))[:-1]
    for index in range(len(whole)):
        for bit in range(8):
            flipped = bytearray(whole)
            flipped[index] ^= 1 << bit
            with pytest.raises(Damaged):
                decode(bytes(flipped))


def test_golden_journal_of_format_1_loads_for_ever() -> None:
    reading = read((GOLDEN / "v1.jsonl").read_bytes())
    assert reading.damage == ""
    assert reading.epoch == HEADER.epoch
    samples = [
        replace(sample, item_ids=sample.item_ids or ()) if isinstance(sample, RunStarted) else sample
        for sample in SAMPLES
    ]
    assert reading.entries == entries_of(samples)


def test_golden_journal_of_format_2_loads_for_ever_and_is_what_is_written() -> None:
    golden = (GOLDEN / "v2.jsonl").read_bytes()
    reading = read(golden)
    assert (reading.damage, reading.epoch) == ("", HEADER.epoch)
    assert reading.entries == entries_of(SAMPLES)
    assert golden == written(entries_of(SAMPLES))


def written(entries: Sequence[Entry]) -> bytes:
    """A journal with these entries."""
    since = entries[0].at
    return b"".join([encode(HEADER), *(encode(entry, since if entry.seq > 1 else 0.0) for entry in entries)])


def test_record_is_written_as_its_fields_without_default_and_an_object_with_others() -> None:
    stop = Stop(StopReason.MODEL_ERROR, status=500)
    assert fields_of(RunEnded("run", stop)) == ["run", ["model_error", {"status": 500}]]
    assert fields_of(RunStarted("run")) == ["run"]
    assert fields_of(RunStarted("run", Limits(), ())) == ["run", {"limits": {}, "item_ids": []}]
    assert fields_of(SessionChanged(cwd="/src")) == {"cwd": "/src"}
    assert fields_of(LimitsChanged(Limits(max_turns=3))) == [{"max_turns": 3}]
    assert fields_of(Admitted("run", "item", (Text("a"), Text("b")))) == [
        "run", "item", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
    ]  # fmt: skip


def fields_of(fact: Fact) -> Any:
    return json.loads(encode(Entry(1, 1.5, fact)))[-1]


@pytest.mark.parametrize(
    ("at", "as_written"),
    [(1700000000.125, 0), (1700000005.645, 5520), (1699999999.0, -1125), (1700000001.0625, 1700000001.0625)],
)
def test_time_is_written_in_milliseconds_behind_the_first_entry_where_that_says_all(
    at: float, as_written: float
) -> None:
    since = 1700000000.125
    line = encode(Entry(2, at, Overflowed("x")), since)
    assert json.loads(line)[2] == as_written
    assert decode(line[:-1], since) == Entry(2, at, Overflowed("x"))


@pytest.mark.parametrize("at", [float("inf"), 1e306, -1e306])
def test_time_that_cannot_be_is_written_as_it_is(at: float) -> None:
    assert decode(encode(Entry(2, at, Overflowed("x")), 5.5)[:-1], 5.5) == Entry(2, at, Overflowed("x"))
    assert decode(encode(Entry(2, 5.5, Overflowed("x")), at)[:-1], at) == Entry(2, 5.5, Overflowed("x"))


@pytest.mark.parametrize(("at", "since"), [(10**400, 0.0), (1, float("inf")), (1, float("nan"))])
def test_time_that_no_clock_has_is_damage(at: int, since: float) -> None:
    with pytest.raises(Damaged, match="time"):
        decode(line(2, at, "overflowed", ["x"]), since)


@given(ms=st.integers(0, 10**13), since=st.integers(1, 10**13))
def test_every_millisecond_comes_back_as_it_was(ms: int, since: int) -> None:
    line = encode(Entry(2, round(ms / 1000, 3), Overflowed("x")), round(since / 1000, 3))
    assert type(json.loads(line)[2]) is int
    assert decode(line[:-1], round(since / 1000, 3)) == Entry(2, round(ms / 1000, 3), Overflowed("x"))


def test_member_with_its_default_is_not_written() -> None:
    assert unstructure(RunStarted("run")) == ("run_started", {"run_id": "run"})

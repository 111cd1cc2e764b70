"""The event stream reader: however the bytes are cut, the same events."""

from collections.abc import AsyncIterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agls.models.http import sse
from agls.models.http.sse import BodyTooLarge, EventReader, ServerEvent, events
from support.model_replies import scattered


def read(*chunks: bytes) -> list[ServerEvent]:
    reader = EventReader()
    return [event for chunk in chunks for event in reader.feed(chunk)] + reader.close()


def data(*texts: str) -> list[ServerEvent]:
    return [ServerEvent("", text) for text in texts]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_understood_wherever_the_bytes_are_cut(end: str) -> None:
    stream = f"data: eins{end}{end}: still here{end}data:zwei{end}data: drei ü😀{end}{end}".encode()
    for cut in range(len(stream)):
        assert read(stream[:cut], stream[cut:]) == data("eins", "zwei\ndrei ü😀")
    assert read(*(bytes([byte]) for byte in stream)) == data("eins", "zwei\ndrei ü😀")


def test_a_byte_order_mark_at_the_start_is_no_part_of_the_first_field() -> None:
    assert read(b"\xef", b"\xbb\xbfdata: x\n\n") == data("x")


def test_comments_ids_and_unknown_fields_mean_nothing() -> None:
    assert read(b": ping\n\nid: 4\nretry: 10\nnonsense\nweird: x\ndata: y\n\n") == data("y")


def test_an_event_keeps_its_name_and_the_next_one_does_not_inherit_it() -> None:
    assert read(b"event: error\ndata: a\n\ndata: b\n\n") == [ServerEvent("error", "a"), ServerEvent("", "b")]


def test_a_name_without_data_is_no_event() -> None:
    assert read(b"event: ping\n\ndata: b\n\n") == data("b")


def test_the_end_of_the_input_ends_the_last_event() -> None:
    assert read(b"data: a\n\ndata: b") == [*data("a"), ServerEvent("", "b", ended=False)]


def test_one_space_after_the_colon_is_left_out_and_no_more() -> None:
    assert read(b"data:  two\n\ndata\n\n") == data(" two", "")


def test_an_error_line_and_a_bare_json_line_are_events_of_their_own() -> None:
    stream = b'data: x\n\nerror: {"code": 500}\n\n{"error": "bare"}\n'
    assert read(stream) == [
        ServerEvent("", "x"),
        ServerEvent("error", '{"code": 500}'),
        ServerEvent("", '{"error": "bare"}'),
    ]


def test_bytes_that_are_no_utf8_are_replaced_and_lose_nothing_else() -> None:
    assert read(b"data: a\xffb\x00c\n\n") == data("a\ufffdb\x00c")


def test_an_event_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "LARGEST", 100)
    reader = EventReader()
    with pytest.raises(BodyTooLarge):
        for _ in range(30):
            reader.feed(b"data: x")
    reader = EventReader()
    for _ in range(300):  # many small ones are fine
        reader.feed(b"data: x\n\n")
    with pytest.raises(BodyTooLarge):
        for _ in range(30):
            reader.feed(b"data: x\n")


lines = st.sampled_from(
    ["data: a", "data:ü", "data", ": c", "event: e", "error: {}", "{}", "", "", "id: 1", "data: 😀\u2028x"]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(lines, max_size=12), st.sampled_from(["\n", "\r\n", "\r"]), st.integers(0, 1000))
def test_where_the_bytes_are_cut_never_matters(parts: list[str], end: str, seed: int) -> None:
    stream = "".join(part + end for part in parts).encode()
    assert read(*scattered(stream, seed)) == read(stream)


async def source(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def all_of(*chunks: bytes) -> list[ServerEvent]:
    return [event async for batch in events(source(*chunks)) for event in batch]


async def test_a_whole_json_document_is_one_event_however_it_is_laid_out() -> None:
    assert await all_of(b"\n\n \n", b'{\n "a":', b"\n\n 1}\n") == data('{\n "a":\n\n 1}')


async def test_json_values_in_a_row_are_an_event_each_and_the_rest_is_kept() -> None:
    cut = ServerEvent("", '{"c"', ended=False)
    assert await all_of(b'{"a": 1}\n{"b": 2}\n{"c"') == [*data('{"a": 1}', '{"b": 2}'), cut]


async def test_a_web_page_is_one_event() -> None:
    assert await all_of(b"<!doctype html>\n", b"\ndata: no") == [
        ServerEvent("", "<!doctype html>\n\ndata: no", ended=False)
    ]


async def test_empty_stream_has_no_events() -> None:
    assert await all_of() == []
    assert await all_of(b"\n", b" ") == []


async def test_a_stream_after_blank_lines_is_a_stream() -> None:
    assert await all_of(b"\n", b"\xef\xbb\xbf\n: x\ndata: a\n\n", b"data: b\n\n") == data("a", "b")


async def test_a_document_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "LARGEST", 100)
    with pytest.raises(BodyTooLarge):
        await all_of(b"{", b" " * 200)
    with pytest.raises(BodyTooLarge):
        await all_of(b" " * 200)


async def test_lines_of_json_are_handed_on_as_they_come() -> None:
    async def spoken() -> AsyncIterator[bytes]:
        yield b' \n{"a":'
        yield b'1}\n{"a":2}\n{"b'
        assert heard == [ServerEvent("", '{"a":1}'), ServerEvent("", '{"a":2}')]
        yield b'":3}'

    heard: list[ServerEvent] = []
    async for batch in events(spoken()):
        heard += batch
    assert heard[2:] == [ServerEvent("", '{"b":3}', ended=False)]


@pytest.mark.parametrize("body", [b'[{"a":1}]', b'[{"a":1}]\n', b'[\n{"a":1}\n]'])
async def test_a_list_is_a_document_wherever_it_is_cut(body: bytes) -> None:
    for cut in range(len(body)):
        assert await all_of(body[:cut], body[cut:]) == [ServerEvent("", body.decode().strip())]


async def test_many_lines_may_be_larger_than_one_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "LARGEST", 30)
    line = b'{"a":1}\n'
    assert len(await all_of(*[line] * 20)) == 20


async def test_a_body_that_is_no_stream_of_events_is_one_event() -> None:
    assert await all_of(b"upstream ", b"timed out\nat 10:04\n") == data("upstream timed out")
    assert await all_of(b": ping\n\nnonsense\n") == []
    assert await all_of(b"dat") == [], "a stream that broke off"

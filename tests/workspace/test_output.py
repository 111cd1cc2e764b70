"""What commands print, made safe and short."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agls.terminal_codes import without_colours
from agls.workspace import output
from agls.workspace.output import Live, OutputBuffer, plain

ESCAPES = {
    "colour": "\x1b[1;31mred\x1b[0m",
    "256 colours": "\x1b[38;5;196mred\x1b[m",
    "cursor": "\x1b[2J\x1b[10;20Hred\x1b[?25l",
    "title": "\x1b]0;a title\x07red",
    "title with ST": "\x1b]2;a title\x1b\\red",
    "hyperlink": "\x1b]8;;https://evil.example\x1b\\red\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;cm0gLXJm\x07red",
    "DCS": "\x1bPq#0;2;0;0;0\x1b\\red",
    "APC": "\x1b_payload\x1b\\red",
    "PM and SOS": "\x1b^x\x1b\\red\x1bXy\x1b\\",
    "eight-bit CSI": "\x9b31mred",
    "eight-bit OSC": "\x9d0;title\x9cred",
    "character set": "\x1b(Bred\x1b)0",
    "reset": "\x1bcred",
    "cut CSI": "red\x1b[31",
    "cut escape": "red\x1b",
    "bell and delete": "\x07red\x7f",
    "backspace": "\x07x\x08red",
    "spinner": "|\x08/\x08-\x08red",
    "percentage": "re 9%\x08\x08\x08d\x1b[K",
    "backspaces behind the beginning": "x\x08\x08\x08red",
    "printed twice, as for bold text": "r\x08re\x08ed\x08d",
    "underlined": "_\x08r_\x08e_\x08d",
    "NUL": "\0red\0",
    "NEL": "red\x85",
    "overwritten line": "green\rred",
    "progress": "10%\r20%\r100%\rred\r",
}


@pytest.mark.parametrize("text", ESCAPES.values(), ids=ESCAPES.keys())
def test_terminal_escapes_and_controls_are_removed(text: str) -> None:
    assert plain(text) == "red"


def test_backspaces_delete_nothing_that_is_not_written_over() -> None:
    assert plain("one\b\b\ntwo\b\bx\nthr\0ee\b\bE\n") == "one\ntxo\nthrEe\n"


def test_line_ends_and_tabs_stay() -> None:
    assert plain("a\r\nb\r\r\n\tc\n") == "a\nb\n\tc\n"


@pytest.mark.parametrize("char", ["\u202e", "\u2066", "\u200b", "\ufeff", "\U000e0041", "\u00ad", "\u2028"])
def test_invisible_characters_are_made_visible(char: str) -> None:
    assert plain(f"a{char}b") == f"a<U+{ord(char):04X}>b"


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    assert not any((ord(c) < 32 and c not in "\t\n") or 127 <= ord(c) < 160 for c in plain(text))


@given(st.lists(st.sampled_from([*ESCAPES.values(), "ä", "\n", "x"]), max_size=8).map("".join), st.data())
def test_live_text_does_not_depend_on_where_the_pieces_are_cut(text: str, data: st.DataObject) -> None:
    raw = text.encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=5)))
    live = Live()
    pieces = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    shown = "".join(live.feed(piece) for piece in pieces) + live.finish()
    whole = Live()
    assert without_colours(shown) == without_colours(whole.feed(raw) + whole.finish())
    assert "\x1b" not in without_colours(shown)


def test_live_text_has_the_colours_of_each_line_by_itself_and_no_other_codes() -> None:
    live = Live()
    assert live.feed(b"a \x1b[31mred\nstill\x1b[2J") == "a \x1b[31mred\x1b[0m\n\x1b[31mstill\x1b[0m"
    assert live.feed(b" on\x1b[0m, plain\x1b[") == "\x1b[31m on\x1b[0m, plain"
    assert live.feed(b"32mgreen\x1b]0;title\x07\x1b[m end") == "\x1b[32mgreen\x1b[0m end"
    assert live.feed(b"plain\x1b[2K") + live.finish() == "plain"


def test_a_flood_is_thinned_out_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(output.time, "monotonic", lambda: now[0])
    live = Live()
    first = live.feed(b"a" * 1_000_000)
    assert len(first) == 1_000_000
    assert live.feed(b"b" * 50_000) == ""
    now[0] = 1.0
    assert live.feed(b"c" * 10) == "\n[50,000 bytes are not shown]\ncccccccccc"
    assert live.feed(b"d" * 300_000) == ""
    assert live.finish() == "\n[300,000 bytes are not shown]\n"


def test_head_and_tail_are_kept_and_the_rest_is_counted() -> None:
    kept = OutputBuffer(20)
    for piece in (b"0123456789", b"x" * 1000, b"y" * 7, b"ABCDEFGHIJ"):
        kept.feed(piece)
    assert kept.total == 1027
    assert kept.text() == "0123456789\n[1,007 bytes are left out here]\nABCDEFGHIJ"


def test_output_that_fits_is_kept_whole_though_it_came_in_pieces() -> None:
    kept = OutputBuffer(20)
    for piece in ("ä".encode()[:1], "ä".encode()[1:], b"bcd", b"e" * 10):
        kept.feed(piece)
    assert kept.text() == "äbcdeeeeeeeeee"


def test_characters_cut_by_the_middle_do_not_show() -> None:
    kept = OutputBuffer(6)
    kept.feed("ääää€€€€".encode())
    assert kept.text() == "ä\n[14 bytes are left out here]\n€"


def test_buffer_of_size_zero_keeps_nothing() -> None:
    kept = OutputBuffer(0)
    kept.feed(b"abc")
    assert kept.text() == "\n[3 bytes are left out here]\n"


def test_a_long_line_and_a_storm_of_escapes_are_done_in_time() -> None:
    assert len(plain("x" * 1_000_000)) == 1_000_000
    assert "\x1b" not in plain("\x1b]" * 100_000 + "\x1b[" * 100_000)
    live = Live()
    for _ in range(100):
        live.feed(b"\x1b]0;" + b"z" * 1000)
    assert "\x1b" not in live.finish()

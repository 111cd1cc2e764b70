"""Bytes to text and back."""

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agls.engine.ports import WorkspaceError
from agls.workspace.decoding import LATIN1, UTF8, Binary, decode
from agls.workspace.texts import encode, with_plain_ends

pytestmark = pytest.mark.promise("P12")


@given(st.binary())
@example(codecs.BOM_UTF8 * 2 + b"x")
@example("\ufeffa\r\n\rb\n".encode("utf-16-le"))
@example("caf\xe9\r".encode("latin-1"))
@example(codecs.BOM_UTF16_BE + b"\xd8\x00")
def test_whatever_is_taken_for_text_is_written_back_byte_for_byte(data: bytes) -> None:
    try:
        text, encoding = decode(data)
    except Binary:
        return
    assert encode(text, encoding) == data


@pytest.mark.parametrize(
    ("data", "text", "name"),
    [
        (b"", "", "utf-8"),
        (b"a\r\nb\rc\n", "a\r\nb\rc\n", "utf-8"),
        (codecs.BOM_UTF8 + "ä".encode(), "ä", "utf-8"),
        (codecs.BOM_UTF16_LE + "ä\r\n".encode("utf-16-le"), "ä\r\n", "utf-16-le"),
        (codecs.BOM_UTF16_BE + "ä".encode("utf-16-be"), "ä", "utf-16-be"),
        (b"caf\xe9 au lait, sans marque", "café au lait, sans marque", "latin-1"),
    ],
)
def test_the_encoding_is_recognised(data: bytes, text: str, name: str) -> None:
    decoded, encoding = decode(data)
    assert (decoded, encoding.name) == (text, name)
    assert encoding.guessed == (name == "latin-1")


@pytest.mark.parametrize(
    "data",
    [
        b"a\0b",
        b"\x89PNG\r\n\x1a\n\0\0",
        codecs.BOM_UTF16_LE + b"a",
        b"\xff\x01\x02\x03\x04",
        codecs.BOM_UTF32_LE,
    ],
)
def test_data_that_is_no_text_is_binary(data: bytes) -> None:
    with pytest.raises(Binary):
        decode(data)


def test_a_character_the_encoding_lacks_is_named_with_its_line() -> None:
    with pytest.raises(WorkspaceError, match=r"'→' in line 2 .*latin-1"):
        encode("a\nb → c", LATIN1)
    with pytest.raises(WorkspaceError, match="line 1"):
        encode("\ud800", UTF8)


def test_line_ends_and_marks_are_no_difference_between_editor_and_disk() -> None:
    assert with_plain_ends("\ufeffa\r\nb\rc\n") == "a\nb\nc\n"

"""Keys in what tools give, however they are spelled."""

import base64
import html
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agls.redaction import without
from agls.terminal_codes import KEY_MARK
from support.patience import within

pytestmark = pytest.mark.promise("P10")

KEY = "sk-Test+key/0815&4711=ü'\"x"
SPELLINGS = {
    "plain": KEY,
    "JSON": json.dumps(KEY)[1:-1],
    "JSON with letters": json.dumps(KEY, ensure_ascii=False)[1:-1],
    "URL": quote(KEY, safe=""),
    "URL in small letters": quote(KEY, safe="").lower().replace("sk-test", "sk-Test"),
    "URL, everything": "".join(f"%{byte:02x}" for byte in KEY.encode()),
    "HTML": html.escape(KEY),
    "HTML numbers": "".join(f"&#{ord(char)};" for char in KEY),
    "HTML hexadecimal numbers": "".join(f"&#x{ord(char):X};" for char in KEY),
    "hexadecimal": KEY.encode().hex(),
    "hexadecimal capitals": KEY.encode().hex().upper(),
    "hexadecimal with spaces": KEY.encode().hex(" "),
    "escapes": "".join(f"\\x{byte:02x}" for byte in KEY.encode()),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_key_is_found_in_every_spelling(name: str) -> None:
    text = f"before {SPELLINGS[name]} after"
    assert without([KEY], text).replace("\\x", "") == f"before {KEY_MARK} after"


@given(st.binary(max_size=40), st.binary(max_size=40), st.sampled_from(["url", "standard", "wrapped"]))
def test_a_key_is_found_wherever_it_stands_in_base64(before: bytes, after: bytes, kind: str) -> None:
    data = before + KEY.encode() + after
    encode = {
        "url": base64.urlsafe_b64encode,
        "standard": base64.b64encode,
        "wrapped": base64.encodebytes,
    }[kind]
    assert KEY_MARK in without([KEY], encode(data).decode())


@given(st.text())
def test_a_text_without_a_key_stays_as_it_is(text: str) -> None:
    assert without([KEY, "abc", ""], text) == text or KEY in text


def test_long_texts_and_many_keys_are_fast() -> None:
    keys = [f"sk-{number:020}" for number in range(30)]
    text = "c2stMDAw MDAw" * 8_000 + "736b2d 30" * 8_000 + "&#115;" * 8_000 + "%73" * 8_000
    # Work that grows with the square of the text would take half a minute and more.
    for watch in within(8.0):
        with watch:
            without(keys, text)

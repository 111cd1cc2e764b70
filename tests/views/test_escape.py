"""What is shown in a terminal has nothing in it that cannot be seen."""

import unicodedata

from agls.views.escape import escape_controls


def test_character_that_cannot_be_seen_is_written_as_an_escape() -> None:
    kept = {"\t", "\n", "\u200c", "\u200d", *map(chr, range(0xFE00, 0xFE10))}  # joiners, selectors of emoji
    hidden = [c for c in map(chr, range(0x10000)) if unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp"}]
    hidden += ["\u115f", "\u3164", "\uffa0", "\U000e0041", "\U000e01ef"]
    shown = [c for c in hidden if c not in kept and unicodedata.bidirectional(c) not in {"AL", "AN"}]
    assert len(shown) > 80
    assert [hex(ord(c)) for c in shown if escape_controls(c) == c] == []


def test_text_of_people_stays_as_it_is() -> None:
    for text in (
        "a\tb\n",
        "ü 日本語 العربية עברית",
        "👩\u200d👩\u200d👧 ☃\ufe0f",
        "می\u200cخواهم",
        "e\u0301",
    ):
        assert escape_controls(text) == text

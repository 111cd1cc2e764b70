"""Reads the text of a permission question back to the letter, as whoever answers it would."""

import re

MARGIN = "│ "
_SIGN = re.compile(r"⟨(?:U\+([0-9A-F]+)|(\d+) (space|tab|line end)s?)⟩(\n?)")
_MEANT = {"space": " ", "tab": "\t", "line end": "\n"}

# Characters that show nothing, or that make others show something else.
HIDDEN = {
    "carriage return": "\r", "escape": "\x1b[2K", "backspace": "\b", "bell": "\a", "delete": "\x7f",
    "vertical tab": "\v", "form feed": "\f", "C1 control": "\x9b2K", "next line": "\x85", "NUL": "\0",
    "line separator": "\u2028", "paragraph separator": "\u2029", "no-break space": "\u00a0",
    "em space": "\u2003", "ideographic space": "\u3000", "narrow space": "\u202f", "ogham space": "\u1680",
    "zero width space": "\u200b", "zero width non-joiner": "\u200c", "zero width joiner": "\u200d",
    "word joiner": "\u2060", "invisible times": "\u2062", "byte order mark": "\ufeff",
    "left to right mark": "\u200e", "right to left mark": "\u200f", "arabic letter mark": "\u061c",
    "left to right embedding": "\u202a", "right to left embedding": "\u202b", "pop direction": "\u202c",
    "left to right override": "\u202d", "right to left override": "\u202e",
    "left to right isolate": "\u2066", "right to left isolate": "\u2067", "first strong isolate": "\u2068",
    "pop isolate": "\u2069", "inhibit swapping": "\u206a", "soft hyphen": "\u00ad", "tag": "\U000e0041",
    "language tag": "\U000e0001", "variation selector": "\ufe0f", "supplementary selector": "\U000e0101",
    "hangul filler": "\u3164", "half-width hangul filler": "\uffa0", "choseong filler": "\u115f",
    "jungseong filler": "\u1160", "braille blank": "\u2800", "combining grapheme joiner": "\u034f",
    "khmer inherent vowel": "\u17b4", "mongolian separator": "\u180e", "mongolian selector": "\u180b",
    "private use": "\ue000", "supplementary private use": "\U000f0000", "interlinear annotation": "\ufff9",
    "unassigned and ignorable": "\ufff0", "reserved and ignorable": "\u2065", "musical": "\U0001d173",
    "a pile of marks": "e" + "\u0301" * 40, "hyperlink": "\x1b]8;;http://evil\x07",
    "clipboard": "\x1b]52;c;eA==\x07", "device control": "\x1bPx\x1b\\", "title": "\x1b]0;x\x07",
}  # fmt: skip


def read_back(shown: str) -> str:
    """What the quoted lines of a question's text say, with what is spelled out and counted put back."""
    quoted = [line.removeprefix(MARGIN) for line in shown.split("\n") if line.startswith(MARGIN.rstrip())]
    return _SIGN.sub(_meant, "\n".join("" if line == MARGIN.rstrip() else line for line in quoted))


def _meant(sign: re.Match[str]) -> str:
    code, count, name, after = sign.groups()
    if code:
        return chr(int(code, 16)) + after
    return _MEANT[name] * int(count) + ("" if name == "line end" else after)

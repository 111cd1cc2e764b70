"""Texts without what terminals obey (ECMA-48: CSI, OSC, DCS ...), with what cannot be seen spelled out."""

from agls.regex import regex

# None of these looks at a character more than twice, whatever the text: a string ends where another begins.
STRING = r"(?:\x1b[PX^_\]]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]{0,4096}"  # OSC, DCS ...
CODE = regex(
    rf"{STRING}(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROL = regex(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_INVISIBLE = regex(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_LINE_END = regex(r"\r\n?")


def without_codes(text: str) -> str:
    """Return a text that somebody else wrote, with all of its lines. Never raises."""
    return spelled_out(CODE.sub("", _LINE_END.sub("\n", text)))


def spelled_out(text: str) -> str:
    """Return the text without control characters, and with invisible ones spelled out."""
    return _INVISIBLE.sub(lambda found: f"<U+{ord(found[0]):04X}>", _CONTROL.sub("", text))

"""Texts that others wrote: without what terminals obey (ECMA-48: CSI, OSC, DCS ...), and between marks.

What cannot be seen is spelled out in them.
"""

from collections import defaultdict, deque
from hashlib import sha256

from agls.regex import regex

# None of these looks at a character more than twice, whatever the text: a string ends where another begins.
STRING = r"(?:\x1b[PX^_\]]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]{0,4096}"  # OSC, DCS ...
CODE = regex(
    rf"{STRING}(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI
    r"|\x1b[ -/]*[0-~]?"
)
COLOUR = regex(r"(\x1b\[[0-9;:]{0,40}m)")  # SGR, of ECMA-48 too
_CONTROL = regex(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_INVISIBLE = regex(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_LINE_END = regex(r"\r\n?")
_BEGIN, _END = "<untrusted ", "</untrusted "
KEY_MARK = "[secret]"  # in the place of a key of the user (`redaction.py`)
_SHORTEST = 4  # digits of a name


def without_codes(text: str) -> str:
    """Return a text that somebody else wrote, with all of its lines. Never raises."""
    return spelled_out(CODE.sub("", _LINE_END.sub("\n", text)))


def spelled_out(text: str) -> str:
    """Return the text without control characters, and with invisible ones spelled out."""
    return _INVISIBLE.sub(lambda found: f"<U+{ord(found[0]):04X}>", _CONTROL.sub("", text))


def without_colours(text: str) -> str:
    """Return a text without the colours that it has."""
    return COLOUR.sub("", text)


def coloured_if_same(coloured: str, text: str) -> str:
    """Return the text in its colours where it is the same without them, else alone: it lost a key, then."""
    return coloured if without_colours(coloured) == text else text


def in_colours(text: str, lines: str) -> str:
    """Return `text` with the colours that some `lines` of it have; "" where it has none of them.

    A line that is not among them, or not in their order, stays as it is: without its colours the answer is
    `text` to the letter.
    """
    places: defaultdict[str, deque[tuple[int, str]]] = defaultdict(deque)
    for number, line in enumerate(lines.split("\n")):
        places[without_colours(line)].append((number, line))
    made: list[str] = []
    at = 0
    for line in text.split("\n"):
        known = places.get(line, deque())
        while known and known[0][0] < at:
            known.popleft()
        at, shown = (known[0][0] + 1, known[0][1]) if known else (at, line)
        made.append(shown)
    coloured = "\n".join(made)
    return coloured if coloured != text else ""


def enclosed(text: str) -> str:
    """**Returns** what a program printed between marks, without what terminals obey; "" stays so.

    Nobody vouches for what it says. The name of a mark is one that the text does not hold, so no text can
    end its own mark: `<untrusted 3fa9>` … `</untrusted 3fa9>`. The codes go first: one could stand in a
    mark, and be gone when the model reads it.
    """
    clean = without_codes(text)
    if not clean.strip():
        return ""
    name = mark_name(clean)
    return f"{_BEGIN}{name}>\n{clean}\n{_END}{name}>"


def without_marks(text: str) -> str:
    """**Returns** a text for people: without the first marks in it that belong together."""
    at = 0 if text.startswith(_BEGIN) else text.find(f"\n{_BEGIN}") + 1
    if not text.startswith(_BEGIN, at):
        return text
    begin, _, rest = text[at:].partition("\n")
    end = f"\n{_END}{begin.removeprefix(_BEGIN)}"
    inside, found, behind = rest.rpartition(end)
    return f"{text[:at]}{inside}{behind}" if found and begin.endswith(">") else text


def mark_name(text: str) -> str:
    """**Returns** a name that the text does not hold, the same one for the same text."""
    digits = sha256(text.encode("utf-8", "replace")).hexdigest()
    return next(digits[:size] for size in range(_SHORTEST, len(digits) + 1) if digits[:size] not in text)

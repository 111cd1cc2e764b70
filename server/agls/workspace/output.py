"""The output of a command, as text that is safe to show and to read.

Terminal escapes (ECMA-48: CSI, OSC, DCS and kin) and control characters are removed; invisible and
direction-changing characters are made visible. Of a line that overwrites itself with carriage returns or
backspaces the last state is kept.
"""

import codecs
import os
import re
import time

from agls.regex import regex
from agls.terminal_codes import CODE, STRING, spelled_out

_UNFINISHED = regex(rf"(?:{STRING}\x1b?|(?:\x1b\[|\x9b)[0-?]*[ -/]*|\x1b[ -/]*|(?<!\r)\r+)\Z")
_ERASE = regex(r"(?:\x1b\[|\x9b)0?K")  # EL: the rest of the line goes
_REST = "\0"  # stands for it
_STRANGE = regex(r"[\x00-\x06\x0e-\x1a\x1c-\x1f]")  # in no text, but for NUL between names
_SAMPLE = 8_192  # bytes that decide whether an output is text ...
_FEWEST = 100  # ... so many at least: what is shorter is shown as it is
_FIRST = 16  # bytes of what is no text that are shown
_NOT_TEXT = (
    "[{total:,} bytes that are not text in UTF-8, so they are not shown. They begin with {begin}. Write them "
    "to a file, or show them with xxd, base64 or iconv.]"
)
_BURST = 1_000_000  # bytes that are shown at once ...
_RATE = 256_000  # ... and bytes per second that are shown of a flood


def plain(text: str) -> str:
    """Return the text as a person would see it in the end. Never raises."""
    if "\b" in text:
        text = _ERASE.sub(_REST, text.replace(_REST, ""))
    return spelled_out("\n".join(map(_last_state, CODE.sub("", text).split("\n"))))


def _last_state(line: str) -> str:
    """Return a line as a terminal shows it in the end."""
    line = line.rstrip("\r").rpartition("\r")[2]
    if "\b" not in line:
        return line
    cells: list[str] = []
    at = 0
    for char in line:
        if char == "\b":
            at = max(at - 1, 0)
        elif char == _REST:
            del cells[at:]
        elif char >= " " or char == "\t":
            cells[at : at + 1] = [char]
            at += 1
    return "".join(cells)


def is_text(data: bytes | bytearray) -> bool:
    """Return whether these bytes are text in UTF-8, in the main; few always are."""
    text = data[:_SAMPLE].decode("utf-8", "replace")
    strange = text.count("\ufffd") + len(_STRANGE.findall(text))
    return len(text) < _FEWEST or strange * 10 <= len(text)


class Live:
    """Bytes to text while they come; characters and escapes may be cut anywhere between two pieces.

    It has its colours, each line by itself, and no other codes.

    A flood is thinned out: what is beyond the rate is left out, with a note that says how much; so is what is
    no text.
    """

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._budget, self._at = float(_BURST), time.monotonic()
        self._skipped = 0
        self._on = ""  # the colours that are on

    def feed(self, data: bytes) -> str:
        """Return the text to show now; "" when there is none yet."""
        now = time.monotonic()
        self._budget, self._at = min(_BURST, self._budget + (now - self._at) * _RATE), now
        if len(data) > self._budget or not is_text(data):
            self._skipped += len(data)
            return ""
        self._budget -= len(data)
        return self._note() + self._text(data)

    def finish(self) -> str:
        """Return the text that was held back."""
        return self._note() + self._text(b"", final=True)

    def _note(self) -> str:
        if not self._skipped:
            return ""
        note = f"\n[{self._skipped:,} bytes are not shown]\n"
        self._skipped, self._rest = 0, ""
        self._decode.reset()
        return note

    def _text(self, data: bytes, *, final: bool = False) -> str:
        text = self._rest + self._decode.decode(data, final)
        cut = None if final else _UNFINISHED.search(text)
        self._rest = text[cut.start() :] if cut else ""
        text = re.sub(r"\r+\n?", "\n", text[: cut.start()] if cut else text)
        if not self._on and "\x1b[" not in text:
            return spelled_out(CODE.sub("", text))
        from agls.workspace.output_colours import coloured_piece  # noqa: PLC0415 - few outputs have colours

        shown, self._on = coloured_piece(text, self._on)
        return shown


class OutputBuffer:
    """The first and the last bytes of an output, half of `keep` each, and the count of all."""

    def __init__(self, keep: int) -> None:
        self._half = max(keep, 0) // 2
        self._head, self._tail = bytearray(), bytearray()
        self.total = 0

    def feed(self, data: bytes) -> None:
        """Take in more output."""
        self.total += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * self._half:
            del self._tail[: len(self._tail) - self._half]

    def exact(self) -> str:
        """Return the output as file names are decoded, "" when not all of it was kept."""
        kept = bytes(self._head + self._tail)
        return os.fsdecode(kept) if len(kept) == self.total else ""

    def text(self) -> str:
        """Return the output as plain text, with a note where the middle is left out."""
        tail = self._tail[max(0, len(self._tail) - self._half) :]
        left_out = self.total - len(self._head) - len(tail)
        if not (is_text(self._head) and is_text(tail[-_SAMPLE:])):
            return _NOT_TEXT.format(total=self.total, begin=bytes(self._head[:_FIRST]).hex(" "))
        if not left_out:
            return plain(_decoded(self._head + tail))
        begin = _decoded(self._head, final=False)
        end = _decoded(tail.lstrip(bytes(range(0x80, 0xC0))))
        return f"{plain(begin)}\n[{left_out:,} bytes are left out here]\n{plain(end)}"

    def coloured(self) -> str:
        """Return the lines of the same that have colours, and those beside them; "" where none has any."""
        tail = self._tail[max(0, len(self._tail) - self._half) :]
        if b"\x1b[" not in self._head and b"\x1b[" not in tail:
            return ""
        from agls.workspace.output_colours import coloured_lines  # noqa: PLC0415 - few outputs have colours

        if self.total == len(self._head) + len(tail):
            return coloured_lines(_decoded(self._head + tail))
        parts = (_decoded(self._head, final=False), _decoded(tail.lstrip(bytes(range(0x80, 0xC0)))))
        return "\n".join(filter(None, map(coloured_lines, parts)))


def _decoded(data: bytes | bytearray, *, final: bool = True) -> str:
    """Return the text; a NUL, as `find -print0` writes it between names, is spelled out."""
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(data, final)
    return text.replace("\0", "\\0")

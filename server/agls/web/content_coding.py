"""Compressed bodies, decoded up to a limit: what a few bytes unfold to is never held whole."""

import zlib

from agls.room.web_ports import WebError

ACCEPTED = "gzip, deflate"
_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}
PLAIN = {"", "identity"}


class BodyDecoder:
    """Takes in a body in pieces and holds the first `most` bytes of what it means.

    **Raises** `WebError` for a coding that was not asked for, and for a body that is damaged.
    """

    def __init__(self, coding: str, most: int) -> None:
        self._coding = coding.strip().lower()
        if self._coding not in _WINDOWS and self._coding not in PLAIN:
            raise WebError(f"The server sent the page as {self._coding[:40]!r}, which was not requested.")
        self._most = most
        self._unpack = None if self._coding in PLAIN else zlib.decompressobj(_WINDOWS[self._coding])
        self.data = bytearray()
        self.is_cut = False

    def feed(self, piece: bytes) -> bool:
        """Take in a piece. **Returns** whether more is wanted."""
        room = self._most - len(self.data)
        self.data += self._unpacked(piece, room + 1)
        if len(self.data) > self._most:
            del self.data[self._most :]
            self.is_cut = True
        return not self.is_cut

    def _unpacked(self, piece: bytes, room: int) -> bytes:
        if self._unpack is None:
            return piece[:room]
        try:
            return self._unpack.decompress(piece, room)
        except zlib.error:
            if self._coding == "deflate" and not self.data:  # many servers leave the frame of RFC 1950 out
                self._unpack, self._coding = zlib.decompressobj(-zlib.MAX_WBITS), "raw deflate"
                return self._unpacked(piece, room)
            raise WebError(
                "The page is damaged: it cannot be unpacked. Try again, or another page."
            ) from None

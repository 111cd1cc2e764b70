"""Images that are whole."""

from struct import pack
from zlib import compress, crc32


def png(width: int = 3, height: int = 2) -> bytes:
    """A grey image."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return pack(">I", len(data)) + kind + data + pack(">I", crc32(kind + data))

    rows = compress((b"\0" + b"\x80" * width) * height)
    head = pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")

"""Images: which ones models can see, which are too large to be sent, and what they are in words."""

from base64 import b64encode
from typing import Literal

from agls.engine.vocabulary import Image
from agls.frozen import frozen

LARGEST = 3_500_000  # bytes: as base64 they are what the strictest of the usual services takes
LONGEST = 8_000  # pixels of a side, for the same reason
_PNG = b"\x89PNG\r\n\x1a\n"
_TRAILING = 4_096  # bytes in which the end of a JPEG or GIF is looked for: others may stand behind it
_SIGNATURES = {_PNG: "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
_OTHERS = (  # images in forms that no usual service takes: where in the bytes the mark stands, and their name
    (0, b"BM", "BMP"),
    (0, b"II*\0", "TIFF"),
    (0, b"MM\0*", "TIFF"),
    (0, b"\0\0\1\0", "ICO"),
    (0, b"8BPS", "Photoshop"),
    (0, b"\xff\x0a", "JPEG XL"),
    (4, b"JXL \r\n", "JPEG XL"),
    (4, b"ftypavif", "AVIF"),
    (4, b"ftypavis", "AVIF"),
    (4, b"ftypheic", "HEIC"),
    (4, b"ftypheix", "HEIC"),
    (4, b"ftypmif1", "HEIF"),
    (4, b"jP  \r\n", "JPEG 2000"),
)
_SEGMENTS = 1_000  # of a JPEG that are looked through
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # the JPEG segments that hold the size


DAMAGED = "{}. It is not shown, because models refuse what they cannot decode: {}. Get a whole copy of it."


class Unshowable(ValueError):
    """The image cannot be shown to a model: too large, or damaged. The message says so and what to do."""


@frozen
class Picture:
    """An image, and the words that say what it is."""

    words: str
    image: Image


def media_type(data: bytes) -> str:
    """Return the media type of an image that models can see, "" for anything else, whatever its name says."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _SIGNATURES.items() if data.startswith(magic)), "")


def picture(name: str, data: bytes) -> Picture | None:
    """Return the image in these bytes, `None` when they are none. **Raises** `Unshowable`.

    It may be damaged; see `whole_picture`.
    """
    if not (kind := media_type(data)):
        return None
    sides = _sides(kind, data)
    pixels = f"{sides[0]}×{sides[1]} pixels, " if sides else ""
    words = f"{name}: {kind}, {pixels}{len(data):,} bytes"
    if len(data) > LARGEST or max(sides, default=0) > LONGEST:
        raise Unshowable(
            f"{words}. It is too large to be looked at: up to {LARGEST:,} bytes and {LONGEST:,} pixels a "
            "side are possible. Make a smaller copy of it, and look at that."
        )
    return Picture(f"[{words}]", Image(b64encode(data).decode("ascii"), kind))


def whole_picture(name: str, data: bytes) -> Picture | None:
    """Return the image in these bytes, `None` when they are none.

    **Raises** `Unshowable`, also for one that is damaged or cut off.
    """
    found = picture(name, data)
    if found and (wrong := damage(data)):
        raise Unshowable(DAMAGED.format(found.words.strip("[]"), wrong))
    return found


def damage(data: bytes) -> str:
    """Return what is wrong with an image that models could see, "" when it is whole or no image."""
    match media_type(data):
        case "image/png":
            return _damage_of_png(data)
        case "image/jpeg":
            return "" if b"\xff\xd9" in data[-_TRAILING:] else "its end is missing"
        case "image/gif":
            return "" if b"\x3b" in data[-_TRAILING:] else "its end is missing"
        case "image/webp":
            return "" if len(data) >= int.from_bytes(data[4:8], "little") + 8 else "its end is missing"
        case _:
            return ""


def _damage_of_png(data: bytes) -> str:
    from zlib import crc32  # noqa: PLC0415 - most sessions look at no image

    at = len(_PNG)
    while at + 12 <= len(data):
        kind, end = data[at + 4 : at + 8], at + 12 + int.from_bytes(data[at : at + 4])
        if end > len(data):
            break
        if crc32(data[at + 4 : end - 4]) != int.from_bytes(data[end - 4 : end]):
            return f"its part {kind.decode('ascii', 'replace')} is damaged"
        if kind == b"IEND":
            return ""
        at = end
    return "its end is missing"


def other_image(name: str, data: bytes) -> str:
    """Return what an image is whose format no model sees, and what to do; "" for anything else."""
    form = next((form for at, mark, form in _OTHERS if data.startswith(mark, at)), "")
    if not form:
        return ""
    sides = _other_sides(form, data)
    pixels = f"{sides[0]}×{sides[1]} pixels, " if sides else ""
    return (
        f"{name}: an image in the format {form}, {pixels}{len(data):,} bytes. No model can be shown this "
        "format: make a copy of it as PNG (magick, ffmpeg or Python can, where they are), and read that."
    )


def _other_sides(form: str, data: bytes) -> tuple[int, ...]:
    """Return width and height; nothing where the bytes do not say them at a fixed place."""
    match form:
        case "BMP":
            found = _numbers(data, "little", (18, 22), 4)
        case "ICO":
            found = tuple(side or 256 for side in data[6:8])
        case "Photoshop":
            height, width = _numbers(data, "big", (14, 18), 4)
            found = (width, height)
        case "AVIF" | "HEIC" | "HEIF":
            at = data.find(b"ispe")
            found = _numbers(data, "big", (at + 8, at + 12), 4) if at > 0 else ()
        case _:
            found = ()
    return found if all(found) else ()


def _sides(kind: str, data: bytes) -> tuple[int, ...]:
    """Return width and height; nothing where the bytes do not have them."""
    match kind:
        case "image/png":
            found = _numbers(data, "big", (16, 20), 4)
        case "image/gif":
            found = _numbers(data, "little", (6, 8), 2)
        case "image/webp":
            found = _webp(data)
        case _:
            found = _jpeg(data)
    return found if all(found) else ()


def _webp(data: bytes) -> tuple[int, ...]:
    match data[12:16]:
        case b"VP8X":
            return tuple(side + 1 for side in _numbers(data, "little", (24, 27), 3))
        case b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case _:
            return tuple(side & 0x3FFF for side in _numbers(data, "little", (26, 28), 2))


def _jpeg(data: bytes) -> tuple[int, ...]:
    place = 2
    for _ in range(_SEGMENTS):
        if data[place : place + 1] != b"\xff" or place + 9 > len(data):
            break
        if data[place + 1] in _FRAMES:
            height, width = _numbers(data, "big", (place + 5, place + 7), 2)
            return width, height
        place += 1 if data[place + 1] == 0xFF else 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return ()


def _numbers(
    data: bytes, order: Literal["big", "little"], places: tuple[int, ...], size: int
) -> tuple[int, ...]:
    return tuple(int.from_bytes(data[place : place + size], order) for place in places)

"""What an image is in words: its type and size as its own bytes say them."""

import pytest

from agls.pictures import other_image, picture

JPEG = b"\xff\xd8\xff\xe0\x00\x04JF\xff\xff\xc2\x00\x11\x08\x00\x05\x00\x07\x03more"
SIZES = [
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x07\0\0\0\x05", "image/png, 7×5 pixels"),
    (b"GIF89a\x07\0\x05\0", "image/gif, 7×5 pixels"),
    (JPEG, "image/jpeg, 7×5 pixels"),
    (b"RIFF\0\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0\x06\0\0\x04\0\0", "image/webp, 7×5 pixels"),
    (b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x06\x00\x01\x00", "image/webp, 7×5 pixels"),
    (b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0abc\x9d\x01\x2a\x07\0\x05\0", "image/webp, 7×5 pixels"),
    (b"\x89PNG\r\n\x1a\n", "image/png, 8 bytes"),
    (b"\xff\xd8\xff\xe0\xff", "image/jpeg, 5 bytes"),
    (b"\xff\xd8" + b"\xff" * 5_000, "image/jpeg, 5,002 bytes"),
]


@pytest.mark.parametrize(("data", "words"), SIZES)
def test_words_of_an_image_say_its_type_and_size(data: bytes, words: str) -> None:
    seen = picture("it", data)
    assert seen
    assert seen.words.startswith(f"[it: {words}")
    assert seen.image.media_type == words.partition(",")[0]


def test_bytes_of_no_image_are_none() -> None:
    assert picture("it.png", b"text") is None


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"BM" + bytes(16) + b"\x07\0\0\0\x05\0\0\0", "BMP, 7×5 pixels, 26 bytes"),
        (b"8BPS\0\1" + bytes(8) + b"\0\0\0\x05\0\0\0\x07", "Photoshop, 7×5 pixels"),
        (b"\0\0\1\0\1\0\0\x10", "ICO, 256×16 pixels"),
        (b"\0\0\0\x20ftypavif" + b"ispe\0\0\0\0\0\0\0\x07\0\0\0\x05", "AVIF, 7×5 pixels"),
        (b"\0\0\0\x20ftypheic", "HEIC, 12 bytes"),
        (b"II*\0\x08\0\0\0", "TIFF, 8 bytes"),
    ],
)
def test_image_in_another_format_is_described_with_what_to_do(data: bytes, words: str) -> None:
    assert other_image("it", data).startswith(f"it: an image in the format {words}")
    assert "make a copy of it as PNG" in other_image("it", data)
    assert picture("it", data) is None


def test_bytes_of_no_image_are_not_described() -> None:
    assert other_image("it", b"\x7fELF") == ""

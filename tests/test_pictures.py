"""What an image is in words: its type and size as its own bytes say them."""

import pytest

from agls.pictures import picture

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

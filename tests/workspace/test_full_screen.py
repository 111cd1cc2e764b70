"""The signs of a program that waits on a whole screen, cut anywhere."""

import pytest

from agls.workspace import full_screen

DRAWN = b"".join(b"\x1b[%d;1H~" % row for row in range(1, 9))


@pytest.mark.parametrize(
    ("data", "stuck"),
    [
        (b"x\x1b[?1049hmenu", True),
        (b"x\x1b[?1049hmenu\x1b[?1049l", False),
        (b"\x1b[?47h\x1b[?47l\x1b[?1047h", True),
        (DRAWN, True),
        (b"\x1b[1;1H." * 20, False),
        (b"\x1b[31mred\x1b[0m \x1b[2K\x1b[1A", False),
        (b"\x1b]11;?\x07", True),
        (b"\x1b[c", True),
        (b"Vim: Warning: Output is not to a terminal\n", True),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1_000])
def test_signs_are_seen_however_the_output_is_cut(
    monkeypatch: pytest.MonkeyPatch, data: bytes, stuck: bool, size: int
) -> None:
    monkeypatch.setattr(full_screen, "GRACE", 0.0)
    watch = full_screen.ScreenWatch()
    for at in range(0, len(data), size):
        watch.feed(data[at : at + size])
    assert watch.is_stuck is stuck

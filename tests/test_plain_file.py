"""Files of others are read without waiting for whoever should write them."""

import os
from pathlib import Path

import pytest

from agls.plain_file import read_plain


def test_regular_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("abc")
    (tmp_path / "link").symlink_to("a")
    assert (read_plain(tmp_path / "a", 2), read_plain(str(tmp_path / "link"), 9)) == (b"ab", b"abc")


@pytest.mark.timeout(10)
def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero", ".", "absent"):
        with pytest.raises(OSError):
            read_plain(tmp_path / name, 9)

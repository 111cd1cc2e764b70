"""The power cut of the matrix leaves what a disk may leave, and no more."""

import os
from pathlib import Path

import pytest

from support.power_cut import PowerCut

SEEDS = range(60)


def flush(cut: PowerCut, path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    cut.flushed(fd)
    os.close(fd)


@pytest.fixture
def places(tmp_path: Path) -> list[Path]:
    made = [tmp_path / str(seed) for seed in SEEDS]
    for place in made:
        place.mkdir()
    return made


def test_flushed_bytes_stay_and_those_behind_may_be_lost(places: list[Path]) -> None:
    left = set[bytes]()
    for seed, place in zip(SEEDS, places, strict=True):
        file = place / "a"
        file.write_bytes(b"safe ")
        cut = PowerCut(place, seed)
        file.write_bytes(b"safe lost")
        cut.happen()
        left.add(file.read_bytes())
    assert {each[:5] for each in left} == {b"safe "}
    assert {b"safe ", b"safe lost"} < left
    assert any(b"\0" in each for each in left)


@pytest.mark.parametrize("is_flushed", [True, False])
def test_new_name_stays_only_when_its_folder_was_flushed(places: list[Path], is_flushed: bool) -> None:
    left = set[bool]()
    for seed, place in zip(SEEDS, places, strict=True):
        cut = PowerCut(place, seed)
        (place / "new").write_bytes(b"x")
        flush(cut, place / "new")
        if is_flushed:
            flush(cut, place)
        cut.happen()
        left.add((place / "new").exists())
    assert left == ({True} if is_flushed else {True, False})


def test_file_that_was_moved_over_another_is_one_of_both(places: list[Path]) -> None:
    left = set[bytes]()
    for seed, place in zip(SEEDS, places, strict=True):
        (place / "a").write_bytes(b"old")
        cut = PowerCut(place, seed)
        (place / "b").write_bytes(b"new")
        flush(cut, place / "b")
        (place / "b").replace(place / "a")
        cut.happen()
        left.add((place / "a").read_bytes())
    assert left == {b"old", b"new"}

"""The list for the model stays within its limit, and says what it leaves out."""

import pytest

from agls.features.skills.catalogue import CatalogueEntry, catalogue_of
from agls.features.skills.settings import Settings


def entries(count: int, words: int = 500) -> list[CatalogueEntry]:
    return [CatalogueEntry(f"skill-{n}", f"{n} " + "x" * words, "user") for n in range(count)]


@pytest.mark.parametrize("limit", [0, 100, 500, 1_000, 4_000, 8_000])
@pytest.mark.parametrize("count", [0, 1, 10, 40, 1_000])
def test_list_is_never_longer_than_its_limit(limit: int, count: int) -> None:
    made = catalogue_of(entries(count), limit)
    assert len(made.text) <= max(limit, 120)
    assert len(made.names) + made.left_out == count


def test_forty_skills_keep_their_names_and_the_beginning_of_their_descriptions() -> None:
    made = catalogue_of(entries(40), 8_000)
    assert made.left_out == 0
    assert made.cut
    assert made.cut > 100
    assert "(Descriptions are shortened.)" in made.text
    assert all(f"- skill-{n}: {n} x" in made.text for n in range(40))


def test_short_list_is_whole() -> None:
    assert catalogue_of(entries(1, 3), 8_000).text == "- skill-0: 0 xxx (user)"


def test_limit_follows_what_the_model_can_see() -> None:
    assert [Settings().within(window) for window in (None, 1_000_000, 32_000)] == [8_000, 8_000, 2_304]

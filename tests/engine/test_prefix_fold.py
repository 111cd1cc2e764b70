"""A fold over what grows looks at each member once."""

from agls.engine.prefix_fold import REMEMBERED, PrefixFold


def folding() -> tuple[PrefixFold[list[str]], list[str]]:
    """A fold that lists members, and the list of those it looked at."""
    looked: list[str] = []

    def add(value: list[str], members: tuple[str, ...]) -> list[str]:
        looked.extend(members)
        return value + list(members)

    return PrefixFold(list[str], add), looked


def test_prefix_fold_of_growing_members_looks_at_each_once() -> None:
    fold, looked = folding()

    found = [fold.of("s", tuple("abcde"[:end])) for end in range(6)]

    assert found == [list("abcde"[:end]) for end in range(6)]
    assert looked == list("abcde")


def test_prefix_fold_of_other_members_begins_anew() -> None:
    fold, looked = folding()
    fold.of("s", ("a", "b"))

    assert fold.of("s", ("summary", "b", "c")) == ["summary", "b", "c"]
    assert fold.of("s", ("summary",)) == ["summary"]
    assert looked == ["a", "b", "summary", "b", "c", "summary"]


def test_prefix_fold_keeps_keys_apart() -> None:
    fold, _ = folding()
    fold.of("s", ("a",))

    assert fold.of("t", ("b",)) == ["b"]
    assert fold.of("s", ("a", "c")) == ["a", "c"]


def test_prefix_fold_forgets_the_sequence_that_was_asked_for_longest_ago() -> None:
    fold, looked = folding()
    for number in range(REMEMBERED + 1):
        fold.of(number, ("a",))
    looked.clear()

    fold.of(1, ("a",))
    assert looked == []
    fold.of(0, ("a",))
    assert looked == ["a"]

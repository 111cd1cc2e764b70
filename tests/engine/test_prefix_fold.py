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

    found = [fold.of(tuple("abcde"[:end])) for end in range(6)]

    assert found == [list("abcde"[:end]) for end in range(6)]
    assert looked == list("abcde")


def test_prefix_fold_of_other_members_begins_anew() -> None:
    fold, looked = folding()
    fold.of(("a", "b", "c"))

    assert fold.of(("a", "pruned", "c", "d")) == ["a", "pruned", "c", "d"]
    assert fold.of(("a",)) == ["a"]
    assert looked == ["a", "b", "c", "a", "pruned", "c", "d", "a"]


def test_prefix_fold_keeps_sequences_apart() -> None:
    fold, looked = folding()
    fold.of(("a",))

    assert fold.of(("b",)) == ["b"]
    assert fold.of(("a", "c")) == ["a", "c"]
    assert looked == ["a", "b", "c"]


def test_prefix_fold_forgets_the_sequence_that_was_asked_for_longest_ago() -> None:
    fold, looked = folding()
    firsts = [str(number) for number in range(REMEMBERED + 1)]
    for first in firsts:
        fold.of((first,))
    looked.clear()

    fold.of((firsts[1],))
    assert looked == []
    fold.of((firsts[0],))
    assert looked == [firsts[0]]

"""Several patches of one file come to the lines that really changed."""

import random
from itertools import pairwise

import pytest

from agls.diff import compare
from agls.views.net_lines import NetLines


def counted(*texts: str | None) -> NetLines:
    """What the steps from each text to the next come to."""
    net = NetLines()
    for before, after in pairwise(texts):
        patch = compare("f", before, after or "")
        net.apply(patch.text, patch.insertions, patch.deletions)
    return net


@pytest.mark.parametrize(
    ("texts", "counts"),
    [
        (("a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\n"), (0, 0)),
        (("a\nb\nc\n", "a\nB\nc\n", "a\nBB\nc\n"), (1, 1)),
        ((None, "one\ntwo\n", "one\n"), (1, 0)),
        (("a\n", "a\nb\n", "a\nb\nc\n"), (2, 0)),
        (("a\nb\n", "", "b\na\n"), (1, 1)),
        (("a", "a\n", "a"), (0, 0)),
    ],
)
def test_net_lines_of_steps_are_those_of_first_and_last(
    texts: tuple[str | None, ...], counts: tuple[int, int]
) -> None:
    net = counted(*texts)
    assert net.is_known
    assert net.counts() == counts


def test_net_lines_add_up_and_never_exceed_the_steps() -> None:
    dice = random.Random(7)
    for _ in range(300):
        texts = ["".join(f"{dice.randrange(9)}\n" for _ in range(dice.randrange(12))) for _ in range(4)]
        came, went = (net := counted(*texts)).counts()
        first, last = texts[0].count("\n"), texts[-1].count("\n")
        direct = compare("f", texts[0], texts[-1])
        assert net.is_known
        assert came - went == last - first
        assert direct.insertions == 0 or came > 0
        if texts[0] == texts[-1]:
            assert (came, went) == (0, 0)


def test_a_patch_that_does_not_fit_is_not_known() -> None:
    net = counted("a\nb\n", "a\nB\n")
    patch = compare("f", "a\nother\n", "a\nnew\n")  # somebody changed the file in between
    net.apply(patch.text, patch.insertions, patch.deletions)
    assert not net.is_known
    net = NetLines()
    net.apply(compare("f", "a\n", "b\n").text, 500, 1)  # the rest of it was left out
    assert not net.is_known

"""What the words of a prompt may point at."""

import pytest

from agls.features.mentions.grammar import Mention, mentions_in


@pytest.mark.parametrize(
    ("text", "meanings"),
    [
        ("look at @src/app.py", ["src/app.py"]),
        ("@a.py, @b.py. (and @c.py)", ["a.py,", "a.py", "b.py.", "b.py", "c.py)", "c.py"]),
        ("@src/", ["src/"]),
        ('@"a b.py" and @c', ["a b.py", "c"]),
        ("mail me@example.com, `@decorated`, @", []),
        ("a@b @", []),
    ],
)
def test_mentions_are_words_that_begin_with_the_sign(text: str, meanings: list[str]) -> None:
    assert [one.path for word in mentions_in(text) for one in word] == meanings


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("@a.py:3", Mention("a.py", (3, 3))),
        ("@a.py:10-20", Mention("a.py", (10, 20))),
        ("@a.py:10-20.", Mention("a.py", (10, 20))),
        ('@"a b.py":10-20', Mention("a b.py", (10, 20))),
    ],
)
def test_mention_names_lines_behind_a_colon(text: str, mention: Mention) -> None:
    (meanings,) = mentions_in(text)
    assert mention in meanings
    assert meanings[0].lines is None or len(meanings) == 1, "a file of that very name is meant first"

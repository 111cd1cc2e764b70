"""What the words of a prompt may point at."""

import pytest

from agls.features.mentions.grammar import (
    Mention,
    MentionSoFar,
    hash_word_at,
    mention_at,
    mentions_in,
    written,
)


@pytest.mark.parametrize(
    ("text", "meanings"),
    [
        ("look at @src/app.py", ["src/app.py"]),
        ("@a.py, @b.py. (and @c.py)", ["a.py,", "a.py", "b.py.", "b.py", "c.py)", "c.py"]),
        ("@src/", ["src/"]),
        ('@"a b.py" and @c', ["a b.py", "c"]),
        ("mail me@example.com, `@decorated`, @", []),
        ("a@b @", []),
        ("(@c) [@d/] \"@e\" “@f” '@g'", ["c)", "c", "d/]", "d/", 'e"', "e", "f”", "f", "g'", "g"]),
        ("@a.py,@b.py;@c", ["a.py", "b.py", "c"]),
        (r"@a\ b.py", ["a b.py"]),
        ("看（@c，好）", ["c，好）", "c，好", "c"]),
        ("```\n@a\n```\n@b\n~~~py\nx = 1 # @c\n@d", ["b"]),
        ("```@a``` is no block, @b", ["b"]),
    ],
)
def test_mentions_are_words_that_begin_with_the_sign(text: str, meanings: list[str]) -> None:
    assert [one.path for word in mentions_in(text) for one in word.meanings] == meanings


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("@a.py:3", Mention("a.py", (3, 3))),
        ("@a.py:10-20", Mention("a.py", (10, 20))),
        ("@a.py:10-20.", Mention("a.py", (10, 20))),
        ('@"a b.py":10-20', Mention("a b.py", (10, 20))),
        ('@"a b.py:10-20"', Mention("a b.py", (10, 20))),
        ("@a.py#L10-L20", Mention("a.py", (10, 20))),
        ("@a.py#10-20", Mention("a.py", (10, 20))),
        ("@a.py:10:5", Mention("a.py", (10, 10))),
    ],
)
def test_mention_names_lines_behind_a_colon(text: str, mention: Mention) -> None:
    (word,) = mentions_in(text)
    meanings = word.meanings
    assert mention in meanings
    assert meanings[0].lines is None or len(meanings) == 1, "a file of that very name is meant first"


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("@cached", False),
        ("see\n@cached\ndef f():", True),
        ("see\n  @cached", True),
        ("see\n@cached it", False),
        ("see (@cached)", True),
    ],
)
def test_word_that_is_alone_on_one_of_several_lines_may_be_a_decorator(text: str, alone: bool) -> None:
    (word,) = mentions_in(text)
    assert (word.name, word.alone) == ("cached", alone)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("see #file:a.py:3.", [("", ["a.py:3.", "a.py:3", "a.py"], True)]),
        ('#file:"a b.py" #folder:src', [("", ["a b.py"], True), ("", ["src"], True)]),
        ("#sym:Name, #symbol:other", [("Name", [], False), ("other", [], False)]),
        ("#selection, #codebase", [("selection", [], False), ("workspace", [], False)]),
        (
            "#changes #problems #file",
            [("diff", [], False), ("diagnostics", [], False), ("editor", [], False)],
        ),
        ("# file, #15, #filename, x#file:a, ##file", []),
    ],
)
def test_words_of_other_products_mean_what_ours_do(
    text: str, words: list[tuple[str, list[str], bool]]
) -> None:
    found = [(word.name, [one.path for one in word.meanings], word.is_file) for word in mentions_in(text)]
    assert found == words


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("#|", ("", 0, 1)),
        ("see #sel|ect now", ("sel", 4, 11)),
        ("# |", None),
        ("## a|", None),
        ("x#a|", None),
    ],
)
def test_word_behind_a_hash_is_found_where_the_cursor_is(
    text: str, word: tuple[str, int, int] | None
) -> None:
    found = hash_word_at(text.replace("|", ""), text.index("|"))
    assert found == (MentionSoFar(*word) if word else None)


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("#file:sr|c", MentionSoFar("sr", 0, 9)),
        ("@|", MentionSoFar("", 0, 1)),
        ("see @sr|c/app.py now", MentionSoFar("sr", 4, 15)),
        ('see @"a b| c" now', MentionSoFar("a b", 4, 12)),
        ('see @"a b|', MentionSoFar("a b", 4, 9)),
        ("one\n@a|", MentionSoFar("a", 4, 6)),
        ("(@a|", MentionSoFar("a", 1, 3)),
        ("@a.py,@b|", MentionSoFar("b", 6, 8)),
        ("me@ex|", None),
        ("@a |b", None),
        ("|@a", None),
    ],
)
def test_mention_at_the_cursor_is_the_word_around_it(text: str, mention: MentionSoFar | None) -> None:
    assert mention_at(text.replace("|", ""), text.index("|")) == mention


@pytest.mark.parametrize("path", ["a.py", "a b.py", "src/", '6".py'])
def test_written_mention_means_its_path(path: str) -> None:
    (word,) = mentions_in(written(path))
    assert word.meanings[0].path == path

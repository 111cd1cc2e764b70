"""What every match must contain: claimed only when it is certain."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agls.features.search.literals import required, swift_width
from support.patience import within


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("hello", ("hello",)),
        (r"def \w+_total\(", ("_total(",)),
        ("colou?r_table", ("r_table",)),
        ("abcd+efg", ("abcd",)),
        ("abcd{0,2}ef", ("abc",)),
        ("TODO|FIXME", ("TODO", "FIXME")),
        ("TODO|x", ()),
        ("foo(bar|baz)quux", ("quux",)),
        ("^import [a-z]+$", ("import ",)),
        ("[abc]def", ("def",)),
        ("[]abc]", ()),
        ("(?i)hello", ()),
        ("(?x) he llo", ()),
        ("(?:abc)", ()),
        (r"caf\xe9teria", ()),
        (r"(abc)\1", ()),
        ("été au soleil", (" au soleil",)),
        (r"a\.b\.c", ("a.b.c",)),
        ("a{b", ()),
        ("...", ()),
    ],
)
def test_a_pattern_requires_these_texts(pattern: str, texts: tuple[str, ...]) -> None:
    assert required(pattern) == texts


def test_letters_with_relatives_outside_ascii_are_not_relied_on_without_case() -> None:
    assert required("import", ignore_case=True) == ("mport",)
    assert required("class Kiosk", ignore_case=True) == ("cla",)
    assert re.search("kiss", "\u212aı\u017f\u017f", re.IGNORECASE), "this is why"


def compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


@pytest.mark.parametrize("pattern", ["(a)", "(?:a+)+", "a{3}", "a{,5}", r"(a)\1", "(?i)a"])
def test_groups_and_counts_are_swift_on_no_line(pattern: str) -> None:
    assert swift_width(pattern) == 0


@pytest.mark.parametrize(
    "pattern",
    [
        "a" * 999 + "b",
        "a*" + "a" * 97 + "b",
        "a*a*a*b",
        "a?" * 20 + "b",
        "a*?a+?b",
        "[a-z]*[ab]+[^b]*c",
        ".*.*.*x",
    ],
)
def test_no_pattern_takes_long_on_a_line_of_its_swift_width(pattern: str) -> None:
    line = "a" * swift_width(pattern)
    for ignore_case in (0, re.IGNORECASE):
        expression = re.compile(pattern, ignore_case)
        for watch in within(0.5):
            with watch:
                assert not expression.search(line)


@pytest.mark.parametrize(
    "pattern", ["return", "TODO|FIXME", r"class \w+", r"^import os$", r"total\(", "[(]x"]
)
def test_usual_patterns_are_swift_on_usual_lines(pattern: str) -> None:
    assert swift_width(pattern) > 400


ATOMS = st.sampled_from(
    ["abc", "de", "f", ".", "[ab]", "[^c]", r"\w", r"\.", r"\d", "(abc)", "(ab|c)", "(?:de)", "^", "$", r"\b"]
)
REPEATS = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{0,1}", "*?", "+?"])
PATTERNS = st.lists(
    st.tuples(ATOMS, REPEATS, st.sampled_from(["", "", "", "|"])), min_size=1, max_size=6
).map(lambda parts: "".join("".join(part) for part in parts))


@given(st.data(), PATTERNS.filter(compiles), st.booleans())
def test_no_match_is_ever_without_its_required_text(
    data: st.DataObject, pattern: str, ignore_case: bool
) -> None:
    expression = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    text = data.draw(st.from_regex(expression))
    found = expression.search(text)
    texts = required(pattern, ignore_case=ignore_case)
    if found and texts:
        held = found[0].lower() if ignore_case else found[0]
        assert any((wanted.lower() if ignore_case else wanted) in held for wanted in texts)

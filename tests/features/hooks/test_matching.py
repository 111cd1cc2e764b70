"""A matcher of a hook is names or an expression, and no name of a model's choice makes one take long."""

from time import monotonic

import pytest

from agls.features.hooks.matching import check_matcher, matches
from support.machine import slowness


@pytest.mark.parametrize(
    ("matcher", "subject", "expected"),
    [
        ("Bash", "Bash", True),
        ("Bash", "BashOutput", False),
        ("Edit|Write", "Write", True),
        ("Edit, Write", "Write", True),
        ("mcp__.*", "mcp__files__read", True),
        ("mcp__x__*", "mcp__x__y", True),
        ("^Bash$", "Bash", True),
        ("^(Edit|Write)$", "MultiEdit", False),
        ("dit$", "Edit", True),
        (".", "\ud800", True),
        ("mcp__.*__write.*", "mcp__files__write_file", True),
        ("Notebook.*|Edit", "NotebookEdit", True),
        ("^(?!Bash)", "Read", True),
        ("^(?!Bash)", "BashOutput", False),
        ("^(?!Bash$)", "BashOutput", True),
        ("(?!Bash$).*", "Bash", False),
        ("^(?!Read|Glob).+$", "Glob", False),
        ("^(?!Read|Glob).+$", "Edit", True),
        ("^(?!(Read|Glob)$).*$", "Glob", False),
        ("^(?!mcp__).*", "mcp__x__y", False),
        ("^(?!a)x(b)", "xb", True),
        ("Bash|mcp__.+__(?!ctx_|own_)", "mcp__a__find", True),
        ("Bash|mcp__.+__(?!ctx_|own_)", "mcp__a__ctx_find", False),
        ("mcp__(?!a_)|Bash", "Bash", True),
        (r"mcp__(?!a[(|]|\()[a-z]+", "mcp__a|", False),
        (r"mcp__(?!a[(|]|\()[a-z]+", "mcp__b", True),
    ],
)
def test_matcher_is_for_a_name(matcher: str, subject: str, expected: bool) -> None:
    check_matcher(matcher)
    assert matches(matcher, subject) is expected


def test_matcher_that_leaves_names_out_looks_at_both_names_of_a_tool() -> None:
    assert not matches("^(?!Bash)", "shell", "Bash")
    assert not matches("^(?!shell)", "shell", "Bash")
    assert matches("^(?!Read)", "shell", "Bash")
    assert matches("^shell", "shell", "Bash")


@pytest.mark.parametrize("matcher", ["(a+)+$", "^(a|a)*$", "(a*)*b", "a*a*a*a*a*a*a*a*b", "(.*)*x"])
def test_no_expression_takes_long(matcher: str) -> None:
    began = monotonic()
    assert not matches(matcher, "a" * 50_000 + "!")
    assert monotonic() - began < slowness()


@pytest.mark.parametrize(
    ("matcher", "problem"),
    [
        ("(", "unclosed group"),
        ("|*", "repetition operator missing expression"),
        (
            "(?<=Read)x",
            "look-around, including look-ahead and look-behind, is not supported; write the names",
        ),
        ("^((?!a)x)", "look-around"),
        ("^(?!a)(?!b)", "look-around"),
        ("^(?!(?=a)b)", "look-around"),
        ("^(?!(a)", "look-around"),
        ("(a)\\1", "backreferences are not supported"),
        ("(a{1000}){1000}", "size limit"),
    ],
)
def test_what_is_wrong_with_a_matcher_is_said(matcher: str, problem: str) -> None:
    with pytest.raises(ValueError, match=f"the matcher is no regular expression: .*{problem}"):
        check_matcher(matcher)

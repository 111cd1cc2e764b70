"""Where an edit applies, and what it leaves alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from agls.engine.ports import WorkspaceError
from agls.features.files.lines import flatten, split_lines
from agls.features.files.matching import replace_text
from agls.room.line_ends import line_end_of


def replaced(text: str, old: str, new: str) -> str:
    return replace_text(text, old, new, everywhere=False).text


def problem(text: str, old: str, new: str, *, everywhere: bool = False) -> str:
    with pytest.raises(WorkspaceError) as caught:
        replace_text(text, old, new, everywhere=everywhere)
    return str(caught.value)


def test_a_text_that_occurs_once_is_replaced_where_it_stands() -> None:
    made = replace_text("one\ntwo\nthree\n", "two", "2", everywhere=False)
    assert (made.text, made.lines, made.loose) == ("one\n2\nthree\n", (2,), "")


def test_every_occurrence_is_replaced_when_that_was_asked_for() -> None:
    made = replace_text("a b a\na", "a", "aa", everywhere=True)
    assert (made.text, made.lines) == ("aa b aa\naa", (1, 2))


def test_several_occurrences_are_reported_with_their_lines() -> None:
    assert problem("x\ny\nx\n", "x", "z") == snapshot(
        "old_text occurs 2 times, lines 1, 3; nothing was changed. Add lines around it until it is unique, "
        "or set replace_all to change every exact occurrence."
    )


def test_first_of_many_occurrences_are_reported_at_once() -> None:
    told = problem("x\n" * 100_000, "x", "z")
    assert told.startswith("old_text occurs 100000 times, lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …; nothing")


def test_new_text_gets_the_line_ends_of_the_file() -> None:
    assert replaced("a\r\nb\r\nc\r\n", "b\nc", "b\nx\ny") == "a\r\nb\r\nx\r\ny\r\n"
    assert replaced("a\rb\r", "b", "x\ny") == "a\rx\ry\r"


def test_line_ends_of_a_mixed_file_stay_outside_of_what_changes() -> None:
    assert replaced("a\r\nb\nc\r\nd\r\n", "a\nb\nc", "a\nB\nc") == "a\r\nB\nc\r\nd\r\n"


def test_line_ends_in_the_old_text_do_not_matter() -> None:
    assert replaced("a\nb\n", "a\r\nb", "x\r\ny") == "x\ny\n"


def test_other_indentation_is_understood_and_kept() -> None:
    text = "class A:\n    def f(self):\n        return 1\n"
    old, new = "def f(self):\n    return 1", "def f(self):\n    if x:\n        return 2\n    return 1"
    made = replace_text(text, old, new, everywhere=False)
    assert made.loose
    assert made.text == snapshot(
        "class A:\n    def f(self):\n        if x:\n            return 2\n        return 1\n"
    )


def test_a_first_line_without_its_indentation_is_understood() -> None:
    text = "    if a:\n        b()\n"
    assert replaced(text, "if a:\n        b()", "if a:\n        c()") == "    if a:\n        c()\n"


def test_spaces_instead_of_tabs_are_understood_as_far_as_they_are_known() -> None:
    text = "def f():\n\tif x:\n\t\ty()\n"
    old = "def f():\n    if x:\n        y()\n"
    assert replaced(text, old, old.replace("y()", "z()")) == text.replace("y()", "z()")
    deeper = "def f():\n    if x:\n        if y:\n            z()\n"
    assert replaced(text, old, deeper) == "def f():\n\tif x:\n\t\tif y:\n\t\t\tz()\n"
    told = problem("\t\tx()\n", "    x()\n", "    if y:\n        x()\n")
    assert "Only the indentation differs" in told, "nobody knows how many tabs that would be"


def test_indentation_that_contradicts_itself_is_no_match() -> None:
    text = "  a\n    b\n"
    assert problem(text, "a\nb", "c").startswith("old_text was not found")
    assert problem("    a\n", "        a\n", "b").startswith("old_text was not found"), "less than is known"


def test_space_at_line_ends_and_blank_lines_does_not_matter() -> None:
    assert replaced("a   \n\t\nb\n", "a\n\nb\n", "a\n\nc\n") == "a   \n\t\nc\n"


def test_a_final_line_end_that_the_file_does_not_have_is_not_added() -> None:
    assert replaced("a\nb", "b\n", "c\n") == "a\nc"
    assert replaced("a\n  b\nc", "\tb\n", "") == "a\nc"


def test_a_loose_match_must_be_the_only_one() -> None:
    told = problem("  a()\n  b()\n\n  a()\n  b()\n", "a()\nb()", "c()", everywhere=True)
    assert told.startswith("old_text occurs 2 times, lines 1, 4")


def test_white_space_alone_is_never_matched_loosely() -> None:
    assert problem("a\n\nb\n", "   \n", "x").startswith("old_text was not found")


def test_an_edit_that_changes_nothing_is_refused() -> None:
    assert problem("a\r\n", "a\n", "a\n") == "old_text and new_text are the same; nothing was changed."


def test_edit_that_was_already_made_is_reported() -> None:
    assert problem("a\nb\nnew_name()\n", "old_name()", "new_name()") == snapshot(
        "old_text was not found, but new_text is already there, on line 3. Nothing was changed."
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [("log(item)", "log(item)\n    check(a)"), ("    check(a)\n", "    log(item)\n    check(a)\n")],
)
def test_edit_that_was_made_before_and_keeps_its_old_text_is_refused(old: str, new: str) -> None:
    told = problem("def f():\n    log(item)\n    check(a)\n", old, new)
    assert "new_text is already there, on line 2" in told


def test_insertion_beside_a_longer_word_is_no_repetition() -> None:
    text = "log(a)\ncheck(all_of)\n"
    assert replaced(text, "log(a)", "log(a)\ncheck(all") == "log(a)\ncheck(all\ncheck(all_of)\n"
    assert replaced("a()\n\nb()\n", "a()", "a()\n") == "a()\n\n\nb()\n", "empty lines may be wanted twice"


def test_lines_behind_a_part_of_an_indented_line_need_their_indentation() -> None:
    text = "def f():\n    x = 1\n    return x\n"
    assert "which is indented" in problem(text, "x = 1", "x = 1\ny = 2")
    assert replaced(text, "x = 1", "x = 1\n    y = 2") == text.replace("x = 1", "x = 1\n    y = 2")
    assert replaced(text, "return x", "return x\n\n\ndef g():\n    pass").endswith(
        "\n\n\ndef g():\n    pass\n"
    )
    assert replaced("f() {\n  a();\n", "a();", "a();\n}") == "f() {\n  a();\n}\n"
    assert replaced(text, "x = 1", 'x = """\none"""') == text.replace("x = 1", 'x = """\none"""')


def test_empty_lines_around_both_texts_do_not_matter() -> None:
    assert replaced("a()\nb()\n", "\na()\n", "\nc()\n") == "c()\nb()\n"
    assert replaced("a()\nb()\n", "a()\n\n", "c()\n\n") == "c()\nb()\n"
    told = problem("a(&amp;)\nb()\n", "\nb()\n\n", "c()\n")
    assert "old_text begins or ends with empty lines" in told
    assert "entities" not in told


def test_deletion_with_a_typo_in_its_last_line_is_not_called_made() -> None:
    text = "def helper():\n    return 1\n\n\n@main.command()\n"
    told = problem(text, "def helper():\n    return 1\n\n\n@mian.command()", "@main.command()")
    assert "already" not in told
    assert "@main.command()" in told


def test_escapes_beside_one_that_the_file_has_are_named() -> None:
    text = 'def f():\n    say("a\\n", b)\n    go("c")\n'
    told = problem(text, 'say(\\"a\\n\\", b)\n    go(\\"c\\")', "x")
    assert "escaped once too often" in told


def test_new_text_that_is_no_more_than_a_sign_is_not_called_already_there() -> None:
    assert "already" not in problem("f() {\n  a();\n}\n", "  aa();\n}", "}")


def test_a_deletion_with_a_typo_is_answered_with_the_lines_that_still_stand() -> None:
    text = "def f():\n    log_call(a)\n    return result\n"
    assert problem(text, "    log_call(a)\n    return resutl\n", "    log_call(a)\n") == snapshot("""\
old_text was not found; nothing was changed.
new_text keeps lines that are already there; those it leaves out are there, too, but differ from old_text.
The nearest lines are:
2	    log_call(a)
3	    return result
Copy old_text from the file, without the line numbers.\
""")


def test_miss_reports_the_new_text_found_elsewhere_with_the_nearest_lines() -> None:
    text = "alpha = start_here(1)\nother()\nzeta = go_there(2)\n"
    told = problem(text, "alpha = begin_at(1, 2, 3)", "zeta = go_there(2)")
    assert "already there, on line 3" in told
    assert "1\talpha = start_here(1)" in told


def test_a_long_old_text_is_answered_with_the_lines_that_differ() -> None:
    lines = [f"    step_{number}(value)" for number in range(60)]
    old = [*lines]
    old[45] = "    stepp(value)"
    assert problem("\n".join(lines), "\n".join(old), "x") == snapshot("""\
old_text was not found; nothing was changed.
The nearest lines are 1 to 60, which differ here:
…
44	    step_43(value)
45	    step_44(value)
46	    step_45(value)
47	    step_46(value)
48	    step_47(value)
Copy old_text from the file, without the line numbers.\
""")


def test_a_wide_line_is_shown_around_its_difference() -> None:
    line = "word " * 1_000
    told = problem(f"{line}the end {line}\n", f"{line}the edn {line}\n", "x")
    assert "the end" in told
    assert len(told) < 1_500


def test_a_miss_is_answered_with_the_nearest_lines() -> None:
    text = (
        "import os\n\n\ndef total(items):\n    result = 0\n    for item in items:\n        result += item\n"
    )
    old = "def total(items):\n    result = 0\n    for item in things:\n        result += item\n"
    assert problem(text, old, "x") == snapshot("""\
old_text was not found; nothing was changed.
The nearest lines are:
4	def total(items):
5	    result = 0
6	    for item in items:
7	        result += item
Copy old_text from the file, without the line numbers.\
""")


def test_a_miss_is_found_by_likeness_when_no_line_is_the_same() -> None:
    assert problem("alpha\nbeta\ngamma = compute(1)\n", "gamma = compute(2)", "x") == snapshot("""\
old_text was not found; nothing was changed.
The nearest lines are:
3	gamma = compute(1)
Copy old_text from the file, without the line numbers.\
""")


def test_miss_without_any_similar_line_says_so() -> None:
    nothing = "old_text was not found; nothing was changed.\nNothing in the file is like it."
    assert problem("alpha\n", "!!!!", "x") == f"{nothing} The whole file is:\n1\talpha"
    assert problem("alpha\n" * 20, "!!!!", "x") == f"{nothing} Read the file again."
    assert "The file is empty." in problem("", "a", "b")
    assert "Nothing in the file is like it" in problem("x = 1\n", "\n\n\n\n", "b")


def test_frequent_line_does_not_decide_the_place() -> None:
    text = "}\n" * 1_000 + "start()\n"
    assert "1001\tstart()" in problem(text, "start()\n}\n", "x")


def test_long_lines_and_long_texts_are_shown_shortened() -> None:
    told = problem("a" * 5_000 + "\n" + "b\n" * 100, "a" * 5_000 + "c\n" + "b\n" * 100, "x")
    assert len(told) < 2_000


def test_lines_end_as_in_lsp() -> None:
    assert split_lines("a\r\nb\rc\n\nd\x0be\u2028f") == ["a", "b", "c", "", "d\x0be\u2028f"]
    assert split_lines("") == []
    assert line_end_of("a\r\nb\nc\r\n") == "\r\n"
    assert line_end_of("a") == "\n"


LINES = st.lists(st.sampled_from(["a", "b", " ", "\t", "\n", "\r\n", "\r"]), max_size=20).map("".join)


@given(before=LINES, inside=LINES, after=LINES, new=LINES)
def test_edit_keeps_all_bytes_outside_the_changed_text(
    before: str, inside: str, after: str, new: str
) -> None:
    old = f"<{inside}>"
    made = replaced(before + old + after, flatten(old), new)
    assert made.startswith(before)
    assert made.endswith(after)
    assert flatten(made[len(before) : len(made) - len(after)]) == flatten(new)


NFC, NFD = "caf\u00e9 = 1", "cafe\u0301 = 1"


@pytest.mark.parametrize(("there", "given"), [(NFC, NFD), (NFD, NFC)], ids=["composed", "decomposed"])
def test_accents_in_another_unicode_form_are_found_and_lines_that_stay_keep_theirs(
    there: str, given: str
) -> None:
    text = f"def f():\n    {there}\n    x = 1\n"
    made = replace_text(text, f"    {given}\n    x = 1", f"    {given}\n    x = 2", everywhere=False)
    assert made.text == f"def f():\n    {there}\n    x = 2\n"
    assert made.loose == "with letters in another Unicode form"


def test_accents_in_another_unicode_form_at_two_places_are_not_chosen_from() -> None:
    with pytest.raises(WorkspaceError, match="occurs 2 times, lines 1, 2"):
        replace_text(f"{NFD}\n{NFD}\n", NFC, "x", everywhere=False)


@pytest.mark.parametrize(
    ("old", "told"),
    [
        ("1:x = 1\n2:y = 2", "line numbers in front"),
        ("   1|x = 1\n   2|y = 2", "line numbers in front"),
        ("<<<<<<< SEARCH\nx = 1\n=======\nx = 3\n>>>>>>> REPLACE", "a whole block of search and replace"),
        (
            "foo(a_b, c_d)",
            "line breaks differ.\nThe nearest lines are:\n4\tfoo(\n5\t  a_b,\n6\t  c_d,\n7\t)\n",
        ),
        ("-x = 1\n-y = 2", "signs of a patch"),
        (" x = 1\n-y = 2", "signs of a patch"),
        ("<old_text>x = 1</old_text>", "marks around it"),
        (r"x = \d+", "not a regular expression"),
        ("y.*", "not a regular expression"),
    ],
)
def test_known_mistake_in_a_text_that_was_not_found_is_named(old: str, told: str) -> None:
    with pytest.raises(WorkspaceError, match="nothing was changed") as problem:
        replace_text("x = 1\ny = 2\nz = 3\nfoo(\n  a_b,\n  c_d,\n)\n", old, "new", everywhere=False)
    assert told in str(problem.value)


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("one  \ntwo\n", "one\ntwo", "one\n2", "one  \n2\n"),
        ("one\ntwo\n", "one  \ntwo", "one  \n2", "one\n2\n"),
        ("a\n    \nb\n", "a\n\nb", "a\n\nc", "a\n    \nc\n"),
    ],
    ids=["blanks in the file", "blanks in the old text", "blanks in an empty line"],
)
def test_lines_that_stay_keep_their_blanks_when_others_change(
    text: str, old: str, new: str, after: str
) -> None:
    """Two blanks at the end of a line are a line break in Markdown."""
    assert replaced(text, old, new) == after


def test_miss_in_a_very_long_line_is_answered_with_the_part_that_is_like_it() -> None:
    text = "f(a){return 1}" * 3_000 + ";function zed(q,w){return q+w}" + "g(b){return 2}" * 3_000 + "\nend\n"
    told = problem(text, "function zed(q, w) { return q + w }", "x")
    assert "The nearest text is in line 1, from character 42002 on:\n… " in told
    assert ";function zed(q,w){return q+w}" in told
    assert len(told) < 500
    assert "Nothing in the file is like it." in problem(text, "entirely other words", "x")


@pytest.mark.parametrize(
    ("text", "old", "named"),
    [
        ("It’s so\nend\n", "It's", "U+2019 (RIGHT SINGLE QUOTATION MARK) in line 1"),
        ("end\nfoo\u00adbar\n", "foobar", "U+00AD (SOFT HYPHEN) in line 2"),
        ("f（1，2）\nend\n", "f(1,2)", "U+FF08 (FULLWIDTH LEFT PARENTHESIS) in line 1"),
    ],
)
def test_look_alikes_are_answered_with_the_line_that_has_them(text: str, old: str, named: str) -> None:
    told = problem(text, old, "x")
    assert named in told
    assert "Nothing in the file is like it" not in told
    at = next(number for number, line in enumerate(text.split("\n"), 1) if not line.isascii())
    assert f"\n{at}\t{text.split(chr(10))[at - 1]}\n" in told


def test_edit_of_nothing_but_line_ends_is_answered_with_what_changes_them() -> None:
    assert "which an edit keeps" in problem("a\r\nb\r\n", "a\r\nb", "a\nb")

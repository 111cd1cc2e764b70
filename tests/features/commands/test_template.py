"""From the text of a command file and the words behind the command to a prompt: the golden table."""

import pytest

from agls.prompt_files.command_places import Dialect
from agls.prompt_files.template import (
    Given,
    arguments_in,
    expanded,
    has_open_block,
    shell_lines,
)


@pytest.mark.parametrize(
    ("template", "words", "expected"),
    [
        ("Fix it.", "", "Fix it."),
        ("Fix it.", "now", "Fix it.\n\nARGUMENTS: now"),
        ("Fix $ARGUMENTS.", "a  'b c'", "Fix a  'b c'."),
        ("Fix $ARGUMENTS.", "", "Fix ."),
        ("$1 then $2", "one two", "one then two"),
        ("$1 then $2", "one", "one then "),
        ("$1", '"one two" three', "one two"),
        ("$1", r'"say \"hi\""', 'say "hi"'),
        ("$0 then $1", "one two", "one then two"),
        ("$ARGUMENTS[0], $ARGUMENTS[1]", "one two", "one, two"),
        ("$10", "1 2 3 4 5 6 7 8 9 ten", "ten"),
        ("It costs $5.00 or $1,000", "x", "It costs $5.00 or $1,000\n\nARGUMENTS: x"),
        (r"\$1 and \$ARGUMENTS", "x", "$1 and $ARGUMENTS\n\nARGUMENTS: x"),
        ("$1", "$ARGUMENTS $2", "$ARGUMENTS"),
        ("<$ARGUMENTS>", "$(rm -rf /) `x` $1\nnext", "<$(rm -rf /) `x` $1\nnext>"),
        ("$UNKNOWN ${OTHER}", "", "$UNKNOWN ${OTHER}"),
        ("${PROJECT_DIR}/a.py", "", "/project/a.py"),
        ("$file at $level", "a.py high", "a.py at high"),
        ("${input:what:What to do?}!", "clean up", "clean up!"),
        ("${input:a} ${input:b} ${input:a}", "1 2", "1 2 1"),
    ],
)
def test_placeholders_take_the_words_behind_the_command(template: str, words: str, expected: str) -> None:
    given = Given(words, ("file", "level"), {"PROJECT_DIR": "/project"})
    assert expanded(template, given).text == expected


def test_highest_number_takes_the_rest_in_the_dialect_of_opencode() -> None:
    assert expanded("$1: $2", Given("fix the parser now"), "opencode").text == "fix: the parser now"


@pytest.mark.parametrize(
    ("template", "words", "expected"),
    [
        ("Look at {{args}}.", "a b", "Look at a b."),
        ("Look.", "a b", "Look.\n\nARGUMENTS: a b"),
        ("Read @{docs/a b.md}.", "", 'Read @"docs/a b.md".'),
        ("$1 stays", "", "$1 stays"),
    ],
)
def test_placeholders_of_gemini_are_its_own(template: str, words: str, expected: str) -> None:
    assert expanded(template, Given(words), "gemini").text == expected


@pytest.mark.parametrize(
    ("text", "dialect", "commands"),
    [
        ("!`git status`", "usual", ["git status"]),
        ("Now: !`git status` and !`ls`", "usual", ["git status", "ls"]),
        ("```!\nls\npwd\n```\nBehind it.", "usual", ["ls\npwd"]),
        ("Wow!`code`", "usual", []),
        ("`!ls` is code", "usual", []),
        ("Do it! Now.", "usual", []),
        ("!{ls}", "gemini", ["ls"]),
        ("!`ls`", "gemini", []),
    ],
)
def test_lines_that_run_programs_are_found(text: str, dialect: Dialect, commands: list[str]) -> None:
    assert shell_lines(text, dialect) == commands
    assert not has_open_block(text, dialect)


def test_block_that_is_never_closed_is_found() -> None:
    assert has_open_block("```!\nls\n", "usual")
    assert shell_lines("```!\nls\n", "usual") == []


def test_command_gets_each_value_as_one_word_and_the_text_refers_to_its_output() -> None:
    made = expanded("Look: !`git log $1`, !`ls`. $1", Given("'a; rm -rf /'"))
    assert [(line.command, line.is_fixed) for line in made.lines] == [
        ("git log 'a; rm -rf /'", False),
        ("ls", True),
    ]
    assert made.text.startswith(
        "Look: (what `git log 'a; rm -rf /'` printed is below, as output 1), (what `ls`"
    )
    assert made.text.endswith(". a; rm -rf /")


def test_arguments_are_words_and_quoted_texts() -> None:
    assert arguments_in("  a 'b c' \"d \" e' f\n") == ["a", "b c", "d ", "e'", "f"]


def test_braces_of_a_command_in_a_file_of_gemini_are_in_pairs() -> None:
    made = expanded("Run !{awk '{print $1}' x} now", Given(), "gemini")
    assert [line.command for line in made.lines] == ["awk '{print $1}' x"]
    assert made.text.endswith(" now")


@pytest.mark.parametrize(
    ("dialect", "template", "words", "made"),
    [
        ("codex", "Open $TITLE for $FILES.", 'FILES="a b.c" TITLE=Fix', "Open Fix for a b.c."),
        ("codex", "Fix $1, $HOME stays.", "it", "Fix it, $HOME stays."),
        ("github", "Look at #file:src/a.py.", "", 'Look at @"src/a.py".'),
        ("github", "In #file:'a b.md', not x#file:y", "", 'In @"a b.md", not x#file:y'),
        (
            "github",
            "Explain ${selection}.",
            "",
            "Explain (what the user selected, where they selected anything).",
        ),
        ("usual", "${selection} #file:a.py", "", "${selection} #file:a.py"),
    ],
)
def test_products_have_placeholders_of_their_own(
    dialect: Dialect, template: str, words: str, made: str
) -> None:
    assert expanded(template, Given(words), dialect).text == made


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sh ${ROOT}/a.sh", "sh '/plug in'/a.sh"),
        ("sh ${ROOT//x/y}/a.sh", "export ROOT='/plug in'; sh ${ROOT//x/y}/a.sh"),
        ('sh "$ROOT"/a.sh', "export ROOT='/plug in'; sh \"$ROOT\"/a.sh"),
        ("sh ${OTHER}/a.sh", "sh ${OTHER}/a.sh"),
    ],
)
def test_folder_in_a_line_is_filled_or_a_variable_of_it_and_leaves_it_fixed(line: str, expected: str) -> None:
    """The shell has forms of its own for a variable (`${NAME%/*}`), which published files use."""
    made = expanded(f"Look: !`{line}`", Given("words", variables={"ROOT": "/plug in"}))
    assert [(each.command, each.is_fixed) for each in made.lines] == [(expected, True)]

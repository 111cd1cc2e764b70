"""Arguments in the `!` lines of command files: whatever they are, the shell takes them for text."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agls.prompt_files.template import Given, arguments_in, expanded

HOSTILE = """a "b c" 'd' $(touch x) `touch x` $HOME \\ ; touch x # " '"""


def printed(command: str, words: str) -> list[str]:
    """Return the words that a program gets in a `!` line with these arguments."""
    (line,) = expanded(f"```!\n{command}\n```", Given(words)).lines
    done = subprocess.run(["bash", "-c", line.command], capture_output=True, text=True, check=True)
    return done.stdout.split("\0")[:-1]


SHOW = r"printf '%s\0' "


def test_arguments_outside_of_quotes_are_the_words_that_were_typed() -> None:
    assert printed(f"{SHOW}x $ARGUMENTS", "run --max 3 'two words'") == [
        "x",
        "run",
        "--max",
        "3",
        "two words",
    ]
    assert printed(f"{SHOW}x $ARGUMENTS y", "") == ["x", "y"]
    assert printed(f'{SHOW}"${{HOME}}" $ARGUMENTS', "'two words'")[1:] == ["two words"]


@pytest.mark.parametrize("words", ["fix it", HOSTILE, "it's", '"', "$(id)", "\\", "a\\"])
def test_arguments_within_quotes_are_one_text(words: str) -> None:
    whole = words.strip()
    assert printed(f'{SHOW}"$ARGUMENTS"', words) == [whole]
    assert printed(f'{SHOW}--grep="Fix: $ARGUMENTS."', words) == [f"--grep=Fix: {whole}."]
    assert printed(f"{SHOW}'<$ARGUMENTS>'", words) == [f"<{whole}>"]


UNCERTAIN = (
    f'{SHOW}"$(printf %s "$ARGUMENTS")"',
    f"{SHOW}$'it\\'s' \"$ARGUMENTS\"",
    f'# don\'t\n{SHOW}"$ARGUMENTS"',
    f"{SHOW}" + '${x:-"a"} "$ARGUMENTS"',
    f'{SHOW}"$(cat <<E\n$ARGUMENTS\nE\n)"',
)


@pytest.mark.parametrize("command", UNCERTAIN)
@pytest.mark.parametrize("words", ["$(id) ; id", "'; id; '", '"; id; "', "`id`", "E\nid"])
def test_where_quotes_are_uncertain_a_value_is_text_too(command: str, words: str) -> None:
    assert printed(command, words)[-1] == words


@given(st.text("ab \"'$`\\(){};#&|<>*\t", max_size=12), st.sampled_from(["{}", '"{}"', "'{}'", "\"x\"'{}'"]))
def test_no_argument_becomes_syntax(words: str, place: str) -> None:
    got = printed(SHOW + place.format("$ARGUMENTS"), words)
    whole = place.replace('"', "").replace("'", "").format(words.strip())
    assert got == ((arguments_in(words) or [""]) if place == "{}" else [whole])

"""A script that only prints names no file, wherever the command writes."""

import pytest

from agls.features.permissions.harmless_scripts import without_scripts


@pytest.mark.parametrize(
    ("command", "left"),
    [
        ("awk '{print $1}' a | tee b", "awk '' a | tee b"),
        ("ls | awk '{s += $1} END {print s}' > c", "ls | awk '' > c"),
        ("jq '.a | {b}' x > y; mawk '{print $2}' z", "jq '' x > y; mawk '' z"),
        ("awk '{print $1 \": \" $2}' ü > b", "awk '' ü > b"),
    ],
)
def test_script_that_only_prints_is_left_out(command: str, left: str) -> None:
    assert without_scripts(command) == left


@pytest.mark.parametrize(
    "command",
    [
        "awk '{print > \"b\"}' a",
        "awk '{print \".git/config\"}' a | xargs touch",
        "awk '{print \"gradlew\"}' a | xargs touch",
        "awk '{system($1)}' a",
        "awk -f x '.git/config'",
        'jq \'{"a": ".git/config"} | .a\' x | xargs touch',
        "sed 's/(.)/gradlew/' a | xargs touch",
        "echo '{print $1}'",
        "awk '{print $1}",
        "xargs awk '{print $1}'",
    ],
)
def test_any_other_text_stays(command: str) -> None:
    assert without_scripts(command) == command

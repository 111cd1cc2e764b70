"""P3: two long lists of spellings, one of which must run unasked and one of which never may.

`reading_commands.txt` is what people and models type to look around; `reading_escapes.txt` are the same
programs, and others, made to write, run, connect or read elsewhere. `\\0` in a line stands for a line end.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agls.room.shell_tree import LONGEST

from .attacker import House
from .test_commands import Desk

pytestmark = pytest.mark.promise("P3", "P5")
HERE = Path(__file__).parent
HARMLESS = HERE.joinpath("reading_commands.txt").read_text().splitlines()
QUOTED_NAME = re.compile(r"\w*[\\'\"]")  # `l's'` is a name in doubt; who is given it gets `ls`
ESCAPES = HERE.joinpath("reading_escapes.txt").read_text().splitlines()


@pytest.fixture
def repository(house: House) -> Iterator[Desk]:
    """A repository with links that lead out of it, and a program of its own."""
    files = {
        "README.md": "# Readme\n", "notes.txt": "b\na\n", "data.csv": "a,b\n", "package.json": "{}",
        "src/app.py": "def main():\n    pass  # TODO\n", "tests/test_a.py": "x = 1\n", "pyproject.toml": "",
        "list": "../elsewhere/canary.txt\0", "-d/x": "x", "0/ls": "#!/bin/sh\ntouch pwned\n",
    }  # fmt: skip
    for name, text in files.items():
        house.put(name, text)
    house.put("evil", "#!/bin/sh\ntouch pwned\n").chmod(0o755)
    (house.workspace / "out").symlink_to(house.outside)
    (house.workspace / "src/link").symlink_to(house.outside)
    (house.workspace / "src/lnk").symlink_to(house.outside / "canary.txt")
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        known = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
        subprocess.run(["git", *known, *words], cwd=house.workspace, check=True)
    desk = Desk(house.workspace)
    yield desk
    desk.close()


def test_spelling_that_only_reads_needs_no_question(repository: Desk) -> None:
    there = [line for line in HARMLESS if all(map(repository.workspace.which, programs_of(line)))]
    assert len(there) >= 100
    asked = [line for line in there if not repository.lets("shell", {"command": line}, mode="ask")]
    assert asked == []


def test_spelling_that_may_do_more_is_asked_about(repository: Desk) -> None:
    commands = [line.replace("\\0", "\n") for line in ESCAPES]
    unasked = [c for c in commands if repository.lets("shell", {"command": c}, mode="ask")]
    assert (unasked, len(ESCAPES) >= 1_400) == ([], True)


AROUND = (
    "( @ )",
    "! @",
    "LC_ALL=C @",
    "{ @; }",
    "for y in a; do @; done",
    'ls; echo "$( @ )"',
    "ls | ( @ )",
    "if ls; then @; fi; ls",
    "timeout 5 @",
    "time @",
    "find src -type f -exec @ {} +",
    "find src -type f | xargs @",
)


@pytest.mark.parametrize("around", AROUND)
def test_no_frame_makes_an_escape_harmless(repository: Desk, around: str) -> None:
    commands = [line.replace("\\0", "\n") for line in ESCAPES[::3]]
    framed = [around.replace("@", c) for c in commands if c[:1].isalpha() and not QUOTED_NAME.match(c)]
    assert [c for c in framed if repository.lets("shell", {"command": c}, mode="ask")] == []


def test_file_of_a_commit_that_may_hold_keys_is_asked_about(repository: Desk) -> None:
    for command in (
        "git show HEAD:.env",
        "git cat-file -p :.env",
        "git blame .env",
        "git show HEAD:a/.env.local",
    ):
        assert not repository.lets("shell", {"command": command}, mode="ask"), command


def programs_of(line: str) -> list[str]:
    """The programs of a line that may be missing on this machine."""
    words = set(line.replace("|", " ").split())
    return sorted(
        words
        & {
            "rg",
            "tree",
            "jq",
            "node",
            "file",
            "xxd",
            "awk",
            "gcc",
            "make",
            "column",
            "free",
            "strings",
            "docker",
            "gh",
            "cmake",
            "locale",
            "groups",
            "b2sum",
        }
    )


def test_command_that_is_too_long_or_nested_too_deeply_is_asked_about(repository: Desk) -> None:
    """Each would be more calls in one another than Python makes."""
    for command in (
        "&&".join(["ls"] * 2_000),
        "ls" + " && ls 2>&1 | ls" * 500,
        "if " * 400 + "ls" + ";then ls;fi" * 400,
    ):
        assert len(command) < LONGEST
        assert not repository.lets("shell", {"command": command}, mode="ask")

"""P3: two long lists of spellings, one of which must run unasked and one of which never may.

`reading_commands.txt` is what people and models type to look around; `reading_escapes.txt` are the same
programs, and others, made to write, run, connect or read elsewhere. `\\0` in a line stands for a line end.
"""

import hashlib
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
    desk = committed(house)
    yield desk
    desk.close()


def test_spelling_that_only_reads_needs_no_question(repository: Desk) -> None:
    there = [line for line in HARMLESS if all(map(repository.workspace.which, programs_of(line)))]
    assert len(there) >= 100
    commands = [line.replace("\\0", "\n") for line in there]
    asked = [c for c in commands if not repository.lets("shell", {"command": c}, mode="ask")]
    assert asked == []


@pytest.fixture
def hostile(repository: Desk) -> Desk:
    """With files that some programs obey when they are only asked for their version."""
    for name in (".npmrc", "rust-toolchain.toml", "go.mod"):
        (repository.root / name).touch()
    (repository.root / ".mvn").mkdir()
    return repository


def test_spelling_that_may_do_more_is_asked_about(hostile: Desk) -> None:
    commands = [line.replace("\\0", "\n") for line in ESCAPES]
    unasked = [c for c in commands if hostile.lets("shell", {"command": c}, mode="ask")]
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
def test_no_frame_makes_an_escape_harmless(hostile: Desk, around: str) -> None:
    """Each escape is tried in one of the frames, and each frame with many."""
    commands = [line.replace("\\0", "\n") for line in ESCAPES[AROUND.index(around) :: len(AROUND)]]
    framed = [around.replace("@", c) for c in commands if c[:1].isalpha() and not QUOTED_NAME.match(c)]
    assert [c for c in framed if hostile.lets("shell", {"command": c}, mode="ask")] == []


TRACKED = (
    "git ls-files | xargs wc -l",
    "git ls-files '*.py' | xargs grep -n TODO",
    "git ls-files '*.py' | head -5 | xargs cat",
    "git ls-files -z | xargs -0 wc -l",
    "git grep -l TODO | xargs wc -l",
    "git diff --name-only | xargs -r wc -l",
    "git diff --name-only --diff-filter=d -z | xargs -0 -r head -5",
    "for f in $(git diff --name-only); do wc -l $f; done",
    'git ls-files | while read -r f; do wc -l "$f"; done',
    'git ls-files | while IFS= read -r f; do echo "$f: $(wc -l < "$f")"; done',
    'for f in $(git ls-files \'*.py\'); do echo "== $f"; head -n 3 "$f"; done',
    'for f in $(git ls-files); do if [ -f "$f" ]; then ls -l "$f"; fi; done',
)


@pytest.mark.parametrize("command", TRACKED)
def test_names_that_git_keeps_are_given_to_readers_where_each_is_safe(house: House, command: str) -> None:
    house.put("README.md", "# Readme\n")
    house.put("src/app.py", "x = 1  # TODO\n")
    desk = committed(house)
    assert desk.lets("shell", {"command": command}, mode="ask")
    desk.close()


UNSAFE = {
    "a link that leads out": "",
    "keys": ".env",
    "an option": "src/-c.py",
    "two words": "a b.py",
    "a pattern": "[a].py",
    "letters that git writes in another way": "ü.py",
    "a line end": "a\nb.py",
}


@pytest.mark.parametrize("command", TRACKED)
@pytest.mark.parametrize("what", UNSAFE)
def test_names_that_git_keeps_are_asked_about_where_one_is_not_safe(
    house: House, what: str, command: str
) -> None:
    """Also one that is not on the disk: the index alone says what git prints."""
    if name := UNSAFE[what]:
        house.put(name, "x = 1  # TODO\n")
    else:
        (house.workspace / "linked.py").symlink_to(house.outside / "canary.txt")
    house.put("app.py", "x = 1  # TODO\n")
    desk = committed(house)
    is_left_out = what == "keys" and "*.py" in command
    is_word = is_left_out or ("-z" in command and what not in {"a link that leads out", "keys"})
    assert desk.lets("shell", {"command": command}, mode="ask") is is_word
    desk.close()


def committed(house: House) -> Desk:
    """A repository of what the house holds."""
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        known = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
        subprocess.run(["git", *known, *words], cwd=house.workspace, check=True)
    return Desk(house.workspace)


@pytest.mark.parametrize(
    "name", ["../elsewhere/canary.txt", "/etc/passwd", "src/../../elsewhere/x", "out/canary.txt"]
)
def test_index_that_somebody_made_up_is_asked_about(house: House, name: str) -> None:
    """Git itself takes no such name, but reads an index that has one, and prints it."""
    house.put("a" * len(name), "x")
    desk = committed(house)
    (house.workspace / "out").symlink_to(house.outside)
    index = house.workspace / ".git/index"
    index.write_bytes(index.read_bytes()[:-20].replace(b"a" * len(name), name.encode()))
    index.write_bytes(index.read_bytes() + hashlib.sha1(index.read_bytes()).digest())
    said = subprocess.run(
        ["git", "ls-files"], cwd=house.workspace, capture_output=True, text=True, check=True
    )
    is_asked = not desk.lets("shell", {"command": "git ls-files | xargs cat"}, mode="ask")
    desk.close()
    assert (name in said.stdout, is_asked) == (True, True)


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
            "iconv",
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
            "cargo",
            "curl",
            "java",
            "npm",
            "php",
            "ruby",
            "rustc",
            "uv",
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

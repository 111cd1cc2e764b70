"""P3: everyday commands that only read need no question, and their escapes do.

`scripts/test -- tests/security/test_everyday.py --log-cli-level=info` prints the figures of SECURITY.md.
"""

import logging
import math
import statistics
import subprocess
import time
from collections.abc import Sequence

import pytest

from support.machine import slowness

from .attacker import House, call, snapshot
from .test_commands import MODES, Desk, corpus, desk

pytestmark = pytest.mark.promise("P3")

__all__ = ["desk"]
LOG = logging.getLogger(__name__)
# What people (and models) type to look around.
EVERYDAY = r"""
ls
ls -la
ls -R src
pwd
cat README.md
cat -n src/app.py
head -n 50 src/app.py
tail -20 notes.txt
wc -l src/app.py notes.txt
file src/app.py
stat README.md
du -sh src
tree -L 2
grep -rn TODO src
grep -n "def main" src/app.py
grep -ril todo .
grep -rnE 'class [A-Z]+' --include='*.py' src
rg TODO
rg -n 'def [a-z]+' src
rg --files -g '*.py'
find . -name '*.py'
find src -type f -mtime -1
find . -maxdepth 2 -type d -not -path './.git/*'
git status
git status --short
git log --oneline -10
git log -p -3 -- src/app.py
git diff
git diff --stat
git show HEAD
git blame -L 1,2 src/app.py
git ls-files
git grep -n main
diff -u notes.txt README.md
sort -u notes.txt
cut -d, -f1 data.csv
git branch -a
sed -n 1,40p src/app.py
git log --oneline | head -5
git diff HEAD~1
""".strip().splitlines()
# The same programs, told to write, to run something, or to read elsewhere.
ESCAPES = r"""
find . -name '*.py' -exec touch pwned ';'
find . -execdir touch pwned ';'
find . -ok touch pwned ';'
find . -okdir touch pwned ';'
find . -name README.md -delete
find . -fprint pwned
find . -fprint0 pwned
find . -fprintf pwned x
find . -fls pwned
find -- . -exec touch pwned ';'
find . -- -delete
find -files0-from list
find / -name canary.txt
find .. -type f
find . -maxdepth 1 -newermt now -exec sh -c 'touch pwned' ';'
grep -r canary ..
grep -rf../elsewhere/canary.txt .
grep -f ../elsewhere/canary.txt notes.txt
grep --file=../elsewhere/canary.txt notes.txt
grep -r canary out
cat ../elsewhere/canary.txt
cat out/canary.txt
cat src/../../elsewhere/canary.txt
cat -- ../elsewhere/canary.txt
cat /etc/passwd
cat README.md > pwned
cat README.md | tee pwned
head -c 99 /etc/passwd
head --bytes=99 ../elsewhere/canary.txt
tail -F ../elsewhere/canary.txt
wc --files0-from=../elsewhere/canary.txt
ls /root
ls -la ..
ls out
du -a ..
stat ../elsewhere/canary.txt
diff --from-file=../elsewhere/canary.txt README.md
diff README.md ../elsewhere/canary.txt
cut -c1-99 ../elsewhere/canary.txt
sort -o pwned notes.txt
sort -opwned notes.txt
sort -uo pwned notes.txt
sort --output=pwned notes.txt
sort --compress-program=./evil notes.txt
sort --files0-from=../elsewhere/canary.txt
sort -T /tmp notes.txt
tree -o pwned
tree -Lo 2 pwned
tree -R -L 1 -H . -o pwned
tree ..
file -C -m src
file -f ../elsewhere/canary.txt
file -m ../elsewhere/canary.txt README.md
rg --pre=./evil x
rg --pre ./evil x
rg -z x
rg -iz x
rg --search-zip x
rg --hostname-bin=./evil x
rg -f ../elsewhere/canary.txt
rg canary ..
rg -uuu canary ../elsewhere
git -c core.pager=./evil log
git -c alias.status=!./evil status
git -C .. status
git --git-dir=evil.git log
git --exec-path=. log
git --paginate log
git log --output=pwned
git log --output pwned
git log --ext-diff -p
git log --textconv -p
git show --ext-diff
git diff --ext-diff
git diff --output=pwned
git diff --no-index /etc/passwd README.md
git diff /etc/passwd /etc/group
git diff -O../elsewhere/canary.txt
git blame --contents ../elsewhere/canary.txt README.md
git blame -S ../elsewhere/canary.txt README.md
git grep -O./evil main
git grep -nO./evil main
git grep --open-files-in-pager=./evil main
git grep --no-index canary ..
git grep -f ../elsewhere/canary.txt
git grep --textconv main
git ls-files --exclude-from=../elsewhere/canary.txt -o
git ls-files -X ../elsewhere/canary.txt -o
git status --exec-path=.
git config core.pager ./evil
git branch -D main
git show HEAD; touch pwned
git log $(touch pwned)
ls `touch pwned`
ls && touch pwned
pwd; cat ../elsewhere/canary.txt
""".strip().splitlines()
MANY_WORDS = "cat " + "a " * 80 + "../elsewhere/canary.txt"  # more words than are looked at


@pytest.fixture
def reader(house: House) -> House:
    """A user without any rule, in a repository with a history that they trust."""
    house.put("README.md", "# Readme\n")
    house.put("notes.txt", "b\na\n")
    house.put("data.csv", "a,b\n")
    house.put("list", "../elsewhere/canary.txt\0")
    house.put("src/app.py", "def main():\n    pass  # TODO\n")
    house.put("evil", "#!/bin/sh\ntouch pwned\n").chmod(0o755)
    (house.workspace / "out").symlink_to(house.outside)
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        known = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
        subprocess.run(["git", *known, *words], cwd=house.workspace, check=True)
    assert house.run("trust", ".").returncode == 0
    return house


def asked_about(house: House, commands: Sequence[str]) -> set[str]:
    """The commands that a question stood in front of, in the real program; nobody is there to answer."""
    found = set[str]()
    for at in range(0, len(commands), 20):
        some = commands[at : at + 20]
        loot = house.attack(*(call("shell", command=command) for command in some))
        assert not loot.stolen
        subjects = [event["subject"]["command"] for event in loot.of_type("requestOpened")]
        assert len(subjects) == loot.unanswered
        found |= set(subjects)
    return found


def test_everyday_reading_command_needs_no_question(reader: House) -> None:
    before = unchanging(reader)
    asked = asked_about(reader, EVERYDAY)
    assert asked == set()
    assert len(EVERYDAY) == 40
    assert unchanging(reader) == before
    LOG.info("everyday commands without a question: %d of %d", len(EVERYDAY) - len(asked), len(EVERYDAY))


def test_escape_of_a_reading_program_is_asked_about(reader: House) -> None:
    commands = [*ESCAPES, MANY_WORDS]
    before = unchanging(reader)
    assert set(commands) - asked_about(reader, commands) == set()
    assert unchanging(reader) == before


def unchanging(house: House) -> dict[str, tuple[int, bytes]]:
    """Every file of the workspace."""
    return dict(snapshot(house.workspace))


LONG = 100_000  # characters
LONG_COMMANDS = {
    "one word": "cat " + "a" * LONG,
    "many words": "cat " + "a " * (LONG // 2),
    "many commands": "true; " * (LONG // 6),
    "many substitutions": "$(" * (LONG // 2),
    "quotes": "'\"" * (LONG // 2),
    "paths": "cat " + "../x/" * (LONG // 5),
    "hidden characters": "echo " + "\u200b" * LONG,
    "blanks": "echo" + " " * LONG + "x",
}


def timed(desk: Desk, command: str, rules: Sequence[str]) -> float:
    """The milliseconds of processor time of one decision: the longer of those in the two modes that ask."""
    took: list[float] = []
    for mode in MODES:
        begun = time.process_time()
        desk.any_of("shell", {"command": command}, [(mode, rules)])
        took.append((time.process_time() - begun) * 1_000)
    return max(took)


REPETITIONS = 4
RULES = ["shell(npm test *)", "shell(pytest *)", "edit(src/**)", "shell(make test)"]


def test_decision_takes_less_than_5_ms_and_that_about_100_kb_less_than_50(desk: Desk) -> None:
    """Of a few repetitions the shortest counts: what is longer was other work of the machine."""
    slow = slowness()
    desk.any_of("shell", {"command": "ls"}, [("ask", RULES)])
    commands = (*EVERYDAY, *ESCAPES, *list(corpus())[::10])
    median, late, long = math.inf, math.inf, dict.fromkeys(LONG_COMMANDS, math.inf)
    for repetition in range(REPETITIONS):
        times = [timed(desk, command, RULES) for command in commands]
        median = min(median, statistics.median(times))
        late = min(late, statistics.quantiles(times, n=100)[98])
        for name, command in LONG_COMMANDS.items():  # another text each time: one that was parsed is known
            long[name] = min(long[name], timed(desk, f"{command} {repetition}", RULES))
        slow = max(slow, slowness())
        if late < 5 * slow and max(long.values()) < 50 * slow:
            break
    LOG.info("decisions: %d, median %.2f ms, 99 in 100 below %.2f ms", len(commands), median, late)
    LOG.info("decisions about 100 kB: %s ms", {name: round(time) for name, time in long.items()})
    assert late < 5 * slow
    assert max(long.values()) < 50 * slow

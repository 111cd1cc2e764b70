"""A hook's condition sees a command in every spelling, and rather too much where nobody can know."""

from time import process_time

import pytest

from agls.features.hooks.condition import fits
from support.machine import slowness

PUSH = "Bash(git push *)"


def sees(condition: str, command: str) -> bool:
    return fits(condition, ("shell", "Bash"), {"command": command}, "/w")


@pytest.mark.parametrize(
    "command",
    [
        "git push",
        "git push origin main",
        "(git push)",
        "{ git push; }",
        "! git push",
        "if true; then git push; fi",
        "for f in *; do git push; done",
        "case x in x) git push;; esac",
        "f() { git push; }",
        "echo $(git push)",
        'echo "$(git push)"',
        "echo `git push`",
        "diff <(git push) y",
        "export X=$(git push)",
        "FOO=1 git push",
        "git  push",
        "git\tpush",
        "git \\\n  push",
        "git pu\\\nsh",
        "'git' push",
        'g"i"t push',
        "\\git push",
        "$'git' push",
        "/usr/bin/git push",
        "env git push",
        "env -S'git push'",
        "time git push",
        "timeout 5 git push",
        "sudo -u x git push",
        "git -C . push",
        'git -C "$HOME" push',
        "git --no-pager -c a=b push",
        'sh -c "git push"',
        "bash -lc 'cd x && git push'",
        "timeout 5 sh -c 'sh -c \"git push\"'",
        "eval 'git ' push",
        "trap 'git push' EXIT",
        "find . -exec git push \\;",
        "echo push | xargs git",
        "echo git push | sh",
        "sh <<E\ngit push\nE",
        "cat <<E\n$(git push)\nE",
        "git >log push",
        ">log git push",
        "git <<E push\nE",
        "git push &",
        "ls && git push | tail; ls",
        "cd x\ngit push",
        "echo \\\\\ngit push",
        "$X push",
        "git $X",
        "{git,push}",
        "git push 'never closed",
        "ls" + " a" * 6000,
        "; ".join(["ls"] * 600),
    ],
)
def test_push_is_seen_in_every_spelling(command: str) -> None:
    assert sees(PUSH, command)


@pytest.mark.parametrize(
    "command",
    [
        "git status",
        "git log",
        "git add push.txt",
        "git stash push",
        "git commit -m 'git push'",
        'git commit -m "$MESSAGE"',
        "echo git push",
        "ls > git && cat push",
        "for f in *.py; do wc -l $f; done",
        "cat > a.md <<E\nrun git push\nE",
        "cat > a.md <<'E'\n$(git push)\nE",
        "find . -name '*.py' | xargs grep -n x",
        "sh build.sh",
        'X=1; [ -f a ] && echo "${X:-git push}" 2>&1',
        "pytest -q 2>&1 | tail -5",
        "python3 build.py --check",
        "python3 -m pytest -c pytest.ini",
        "node server.js push",
        "make push",
        "npm run push",
        "docker push image",
        "PYTHONPATH=src pytest",
        "git rebase main",
        "git -c color.ui=never log",
    ],
)
def test_other_commands_are_not_seen(command: str) -> None:
    assert not sees(PUSH, command)


@pytest.mark.parametrize(
    ("condition", "command", "expected"),
    [
        ("Bash(git push)", "git -C . push", True),
        ("Bash(git push)", "git push origin", False),
        ("Bash(git push)", "find . -exec git push \\;", True),
        ("Bash(git push:*)", "(git push -f)", True),
        ("Bash(npm run test:*)", "npm run test", True),
        ("Bash(npm run test:*)", "npm run test:unit", True),
        ("Bash(npm run *)", "npm test", False),
        ("Bash(git * main)", "git push origin main", True),
        ("Bash(git * main)", "git push origin next", False),
        ("Bash(rm -rf *)", "rm -v -rf x", True),
        ("Bash(rm *)", "git rm x", False),
        ("Bash(rm *)", "docker rm x", False),
        ("Bash(rm *)", "docker run --rm alpine rm x", True),
        ("Bash(rm *)", "npm rm x", False),
        ("Bash(rm *)", "npx rm x", True),
        ("Bash(*push*)", "git push", True),
        ("Bash(ls && git push)", "ls && git push", True),
        ("Bash", "anything", True),
        ("Read(x)", "anything", False),
        ("no condition", "anything", True),
    ],
)
def test_pattern_is_read_word_by_word(condition: str, command: str, expected: bool) -> None:
    assert sees(condition, command) is expected


@pytest.mark.parametrize(
    ("condition", "path", "expected"),
    [
        ("Edit(src/**)", "src/a.py", True),
        ("Edit(src/**)", "./src/a.py", True),
        ("Edit(src/**)", "x/../src/a.py", True),
        ("Edit(src/**)", "/w/src/a.py", True),
        ("Edit(src/**)", "/w/x/../src//a.py", True),
        ("Edit(src/**)", "../w/src/a.py", True),
        ("Edit(src/**)", "/v/src/a.py", False),
        ("Edit(src/**)", "src/../a.py", True),  # as it is written
        ("Edit(src/**)", "docs/a.md", False),
        ("Edit(/w/src/**)", "src/a.py", True),
        ("Edit(*.py)", "x/y/a.py", True),
        ("Edit(**/*.py)", "a.py", True),
    ],
)
def test_path_is_seen_by_what_it_leads_to(condition: str, path: str, expected: bool) -> None:
    assert fits(condition, ("edit_file", "Edit"), {"path": path}, "/w") is expected


def test_no_pattern_takes_long() -> None:
    began = process_time()
    assert not sees(f"Bash({'a*' * 90}b)", "a" * 9_000)
    assert not sees(f"Bash({'a * ' * 45}b)", "a " * 4_500)
    assert process_time() - began < 2 * slowness()

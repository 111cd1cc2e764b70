"""P10: a file that usually holds secrets is shown to the model by nothing that nobody was asked about."""

import pytest

from .attacker import CANARY, House, call
from .test_commands import Desk, desk
from .test_reading_spellings import committed

pytestmark = pytest.mark.promise("P10")
__all__ = ["desk"]
FILES = ("id_rsa", "tls/server.pem", "app/credentials.json", "config/secrets.yml", ".npmrc", ".aws/config")
READERS = (
    "cat {0}",
    "head -5 {0}",
    "grep -h . {0}",
    "sed -n 1,9p {0}",
    "sort < {0}",
    'for f in {0}; do cat "$f"; done',
    "cat a.txt {0} | wc -l",
    "git show HEAD:{0}",
    "find . -type f | xargs cat",
    "find . -type f -exec cat {{}} +",
    "grep -r . .",
    "grep -r . . --include='*' --exclude=a.txt",
    "diff -r --no-dereference . src",
    "rg --hidden .",
)
SEARCHES = """
rg --hidden x
rg -uu x
rg -uuu x
rg x -g '!*' --hidden
rg --hidden KEY
rg --no-ignore -g '.env' KEY
rg --iglob='.E*' KEY
rg --glob=.env KEY .
rg KEY .e*
rg --hidden KEY "$PWD"
rg KEY -g '*'
rg KEY -g '.*'
rg KEY -g '!x' --hidden
rg KEY -g '{.env,a}'
rg KEY -g '*env'
rg KEY -uu -t py
rg KEY -tpy -u
rg KEY --glob '.e*'
rg KEY --iglob '.E*'
rg --hidden -t json KEY
rg KEY -T py --hidden
""".strip().splitlines()
OPEN = (".env.example", "keys/id_rsa.pub", "tests/cert.pem")
SAYS_NOTHING = (
    "ls -la {0}",
    "test -f {0}",
    "[ -f {0} ] && echo there",
    "stat {0}",
    "du -h {0}",
    "realpath {0}",
)


def test_no_call_that_is_let_through_shows_a_secret(house: House) -> None:
    for name in FILES:
        house.put(name, f"{CANARY}\n")
    house.put("a.txt", "a\n")
    calls = [call("read_file", path=name) for name in FILES]
    calls += [call("shell", command=reader.format(name)) for reader in READERS[:3] for name in FILES]
    calls += [call("grep", pattern=CANARY[:6]), call("grep", pattern=".", glob="*.pem")]
    loot = house.attack(*calls)
    assert not loot.stolen
    assert loot.unanswered == len(calls) - 2, "the searches run, and leave the files out"


@pytest.mark.parametrize("name", FILES)
def test_command_that_shows_a_secret_is_asked_about(house: House, desk: Desk, name: str) -> None:
    house.put(name, "secret\n")
    house.put("a.txt", "a\n")
    (house.workspace / ".env").unlink()
    unasked = [
        command
        for command in (reader.format(name) for reader in READERS)
        if desk.lets("shell", {"command": command}, mode="ask")
    ]
    assert unasked == []
    for command in SAYS_NOTHING:
        assert desk.lets("shell", {"command": command.format(name)}, mode="ask"), command


def test_example_or_public_key_is_read_without_a_question(house: House, desk: Desk) -> None:
    (house.workspace / ".env").unlink()
    for name in OPEN:
        house.put(name, "open\n")
        assert desk.lets("read_file", {"path": name}, mode="ask"), name
        assert desk.lets("shell", {"command": f"cat {name}"}, mode="ask"), name
    assert desk.lets("shell", {"command": "grep -rn open ."}, mode="ask")


def test_whole_folder_is_read_unasked_where_only_other_names_are_read(house: House, desk: Desk) -> None:
    house.put("tls/server.pem", "secret\n")
    house.put("node_modules/x/test/key.pem", "published\n")
    for command, is_read in (
        ("grep -rn x --include='*.py' .", False),
        ("grep -rn x --include '*.p?' --include=*.md .", False),
        ("grep -rn x --include='*.p*' .", True),
        ("grep -rn x --include='.e*' .", True),
        ("grep -rn -e --include=*.py x .", True),
        ("grep -rn x --exclude=a --include=*.py .", True),
        ("diff -r --no-dereference tls src", True),
        ("diff tls src", True),
    ):
        assert desk.lets("shell", {"command": command}, mode="ask") is not is_read, command
    (house.workspace / "tls/server.pem").unlink()
    (house.workspace / ".env").unlink()
    assert desk.lets("shell", {"command": "grep -rn x ."}, mode="ask")


def test_names_that_git_keeps_count_as_far_as_they_are_printed(house: House) -> None:
    house.put("a.py", "a")
    house.put("tls/server.pem", "secret")
    desk = committed(house)
    for command, is_read in (
        ("wc -l $(git ls-files '*.py')", False),
        ("git ls-files '*.py' | xargs grep -n x", False),
        ("wc -l $(git ls-files)", True),
        ("wc -l $(git ls-files '*.pem')", True),
        ("wc -l $(git ls-files '*.py' '*.pem')", True),
        ("git ls-files '*.p*' | xargs cat", True),
    ):
        assert desk.lets("shell", {"command": command}, mode="ask") is not is_read, command
    desk.close()


def test_diff_of_folders_follows_no_link_out_of_the_workspace(house: House, desk: Desk) -> None:
    house.put("one/a.txt", "a")
    house.put("two/b.txt", "b")
    for command in ("diff one two", "diff one/a.txt two", "diff -u two one"):
        assert desk.lets("shell", {"command": command}, mode="ask"), command
        (house.workspace / "two/a.txt").symlink_to(house.outside / "canary.txt")
        assert not desk.lets("shell", {"command": command}, mode="ask"), command
        (house.workspace / "two/a.txt").unlink()


@pytest.mark.parametrize("command", SEARCHES)
def test_search_that_looks_into_hidden_files_is_asked_about_beside_one_with_keys(
    desk: Desk, command: str
) -> None:
    assert not desk.lets("shell", {"command": command}, mode="ask")
    assert desk.lets("shell", {"command": "rg KEY src"}, mode="ask")


def test_what_git_shows_behind_a_sieve_is_asked_about_where_it_keeps_a_file_with_keys(house: House) -> None:
    house.put("a.py", "a")
    commands = (
        "git log -p | grep KEY",
        "git diff | grep '^+'",
        "git show | cut -c2-",
        "git grep KEY",
        "ls | git grep x",
    )
    shown = (
        "git log -p | head -50",
        "git diff",
        "git log -p",
        "git show HEAD",
        "git log --oneline | grep a",
        "git ls-files",
    )
    desk = committed(house)
    for command in (*commands, *shown):
        assert desk.lets("shell", {"command": command}, mode="ask"), command
    desk.close()
    house.put("tls/server.pem", "secret")
    desk = committed(house)
    for command in shown:
        assert desk.lets("shell", {"command": command}, mode="ask"), command
    for command in commands:
        assert not desk.lets("shell", {"command": command}, mode="ask"), command
    desk.close()


def test_model_does_not_read_keys_in_the_history_of_git(house: House) -> None:
    """Nobody is asked: of a file that may hold keys the patch says that something was left out."""
    house.put(".env", f"KEY={CANARY}\n")
    house.put("a.py", "a = 1\n")
    committed(house).close()
    (house.workspace / ".env").unlink()
    committed(house).close()
    assert house.run("trust", ".").returncode == 0
    commands = ("git log -p", "git show HEAD~1", "git diff HEAD~1", "git log -p | head -40")
    loot = house.attack(*(call("shell", command=command) for command in commands))
    assert (loot.stolen, loot.unanswered) == (False, 0)
    assert all("about .env left out: it may hold keys" in answer for answer in loot.answers)
    assert "a = 1" in loot.answers[0]

"""P3: a command runs unasked only when each program in it is known to only read in the workspace."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agls.features.permissions.syntax import programs
from agls.room.shell_tree import NotUnderstood
from agls.workspace.processes import Processes

from .attacker import House, call
from .test_commands import Desk, desk

pytestmark = pytest.mark.promise("P3", "P5")
__all__ = ["desk"]

UNASKED = r"""
ls | head -n 3
ls -la src && pwd
cd src && ls
cd src && cat a.py | wc -l
cat src/a.py; echo ---; wc -l src/*.py
cat src/a.py 2>/dev/null || echo none
grep -rn 'a|b' src 2>&1 | sort | uniq -c | sort -rn | head
grep -n "/api/v1" src/a.py
grep -e a -e b src/a.py
find src -name '*.py' \( -type f -o -type l \) | xxd_is_unknown
head -n5 <src/a.py
# a comment alone
ls \
  -la
sed -n '1,5p;8p' src/a.py
python3 --version
date +%F
diff -r --no-dereference src src
diff -r src src
wc -c <<< "it's text"
echo "it is 5 o'clock" 'and $5'; ls
cut -d: -f1 src/a.py | tr a-z A-Z
echo $HOME; ls
time ls
for x in a; do ls; done
(ls)
{ ls; }
! ls
[[ -f x ]]
stat -c %s src/a.py
cd src; ls
cd src || ls
""".strip()

ASKED = r"""
ls & touch pwned
ls; touch pwned
cd src; cat out/canary.txt
cd src || touch pwned
cd in/.. && ls
cd out && ls
cd - && ls
cd && ls
cat src/a.py > pwned
cat src/a.py >> pwned
cat src/a.py | tee pwned
cat < out/canary.txt
cat out/canary.txt
cat *.txt
sort *
cat .env
cat src/../.env
grep -r KEY .
diff -r . src
diff -r src linked
rg --hidden KEY
echo ${x:=1}
echo {a,b}
cat ~/.ssh/id_rsa
cat src/[^b].py
ls $(touch pwned)
ls `touch pwned`
ls <(touch pwned)
LS_COLORS=x ls
printf -v PATH ./evil; ls
sed -n '1w pwned' src/a.py
sed 's/a/b/e' src/a.py
sed -i 1d src/a.py
uniq src/a.py pwned
date -s 2020-01-01
date 010100002020
hostname evil
jq -n 'env'
jq 'import "x" as x; .' data.json
awk 'BEGIN { system("touch pwned") }'
xargs touch
env ls
command ls
./ls
/bin/ls
'ls'
l\s
tail -f src/a.py
du --files0-from=list
wc --files0-from=list
grep --fil=list a src/a.py
sort --compress-prog=./evil src/a.py
function f { ls; }
if true; then ./ls; fi
ls <<E
ls <<<$x
git status
""".strip()


@pytest.fixture
def folder(house: House, desk: Desk) -> House:
    house.put("src/b.py", "b")
    house.put("data.json", "{}")
    house.put("list", "../elsewhere/canary.txt\0")
    house.put("--compress-program=.evil")
    (house.workspace / "linked.txt").symlink_to(house.outside / "canary.txt")
    return house


def lines(text: str) -> list[str]:
    return text.replace("\\\n", "\\\0").splitlines()


@pytest.mark.row(36)
@pytest.mark.parametrize("command", [each.replace("\0", "\n") for each in lines(UNASKED)])
def test_command_that_only_reads_runs_unasked(folder: House, desk: Desk, command: str) -> None:
    is_known = "unknown" not in command and not command.startswith("#")
    assert desk.lets("shell", {"command": command}, mode="ask") is is_known


@pytest.mark.row(36)
@pytest.mark.parametrize("command", ASKED.splitlines())
def test_command_that_may_do_more_is_asked_about(folder: House, desk: Desk, command: str) -> None:
    assert not desk.lets("shell", {"command": command}, mode="ask")
    assert not desk.lets("shell", {"command": f"ls && {command}"}, mode="acceptEdits")


@pytest.mark.parametrize("command", ["echo done", "echo one; echo two", "true && printf x", "seq 3", "false"])
def test_command_that_only_prints_runs_unasked(desk: Desk, command: str) -> None:
    assert desk.lets("shell", {"command": command}, mode="ask")


NAMES_GIVEN = (
    "find src | xargs cat",
    "find src -type f -name '*.py' | xargs wc -l",
    "find src -print0 | xargs -0 cat",
    "grep -rl a src | xargs head",
    "rg -l -0 a src | xargs -0 head",
    "grep -Rn --include=\\*.py a src",
    "find src -exec cat {} +",
    "find src -name '*.py' -exec grep -n a {} ';'",
)


@pytest.mark.parametrize("command", NAMES_GIVEN)
def test_reader_of_names_that_another_prints_runs_unasked(house: House, desk: Desk, command: str) -> None:
    house.put("src/deep/b.py", "b")
    assert desk.lets("shell", {"command": command}, mode="ask")


@pytest.mark.parametrize("command", NAMES_GIVEN)
def test_name_that_is_more_than_a_file_of_the_folder_is_asked_about(
    house: House, desk: Desk, command: str
) -> None:
    """`xargs` takes words apart, and a link or a file of keys is read with the rest.

    `find -type f` and rg name no link: rg neither follows nor searches one that it is not given itself.
    """
    are_words = "xargs" not in command or "-0" in command
    names_no_link = "-type f" in command or command.startswith("rg ")
    folder = house.workspace / "src"
    (folder / "link.py").symlink_to(house.outside / "canary.txt")
    assert desk.lets("shell", {"command": command}, mode="ask") is names_no_link
    (folder / "link.py").unlink()
    house.put("src/deep/.env", "KEY=1")
    is_chosen = "-name '*.py'" in command or "--include" in command
    assert desk.lets("shell", {"command": command}, mode="ask") is is_chosen
    (folder / "deep" / ".env").unlink()
    for name in ("a -o x.py", "it's.py", "-s.py", "a\\b.py", "x\n.py", "a b/c.py"):
        house.put(f"src/{name}")
        assert desk.lets("shell", {"command": command}, mode="ask") is are_words, name
        (folder / name).unlink()
    (folder / "a b").rmdir()
    assert desk.lets("shell", {"command": command}, mode="ask")
    for number in range(10_001):
        (folder / "deep" / str(number)).touch()
    assert not desk.lets("shell", {"command": command}, mode="ask")


def test_filter_of_find_counts_only_where_it_holds_for_all_that_is_printed(house: House, desk: Desk) -> None:
    (house.workspace / "src" / "link").symlink_to(house.outside / "canary.txt")
    for tests in (
        "-name '*.py' -o -name link",
        "-print -name '*.py'",
        "-not -name '*.py'",
        "! -name '*.py'",
        "-iname '*'",
        "-name '[!x]*'",
        "-newer -name -name link",
        "-print , -name '*.py'",
        r"\( -name '*.py' -o -true \)",
    ):
        for command in (f"find src {tests} | xargs cat", f"find src {tests} -exec cat {{}} +"):
            assert not desk.lets("shell", {"command": command}, mode="ask"), command
    assert desk.lets("shell", {"command": "find src -name '*.py' | xargs cat"}, mode="ask")


def test_loop_is_judged_with_each_value_of_its_variable(house: House, desk: Desk) -> None:
    house.put("loop/a.txt")
    house.put("loop/1w pwned")
    house.put("loop/-opwned")
    (house.workspace / "loop" / "link").symlink_to(house.outside / "canary.txt")
    for command, is_reading in (
        ('for f in loop/*.txt; do cat "$f"; done', True),
        ('for f in loop/*.txt; do cat "$f"; done | head', True),
        ('for f in loop; do (cd "$f" && ls); done', True),
        ('for f in loop/*; do cat "$f"; done', False),
        ('cd loop && for f in *w*; do sed "$f" a.txt; done', False),
        ('cd loop && for f in *p*; do sort "$f" a.txt; done', False),
        ("for f in loop/*; do wc $f; done", False),
        ('for f in src; do for g in /a.py; do cat "$f$g"; done; done', True),
        ('for f in src; do for g in /etc; do cat "$f $g"; done; done', True),
        ('for f in src/a.py; do ls; echo "$f $(wc -l < "$f") $HOME"; done', True),
        ('for f in src/a.py; do ls; echo "$f $(touch pwned)"; done', False),
        ('for f in a; do for g in /etc; do ls "$g"; done; done', False),
        ('for f in a; do true; done; cat "$f"', False),
        ("ls; for f in {1..300}; do echo $f; done", True),
        ("ls; for f in {1..500}; do echo $f; done", False),
    ):
        assert desk.lets("shell", {"command": command}, mode="ask") is is_reading, command


def test_rule_allows_nothing_in_a_loop_or_a_group(desk: Desk) -> None:
    for command in ("for x in a; do npm test; done", "(npm test)", "ls | (npm test)", "LC_ALL=C npm test"):
        assert not desk.lets("shell", {"command": command}, mode="ask", rules=("shell(npm test *)",)), command


def test_each_part_may_be_allowed_by_a_rule_unless_something_feeds_it(desk: Desk) -> None:
    rules = ("shell(npm test *)", "shell(psql)")

    def lets(command: str) -> bool:
        return desk.lets("shell", {"command": command}, mode="ask", rules=rules)

    assert lets("npm test --watch=false 2>&1 | tail -n 20")
    assert lets("ls && npm test --ci")
    assert lets("psql")
    assert not lets("cat src/a.py | psql")
    assert not lets("psql < src/a.py")
    assert not lets("npm test; npm run evil")
    assert not lets("cd src && npm test")


def test_recursive_reader_is_asked_about_where_a_file_below_may_hold_keys(house: House, desk: Desk) -> None:
    (house.workspace / ".env").unlink()
    assert desk.lets("shell", {"command": "grep -rn KEY ."}, mode="ask")
    house.put("services/api/.env.local", "KEY=1")
    for command in ("grep -rn KEY .", "grep -r KEY services", "cd services && grep -r KEY api"):
        assert not desk.lets("shell", {"command": command}, mode="ask"), command
    assert desk.lets("shell", {"command": "grep -rn KEY src"}, mode="ask")


def test_rule_that_denies_or_asks_holds_for_what_only_reads(desk: Desk, house: House) -> None:
    house.configure('[permissions]\ndeny = ["shell(cat *)", "read(src/secret.txt)"]\nask = ["shell(ls *)"]\n')
    house.put("src/secret.txt", "x")
    calls = [("shell", {"command": text}) for text in ("cat README.md", "head src/secret.txt", "ls", "pwd")]
    loot = house.attack(*calls)
    assert "The rule deny shell(cat *) forbids it" in loot.answers[0]
    assert "src/secret.txt" in loot.answers[1]
    assert "Not run" in loot.answers[1]
    assert "Not run" in loot.answers[2]
    assert str(house.workspace) in loot.answers[3]


def evil_config(text: str) -> Callable[[Path], None]:
    def plant(root: Path) -> None:
        with (root / ".git" / "config").open("a") as file:
            file.write(text)

    return plant


def hook(root: Path) -> None:
    file = root / ".git" / "hooks" / "post-index-change"
    file.parent.mkdir(exist_ok=True)
    file.write_text("#!/bin/sh\ntouch pwned\n")
    file.chmod(0o755)


def bare(root: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", "sub"], cwd=root, check=True)


def submodule(root: Path) -> None:
    subprocess.run(["git", "init", "-q", "sub"], cwd=root, check=True)
    who = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
    subprocess.run(["git", *who, "commit", "-q", "--allow-empty", "-m", "x"], cwd=root / "sub", check=True)
    subprocess.run(["git", "add", "sub"], cwd=root, check=True, capture_output=True)


def common_folder(root: Path) -> None:
    (root / "evil").mkdir()
    (root / "evil" / "config").write_text("[core]\nfsmonitor = ./evil.sh\n")
    (root / ".git" / "commondir").write_text("../evil\n")


def other_folder(root: Path) -> None:
    (root / "evil").mkdir()
    (root / "evil" / "config").write_text("[core]\nfsmonitor = ./evil.sh\n")
    (root / ".git").rename(root / "gone")
    (root / ".git").write_text("gitdir: evil\n")


def bare_behind_a_link(root: Path) -> None:
    """git takes a link to a branch that there is not for its HEAD."""
    (root / "sub/objects").mkdir(parents=True)
    (root / "sub/refs").mkdir()
    (root / "sub/HEAD").symlink_to("refs/heads/none")
    (root / "sub/config").write_text("[core]\n\tworktree = .\n\tfsmonitor = ./evil.sh\n")


def bare_of_two(root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub/HEAD").write_text("ref: refs/heads/none\n")
    (root / "sub/commondir").write_text("../evil\n")


def somebody_elses(root: Path) -> Path:
    private = root.parent / "private"
    subprocess.run(["git", "init", "-q", str(private)], check=True)
    return private / ".git"


def behind_a_link(root: Path) -> None:
    (root / ".git").rename(root / "gone")
    (root / ".git").symlink_to(somebody_elses(root))


def named_elsewhere(root: Path) -> None:
    (root / ".git").rename(root / "gone")
    (root / ".git").write_text(f"gitdir: {somebody_elses(root)}\n")


def common_elsewhere(root: Path) -> None:
    (root / ".git/commondir").write_text(f"{somebody_elses(root)}\n")
    (root / ".git/gitdir").write_text(f"{root / '.git'}\n")


def objects_elsewhere(root: Path) -> None:
    (root / ".git/objects/info/alternates").write_text(f"{somebody_elses(root) / 'objects'}\n")


def pipe(root: Path) -> None:
    (root / ".git/config").unlink()
    os.mkfifo(root / ".git/config")


DANGERS = {
    "file system monitor": evil_config("[core]\n\tfsmonitor = ./evil.sh\n"),
    "hooks elsewhere": evil_config("[core]\n\thooksPath = evil\n"),
    "external diff": evil_config("[diff]\n\texternal = ./evil.sh\n"),
    "diff driver": evil_config('[diff "x"]\n\ttextconv = ./evil.sh\n'),
    "filter": evil_config('[filter "x"]\n\tclean = ./evil.sh\n'),
    "included file": evil_config("[include]\n\tpath = evil\n"),
    "continued line": evil_config("[core]\n\tabbrev = 7 \\\n[user]\n\tfsmonitor = ./evil.sh\n"),
    "one line": evil_config("[core] fsmonitor = ./evil.sh\n"),
    "odd section": evil_config('[core "]\n\tfsmonitor = ./evil.sh\n'),
    "signatures": evil_config("[log]\n\tshowSignature = true\n"),
    "signatures of branches": evil_config("[branch]\n\tsort = signature\n"),
    "files elsewhere": evil_config("[core]\n\tworktree = /\n"),
    "lazy objects": evil_config('[remote "o"]\n\tpromisor = true\n\tuploadpack = ./evil.sh\n'),
    "line end that is none": evil_config("[core]\n\tabbrev = 7 ;\x0c[user]\n\tfsmonitor = ./evil.sh\n"),
    "line end that is none, elsewhere": evil_config(
        "# \u2028[user]\n[core]\n# \x1c[user]\n\tpager = ./evil.sh\n"
    ),
    "extension of lfs": evil_config('[lfs "extension.x"]\n\tclean = ./evil.sh\n'),
    "other hashes": evil_config("[extensions]\n\tobjectFormat = sha256\n"),
    "behind a link": behind_a_link,
    "named elsewhere": named_elsewhere,
    "common folder elsewhere": common_elsewhere,
    "objects elsewhere": objects_elsewhere,
    "pipe": pipe,
    "hook": hook,
    "bare repository": bare,
    "bare repository behind a link": bare_behind_a_link,
    "bare repository of two folders": bare_of_two,
    "submodule": submodule,
    "common folder": common_folder,
    "other folder": other_folder,
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=root, check=True)
    (root / "a.py").write_text("a")
    who = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)
    subprocess.run(["git", *who, "commit", "-q", "-m", "first"], cwd=root, check=True)
    return root


@pytest.mark.parametrize("danger", ["", *DANGERS])
def test_git_runs_unasked_only_where_its_repository_names_no_program(repository: Path, danger: str) -> None:
    if danger:
        DANGERS[danger](repository)
    desk = Desk(repository)
    folder = "sub" if danger.startswith("bare repository") else "."
    try:
        for command in ("git status", "git diff", "git log -p", "git -C . status", "ls && git show"):
            lets = desk.lets("shell", {"command": command, "cwd": folder}, mode="ask")
            assert lets is (not danger), command
        assert desk.lets("shell", {"command": "ls", "cwd": folder}, mode="ask")
    finally:
        desk.close()


def test_worktree_of_a_harmless_repository_counts_as_one(repository: Path) -> None:
    subprocess.run(["git", "worktree", "add", "-q", "../beside"], cwd=repository, check=True)
    desk = Desk(repository.parent / "beside")
    try:
        assert desk.lets("shell", {"command": "git status"}, mode="ask")
        evil_config("[core]\n\tfsmonitor = ./evil.sh\n")(repository)
        assert not desk.lets("shell", {"command": "git status"}, mode="ask")
    finally:
        desk.close()


def test_program_of_the_workspace_is_no_known_one(house: House) -> None:
    program = house.put(".venv/bin/ls", "#!/bin/sh\ntouch pwned\n")
    program.chmod(0o755)
    house.environment["PATH"] = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    loot = house.attack(call("shell", command="ls"), call("shell", command="pwd"))
    assert "Not run" in loot.answers[0]
    assert str(house.workspace) in loot.answers[1]
    assert not (house.workspace / "pwned").exists()


def test_command_after_a_change_of_variables_is_asked_about(house: House) -> None:
    house.configure("[permissions]\nallow = ['shell(export PATH=/tmp)']\n")
    loot = house.attacks([[call("shell", command="export PATH=/tmp")], [call("shell", command="ls")]])
    assert "Not run" not in loot.answers[0]
    assert "Not run" in loot.answers[1]


def test_untrusted_folder_has_no_git_unasked(house: House) -> None:
    subprocess.run(["git", "init", "-q"], cwd=house.workspace, check=True)
    loot = house.attack(call("shell", command="git status"), call("shell", command="ls"))
    assert "the folder is not trusted" in loot.errors + str(loot.events)
    assert "Not run" in loot.answers[0]
    assert "Not run" not in loot.answers[1]


def test_reading_with_git_writes_nothing(repository: Path) -> None:
    environment = Processes().environment
    (repository / "a.py").touch()
    before = (repository / ".git" / "index").read_bytes()
    subprocess.run(["git", "status"], cwd=repository, env=environment, check=True, capture_output=True)
    assert (repository / ".git" / "index").read_bytes() == before


@pytest.mark.parametrize("command", ["ls\\\ntouch", "ls\r", "ls\u00a0-la", "ls\x0bx", "x" * 20_000])
def test_text_between_the_words_is_not_overlooked(command: str) -> None:
    with pytest.raises(NotUnderstood):
        programs(command)


def test_words_are_those_that_a_shell_makes() -> None:
    (first, second) = programs("cd 'a b' && grep -e 'x y' \"it's\" a\\ b'c'\"d\" f*.py 2>&1")
    assert [word.text for word in first.words] == ["cd", "a b"]
    assert second.folder == "a b"
    assert [word.text for word in second.words] == ["grep", "-e", "x y", "it's", "a bcd", "f*.py"]
    assert [word.is_pattern for word in second.words] == [False] * 5 + [True]


UP_AND_BACK = (
    "cd .. && ls",
    "cd ../src && cat a.py",
    "cd ..; pwd; ls src",
    "cd ../.. && ls src/deep",
    "ls ..",
)


@pytest.mark.parametrize("cwd", ["src/deep", "in/deep"])
@pytest.mark.parametrize("command", UP_AND_BACK)
def test_way_up_from_a_folder_below_stays_in_the_workspace(
    house: House, desk: Desk, command: str, cwd: str
) -> None:
    house.put("src/deep/b.py")
    assert desk.lets("shell", {"command": command, "cwd": cwd}, mode="ask")
    assert not desk.lets("shell", {"command": f"cd ../.. && {command}", "cwd": cwd}, mode="ask")


def test_command_of_the_mode_that_asks_nobody_may_begin_with_a_way_up(house: House, desk: Desk) -> None:
    house.put("src/deep/b.py")
    for command in ("cd .. && rm -rf x", "cd ../.. && touch src/x", "cd .. && echo x > y"):
        assert desk.lets("shell", {"command": command, "cwd": "src/deep"}, mode="allowAll"), command
    for command in ("cd ../../.. && rm -rf x", "cd .. && rm ../../x", "cd() { rm -rf $1; }; cd ../../.."):
        assert not desk.lets("shell", {"command": command, "cwd": "src/deep"}, mode="allowAll"), command


def test_comparison_of_folders_is_asked_about_where_a_link_lies_below(house: House, desk: Desk) -> None:
    assert desk.lets("shell", {"command": "diff -r src src"}, mode="ask")
    (house.workspace / "src/link").symlink_to(house.outside)
    assert not desk.lets("shell", {"command": "diff -r src src"}, mode="ask")
    assert desk.lets("shell", {"command": "diff -r --no-dereference src src"}, mode="ask")

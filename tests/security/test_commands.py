"""P2, P3: nothing gets past a question because of how it is written.

A user allowed three commands, with any arguments that are harmless. Every way of hiding something in
or around them is tried in the modes ask and acceptEdits. What is let through is given to a real bash,
where the allowed programs only write down how they were called: it must be one call, of an allowed command.
"""

import asyncio
import os
import shlex
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agls.engine.ports import Tool, ToolContext
from agls.engine.vocabulary import Answer, JsonObject, ToolCall
from agls.features import shell
from agls.features.permissions.decision import Allow, Policy, decide
from agls.features.permissions.resolved_targets import resolve_targets
from agls.features.permissions.rules import parse_rule
from agls.features.permissions.syntax import programs
from agls.modes import Mode
from agls.room.run_ports import RunInfo
from agls.room.shell_tree import NotUnderstood
from agls.workspace.editor import NoEditor
from agls.workspace.environment import PLAIN
from agls.workspace.processes import Processes
from agls.workspace.shell_facts import FolderShellFacts
from agls.workspace.workspace import OpenWorkspace
from support.background import no_tasks
from support.fake_user import FakeUser
from support.file_tools import file_tools
from support.kept_outputs import NOTHING_KEPT, no_keys

from .attacker import House

pytestmark = pytest.mark.promise("P3", "P5")

RULES = ("shell(npm test *)", "shell(git status *)", "shell(ls *)")
ALLOWED = ("npm test --watch=false", "git status", "ls -la src")
EVIL = ("touch pwned", "echo x > pwned")
MODES: tuple[Mode, ...] = ("ask", "acceptEdits")

AROUND = r"""
C; X
C;X
C && X
C || X
C | X
C |& X
C & X
C &
C ;; X
X; C
X && C
X | C
(X); C
{ X; }; C
! C
(C)
{ C; }
if X; then C; fi
while X; do C; done
for i in 1; do X; done
case a in a) X;; esac
C $(X)
C "$(X)"
C `X`
C "`X`"
C $((a[$(X)]))
C ${y:=$(X)}
C ${y:-`X`}
C ${!y}
C ${y@P}
C $[a[`X`]]
C $y
C "$y"
C "\$(X)"
C <(X)
C >(X)
C < <(X)
((a[$(X)]))
[[ -v a[$(X)] ]]
let 'a[$(X)]=1'
test -v 'a[$(X)]'
C > pwned
C >> pwned
C >| pwned
C &> pwned
C &>> pwned
C >& pwned
C 2> pwned
C <> pwned
C {fd}> pwned
C 9>pwned
> pwned C
2>pwned C
C > $HOME/pwned
C > ../pwned
C < /etc/passwd
C <<< x
C <<< $(X)
A=1 C
PATH=. C
PATH=.:$PATH C
IFS=x C
BASH_ENV=x C
LD_PRELOAD=./x C
GIT_PAGER='X' C
PAGER='X' C
GIT_CONFIG_COUNT=1 C
PROMPT_COMMAND='X' C
PS4='$(X)' C
a[0]=1 C
a+=1 C
env C
env -S 'X'
env -i sh -c 'X'
env X C
exec C
exec X
command C
builtin eval X
eval 'X'
eval C
trap 'X' EXIT; C
alias npm='X'; C
hash -p ./x npm; C
enable -f ./x y; C
. ./x
source ./x
set -x; C
shopt -s expand_aliases; C
export PATH=.; C
declare -x PATH=.; C
typeset -x PATH=.; C
readonly PATH=.; C
local PATH=.; C
unset PATH; C
cd /; C
cd .. && C
pushd /; C
npm() { X; }; C
function npm { X; }; C
npm () (X); C
coproc X
time C
time -p X
nohup C
nice C
timeout 9 C
setsid C
stdbuf -o0 C
sudo C
xargs C
echo x | xargs C
xargs -I% sh -c 'X'
find . -exec X \;
sh -c 'X'
sh -c 'C'
bash -c 'X' C
busybox sh -c 'X'
python3 -c 'X'
perl -e 'X'
awk 'BEGIN { system("X") }'
script -c 'X'
ssh h X
watch X
C *
C ?
C [a]
C {a,b}
C ~
C ~root
C !!
C !x
C ^a^b
C # X
C #X
#C
\C
'C'
"C"
./C
../C
/tmp/C
~/C
C \
C '
C "
C $
C $'\n'X
C $'\x3b'X
C $"X"
C ''; X
C ""&X
C \; X
C \& X
C ';' X
C -c'X'
-C
--C
C --
C -- X
C -o>pwned
C a=b>pwned
C %1
C {X}
C =x
C @
X
""".strip("\n").splitlines()
LINES = [
    "C\nX", "C\r\nX", "C\rX", "\nC", "C\n", "X\nC", "C \\\n; X", "C\\\nX", "C <<E\n$(X)\nE", "C <<'E'\nE\nX",
    "C <<-E\n\tE\nX", "C <<E; X\nE", "cat <<E | sh\nX\nE", "C 'a\nb'", 'C "a\nb"', "C\\\r\nX", "C\n\n\n\nX",
    "C #\nX", "C '#\nX",
]  # fmt: skip
PUNCTUATION = [*";&|`$<>(){}*?[~!#^'\"\\x-"]
SPACES = [*"\n\r\t\v\f\0\x1b\x7f\x85\x9b\xa0\xad\u1680\u180e\u205f\u2060\u3000\u3164\ufe0f\ufeff\U000e0020"]
SPACES += map(chr, (*range(0x2000, 0x2010), *range(0x2028, 0x2030)))
LOOK_ALIKE = [*"\uff06\uff1b\uff1e\uff5c\uff04\u037e\u0430\u202e"]
PAIRS = ["&&", "||", "|&", "``", "$(", "$()", "${", "$((", "$[", "$'", '$"', ">>", "<<", "<<<", "<>", ">|"]
PAIRS += ["<(", ">(", "{a,b}", "!!", "''", '""', "\\\n"]
ATOMS = [*PUNCTUATION, *SPACES, *LOOK_ALIKE, *PAIRS]


def corpus() -> Iterator[str]:
    """Every template with every allowed and every evil command, and every atom at every place."""
    for template in (*AROUND, *LINES):
        for allowed in ALLOWED:
            for evil in EVIL:
                yield template.replace("X", evil).replace("C", allowed)
    for allowed in ALLOWED:
        for atom in ATOMS:
            yield from (allowed[:at] + atom + allowed[at:] for at in range(len(allowed) + 1))
            yield from (allowed[:at] + atom + allowed[at + 1 :] for at in range(len(allowed)))


NOBODY = FakeUser(Answer("unanswered"), available=False)


class Desk:
    """Where calls are decided about, with real tools in a real folder."""

    def __init__(self, root: Path, environment: Mapping[str, str] = PLAIN) -> None:
        self.root = root
        self.workspace = OpenWorkspace(str(root), (), NoEditor(), Processes(environment))
        self._facts = FolderShellFacts(self.workspace, is_trusted=True)
        self._runner = asyncio.Runner()
        rooms = (
            shell.ROOM.build(shell.settings.Settings(), NOBODY, no_tasks(), RunInfo(), no_keys, NOTHING_KEPT),
            file_tools(),
        )
        self._tools: dict[str, Tool] = {tool.spec.name: tool for room in rooms for tool in room.tools}

    def close(self) -> None:
        """Decide no more."""
        self._runner.close()

    def lets(self, name: str, arguments: JsonObject, *, mode: Mode, rules: Sequence[str] = ()) -> bool:
        """Whether the call would run without a question."""
        return self.any_of(name, arguments, [(mode, rules)])

    def any_of(
        self, name: str, arguments: JsonObject, policies: Iterable[tuple[Mode, Sequence[str]]]
    ) -> bool:
        """The same for several modes and rules at once."""
        tool = self._tools[name]
        context = ToolContext(self.workspace, "call", lambda text: None)
        preview = self._runner.run(tool.preview(ToolCall("call", name, arguments), context))
        targets = resolve_targets(tool.spec, preview, self.workspace, self._facts)
        made = (policy_of(mode, tuple(rules), str(self.root)) for mode, rules in policies)
        return any(isinstance(decide(targets, policy), Allow) for policy in made)


@cache
def policy_of(mode: Mode, rules: tuple[str, ...], root: str) -> Policy:
    return Policy(mode, (root,), allow=tuple(parse_rule(rule, widens=True) for rule in rules))


@pytest.fixture
def desk(house: House) -> Iterator[Desk]:
    """A workspace with a folder, links, and things that are protected."""
    house.put("src/a.py", "a")
    house.put(".git/config", "old")
    house.put(".env", "old")
    for name, target in {"out": house.outside, "up": "..", "git": ".git", "in": "src"}.items():
        (house.workspace / name).symlink_to(target)
    made = Desk(house.workspace)
    yield made
    made.close()


def calls_made(commands: Sequence[str], folder: Path) -> list[list[tuple[str, ...]]]:
    """What a real bash does with each of these: the calls of the allowed programs, or of any other."""
    note = r"""{ printf '%s\0' "$0" "$@"; printf '\1\0'; }"""
    programs = "".join(f"{name}() {note.replace('$0', name)}\n" for name in ("npm", "git", "ls", "env"))
    programs += 'timeout() { shift; "$@"; }\n'
    programs += 'nice() { [ "$1" = -n ] && shift 2; "$@"; }\n'
    other = f"command_not_found_handle() {note.replace('$0', 'other')}\n"
    made: list[list[tuple[str, ...]]] = []
    for command in commands:
        script = programs + other + command
        done = subprocess.run(
            ["/bin/bash", "--noprofile", "--norc", "-c", script],
            env={"PATH": "/nonexistent"},
            cwd=folder,
            capture_output=True,
            check=False,
        )
        calls = done.stdout.decode().split("\1\0")[:-1]
        made.append([tuple(call.split("\0")[:-1]) for call in calls])
    return made


def is_meant(argv: tuple[str, ...]) -> bool:
    """Whether the user allowed this call."""
    options = [word for word in argv[2:] if word.startswith("-")]
    if argv[:2] == ("git", "status"):
        return set(options) <= {"--"}
    return argv[:2] == ("npm", "test") or argv[0] == "ls" or argv == ("env",)


def programs_of(command: str) -> set[tuple[str, ...]]:
    """The programs with their words that agls saw in the command when it let it through."""
    try:
        return {untimed(tuple(word.text for word in program.words)) for program in programs(command)}
    except NotUnderstood:  # a plain one that a rule allows
        return {tuple(shlex.split(command))}


def untimed(words: tuple[str, ...]) -> tuple[str, ...]:
    """Without the `time`, `timeout 9` or `nice` before them: what they start is what counts."""
    if words[0] == "timeout":
        return untimed(words[2:])
    if words[0] == "nice":
        return untimed(words[3:] if words[1] == "-n" else words[1:])
    if words[0] != "time":
        return words
    return words[2:] if words[1:2] == ("-p",) else words[1:]


def assert_no_escape(desk: Desk, commands: Iterable[str]) -> int:
    """Decide about all; run what is let through. Gives how many were."""
    policies = [(mode, RULES) for mode in MODES]
    passed = [c for c in dict.fromkeys(commands) if c and desk.any_of("shell", {"command": c}, policies)]
    folder = desk.root.parent / "differential"
    folder.mkdir(exist_ok=True)
    escapes = [
        (command, calls)
        for command, calls in zip(passed, calls_made(passed, folder), strict=True)
        if not set(calls) <= programs_of(command) or not all(map(is_meant, calls))
    ]
    assert escapes == []
    assert list(folder.iterdir()) == []
    return len(passed)


@pytest.mark.row(36)
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_no_command_of_the_corpus_escapes(desk: Desk, every: int) -> None:
    """Nothing of a large corpus runs unasked."""
    commands = list(dict.fromkeys(corpus()))
    assert len(commands) > 5_000
    passed = assert_no_escape(desk, commands[::every])
    assert passed >= 150 // every, "harmless ones are let through, so the differential run means something"


PIECES = st.one_of(
    st.sampled_from(
        [*ALLOWED, *EVIL, "npm", "test", "git", "status", "-x", "a", "a=b", "''", '""', "'a b'", '"c d"']
    ),
    st.sampled_from(
        ["env", "xargs", "exec", "eval", "command", "cd src &&", "cd 'src' &&", "$IFS", "${IFS}", "$@"]
    ),
    st.sampled_from(ATOMS),
    st.sampled_from([" ", "  ", "\t"]),
    st.characters(),
)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES, min_size=1, max_size=9), st.sampled_from(["", " "]))
@example(["npm test", "''", ";", "touch pwned"], " ")
def test_no_command_made_by_chance_escapes(desk: Desk, pieces: list[str], between: str) -> None:
    assert_no_escape(desk, [between.join(pieces), between.join(["npm test", *pieces])])


def test_without_rules_only_what_is_known_to_read_is_let_through(desk: Desk) -> None:
    policies: list[tuple[Mode, Sequence[str]]] = [(mode, ()) for mode in MODES]
    for command in ("npm test --watch=false", *EVIL, *AROUND, *LINES, ": > x", " ", "\t", "#", "''"):
        for folder in ("", "src", "../elsewhere", "nowhere", "a\0b"):
            assert not desk.any_of("shell", {"command": command, "cwd": folder}, policies), command


@pytest.mark.parametrize("folder", ["out", "up", "..", "/", "/etc", "../elsewhere"])
def test_reading_command_outside_the_workspace_is_asked_about(desk: Desk, folder: str) -> None:
    for command in ("ls", "pwd", "cat a.py"):
        assert desk.lets("shell", {"command": command, "cwd": "src"}, mode="ask"), command
        assert not desk.lets("shell", {"command": command, "cwd": folder}, mode="ask"), command


@pytest.mark.parametrize(
    "folder", ["src", "in", "./src", "src/", "out", "up", "..", "/", "/etc", "~", "src/../src"]
)
def test_rule_for_the_root_does_not_hold_in_other_folders(desk: Desk, folder: str) -> None:
    command = "npm test --watch=false"
    assert desk.lets("shell", {"command": command}, mode="ask", rules=RULES)
    assert desk.lets("shell", {"command": command, "cwd": "src/.."}, mode="ask", rules=RULES)
    assert not desk.lets("shell", {"command": command, "cwd": folder}, mode="ask", rules=RULES)


DESTRUCTIVE = r"""
rm -rf build
/bin/rm -rf build
sudo rm -rf build
find . -name '*.py' -delete
bash -c 'rm -rf build'
git push --force
git status; git push --force
ls | xargs rm
echo build | xargs -n1 rm -rf
npm test; rm -rf build
env rm -rf build
command rm -rf build
\rm -rf build
'rm' -rf build
r''m -rf build
$(echo rm) -rf build
dd if=/dev/zero of=disk
truncate -s 0 a.py
python -c 'import shutil; shutil.rmtree("build")'
git clean -fdx
git checkout -- .
mkfs.ext4 disk
chmod -R 777 .
"""


@pytest.mark.row(36)
@pytest.mark.parametrize("command", [*DESTRUCTIVE.strip().splitlines(), "ls -la src\nrm -rf build"])
def test_destructive_command_is_asked_about_in_every_spelling(desk: Desk, command: str) -> None:
    """None of them runs unasked, also when harmless commands are allowed."""
    assert not desk.any_of("shell", {"command": command}, [(mode, RULES) for mode in MODES])


NAMES = st.one_of(
    st.sampled_from(
        ["..", ".", "", "src", "a.py", "in", "out", "up", "git", ".git", "config", ".env", ".GIT", "new"]
    ),
    st.sampled_from(
        [".Git", ".env.x", ".vscode", "~", "$HOME", "*", "a b", "%2e%2e", "..%2f", "\0", ".git.", "elsewhere"]
    ),
    st.sampled_from(
        ["canary.txt", "repo", "proc/self/root", "proc/self/cwd", "hooks", "..\\", "．．", "\u2024\u2024"]
    ),
    st.text(max_size=4),
)
STARTS = st.sampled_from(
    ["", "/", "//", "./", "../", "{root}/", "file://{root}/", "FILE://{root}/", "file:///", "/proc/self/cwd/"]
)


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STARTS, st.lists(NAMES, max_size=6))
@example("", ["git", "config"])
@example("{root}/", ["in", "..", ".env"])
def test_no_path_is_written_or_read_outside_without_a_question(
    desk: Desk, start: str, names: list[str]
) -> None:
    path = start.format(root=desk.root) + "/".join(names)
    for tool, arguments in (("write_file", {"path": path, "content": "x"}), ("read_file", {"path": path})):
        if not desk.lets(tool, arguments, mode="acceptEdits"):
            continue
        real = where_it_leads(desk.root, path)
        assert real == desk.root or desk.root in real.parents
        inside = [part.casefold().rstrip(". ") for part in real.relative_to(desk.root).parts]
        assert not (inside and inside[-1].startswith(".env"))
        if tool == "write_file":
            assert not {".git", ".vscode"} & set(inside)
    assert not desk.lets("write_file", {"path": path, "content": "x"}, mode="ask")


def where_it_leads(root: Path, path: str) -> Path:
    """What the kernel would open: worked out in another way than by the code that is tested."""
    if path[:7].lower() == "file://":
        from urllib.parse import unquote  # noqa: PLC0415

        path = unquote(path[7:])
    return Path(os.path.realpath(os.path.join(root, path)))  # noqa: PTH118

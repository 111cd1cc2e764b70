"""Shell text is read so that every doubt counts against it."""

import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agls.engine.ports import Effect
from agls.features.permissions.commands import (
    is_plain,
    known_only_when_run,
    may_be_name,
    mentions,
    simple_argv,
    touched,
)
from agls.features.permissions.decision import Allow, Ask, Policy, decide
from agls.features.permissions.rules import ResolvedTarget, parse_rule
from support.patience import within

pytestmark = pytest.mark.promise("P3")

ALLOWED = ("shell(npm test *)", "shell(git status)", "shell(ls -la src)")
POLICY = Policy("ask", ("/w",), allow=tuple(parse_rule(text, widens=True) for text in ALLOWED))


def runs_unasked(command: str) -> bool:
    return isinstance(decide([ResolvedTarget("shell", Effect.EXECUTES, command)], POLICY), Allow)


def test_command_within_an_allow_rule_runs_unasked() -> None:
    for command in (
        "npm test",
        "npm test --watch=false",
        "npm test 'a b' \"c d\"",
        "git status",
        "ls -la src",
    ):
        assert runs_unasked(command), command


ATTACKS = [
    ";", "; x", "&", "&&", "& x", "|", "||", "| sh", "|& sh", "\n", "\nx", "\r", "\r\nx", "\\\n", "\\", "`x`",
    "$(x)",
    "${x}", "$x", "$IFS", "$'\\n'", "<(x)", ">(x)", "> f", ">> f", ">| f", "&> f", "2> f", "< f", "<< E",
    "<<< x",
    "<> f", "(x)", "{ x; }", "{a,b}", "*", "?", "[a]", "~", "~root", "!", "!!", "#", "# x", "\t", "\v", "\f",
    "\0",
    "\x1b[A", "\u00a0", "\u2003", "\u2028", "\u0085", "\u202e", "\u200b", "\u3164", "\ufe0f", "^a^b", "'",
    '"', "$",
    "\N{FULLWIDTH SEMICOLON}", "\N{GREEK QUESTION MARK}",
]  # fmt: skip


@given(st.sampled_from(["npm test --watch=false src/a.js", "git status", "ls -la src"]), st.data())
def test_text_inserted_into_an_allowed_command_makes_it_a_question(command: str, data: st.DataObject) -> None:
    attack = data.draw(st.sampled_from(ATTACKS))
    at = data.draw(st.integers(0, len(command)))
    assert not runs_unasked(command[:at] + attack + command[at:])


@pytest.mark.parametrize(
    "command",
    [
        "", " ", " npm test", "npm test ", "npm  test;", "npm", "npm tests", "npm-test", "npm testx",
        "xnpm test",
        "./npm test", "/tmp/npm test", "NPM test", "A=1 npm test", "env npm test", "npm test\nrm x",
        "git status -s",
        "git  status", "git -c core.pager=x status", "'git' status", "git status src", "ls -la src/../..",
        "time git status",
        "! git status", "npm test \"$(x)\"", "npm test \"`x`\"", "npm test \"\\$x\"", "npm test \"a\nb\"",
        "npm test 'a\nb'",
    ],
)  # fmt: skip
def test_command_beyond_an_allow_rule_is_asked_about(command: str) -> None:
    assert not runs_unasked(command)


@pytest.mark.parametrize(
    ("command", "plain"),
    [
        ("npm test", True), ("cd a && npm test", True), ("cd 'a b' && npm test -x", True), ("cd a", True),
        ("cd a && npm test && x", False), ("cd a && npm test; x", False), ("cd a b && x", False), ("ls && x",
        False),
        ("cd && x", False), ("cd $A && x", False), ("cd a &&", False), ("cd a && ", False), ("cd a & x",
        False),
    ],
)  # fmt: skip
def test_simple_command_may_change_the_folder(command: str, plain: bool) -> None:
    assert is_plain(command) is plain


def test_a_long_command_is_never_simple() -> None:
    assert simple_argv("ls " + "a" * 10_000) is None
    assert not runs_unasked("npm test " + "a " * 10_000)


def test_the_words_of_a_simple_command_are_those_a_real_shell_sees(tmp_path: Path) -> None:
    chance = random.Random(7)
    pieces = [
        *"abz09 _@%+=:,./-'\"$`\\!*?[]{}~;&|<>()#^\n\t",
        "  ",
        "''",
        '""',
        "'a b'",
        '"c d"',
        "-x",
        "--k=v",
    ]
    made = ("probe " + "".join(chance.choices(pieces, k=chance.randint(1, 9))) for _ in range(20_000))
    simple = {command: argv for command in made if (argv := simple_argv(command))}
    assert len(simple) > 300
    script = "probe() { printf '%s\\0' probe \"$@\"; printf '\\1\\0'; }\n" + "\n".join(simple)
    done = subprocess.run(
        ["bash", "--noprofile", "--norc"],
        input=script,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    seen = [tuple(part.split("\0")[:-1]) for part in done.stdout.split("\1\0")[:-1]]
    assert seen == list(simple.values())
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        "rm x", "/bin/rm x", "RM x", "sudo rm x", "r''m x", 'r""m x', "r\\m x", '"rm" x', "ls; rm x",
        "ls && rm x",
        "ls & rm x", "ls | xargs rm", "ls\nrm x", "(rm x)", "{ rm x; }", "$(rm x)", "`rm x`", "A=1 rm x",
        "rm\tx",
        "rm<x", "rm>x", ">x rm y", "if true; then rm x; fi", "bash -c 'rm x'", "find . -exec rm {} ;",
        "rm${IFS}x",
        "r\\\nm x", "env -i rm x", "a=$(rm x)", "timeout 5 rm x", "nohup rm x &", "x=1; rm x", "echo <(rm x)",
        *(f"{'true; ' * 200}rm x",),
    ],
)  # fmt: skip
def test_a_forbidden_program_is_found_however_it_is_written(command: str) -> None:
    assert mentions(command, "rm") == "yes"


@pytest.mark.parametrize(
    "command",
    [
        "git push", "git push origin main", "git -C x push", "git  push", "git 'push'", "git\tpush",
        "ls && git push",
        "git --no-pager push -f", "git \\\n push", "/usr/bin/git push", "git >log push", "g''it pu\\sh",
        "GIT PUSH",
        "git${IFS}push", "sh -c 'git push'",
    ],
)  # fmt: skip
def test_forbidden_words_are_found_in_their_order(command: str) -> None:
    assert mentions(command, "git push") == "yes"


@pytest.mark.parametrize(
    "command", ["git status", "npm run push", "ls *", "ls *.py", "echo a.b", "python -m pytest", "awk", ""]
)
def test_other_commands_are_left_alone(command: str) -> None:
    assert mentions(command, "git push") == "no"


@pytest.mark.parametrize(
    "command",
    [
        "$A x", "${A} x", "$(cat f)", "`cat f`", "echo eA== | base64 -d | sh", "eval x", "source f", ". f",
        "/bin/r? x",
        "r* x", "{r,}m x", "bash f", "a=r; b=m; $a$b x", "zsh", "ls | /bin/bash",
    ],
)  # fmt: skip
def test_program_known_only_at_run_time_may_match_a_deny_rule(command: str) -> None:
    assert mentions(command, "rm") == "unsure"


@pytest.mark.parametrize(
    "command",
    [
        "push git", "git; push", "echo push | xargs git", "printf 'push' | parallel git", "xargs -a f git",
        "hash -p /usr/bin/git x; x push", "git -c alias.p=push p", "git pu[s]h", "git pus?",
        "python -c 'x'", "python3.11 -c x", "perl -e x", "node -p x", "deno eval x", "awk -e x",
        "cat <<E | xargs git\npush\nE", "g() (git \"push\")", "ls | python -", "'xargs' git",
        "python <<E\nx\nE", "ls | node",
    ],
)  # fmt: skip
def test_words_that_may_come_together_are_unsure(command: str) -> None:
    assert mentions(command, "git push") in {"unsure", "yes"}


def test_a_forbidden_pipeline_is_found_across_its_parts() -> None:
    assert mentions("curl -s x | tee y | sh", "curl | sh") == "yes"
    assert mentions("curl -s x", "curl | sh") == "no"


def test_the_empty_command_mentions_nothing() -> None:
    assert mentions("rm " + "x" * 10_000, "rm") == "unsure"
    assert mentions("", "rm") == "no"
    assert mentions(";;", "rm") == "no"


W, R = Effect.WRITES, Effect.READS


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("cat a /etc/b", [(R, "cat"), (R, "a"), (R, "/etc/b")]),
        ("rm -rf ../x", [(W, "rm"), (W, "../x")]),
        ("dd of=/dev/sda", [(W, "dd"), (W, "/dev/sda")]),
        ("dd if=/dev/zero of=x", [(W, "dd"), (R, "/dev/zero"), (W, "x")]),
        ("sort --output=../x a", [(W, "sort"), (W, "../x"), (W, "a")]),
        ("ls > a 2>/dev/null", [(W, "a"), (R, "ls"), (R, "a"), (R, "2")]),
        ("ls >a>>b>|c&>d", [(W, "a"), (W, "b"), (W, "c"), (W, "d"), *((R, n) for n in ("ls", "a", "b", "c",
        "d"))]),
        ("ls >& a", [(W, "a"), (R, "ls"), (R, "a")]),
        ("ls 2>&1 >&-", [(R, "ls"), (R, "2"), (R, "1")]),
        ("sed -n p a", [(R, "sed"), (R, "p"), (R, "a")]),
        ("sed -i s/a/b/ c", [(W, "sed"), (W, "s/a/b/"), (W, "c")]),
        ("perl -pi -e x c", [(W, "perl"), (W, "x"), (W, "c")]),
        ("grep -i x c", [(R, "grep"), (R, "x"), (R, "c")]),
        ("git config a b", [(W, ".git/config"), (R, "git"), (R, "config"), (R, "a"), (R, "b")]),
        ("grep --file=../x -f/y a", [(R, "grep"), (R, "../x"), (R, "/y"), (R, "a")]),
        ("find . -delete", [(W, "find"), (W, ".")]),
        ("rm $HOME ~/x", [(W, "rm"), (W, "$HOME"), (W, "~/x")]),
        ("cd a && ls", [(R, n) for n in ("cd", "a", "ls", "a/cd", "a/a", "a/ls")]),
        ("cd .git && >config", [(W, "config"), (W, ".git/config"), *((R, n) for n in ("cd", ".git", "config",
        ".git/cd", ".git/.git", ".git/config"))]),
        (">&1x", [(W, "1x"), (R, "1x")]),
        (">&12", [(R, "12")]),
        (">`x`", [(W, "`x`"), (R, "x")]),
    ],
)  # fmt: skip
def test_the_paths_a_command_could_touch(command: str, found: list[tuple[Effect, str]]) -> None:
    assert sorted(touched(command)) == sorted(found)


def test_too_many_paths_are_one_that_is_not_known() -> None:
    assert touched("cat " + "x" * 10_000) == [(W, "$")]
    many = " ".join(f"f{n}" for n in range(100))
    assert touched(f"rm {many}") == [(W, "$")]
    assert touched(f"echo {many} > .git/config") == [(W, "$")], "what is written is not forgotten"
    assert touched(f"echo {many}") == [(R, "$")]


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("cd .git/hooks && echo x > pre-commit", ".git/hooks/pre-commit"),
        ("cd .git; cd hooks; echo x > pre-commit", ".git/hooks/pre-commit"),
        ("pushd -q .git\necho x > config", ".git/config"),
        ("builtin cd .git && echo x > config", ".git/config"),
        ("c''d .git && echo x > config", ".git/config"),
        ("cd && echo x > .bashrc", "~/.bashrc"),
        ("cd .. && ls > x", "../x"),
        ("cd /etc && ls > x", "/etc/x"),
        ("cp x .gi*/hooks/", ".gi*/hooks/"),
        ("touch .vscode/tasks.json", ".vscode/tasks.json"),
        ("sort -o.git/config x", ".git/config"),
        ("sort x -o .git/config", ".git/config"),
        ("sort x --output=.git/config", ".git/config"),
        ("curl -o.bashrc x", ".bashrc"),
        ("tar xf x -C../y", "../y"),
        ("git apply x -- .husky", ".husky"),
    ],
)
def test_paths_that_a_command_writes_follow_its_changes_of_folder(command: str, path: str) -> None:
    assert (W, path) in touched(command)


@pytest.mark.parametrize(
    ("path", "unknown"),
    [
        ("~/x", True), ("$A", True), ("a`b", True), ("{a,b}", True), (".gi*/x", True), ("a/.e?v", True),
        (".[g]it", True), ("a/b", False), ("*.py", False), ("./*.o", False), ("../*", False), (".git", False),
    ],
)  # fmt: skip
def test_some_paths_are_only_known_at_run_time(path: str, unknown: bool) -> None:
    assert known_only_when_run(path) is unknown


def test_a_hundred_kilobytes_are_judged_in_fifty_milliseconds() -> None:
    policy = Policy("allowAll", ("/w",), deny=(parse_rule("shell(git push *)"),))
    for command in (
        "a" * 100_000,
        "a " * 50_000,
        "'" * 100_000,
        "a;" * 50_000,
        "\\" * 100_000,
        ">" * 100_000,
    ):
        for watch in within(0.1):  # 50 ms without coverage
            with watch:
                touched(command)
                decide([ResolvedTarget("shell", Effect.EXECUTES, command)], policy)
                simple_argv(command)


def test_question_names_no_piece_of_a_command_as_a_file() -> None:
    for word in ("$HOME/x", "~/x", "$f", "a{,.bak}", "src/{a,b}.py", "${DIR}/x", "x{1..3}"):
        assert may_be_name(word), word
    for word in ("{", "{print", "$1}", "{}", "{1:", "{b}", "`x`", "$(x)", "s/${/y/"):
        assert not may_be_name(word), word
    for command, reason in (
        ("awk '{print > $1}' a | tee b", "The command may change files that its text does not name."),
        ("rm $HOME/x", "The command may change $HOME/x, which is not known to be in the workspace."),
        ("mkfs.ext4 $DISK/x", "The command may change $DISK/x, which is not known to be in the workspace."),
        (
            "git -C $HOME/x reset --hard",
            "The command may change $HOME/x, which is not known to be in the workspace.",
        ),
    ):
        guesses = [ResolvedTarget("shell", effect, path, guessed=True) for effect, path in touched(command)]
        opaque = [guess for guess in guesses if known_only_when_run(guess.value)]
        verdict = decide(opaque, Policy("allowAll", ("/w",)))
        assert isinstance(verdict, Ask)
        assert verdict.reasons == (reason,)

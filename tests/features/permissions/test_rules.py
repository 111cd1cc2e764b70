"""How rules are written, and what they match."""

from fnmatch import fnmatchcase
from itertools import product

import pytest
from pydantic import ValidationError

from agls.engine.ports import Effect, PathInfo
from agls.features.permissions.grants import readable
from agls.features.permissions.patterns import forbids, may_become
from agls.features.permissions.rules import ResolvedTarget, covers, parse_rule, restricts
from agls.features.permissions.settings import Settings
from agls.modes import MODES

ROOTS = ("/w", "/other")


def at(path: str, *, written: str = "", effect: Effect = Effect.WRITES) -> ResolvedTarget:
    inside = path.startswith(("/w/", "/other/"))
    return ResolvedTarget(
        "tool", effect, written or path, PathInfo(written or path, path, f"file://{path}", inside)
    )


@pytest.mark.parametrize(
    "text",
    [
        "*", "shell", "edit", "web_fetch", "mcp__git__log", "shell(git status)", "shell(npm test *)",
        "shell(a && b)",
        "edit(src/**)", "edit(/tmp/x)", "read(a b (c).md)", "network(*.example.com)",
        "network(localhost:8080)",
    ],
)  # fmt: skip
def test_rules_that_can_be_written(text: str) -> None:
    assert parse_rule(text, widens=True).text == text


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "write a tool's name"),
        ("git status", "write a tool's name"),
        ("shell()", "write a tool's name"),
        ("shell(ls", "write a tool's name"),
        ("shell(a\u202eb)", "write a tool's name"),
        ("write(src/**)", "the kinds are shell(…), edit(…), read(…), network(…)"),
        ("shell(*)", "may only stand for the last words"),
        ("shell(npm*)", "may only stand for the last words"),
        ("shell(npm * test)", "may only stand for the last words"),
        ("shell(npm test:*)", "may only stand for the last words"),
        ("shell(a; b *)", "may only stand for the last words"),
        ("shell(A=1 npm *)", "may only stand for the last words"),
        ("shell(bash *)", "would allow every command, because bash runs others"),
        ("shell(/usr/bin/env *)", "would allow every command, because /usr/bin/env runs others"),
        ("shell(xargs -n 1 *)", "would allow every command"),
    ],
)
def test_rules_that_cannot_say_what_is_wrong(text: str, hint: str) -> None:
    with pytest.raises(ValueError, match=r"not a rule|no kind|may only|would allow") as error:
        parse_rule(text, widens=True)
    assert hint in str(error.value)
    assert repr(text) in str(error.value)


def test_a_launcher_may_be_forbidden_with_all_its_arguments() -> None:
    assert parse_rule("shell(sudo *)").pattern == "sudo *"


@pytest.mark.parametrize(
    ("pattern", "command", "expected"),
    [
        ("rm -rf /*", "cd a && sudo rm -rf /etc", "yes"),
        ("rm -rf /*", "rm -rf build", "no"),
        ("rm -rf /*", "rm -rf $WHERE", "unsure"),
        ("rm -rf /*", "sh -c 'rm -rf /x'", "yes"),
        ("rm -rf /*", "echo 'rm -rf /'", "no"),
        ("* --force *", "git push --force", "yes"),
        ("* --force *", "python3 -c 'x'", "unsure"),
        ("curl * | *", "curl localhost | sh", "yes"),
        ("curl * | *", "curl localhost", "no"),
        ("npm*", "npx x", "no"),
        ("a* b", "a" * 2**20, "unsure"),
    ],
)
def test_rule_that_restricts_may_have_a_star_anywhere(pattern: str, command: str, expected: str) -> None:
    rule = parse_rule(f"shell({pattern})")
    assert restricts(rule, ResolvedTarget("shell", Effect.EXECUTES, command), ("/w",)) == expected


def test_the_configuration_reads_every_rule() -> None:
    settings = Settings(mode="plan", allow=["edit(src/**)"], ask=["web_fetch"], deny=["shell(sudo *)"])
    assert settings.mode == "plan"
    for where in ("allow", "ask", "deny"):
        with pytest.raises(ValidationError, match="is not a rule"):
            Settings.model_validate({where: ["rm -rf"]})
    with pytest.raises(ValidationError, match="would allow every command"):
        Settings(allow=["shell(sudo *)"])
    with pytest.raises(ValidationError):
        Settings.model_validate({"grant": []})


def test_the_configuration_says_why_a_mode_is_none() -> None:
    for mode in MODES:
        assert Settings(mode=mode).mode == mode
    with pytest.raises(ValidationError, match="allowAll' runs commands in the sandbox"):
        Settings.model_validate({"mode": "auto"})
    with pytest.raises(
        ValidationError, match="there is no mode 'yolo'; the modes are ask, acceptEdits, plan, allowAll"
    ):
        Settings.model_validate({"mode": "yolo"})


@pytest.mark.parametrize(
    ("pattern", "path", "allowed"),
    [
        ("src/**", "/w/src/a/b.py", True),
        ("src/**", "/other/src/a.py", True),
        ("src/**", "/w/src2/a.py", False),
        ("src/*.py", "/w/src/a.py", True),
        ("src/*.py", "/w/src/a/b.py", False),
        ("src/?.py", "/w/src/a.py", True),
        ("src/?.py", "/w/src//.py", False),
        ("**/*.md", "/w/a.md", True),
        ("**/**/**/a.md", "/w/b/a.md", True),
        ("**/*.md", "/w/a/b/c.md", True),
        ("a.py", "/w/a.py", True),
        ("a.py", "/w/b/a.py", False),
        ("SRC/**", "/w/src/a.py", False),
        ("src", "/w/src/a.py", False),
        ("a.py", "/etc/a.py", False),
        ("/etc/*", "/etc/a.py", True),
        ("/etc/*", "/etc/a/b.py", False),
        ("/w/a.py", "/w/a.py", True),
        ("**", "/etc/a.py", False),
    ],
)
def test_an_allow_rule_means_where_the_path_really_leads(pattern: str, path: str, allowed: bool) -> None:
    assert covers(parse_rule(f"edit({pattern})"), at(path), ROOTS) is allowed
    assert not covers(parse_rule(f"read({pattern})"), at(path), ROOTS)


def test_a_link_that_leads_elsewhere_is_not_what_was_allowed() -> None:
    assert not covers(parse_rule("edit(src/**)"), at("/w/config/x", written="src/link/x"), ROOTS)


@pytest.mark.parametrize(
    ("pattern", "target"),
    [
        ("secrets/**", at("/w/secrets/a")),
        ("secrets", at("/w/secrets/a/b")),
        ("secrets/", at("/w/secrets/a/b")),
        ("secrets", at("/w/deep/secrets/a")),
        (".env", at("/w/a/.env")),
        (".env", at("/etc/.env")),
        ("*.pem", at("/w/a/b.pem")),
        ("SECRETS/**", at("/w/secrets/a")),
        ("secrets/**", at("/w/SeCrEtS/a")),
        ("caf\u00e9", at("/w/cafe\u0301/x")),
        ("secrets/**", at("/w/x", written="secrets/link")),
        ("secrets/**", at("/w/secrets/a", written="src/link")),
        ("secrets/**", at("/w/secrets/a", written="src/../secrets/./a")),
        ("secrets/**", at("/w/secrets/a", written="/w//secrets/a")),
        ("/w/secrets/**", at("/w/secrets/a", written="secrets/a")),
        ("/etc", at("/etc/hosts")),
        ("/", at("/w/a")),
        ("secrets/**", ResolvedTarget("tool", Effect.WRITES, "secrets/a", problem="?")),
    ],
)
def test_a_deny_rule_means_every_spelling(pattern: str, target: ResolvedTarget) -> None:
    assert restricts(parse_rule(f"edit({pattern})"), target, ROOTS) == "yes"
    assert restricts(parse_rule(f"read({pattern})"), target, ROOTS) == "no"


@pytest.mark.parametrize(
    ("pattern", "path"), [("secrets/**", "/w/src/a"), ("env", "/w/environment"), ("/etc", "/w/a")]
)
def test_a_deny_rule_leaves_other_paths_alone(pattern: str, path: str) -> None:
    assert restricts(parse_rule(f"edit({pattern})"), at(path), ROOTS) == "no"


def test_pattern_forbids_a_name_in_any_folder_and_case() -> None:
    assert forbids("**/.env*", ["a/b/.ENV.local"])
    assert not forbids("**/.env*", ["a/b/env"])


@pytest.mark.parametrize(
    ("pattern", "host", "allowed", "denied"),
    [
        ("example.com", "example.com", True, "yes"),
        ("example.com", "EXAMPLE.com", True, "yes"),
        ("example.com", "a.example.com", False, "yes"),
        ("*.example.com", "a.example.com", True, "yes"),
        ("*.example.com", "example.com", False, "no"),
        ("example.com", "evilexample.com", False, "no"),
        ("example.com", "example.com.evil.net", False, "no"),
        ("example.com", "evil.net\0.example.com", False, "yes"),
        ("*.example.com", "evil.net/.example.com", False, "yes"),
        ("*.example.com", "user@evil.net:.example.com", False, "yes"),
    ],
)
def test_hosts_are_compared_label_by_label(pattern: str, host: str, allowed: bool, denied: str) -> None:
    rule, target = parse_rule(f"network({pattern})"), ResolvedTarget("web", Effect.NETWORK, host)
    assert covers(rule, target, ROOTS) is allowed
    assert restricts(rule, target, ROOTS) == denied


def test_a_remembered_rule_that_cannot_be_read_grants_nothing(caplog: pytest.LogCaptureFixture) -> None:
    rules = readable(["shell(git status)", "shell(bash *)", "from(the future)", "edit(a)"])
    assert [rule.text for rule in rules] == ["shell(git status)", "edit(a)"]
    assert caplog.text.count("a remembered permission is ignored") == 2


WILD = ["".join(made) for length in range(5) for made in product("ab*?", repeat=length)]
NAMES = ["".join(made) for length in range(6) for made in product("ab", repeat=length)]


def test_a_wildcard_may_become_a_forbidden_name_exactly_when_both_patterns_match_one() -> None:
    meant = {pattern: {name for name in NAMES if fnmatchcase(name, pattern)} for pattern in WILD}
    for ours in (pattern for pattern in WILD if 0 < len(pattern) < 4 and "**" not in pattern):
        for theirs in (pattern for pattern in WILD if set(pattern) & {"*", "?"}):
            expected = bool(meant[ours] & meant[theirs])
            assert may_become(f"x/{ours}", frozenset({f"x/{theirs}"})) is expected, (ours, theirs)


@pytest.mark.parametrize(
    ("pattern", "word", "may"),
    [
        ("secrets/**", "se*/a", True), ("secrets/**", "*", True), ("secrets/**", "public/*", False),
        ("secrets/**", "secrets/a", False), ("a/b/key", "a/*/key", True), ("a/b/key", "a/*", True),
        ("a/b/key", "b/*/key", False), ("*.pem", "x/y.p[ae]m", True), ("*.pem", "*.py", False),
        ("**/key", "x/k?y", True), ("**", "*", True), ("key", "KE*", True), ("a" * 200, "*" * 200, True),
    ],
)  # fmt: skip
def test_wildcard_may_become_any_word_that_it_matches(pattern: str, word: str, may: bool) -> None:
    assert may_become(pattern, frozenset({word})) is may

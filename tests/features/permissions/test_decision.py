"""The decision: every mode, every kind of rule, every kind of target."""

import time
from collections.abc import Sequence
from itertools import product

import pytest

from agls.engine.ports import Effect, PathInfo
from agls.features.permissions.decision import PLAN, PRESENT, Allow, Ask, Deny, Policy, Verdict, decide
from agls.features.permissions.rules import ResolvedTarget, parse_rule
from agls.modes import MODES, Mode
from support.machine import slowness

pytestmark = pytest.mark.promise("P2")

ROOTS = ("/w",)
DANGER = "Editors obey this."


def path(effect: Effect, name: str, *, protected: str = "", guessed: bool = False) -> ResolvedTarget:
    inside = not name.startswith("/")
    real = f"/w/{name}" if inside else name
    return ResolvedTarget(
        "tool", effect, name, PathInfo(name, real, f"file://{real}", inside, protected), guessed=guessed
    )


READ, SECRET = path(Effect.READS, "src/a.py"), path(Effect.READS, "conf/.env.local")
FAR_READ, FAR_WRITE = path(Effect.READS, "/etc/hosts"), path(Effect.WRITES, "/etc/hosts")
WRITE = path(Effect.WRITES, "src/a.py")
GUARDED = path(Effect.WRITES, ".vscode/tasks.json", protected=DANGER)
COMMAND = ResolvedTarget("tool", Effect.EXECUTES, "git status")
COMPOUND = ResolvedTarget("tool", Effect.EXECUTES, "git status | tee out")
HOST = ResolvedTarget("tool", Effect.NETWORK, "example.com")
ANY_READ, ANY_WRITE = ResolvedTarget("tool", Effect.READS), ResolvedTarget("tool", Effect.WRITES)
ANY_RUN, ANY_NET = ResolvedTarget("tool", Effect.EXECUTES), ResolvedTarget("tool", Effect.NETWORK)
RM_FAR = (ResolvedTarget("tool", Effect.EXECUTES, "rm -rf /x"), path(Effect.WRITES, "/x", guessed=True))
RM_VAR = (
    ResolvedTarget("tool", Effect.EXECUTES, "rm $X"),
    ResolvedTarget("tool", Effect.WRITES, "$X", guessed=True),
)
RM_NEAR = (ResolvedTarget("tool", Effect.EXECUTES, "rm x"), path(Effect.WRITES, "x", guessed=True))
TEE = (
    ResolvedTarget("tool", Effect.EXECUTES, "tee .vscode/s.json"),
    path(Effect.WRITES, ".vscode/s.json", protected=DANGER, guessed=True),
)

# What each call touches, the rule that names it, and for each place of that rule the verdicts in the modes
# ask, acceptEdits, plan and allowAll: A allowed, ? asked, D denied.
#                       rule                       none    allow   granted ask     deny
TABLE: list[tuple[str, Sequence[ResolvedTarget], str, str, str, str, str, str]] = [
    ("read inside", [READ], "read(src/**)", "AAAA", "AAAA", "AAAA", "????", "DDDD"),
    ("read inside, bare", [READ], "read", "AAAA", "AAAA", "AAAA", "????", "DDDD"),
    ("read a secret", [SECRET], "read(conf/.env.local)", "???A", "AAAA", "AAAA", "????", "DDDD"),
    ("read outside", [FAR_READ], "read(/etc/hosts)", "???A", "AAAA", "AAAA", "????", "DDDD"),
    ("read outside, bare", [FAR_READ], "read", "???A", "???A", "???A", "????", "DDDD"),
    ("read unnamed", [ANY_READ], "tool", "AAAA", "AAAA", "AAAA", "????", "DDDD"),
    ("write inside", [WRITE], "edit(src/*.py)", "?ADA", "AADA", "AADA", "??D?", "DDDD"),
    ("write inside, all", [WRITE], "*", "?ADA", "AADA", "AADA", "??D?", "DDDD"),
    ("write outside", [FAR_WRITE], "edit(/etc/*)", "??D?", "AADA", "AADA", "??D?", "DDDD"),
    ("write outside, all", [FAR_WRITE], "*", "??D?", "??D?", "??D?", "??D?", "DDDD"),
    ("write protected", [GUARDED], "edit(.vscode/tasks.json)", "??D?", "??D?", "??D?", "??D?", "DDDD"),
    ("write unnamed", [ANY_WRITE], "tool", "??DA", "AADA", "AADA", "??D?", "DDDD"),
    ("command", [COMMAND], "shell(git status)", "??DA", "AADA", "AADA", "??D?", "DDDD"),
    ("command by words", [COMMAND], "shell(git status *)", "??DA", "AADA", "AADA", "??D?", "DDDD"),
    (
        "compound, same bytes",
        [COMPOUND],
        "shell(git status | tee out)",
        "??DA",
        "AADA",
        "AADA",
        "??D?",
        "DDDD",
    ),
    ("compound, by words", [COMPOUND], "shell(git *)", "??DA", "??DA", "??DA", "??D?", "DDDD"),
    ("command unnamed", [ANY_RUN], "shell", "??DA", "AADA", "AADA", "??D?", "DDDD"),
    ("command unnamed, rule with a pattern", [ANY_RUN], "shell(ls)", "??DA", "??DA", "??DA", "??D?", "??D?"),
    ("delete outside", RM_FAR, "shell(rm -rf /x)", "??D?", "??D?", "??D?", "??D?", "DDDD"),
    ("delete what is not known", RM_VAR, "shell(rm $X)", "??D?", "??D?", "??D?", "??D?", "DDDD"),
    ("delete inside", RM_NEAR, "shell(rm x)", "??DA", "AADA", "AADA", "??D?", "DDDD"),
    ("delete inside, path denied", RM_NEAR, "edit(x)", "??DA", "??DA", "??DA", "??DA", "DDDD"),
    ("command writes protected", TEE, "shell(tee *)", "??D?", "??D?", "??D?", "??D?", "DDDD"),
    ("host", [HOST], "network(example.com)", "??DA", "AADA", "AADA", "??D?", "DDDD"),
    ("network unnamed", [ANY_NET], "network", "??DA", "AADA", "AADA", "??D?", "DDDD"),
    ("another rule", [WRITE], "edit(docs/**)", "?ADA", "?ADA", "?ADA", "?ADA", "?ADA"),
    ("another tool", [HOST], "web_search", "??DA", "??DA", "??DA", "??DA", "??DA"),
    ("nothing at all", [], "*", "AAAA", "AAAA", "AAAA", "AAAA", "AAAA"),
]
PLACES = ("none", "allow", "granted", "ask", "deny")
LETTERS = {Allow: "A", Ask: "?", Deny: "D"}


def policy(mode: Mode = "ask", **rules: str) -> Policy:
    lists = {place: (parse_rule(text),) for place, text in rules.items()}
    return Policy(mode, ROOTS, **lists)


@pytest.mark.row(43)
@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_every_mode_with_every_rule(
    row: tuple[str, Sequence[ResolvedTarget], str, str, str, str, str, str],
) -> None:
    """Every tier with every kind of rule."""
    _, targets, rule, *expected = row
    for (place, letters), (index, mode) in product(zip(PLACES, expected, strict=True), enumerate(MODES)):
        rules = {} if place == "none" else {place: rule}
        verdict = decide(targets, policy(mode, **rules))
        assert LETTERS[type(verdict)] == letters[index], (place, mode, verdict)


@pytest.mark.parametrize("mode", MODES)
def test_deny_beats_ask_beats_allow_and_an_answer_outlasts_an_ask_rule(mode: Mode) -> None:
    every = {"allow": "shell(git status)", "ask": "shell(git *)", "deny": "shell(git *)"}
    assert isinstance(decide([COMMAND], policy(mode, **every)), Deny)
    if mode != "plan":
        del every["deny"]
        assert isinstance(decide([COMMAND], policy(mode, **every)), Ask)
        assert decide([COMMAND], policy(mode, granted="shell(git status)", **every)) == Allow(
            "the rule shell(git status)"
        )


def test_the_strictest_target_decides_for_the_whole_call() -> None:
    assert isinstance(decide([READ, WRITE], policy()), Ask)
    assert isinstance(decide([READ, WRITE], policy(deny="edit")), Deny)
    assert decide([READ, READ], policy()) == Allow("reading in the workspace")


def asked(verdict: Verdict) -> Ask:
    assert isinstance(verdict, Ask)
    return verdict


def test_a_question_offers_the_rules_that_would_answer_it() -> None:
    other = path(Effect.WRITES, "b.py")
    assert asked(decide([WRITE, other], policy())).rules == ("edit(src/a.py)", "edit(b.py)")
    assert asked(decide([FAR_READ], policy())).rules == ("read(/etc/hosts)",)
    assert asked(decide([COMMAND], policy())).rules == ("shell(git status)",)
    assert asked(decide([HOST], policy())).rules == (f"{HOST.tool}(domain:example.com)",)
    assert asked(decide([ANY_WRITE], policy())).rules == ("tool",)
    assert asked(decide([COMMAND], policy(ask="shell"))).rules == ("shell(git status)",)


@pytest.mark.parametrize(
    "targets",
    [
        [GUARDED], [COMPOUND], RM_FAR, TEE, [WRITE, GUARDED], [path(Effect.WRITES, "a*.py")],
        [path(Effect.WRITES, "a\nedit(b)")], [path(Effect.WRITES, "a\u202eb")],
        [ResolvedTarget("tool", Effect.NETWORK, "a\0b")],
        [ResolvedTarget("shell", Effect.EXECUTES)],
    ],
)  # fmt: skip
def test_target_that_no_exact_rule_can_name_is_asked_about_every_time(
    targets: Sequence[ResolvedTarget],
) -> None:
    assert asked(decide(targets, policy())).rules == ()


def test_every_rule_that_is_offered_allows_exactly_its_call() -> None:
    for target in (READ, SECRET, FAR_READ, FAR_WRITE, WRITE, COMMAND, HOST, ANY_WRITE):
        for rule in asked(decide([target], policy(ask="*"))).rules:
            assert isinstance(decide([target], policy(granted=rule)), Allow)
            assert (
                not isinstance(decide([path(Effect.WRITES, "other")], policy(granted=rule)), Allow)
                or rule == "tool"
            )


def test_dangers_are_named() -> None:
    assert asked(decide([GUARDED], policy("allowAll"))).reasons == (f".vscode/tasks.json: {DANGER}",)
    assert "may change /x" in asked(decide(RM_FAR, policy("allowAll"))).reasons[0]
    assert "may change $X" in asked(decide(RM_VAR, policy("allowAll"))).reasons[0]


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (WRITE, "It changes the workspace."),
        (FAR_WRITE, "It writes /etc/hosts outside the workspace."),
        (FAR_READ, "It reads /etc/hosts outside the workspace."),
        (COMMAND, "It runs a command."),
        (ANY_RUN, "It runs a program."),
        (ANY_WRITE, "It writes files."),
        (HOST, "It connects to example.com."),
        (ANY_NET, "It connects to the network."),
    ],
)
def test_a_question_says_why(target: ResolvedTarget, reason: str) -> None:
    assert asked(decide([target], policy())).reasons == (reason,)


def test_plan_mode_asks_the_model_to_present_a_plan() -> None:
    assert decide([WRITE], policy("plan")) == Deny(PLAN, PRESENT, "mode")


@pytest.mark.parametrize(
    "hidden", ["\r", "\0", "\x1b", "\u202e", "\u200b", "\u00a0", "\u2028", "\u0085", "\U000e0041"]
)
@pytest.mark.parametrize("mode", ["ask", "acceptEdits", "allowAll"])
def test_a_command_with_hidden_characters_never_runs(hidden: str, mode: Mode) -> None:
    verdict = decide(
        [ResolvedTarget("shell", Effect.EXECUTES, f"echo a{hidden}b")], policy(mode, allow="shell")
    )
    assert isinstance(verdict, Deny)
    assert f"U+{ord(hidden):04X}" in verdict.reason


def test_a_path_that_leads_nowhere_is_refused_with_its_reason() -> None:
    target = ResolvedTarget("write", Effect.WRITES, "a\0b", problem="Give a plain path.")
    assert decide([target], policy("allowAll")) == Deny("Give a plain path.")


@pytest.mark.parametrize("mode", ["ask", "acceptEdits", "allowAll"])
def test_a_deny_rule_that_cannot_be_ruled_out_asks(mode: Mode) -> None:
    target = ResolvedTarget("shell", Effect.EXECUTES, "$(echo rm) -rf x")
    verdict = decide([target], policy(mode, deny="shell(git push *)", allow="shell"))
    assert asked(verdict).reasons == (
        "It is not certain whether the rule deny shell(git push *) forbids it.",
    )
    assert asked(verdict).rules == ()


def test_decision_on_many_targets_by_many_rules_takes_a_few_milliseconds() -> None:
    rules = tuple(parse_rule(f"{kind}(a{n} b)") for n in range(20) for kind in ("shell", "edit", "read"))
    words = "cp " + " ".join(f"dir/file{n}.txt" for n in range(20))
    targets = [ResolvedTarget("shell", Effect.EXECUTES, words)]
    targets += [path(Effect.WRITES, f"dir/file{n}.txt", guessed=True) for n in range(20)]
    full = Policy("ask", ROOTS, rules, rules, rules, rules)
    decide(targets, full)
    best = min(_timed(targets, full) for _ in range(20))
    assert best < 0.02 * slowness()


def _timed(targets: Sequence[ResolvedTarget], full: Policy) -> float:
    start = time.process_time()
    decide(targets, full)
    return time.process_time() - start

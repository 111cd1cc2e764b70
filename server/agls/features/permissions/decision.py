"""The decision: what a call would do, the mode and the rules in, one verdict out. Pure, no I/O."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from agls.engine.ports import Effect
from agls.engine.vocabulary import Option
from agls.features.permissions.commands import Match
from agls.features.permissions.modes import Mode
from agls.features.permissions.rules import PATHS, Aim, Rule, covers, exact_rule, restricts
from agls.features.permissions.visible import hidden_in, one_line
from agls.frozen import frozen

PLAN = (
    "The session is in plan mode: only reading is possible now. Do not try another way. "
    "Present your plan as text; the user will leave plan mode when they agree with it."
)


WHOLE = "the command may read everything in it, and a deny rule forbids to read some of its files."


@frozen
class Allow:
    """It may run. `by` says what allowed it: a rule, a mode, or "" when nothing had to."""

    by: str


@frozen
class Deny:
    """It may not run, and nobody is asked. The reason is for the model."""

    reason: str


@frozen
class Ask:
    """Only the user can allow it. `rules` would allow exactly this from now on; none means never.

    `more` are other answers that there are, without rules.
    """

    reasons: tuple[str, ...]
    rules: tuple[str, ...] = ()
    more: tuple[Option, ...] = ()


Verdict = Allow | Deny | Ask


@frozen
class Policy:
    """What holds for one call: `granted` are the rules that the user's earlier answers made."""

    mode: Mode
    roots: tuple[str, ...]
    deny: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()
    allow: tuple[Rule, ...] = ()
    granted: tuple[Rule, ...] = ()


def decide(aims: Sequence[Aim], policy: Policy) -> Verdict:
    """Judge everything a call would do; the strictest verdict holds for the call."""
    verdicts = [_judge(aim, policy) for aim in aims]
    if denied := next((verdict for verdict in verdicts if isinstance(verdict, Deny)), None):
        return denied
    asked = [verdict for verdict in verdicts if isinstance(verdict, Ask)]
    if not asked:
        return Allow("; ".join(_unique(v.by for v in verdicts if isinstance(v, Allow) and v.by)))
    rules = _unique(rule for verdict in asked for rule in verdict.rules)
    repeatable = all(verdict.rules for verdict in asked)
    return Ask(_unique(r for verdict in asked for r in verdict.reasons), rules if repeatable else ())


def is_edit(aim: Aim) -> bool:
    """Whether a tool would change a file that it names."""
    return aim.effect is Effect.WRITES and aim.place is not None and not aim.guessed


def as_reading(aim: Aim) -> Aim:
    """The same place, only looked at."""
    return replace(aim, effect=Effect.READS)


def _judge(aim: Aim, policy: Policy) -> Verdict:
    for step in STEPS:
        if verdict := step(aim, policy):
            return verdict
    return Ask((_default_reason(aim),), (rule,) if (rule := exact_rule(aim, policy.roots)) else ())


# --- the steps, in the order in which they are asked ---------------------------------------------


def _denied(aim: Aim, policy: Policy) -> Verdict | None:
    for rule, match in _restricting(policy.deny, aim, policy):
        if match == "yes":
            return Deny(f"The rule deny {rule.text} forbids it. Do not try another way to do the same.")
    return None


def _planned(aim: Aim, policy: Policy) -> Verdict | None:
    return Deny(PLAN) if policy.mode == "plan" and aim.effect is not Effect.READS else None


def _impossible(aim: Aim, policy: Policy) -> Verdict | None:
    if aim.effect is Effect.EXECUTES and (hidden := hidden_in(aim.value)):
        return Deny(f"The command has characters that cannot be seen ({hidden}). Write it without them.")
    return Deny(aim.problem) if aim.problem and not aim.guessed else None


def _dangerous(aim: Aim, policy: Policy) -> Verdict | None:
    """What is asked every time, in every mode, whatever was allowed before."""
    if doubt := next(_restricting(policy.deny, aim, policy), None):
        return Ask((f"It cannot be told whether the rule deny {doubt[0].text} forbids it.",))
    if aim.holds_denied:
        return Ask((f"{one_line(aim.value)}: {WHOLE}",))
    if aim.effect is not Effect.WRITES:
        return None
    if aim.place and aim.place.protected:
        return Ask((f"{one_line(aim.place.shown)}: {one_line(aim.place.protected)}",))
    if aim.guessed and (aim.place is None or not aim.place.inside):
        what = aim.place.path if aim.place else aim.value
        return Ask((f"The command may change {one_line(what)}, which is not known to be in the workspace.",))
    return None


def _guessed(aim: Aim, policy: Policy) -> Verdict | None:
    return Allow("") if aim.guessed else None


def _granted(aim: Aim, policy: Policy) -> Verdict | None:
    return _covered(policy.granted, aim, policy)


def _asked(aim: Aim, policy: Policy) -> Verdict | None:
    for rule, _ in _restricting(policy.ask, aim, policy):
        exact = exact_rule(aim, policy.roots)
        return Ask((f"The rule ask {rule.text} wants your word for it.",), (exact,) if exact else ())
    return None


def _allowed(aim: Aim, policy: Policy) -> Verdict | None:
    return _covered(policy.allow, aim, policy)


def _by_mode(aim: Aim, policy: Policy) -> Verdict | None:
    inside = aim.effect not in PATHS or aim.place is None or aim.place.inside
    if aim.effect is Effect.READS and inside and not _is_secret(aim):
        return Allow("reading in the workspace")
    if aim.effect is Effect.WRITES and policy.mode == "acceptEdits" and aim.place and inside:
        return Allow("mode acceptEdits")
    if policy.mode == "allowAll" and (inside or aim.effect is Effect.READS):
        return Allow("mode allowAll")
    return None


STEPS: tuple[Callable[[Aim, Policy], Verdict | None], ...] = (
    _denied,
    _planned,
    _impossible,
    _dangerous,
    _guessed,
    _granted,
    _asked,
    _allowed,
    _by_mode,
)


def _restricting(rules: Iterable[Rule], aim: Aim, policy: Policy) -> Iterator[tuple[Rule, Match]]:
    """The rules that are, or may be, about this. What changes a file may tell what is in it: it reads too."""
    reading = as_reading(aim) if aim.effect is Effect.WRITES and aim.value else aim
    for rule in rules:
        seen = reading if rule.name == "read" else aim
        if (match := restricts(rule, seen, policy.roots)) != "no":
            yield rule, match


def _covered(rules: Iterable[Rule], aim: Aim, policy: Policy) -> Allow | None:
    rule = next((rule for rule in rules if covers(rule, aim, policy.roots)), None)
    return Allow(f"the rule {rule.text}") if rule else None


def _is_secret(aim: Aim) -> bool:
    """Environment files hold keys (SECURITY.md, P10): reading them is asked too."""
    names = (aim.value, aim.place.path) if aim.place else (aim.value,)
    return any(name.rpartition("/")[2].casefold().startswith(".env") for name in names)


def _default_reason(aim: Aim) -> str:
    value = one_line(aim.value)
    outside = " outside the workspace" if aim.place and not aim.place.inside else ""
    where = one_line(aim.place.path if outside and aim.place else aim.value)
    return {
        Effect.READS: f"It reads {where or 'files'}{outside}.",
        Effect.WRITES: f"It writes {where or 'files'}{outside}.",
        Effect.EXECUTES: "It runs a command." if value else "It runs a program.",
        Effect.NETWORK: f"It connects to {value or 'the network'}.",
    }[aim.effect]


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))

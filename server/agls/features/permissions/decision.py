"""The decision: what a call would do, the mode and the rules in, one verdict out. Pure, no I/O."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from agls.engine.ports import Effect
from agls.engine.vocabulary import Option
from agls.features.permissions.commands import Match
from agls.features.permissions.rules import PATHS, ResolvedTarget, Rule, covers, exact_rule, restricts
from agls.features.permissions.visible import hidden_in, one_line
from agls.frozen import frozen
from agls.modes import Mode

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


def decide(targets: Sequence[ResolvedTarget], policy: Policy) -> Verdict:
    """Judge everything a call would do; the strictest verdict holds for the call."""
    verdicts = [_judge(target, policy) for target in targets]
    if denied := next((verdict for verdict in verdicts if isinstance(verdict, Deny)), None):
        return denied
    asked = [verdict for verdict in verdicts if isinstance(verdict, Ask)]
    if not asked:
        return Allow("; ".join(_unique(v.by for v in verdicts if isinstance(v, Allow) and v.by)))
    rules = _unique(rule for verdict in asked for rule in verdict.rules)
    repeatable = all(verdict.rules for verdict in asked)
    return Ask(_unique(r for verdict in asked for r in verdict.reasons), rules if repeatable else ())


def is_edit(target: ResolvedTarget) -> bool:
    """Whether a tool would change a file that it names."""
    return target.effect is Effect.WRITES and target.place is not None and not target.guessed


def as_reading(target: ResolvedTarget) -> ResolvedTarget:
    """The same place, only looked at."""
    return replace(target, effect=Effect.READS)


def _judge(target: ResolvedTarget, policy: Policy) -> Verdict:
    for step in STEPS:
        if verdict := step(target, policy):
            return verdict
    return Ask((_default_reason(target),), (rule,) if (rule := exact_rule(target, policy.roots)) else ())


# --- the steps, in the order in which they are asked ---------------------------------------------


def _denied(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    for rule, match in _restricting(policy.deny, target, policy):
        if match == "yes":
            return Deny(f"The rule deny {rule.text} forbids it. Do not try another way to do the same.")
    return None


def _planned(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    return Deny(PLAN) if policy.mode == "plan" and target.effect is not Effect.READS else None


def _impossible(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    if target.effect is Effect.EXECUTES and (hidden := hidden_in(target.value)):
        return Deny(f"The command has characters that cannot be seen ({hidden}). Write it without them.")
    return Deny(target.problem) if target.problem and not target.guessed else None


def _dangerous(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    """What is asked every time, in every mode, whatever was allowed before."""
    if doubt := next(_restricting(policy.deny, target, policy), None):
        return Ask((f"It cannot be told whether the rule deny {doubt[0].text} forbids it.",))
    if target.holds_denied:
        return Ask((f"{one_line(target.value)}: {WHOLE}",))
    if target.effect is not Effect.WRITES:
        return None
    if target.place and target.place.protected:
        return Ask((f"{one_line(target.place.shown)}: {one_line(target.place.protected)}",))
    if target.guessed and (target.place is None or not target.place.inside):
        what = target.place.path if target.place else target.value
        return Ask((f"The command may change {one_line(what)}, which is not known to be in the workspace.",))
    return None


def _guessed(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    return Allow("") if target.guessed else None


def _granted(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    return _covered(policy.granted, target, policy)


def _asked(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    for rule, _ in _restricting(policy.ask, target, policy):
        exact = exact_rule(target, policy.roots)
        return Ask((f"The rule ask {rule.text} wants your word for it.",), (exact,) if exact else ())
    return None


def _allowed(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    return _covered(policy.allow, target, policy)


def _by_mode(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    inside = target.effect not in PATHS or target.place is None or target.place.inside
    if target.effect is Effect.READS and inside and not _is_secret(target):
        return Allow("reading in the workspace")
    if target.effect is Effect.WRITES and policy.mode == "acceptEdits" and target.place and inside:
        return Allow("mode acceptEdits")
    if policy.mode == "allowAll" and (inside or target.effect is Effect.READS):
        return Allow("mode allowAll")
    return None


STEPS: tuple[Callable[[ResolvedTarget, Policy], Verdict | None], ...] = (
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


def _restricting(
    rules: Iterable[Rule], target: ResolvedTarget, policy: Policy
) -> Iterator[tuple[Rule, Match]]:
    """The rules that are, or may be, about this. What changes a file may tell what is in it: it reads too."""
    reading = as_reading(target) if target.effect is Effect.WRITES and target.value else target
    for rule in rules:
        seen = reading if rule.name == "read" else target
        if (match := restricts(rule, seen, policy.roots)) != "no":
            yield rule, match


def _covered(rules: Iterable[Rule], target: ResolvedTarget, policy: Policy) -> Allow | None:
    rule = next((rule for rule in rules if covers(rule, target, policy.roots)), None)
    return Allow(f"the rule {rule.text}") if rule else None


def _is_secret(target: ResolvedTarget) -> bool:
    """Environment files hold keys (SECURITY.md, P10): reading them is asked too."""
    names = (target.value, target.place.path) if target.place else (target.value,)
    return any(name.rpartition("/")[2].casefold().startswith(".env") for name in names)


def _default_reason(target: ResolvedTarget) -> str:
    value = one_line(target.value)
    outside = " outside the workspace" if target.place and not target.place.inside else ""
    where = one_line(target.place.path if outside and target.place else target.value)
    return {
        Effect.READS: f"It reads {where or 'files'}{outside}.",
        Effect.WRITES: f"It writes {where or 'files'}{outside}.",
        Effect.EXECUTES: "It runs a command." if value else "It runs a program.",
        Effect.NETWORK: f"It connects to {value or 'the network'}.",
    }[target.effect]


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))

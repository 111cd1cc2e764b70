"""The decision: from the targets of a call, the mode and the rules to one verdict. Pure, no I/O."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from agls.engine.feature import Advice
from agls.engine.ports import Effect
from agls.engine.vocabulary import Option, RefusedBy
from agls.features.permissions.commands import Match, may_be_name
from agls.features.permissions.rules import (
    PATHS,
    ResolvedTarget,
    Rule,
    covers,
    exact_rule,
    restricts,
)
from agls.features.permissions.visible import hidden_in, one_line
from agls.frozen import frozen
from agls.modes import Mode
from agls.secret_names import may_hold_secrets

PLAN = "The session is in plan mode: only reading is possible now."
PRESENT = (
    "Do not try another way. Present your plan instead; the user leaves plan mode when they agree with it."
)
READ_ONLY = "This run was started for reading only."
IN_WORDS = "Say in words what should be changed."
APART = "This run works in a git worktree of its own, and the place is outside of it."
IN_WORKTREE = "Change the file of the worktree instead: name it relative to the folder that you work in."
NO_OTHER_WAY = "Do not try another way to do the same."
NOT_NAMED = "The command may change files that its text does not name."
UNBOUNDED = (
    "a program of it is not known to leave the files there alone, a deny rule forbids to read some of them, "
    "and there is no sandbox that closes them."
)
WHOLE = "the command may read everything in it, and a deny rule forbids to read some of its files."


@frozen
class Allow:
    """The call may run. `by` names the rule or the mode that allowed it, "" when none was needed."""

    by: str


@frozen
class Deny:
    """The call may not run, and nobody is asked. The reason is for everybody, the advice for the model.

    `by` is what refuses it.
    """

    reason: str
    advice: str = ""
    by: RefusedBy = "policy"


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
    """The policy for one call: `granted` are the rules that the user's earlier answers made.

    A run that is `read_only` may do nothing else, whatever the mode and the rules say. The files that are
    `named` are those that the user's command is for: they are edited like any other, though they are
    protected. Folders that are `opened` are read like the workspace. With `sandboxed` the user let commands
    run unasked that stay in the sandbox; commands are not `bounded` where there is none. A run that
    `is_apart` works in a worktree, and edits nothing else.
    """

    mode: Mode
    roots: tuple[str, ...]
    deny: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()
    allow: tuple[Rule, ...] = ()
    granted: tuple[Rule, ...] = ()
    read_only: bool = False
    named: frozenset[str] = frozenset()
    opened: tuple[str, ...] = ()
    sandboxed: bool = False
    bounded: bool = True
    is_apart: bool = False


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


def advised(verdict: Verdict, advice: Advice | None) -> Verdict:
    """**Returns** the verdict after the advice of a hook.

    It may ask for the user's word about what would run, and give it where a rule could give it. What is
    denied stays so, and so does a question that no rule may answer.
    """
    match verdict:
        case Allow() if advice and advice.asks:
            return Ask((f"{advice.by} wants your word for it. {one_line(advice.reason)}".strip(),))
        case Ask(_, rules) if advice and not advice.asks and rules:
            return Allow(advice.by)
        case _:
            return verdict


def is_edit(target: ResolvedTarget) -> bool:
    """**Returns** whether a tool would change a file that it names."""
    return target.effect is Effect.WRITES and target.place is not None and not target.guessed


def as_reading(target: ResolvedTarget) -> ResolvedTarget:
    """**Returns** the target that only reads the same place."""
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
            return Deny(f"The rule deny {rule.text} forbids it.", NO_OTHER_WAY, "rule")
    return None


def _planned(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    if target.effect is Effect.READS or target.reads_only or target.guessed:
        return None
    if policy.read_only:
        return Deny(READ_ONLY, IN_WORDS, "mode")
    return Deny(PLAN, PRESENT, "mode") if policy.mode == "plan" else None


def _outside(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    """Refuse edits outside of the worktree of a run that has one; about protected places people are asked."""
    if not policy.is_apart or target.guessed or target.effect is not Effect.WRITES or target.place is None:
        return None
    return None if target.place.inside or target.place.protected else Deny(APART, IN_WORKTREE)


def _impossible(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    if target.effect is Effect.EXECUTES and (hidden := hidden_in(target.value)):
        return Deny(f"The command has characters that cannot be seen ({hidden}).", "Write it without them.")
    return Deny(target.problem) if target.problem and not target.guessed else None


def _dangerous(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    """Ask every time, in every mode, about a target that no earlier answer may cover."""
    if doubt := next(_restricting(policy.deny, target, policy), None):
        return Ask((f"It is not certain whether the rule deny {doubt[0].text} forbids it.",))
    if target.holds_denied:
        return Ask((f"{one_line(target.value)}: {WHOLE}",))
    if target.effect is not Effect.WRITES:
        return None
    is_named = bool(target.place) and target.place.shown in policy.named and not target.guessed
    if target.place and target.place.protected and not is_named:
        return Ask((f"{one_line(target.place.shown)}: {one_line(target.place.protected)}",))
    if target.guessed and (target.place is None or not target.place.inside):
        what = target.place.path if target.place else target.value
        if not target.place and not may_be_name(what):
            return Ask((NOT_NAMED,))
        return Ask((f"The command may change {one_line(what)}, which is not known to be in the workspace.",))
    return None


def _guessed(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    return Allow("") if target.guessed else None


def _granted(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    return _covered(policy.granted, target, policy)


def _asked(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    for rule, _ in _restricting(policy.ask, target, policy):
        exact = exact_rule(target, policy.roots)
        return Ask((f"The rule ask {rule.text} requires your answer.",), (exact,) if exact else ())
    return None


def _allowed(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    return _covered(policy.allow, target, policy)


def _unbounded(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    """Ask about a program of which nothing is known, in a folder with denied files that nothing closes."""
    if policy.bounded or not target.may_read:
        return None
    exact = exact_rule(target, policy.roots)
    return Ask((f"{one_line(target.may_read)}: {UNBOUNDED}",), (exact,) if exact else ())


def _by_parts(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    """Allow a command whose programs are each known to read only, or allowed by a rule."""
    if target.reads_only:
        return Allow("it only reads in the workspace")
    allowed = [_part_allowed(part, policy) for part in target.parts]
    rules = _unique(each.by for each in allowed if each and each.by)
    return Allow("; ".join(rules)) if rules and all(allowed) else None


def _part_allowed(part: ResolvedTarget, policy: Policy) -> Allow | None:
    if part.reads_only:
        return Allow("")
    return None if part.fed else _covered((*policy.granted, *policy.allow), part, policy)


def _in_sandbox(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    """Allow a command whose words name nothing outside, when the sandbox sees to the rest."""
    if not policy.sandboxed or target.effect is not Effect.EXECUTES or not target.value or target.leads_out:
        return None
    return Allow("your word for commands in the sandbox")


def _by_mode(target: ResolvedTarget, policy: Policy) -> Verdict | None:
    inside = target.effect not in PATHS or target.place is None or target.place.inside
    opened = bool(target.place) and target.place.path.startswith(tuple(f"{each}/" for each in policy.opened))
    if target.effect is Effect.READS and (inside or opened) and not _is_secret(target, policy.roots):
        return Allow("reading in the workspace")
    if target.effect is Effect.WRITES and policy.mode == "acceptEdits" and target.place and inside:
        return Allow("mode acceptEdits")
    if policy.mode == "allowAll" and (inside or target.effect is Effect.READS):
        return Allow("mode allowAll")
    return None


STEPS: tuple[Callable[[ResolvedTarget, Policy], Verdict | None], ...] = (
    _denied,
    _planned,
    _outside,
    _impossible,
    _dangerous,
    _guessed,
    _granted,
    _asked,
    _allowed,
    _unbounded,
    _by_parts,
    _in_sandbox,
    _by_mode,
)


def _restricting(
    rules: Iterable[Rule], target: ResolvedTarget, policy: Policy
) -> Iterator[tuple[Rule, Match]]:
    """Yield the rules that are, or may be, about this. A change of a file may quote it: it reads too."""
    reading = as_reading(target) if target.effect is Effect.WRITES and target.value else target
    for rule in rules:
        seen = reading if rule.name == "read" else target
        if (match := restricts(rule, seen, policy.roots)) != "no":
            yield rule, match


def _covered(rules: Iterable[Rule], target: ResolvedTarget, policy: Policy) -> Allow | None:
    rule = next((rule for rule in rules if covers(rule, target, policy.roots)), None)
    return Allow(f"the rule {rule.text}") if rule else None


def _is_secret(target: ResolvedTarget, roots: Sequence[str]) -> bool:
    """Return whether reading it is asked about, too."""
    names = (target.value, target.place.path) if target.place else (target.value,)
    return any(may_hold_secrets(name, roots) for name in names)


def _default_reason(target: ResolvedTarget) -> str:
    value = one_line(target.value)
    outside = " outside the workspace" if target.place and not target.place.inside else ""
    if value and target.effect is Effect.WRITES and not outside:
        return "It changes the workspace."  # which files, the question's title and subject say
    where = one_line(target.place.path if outside and target.place else target.value)
    return {
        Effect.READS: f"It reads {where or 'files'}{outside}.",
        Effect.WRITES: f"It writes {where or 'files'}{outside}.",
        Effect.EXECUTES: _why_command(target) if value else "It runs a program.",
        Effect.NETWORK: f"It connects to {value or 'the network'}.",
    }[target.effect]


def _why_command(target: ResolvedTarget) -> str:
    return f"It runs a command: {one_line(target.doubt)}." if target.doubt else "It runs a command."


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))

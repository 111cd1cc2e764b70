"""Rules as users write them, and what they match.

    *                     everything
    shell(git status)     exactly this command, byte for byte
    shell(rm -rf /*)      in a rule that asks or denies * may stand anywhere, for any text
    shell(npm test *)     this program with these words first, when it is one plain command that names
                          nothing outside the workspace (`carriers` says what may follow where arguments
                          can carry code)
    edit(src/**)  read(docs/*.md)   paths below the workspace, or absolute ones
    web_fetch(domain:example.com)   a host that a tool connects to; *.example.com are those
                          below it. A rule that denies or asks is about the hosts below, too
    network(example.com)  a host, of whatever tool; a rule that denies or asks binds commands as well
                          (`network_rules`)
    shell  edit  read     all of that kind (an allow rule: inside the workspace)
    web_fetch             a tool by its name
    mcp__SERVER  mcp__SERVER__*     all tools of a server, whose names begin so

A rule that allows must match exactly what would happen; a rule that asks or denies matches every
spelling that could mean what it names, and in doubt says so.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from posixpath import join, normpath

from agls.engine.ports import Effect, PathInfo
from agls.features.permissions.carriers import may_follow, may_lead, named_instead, program
from agls.features.permissions.commands import Match, is_plain, mentions, simple_argv
from agls.features.permissions.patterns import forbidding, forbids, may_become, path_glob
from agls.features.permissions.visible import hidden_in
from agls.frozen import frozen
from agls.regex import regex
from agls.room.shell_words import INTERPRETERS, LAUNCHERS

KINDS = {
    "shell": Effect.EXECUTES,
    "edit": Effect.WRITES,
    "read": Effect.READS,
    "network": Effect.NETWORK,
}
KIND_OF = {effect: kind for kind, effect in KINDS.items()}
PATHS = frozenset({Effect.READS, Effect.WRITES})
_SHAPE = regex(r"([A-Za-z0-9_.:/-]+(?:__\*)?|\*)(?:\((.+)\))?", re.DOTALL)
DOMAIN = "domain:"
_HOST = regex(r"(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?")
_DOMAIN = regex(rf"{DOMAIN}(?:\*\.)?{_HOST.pattern}", re.IGNORECASE)


@frozen
class ResolvedTarget:
    """One thing that a call would do. `value` is the text of the model, `place` where a path really leads.

    `problem` says why a path leads nowhere. A `guessed` target was read out of a command: it can make
    the call forbidden or dangerous, but never allowed. With `holds_denied` it is a folder that a program
    reads as a whole, with files in it that a rule denies to read; a command `may_read` such a folder by a
    program of which that is not known. A command `leads_out` when a word of it may name something outside
    the workspace; it `reads_only` when everything in it is known to read the workspace and to do nothing
    else, else `doubt` says why that is not known. `parts` are the programs of a compound command; one with
    input from another program, or from a file, is `fed`. A command with links in it `leads_to` another one:
    that with the names of what they lead to.
    """

    tool: str
    effect: Effect
    value: str = ""
    place: PathInfo | None = None
    problem: str = ""
    guessed: bool = False
    holds_denied: bool = False
    may_read: str = ""
    leads_out: bool = False
    reads_only: bool = False
    doubt: str = ""
    fed: bool = False
    leads_to: str = ""
    parts: "tuple[ResolvedTarget, ...]" = ()


@frozen
class Rule:
    """A rule: a kind, a tool's name or `*`, and for kinds a pattern ("" for all)."""

    text: str
    name: str
    pattern: str = ""


def parse_rule(text: str, *, widens: bool = False) -> Rule:
    """Read a rule; `widens` when it will allow something. Raises `ValueError` with what to write instead."""
    shape = _SHAPE.fullmatch(text)
    if not shape or hidden_in(text):
        raise ValueError(
            f"{text!r} is not a rule; write a tool's name, *, or KIND(what) as in shell(git status)"
        )
    name, pattern = shape[1], shape[2] or ""
    if pattern.startswith(DOMAIN) and name not in KINDS and name != "*":
        if not _DOMAIN.fullmatch(pattern):
            raise ValueError(
                f"{text!r}: write a host such as {name}(domain:example.com), or domain:*.example.com"
            )
        return Rule(text, name, pattern)
    if name == "network" and pattern and not _DOMAIN.fullmatch(f"{DOMAIN}{pattern}"):
        raise ValueError(f"{text!r}: write a host such as network(example.com), or network(*.example.com)")
    if pattern and name not in KINDS:
        known = ", ".join(f"{kind}(…)" for kind in KINDS)
        raise ValueError(f"{text!r}: there is no kind {name!r}; the kinds are {known}")
    if name == "shell" and "*" in pattern:
        _check_words(text, pattern, widens=widens)
    return Rule(text, name, pattern)


def _check_words(text: str, pattern: str, *, widens: bool) -> None:
    if not widens and "*" in pattern.removesuffix(" *"):
        return
    argv = simple_argv(pattern.removesuffix(" *"))
    if not pattern.endswith(" *") or not argv:
        raise ValueError(
            f"{text!r}: * may only stand for the last words of one plain command, as in shell(npm test *)"
        )
    if not widens:
        return
    if argv[0].rpartition("/")[2] in LAUNCHERS or program(argv[0]) in INTERPRETERS:
        raise ValueError(
            f"{text!r} would allow every command, because {argv[0]} runs others; write exact commands"
        )
    if not may_lead(argv):
        instead = named_instead(argv)
        raise ValueError(
            f"{text!r} would allow every command, because arguments of {argv[0]} can name one to run; "
            f"write exact commands{f', or {instead}' if instead else ''}"
        )


def covers(rule: Rule, target: ResolvedTarget, roots: tuple[str, ...]) -> bool:
    """**Returns** whether an allow rule allows this. Only an absolute pattern leaves the workspace."""
    if target.place and not target.place.inside:
        absolute = KINDS.get(rule.name) is target.effect and rule.pattern.startswith("/")
        return absolute and bool(path_glob(rule.pattern).fullmatch(target.place.path))
    if not rule.pattern and (
        rule.name in {"*", target.tool, KIND_OF[target.effect]} or names_all_of(rule.name, target.tool)
    ):
        return True
    if domain := _domain_of(rule, target):
        return _allows_host(domain, target.value)
    if not rule.pattern or not target.value or KINDS.get(rule.name) is not target.effect:
        return False
    if target.effect is Effect.EXECUTES:
        return _covers_command(rule.pattern, target)
    if target.effect is Effect.NETWORK:
        return _allows_host(rule.pattern, target.value)
    return target.place is not None and any(
        path_glob(rule.pattern).fullmatch(name) for name in _under_roots(target.place.path, roots)
    )


def restricts(rule: Rule, target: ResolvedTarget, roots: tuple[str, ...]) -> Match:
    """**Returns** whether an ask or deny rule is about this, in any spelling."""
    if not rule.pattern and (rule.name in {"*", target.tool} or names_all_of(rule.name, target.tool)):
        return "yes"
    if KINDS.get(rule.name) is not target.effect:
        domain = _domain_of(rule, target)
        return _restricts_host(domain, target.value) if domain else "no"
    if not rule.pattern:
        return "yes"
    if not target.value:
        return "no" if target.effect is Effect.READS else "unsure"
    if target.effect is Effect.EXECUTES:
        return _mentioned(target, rule.pattern)
    if target.effect is Effect.NETWORK:
        return _restricts_host(rule.pattern, target.value)
    shown, path = (target.place.shown, target.place.path) if target.place else ("", "")
    names = _spellings(target.value, shown, path, roots)
    if forbids(rule.pattern, names):
        return "yes"
    return "unsure" if target.guessed and (not target.place or may_become(rule.pattern, names)) else "no"


def _mentioned(target: ResolvedTarget, pattern: str) -> Match:
    """Whether a command may run what is wanted, by its own words or by what its links lead to."""
    wanted = pattern.removesuffix(" *")
    if "*" in wanted:
        from agls.features.permissions.wild_rules import fits  # noqa: PLC0415 - few users have such a rule

        wanted, looked_for = pattern, fits
    else:
        looked_for = mentions
    written = looked_for(target.value, wanted)
    if written == "yes" or not target.leads_to:
        return written
    led = looked_for(target.leads_to, wanted)
    return written if led == "no" else led


def names_all_of(name: str, tool: str) -> bool:
    """**Returns** whether a rule of this name is about all tools of a server, and so about this one."""
    parts = name.removesuffix("__*").split("__")
    return len(parts) == 2 and tool.split("__")[:2] == parts and tool.count("__") > 1


def exact_rule(target: ResolvedTarget, roots: tuple[str, ...]) -> str:
    """**Returns** the rule that allows this and nothing else, "" when there is no such rule."""
    if not target.value:  # a call that names nothing: the tool as a whole, but never a whole kind
        text = "" if target.tool in KINDS else target.tool
    elif target.effect is Effect.NETWORK:
        host = target.value.casefold()
        text = f"{target.tool}({DOMAIN}{host})" if _HOST.fullmatch(host) else ""
    else:
        what = _exactly(target, roots)
        text = f"{KIND_OF[target.effect]}({what})" if what else ""
    return "" if "\n" in text or hidden_in(text) else text


def _exactly(target: ResolvedTarget, roots: tuple[str, ...]) -> str:
    if target.effect is Effect.EXECUTES:
        return target.value if is_plain(target.value) else ""
    path = target.place.path if target.place else "*"
    return "" if set("*?") & set(path) else next(_under_roots(path, roots))


def _covers_command(pattern: str, target: ResolvedTarget) -> bool:
    if not pattern.endswith(" *"):
        return target.value == pattern
    if target.leads_out:
        return False
    wanted, argv = simple_argv(pattern.removesuffix(" *")), simple_argv(target.value)
    if wanted is None or argv is None or argv[: len(wanted)] != wanted:
        return False
    return may_follow(wanted, argv[len(wanted) :])


def _domain_of(rule: Rule, target: ResolvedTarget) -> str:
    """Return the host that a rule for this tool names, "" when it names none."""
    named = rule.name == target.tool and target.effect is Effect.NETWORK
    return rule.pattern.removeprefix(DOMAIN) if named and rule.pattern.startswith(DOMAIN) else ""


def _allows_host(pattern: str, host: str) -> bool:
    host = host.casefold()
    return bool(_HOST.fullmatch(host)) and _covers_host(pattern.casefold(), host)


def _restricts_host(pattern: str, host: str) -> Match:
    """Whether a rule that denies or asks is about a host: whatever its port, and those below it."""
    if not host:
        return "unsure"
    named = pattern.casefold()
    host = host.casefold()
    hosts = {host, host.rpartition(":")[0]} if re.search(r":\d+$", host) else {host}
    return "yes" if any(_covers_host(named, each) or each.endswith(f".{named}") for each in hosts) else "no"


def _covers_host(pattern: str, host: str) -> bool:
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern


def _under_roots(path: str, roots: tuple[str, ...]) -> Iterator[str]:
    """Yield the path as seen from each root above it, and the path itself."""
    for root in roots:
        if path.startswith(f"{root.rstrip('/')}/"):
            yield path[len(root.rstrip("/")) + 1 :]
    yield path


@lru_cache(maxsize=256)
def _spellings(value: str, shown: str, path: str, roots: tuple[str, ...]) -> frozenset[str]:
    """**Returns** all names of a path: as written, normalised and resolved, from every root and absolute."""
    written = {value, shown, path} - {""}
    absolute = {normpath(join(root, name)) for name in written for root in roots}
    return frozenset(name for path in absolute for name in _under_roots(path, roots))


def denied(rules: Iterable[str], kind: str = "read") -> tuple[str, ...]:
    """**Returns** the files that these rules deny to read, so that no list shows them, or to `edit`.

    They are regular expressions for a file's names in normal form C and folded case.
    """
    parsed = (rule for rule in map(parse_rule, rules) if rule.name == kind and rule.pattern)
    return tuple(forbidding(rule.pattern).pattern for rule in parsed)


def denied_places(rules: Iterable[str]) -> tuple[str, ...]:
    """**Returns** the absolute paths that these rules deny to read, with wildcards within a name."""
    parsed = (rule.pattern for rule in map(parse_rule, rules) if rule.name == "read")
    places = (pattern.removesuffix("/**") for pattern in parsed if pattern.startswith("/"))
    return tuple(place for place in places if place and "**" not in place)

"""Deny and ask rules that a trusted folder keeps for Claude Code: they make things stricter here as well.

What its files allow is left out: no file of a folder grants anything.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from agls.config.errors import ConfigError
from agls.config.load import added_up
from agls.config.sources import Rank, Source
from agls.json_values import is_list, list_in, object_in, with_comments
from agls.other_agents.findings import RuleKind
from agls.other_agents.rules import claude_rule
from agls.plain_file import read_plain
from agls.regex import regex
from agls.workspace.path_stamps import PathStamps

STRICT: Sequence[RuleKind] = ("deny", "ask")
LARGEST = 1_000_000  # bytes of a file
MOST = 200  # rules of a file
NOT_FOLLOWED = "{}: the rule {!r} ({}) cannot be followed here: write one of your own (docs/config.md)"
NO_LIST = "{}: permissions.{} is no list of rules, so none of it counts: write [ ... ]"
TOO_MANY = "{}: permissions.{} has {} rules, of which only the first {} count: write the others as your own"
_FROM_ROOT = regex(r"((?:Read|Edit|Write)\()/(?!/)")
_OF_SERVER = regex(r"mcp__[A-Za-z0-9_-]+(?:__\*)?")
_READ = "read"


def foreign_rules(
    files: Sequence[Path], home: str, looked_at: PathStamps
) -> tuple[Sequence[Source], Sequence[str]]:
    """**Returns** the rules of these files as settings, and a line for each that cannot be followed."""
    sources: list[Source] = []
    unfollowed: list[str] = []
    for file in files:
        looked_at.add(str(file))
        said = _permissions(file)
        rules = {kind: [*_rules(said, kind, home, file, unfollowed)] for kind in STRICT}
        if kept := {kind: each for kind, each in rules.items() if each}:
            names = {("permissions", kind): str(file) for kind in kept}
            sources.append(Source(Rank.PROJECT, {"permissions": kept}, names=names))
    return sources, unfollowed


def _permissions(file: Path) -> dict[str, Any]:
    """**Returns** what a file says of permissions; a broken one is named where its hooks are."""
    try:
        text = read_plain(file, LARGEST).decode("utf-8-sig", "replace")
        return object_in(with_comments(text), "permissions")
    except (OSError, ValueError, RecursionError):
        return {}


def _rules(
    said: dict[str, Any], kind: RuleKind, home: str, file: Path, unfollowed: list[str]
) -> Iterator[str]:
    found: object = said.get(kind)
    if found and not (isinstance(found, str) or is_list(found)):
        unfollowed.append(NO_LIST.format(file, kind))
    each: Sequence[object] = [found] if isinstance(found, str) else list_in(found)
    if len(each) > MOST:
        unfollowed.append(TOO_MANY.format(file, kind, len(each), MOST))
    for text in (one if isinstance(one, str) else str(one) for one in each[:MOST] if one != ""):
        rule = text if _OF_SERVER.fullmatch(text) else claude_rule(_FROM_ROOT.sub(r"\1./", text), kind, home)
        if rule is None or not _counts(kind, rule):
            unfollowed.append(NOT_FOLLOWED.format(file, text[:100], kind))
            continue
        yield rule
        if kind == "deny" and rule.startswith(_READ):  # what may not be read is not changed
            yield f"edit{rule.removeprefix(_READ)}"


def _counts(kind: RuleKind, rule: str) -> bool:
    """**Returns** whether a rule is one: nothing of these files may make the settings unreadable."""
    try:
        added_up([Source(Rank.USER, {"permissions": {kind: [rule]}})])
    except ConfigError:
        return False
    return True

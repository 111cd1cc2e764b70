"""Rules that deny or ask in the settings of Claude Code, of a folder that the user trusts.

They count as those of a project's own file do. Rules that allow are nothing to a project.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from agls.config.errors import ConfigError
from agls.config.load import added_up
from agls.config.sources import Rank, Source
from agls.config.tables import KeyPath
from agls.frozen import frozen
from agls.json_values import list_in, object_in, text_in, with_comments
from agls.other_agents.findings import RuleKind
from agls.other_agents.rules import claude_rule

KINDS: tuple[RuleKind, ...] = ("deny", "ask")
LARGEST = 1_000_000  # bytes of a file
MOST = 500  # rules of a file
TABLE = "permissions"
NO_RULE = "{}:{}: {}: agls has no rule that means {!r}: write what you want into .agls/config.toml"
NO_FILE = "{}: its rules do not count: {}"


@frozen
class ClaudeRules:
    """The rules of these files, and warnings about those that cannot be said in the words of agls."""

    sources: tuple[Source, ...] = ()
    warnings: tuple[str, ...] = ()


def claude_rules(files: Sequence[Path], root: Path, home: str) -> ClaudeRules:
    """**Returns** the rules in these files of a trusted folder."""
    found = [_in_file(file, root, home) for file in files]
    return ClaudeRules(
        tuple(source for each in found for source in each.sources),
        tuple(warning for each in found for warning in each.warnings),
    )


def _in_file(file: Path, root: Path, home: str) -> ClaudeRules:
    if not file.resolve().is_relative_to(root.resolve()):
        return ClaudeRules((), (NO_FILE.format(file, "a link leads out of the folder"),))
    try:
        with file.open("rb") as stream:
            text = stream.read(LARGEST).decode("utf-8-sig", "replace")
        said = object_in(with_comments(text), TABLE) if text.strip() else {}
    except (OSError, ValueError, RecursionError) as problem:
        return ClaudeRules((), (NO_FILE.format(file, problem),))
    rules: dict[str, list[str]] = {}
    warnings: list[str] = []
    for kind, original in _written(said):
        rule = original if original.startswith("mcp__") else claude_rule(original, kind, home)
        if rule and _counts(kind, rule):
            also = [f"edit{rule[4:]}"] if kind == "deny" and rule.startswith("read") else []
            kept = rules.setdefault(kind, [])
            kept += [each for each in (rule, *also) if each not in kept]
        else:
            warnings.append(NO_RULE.format(file, _line_of(original, text), kind, original[:100]))
    lines: dict[KeyPath, int] = {(TABLE, kind): _line_of(kind, text) for kind in rules}
    sources = (Source(Rank.PROJECT, {TABLE: rules}, str(file), lines),) if rules else ()
    return ClaudeRules(sources, tuple(warnings))


def _written(said: dict[str, object]) -> Iterator[tuple[RuleKind, str]]:
    for kind in KINDS:
        for text in map(text_in, list_in(said.get(kind))[:MOST]):
            if text.strip():
                yield kind, text.strip()


def _counts(kind: str, rule: str) -> bool:
    """**Returns** whether a rule is one: nothing of these files may make the settings unreadable."""
    try:
        added_up([Source(Rank.USER, {TABLE: {kind: [rule]}})])
    except ConfigError:
        return False
    return True


def _line_of(words: str, text: str) -> int:
    found = re.search(re.escape(f'"{words}"'), text)
    return text.count("\n", 0, found.start()) + 1 if found else 1

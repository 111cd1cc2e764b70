"""Earlier permissions: of the session in its notes, of the project in the user's own files."""

import logging
from collections.abc import Iterable

from agls.engine.state import State
from agls.features.permissions.rules import Rule, parse_rule
from agls.room.permission_memory import Grants

ROOM = "permissions"
GRANTED = "granted"
REVOKED = "revoked"
SANDBOXED = "commands in the sandbox"  # no rule that a file may have: the user's answer to a question
_log = logging.getLogger(__name__)


def session_grants(state: State, grants: Grants) -> tuple[str, ...]:
    """**Returns** the rules granted in this session and not revoked since, oldest first."""
    granted: dict[str, None] = {}
    for note in state.notes.get(ROOM, ()):
        rules = [str(rule) for rule in note.data.get("rules", ())]
        if note.kind == GRANTED and grants.vouch(rules, str(note.data.get("seal", ""))):
            granted |= dict.fromkeys(rules)
        elif note.kind == REVOKED:
            granted = {rule: None for rule in granted if rule not in rules}
    return tuple(granted)


def readable(texts: Iterable[str]) -> tuple[Rule, ...]:
    """**Returns** the rules that can be parsed; another (of another version, or by hand) grants nothing."""
    rules: list[Rule] = []
    for text in texts:
        if text == SANDBOXED:
            continue
        try:
            rules.append(parse_rule(text, widens=True))
        except ValueError as problem:
            _log.warning("a remembered permission is ignored: %s", problem)
    return tuple(rules)

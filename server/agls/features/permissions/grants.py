"""What the user allowed before: for the session in its notes, for the project in the user's own files."""

import logging
from collections.abc import Iterable, Sequence
from typing import Protocol

from agls.engine.state import State
from agls.features.permissions.rules import Rule, parse_rule

ROOM = "permissions"
ALLOWED = "allowed"
GRANTED = "granted"
REVOKED = "revoked"
_log = logging.getLogger(__name__)


class Grants(Protocol):
    """Rules the user allowed for this project, kept in the user's state directory, never in the project.

    `load` never raises: what cannot be read grants nothing, and `ignored` says afterwards why a file that
    is there does not count. `save` adds rules durably, `remove` takes them back; both raise `OSError` when
    they cannot. All look at the disk: call them off the event loop. `mark` and `vouch` tell what was
    allowed for the session from what something else wrote into its journal.
    """

    @property
    def ignored(self) -> str: ...
    def load(self) -> Sequence[str]: ...
    def save(self, rules: Sequence[str]) -> None: ...
    def remove(self, rules: Sequence[str]) -> None: ...
    def mark(self, rules: Sequence[str]) -> str: ...
    def vouch(self, rules: Sequence[str], mark: str) -> bool: ...


def session_grants(state: State, grants: Grants) -> tuple[str, ...]:
    """The rules granted in this session and not revoked since, oldest first."""
    granted: dict[str, None] = {}
    for note in state.notes.get(ROOM, ()):
        rules = [str(rule) for rule in note.data.get("rules", ())]
        if note.kind == GRANTED and grants.vouch(rules, str(note.data.get("seal", ""))):
            granted |= dict.fromkeys(rules)
        elif note.kind == REVOKED:
            granted = {rule: None for rule in granted if rule not in rules}
    return tuple(granted)


def readable(texts: Iterable[str]) -> tuple[Rule, ...]:
    """The rules that can be read; one that cannot (from another version, or by hand) grants nothing."""
    rules: list[Rule] = []
    for text in texts:
        try:
            rules.append(parse_rule(text, widens=True))
        except ValueError as problem:
            _log.warning("a remembered permission is ignored: %s", problem)
    return tuple(rules)

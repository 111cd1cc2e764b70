"""Permissions that were given can be seen and taken back."""

from typing import NoReturn

import pytest

from agls.engine.actions import ActionContext, ActionError, ActionOutcome
from agls.engine.facts import Entry, Noted
from agls.engine.state import State, fold
from agls.engine.vocabulary import JsonObject, Limits
from agls.features.permissions.actions import actions_of
from agls.features.permissions.grants import GRANTED, ROOM, session_grants
from agls.features.permissions.settings import Settings
from support.scenario import NOWHERE

from .scene import FakeGrants


class Acting:
    """A session with one permission given in it, and actions on it."""

    def __init__(self, grants: FakeGrants) -> None:
        self.state = fold(
            State(), Entry(1, 1.0, Noted(ROOM, GRANTED, {"rules": ["shell(ls)"], "seal": "marked"}))
        )
        settings = Settings(mode="plan", deny=["read(.env)"])
        self._actions = {action.spec.name: action for action in actions_of(settings, grants)}

    def _note(self, kind: str, data: JsonObject) -> None:
        self.state = fold(self.state, Entry(self.state.seq + 1, 1.0, Noted(ROOM, kind, data)))

    async def do(self, name: str, **arguments: object) -> ActionOutcome:
        """Follow an action."""
        context = ActionContext(
            "ses",
            self.state,
            NOWHERE,
            self._note,
            lambda shown: None,
            _never,
            _no_limits,
            _no_model,
            _no_model,
        )
        return await self._actions[name](dict(arguments), context)


def _no_model() -> NoReturn:
    raise AssertionError


def _no_limits(limits: Limits) -> None:
    raise AssertionError("permissions change no limits")


async def _never(content: object) -> str:
    raise AssertionError


async def test_all_rules_are_shown_with_where_they_come_from() -> None:
    shown = await Acting(FakeGrants(["edit(src/**)"])).do("permission.list")
    assert shown.data == {
        "mode": "plan", "allow": [], "ask": [], "deny": ["read(.env)"],
        "session": ["shell(ls)"], "project": ["edit(src/**)"],
    }  # fmt: skip
    assert "- allowed in this session: `shell(ls)`" in shown.text


async def test_a_permission_is_taken_back_wherever_it_was_given() -> None:
    grants = FakeGrants(["shell(ls)", "edit(src/**)"])
    acting = Acting(grants)
    await acting.do("permission.revoke", rule="shell(ls)")
    assert session_grants(acting.state, FakeGrants()) == ()
    assert grants.rules == ["edit(src/**)"]
    with pytest.raises(ActionError, match=r"permission\.list"):
        await acting.do("permission.revoke", rule="shell(ls)")
    grants.broken = True
    with pytest.raises(ActionError, match="disk is full"):
        await acting.do("permission.revoke", rule="edit(src/**)")


async def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ActionError, match="rule: is required"):
        await Acting(FakeGrants()).do("permission.revoke")

"""The actions on permissions: listing them and revoking one."""

import asyncio
from collections.abc import Sequence

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.features.permissions.grants import REVOKED, session_grants
from agls.features.permissions.settings import Settings
from agls.features.permissions.visible import one_line
from agls.room.permission_memory import Grants
from agls.toolkit import Arguments, TypedAction


class ListRules(Arguments):
    """Show the rules that decide what runs without a question, from settings, session and project."""


class Revoke(Arguments):
    """Revoke a permission that you gave for this session or project. You will be asked again."""

    rule: str = Field(min_length=1, description="the rule as `permission.list` shows it")


def actions_of(settings: Settings, grants: Grants) -> tuple[Action, ...]:
    """**Returns** the actions of the room."""

    async def show(arguments: ListRules, context: ActionContext) -> ActionOutcome:
        rules: dict[str, Sequence[str]] = {
            "allow": settings.allow,
            "ask": settings.ask,
            "deny": settings.deny,
            "session": session_grants(context.state, grants),
            "project": await asyncio.to_thread(grants.load),
        }
        titles = {"session": "allowed in this session", "project": "allowed in this project"}
        lines = [
            f"- {titles.get(kind, kind)}: `{one_line(rule)}`"
            for kind, named in rules.items()
            for rule in named
        ]
        mode = str(context.state.settings.get("mode", settings.mode))
        text = "\n".join([f"The mode is `{one_line(mode)}`.", *lines])
        return ActionOutcome(text, {"mode": mode, **{kind: list(named) for kind, named in rules.items()}})

    async def given(context: ActionContext) -> Sequence[ActionValue]:
        in_session, in_project = session_grants(context.state, grants), await asyncio.to_thread(grants.load)
        return [ActionValue(rule) for rule in dict.fromkeys((*in_session, *in_project))]

    async def revoke(arguments: Revoke, context: ActionContext) -> ActionOutcome:
        rule = arguments.rule
        in_session, in_project = (
            rule in session_grants(context.state, grants),
            rule in await asyncio.to_thread(grants.load),
        )
        if not (in_session or in_project):
            raise ActionError(
                "There is no such permission. The action permission.list shows those that were given."
            )
        if in_session:
            context.note(REVOKED, {"rules": [rule]})
        if in_project:
            await _remove(grants, rule)
        return ActionOutcome(f"`{one_line(rule)}` is asked for again.", {"rule": rule})

    return (
        TypedAction(
            "permission.list",
            "Show permissions",
            ListRules,
            show,
            aliases=("permissions", "allowed-tools"),
            group="Settings",
        ),
        TypedAction(
            "permission.revoke",
            "Revoke a permission",
            Revoke,
            revoke,
            group="Settings",
            choices={"rule": given},
        ),
    )


async def _remove(grants: Grants, rule: str) -> None:
    try:
        await asyncio.to_thread(grants.remove, [rule])
    except OSError as problem:
        raise ActionError(f"The permission for this project could not be taken back: {problem}") from problem

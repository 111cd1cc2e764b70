"""`/trust`: which folders are trusted, and what of them may act; taking either back."""

import asyncio
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.frozen import frozen
from agls.room.offers import ConsentRow, Consents
from agls.room.process_ports import TrustedFolders
from agls.toolkit import Arguments, TypedAction

HOW = "To trust a folder: `agls trust` in it, at a terminal, or your editor's own question."
HERE = {True: "{} is trusted: its settings, instructions and commands count.", False: "{} is not trusted."}
ACTS = "You consented to these, as they were then:"
NO_CONSENT = "There is no consent {!r} for {}. /trust lists them."
ASKED_AGAIN = "You are asked again before the {} {} of {} is used."
NO_MORE = (
    "{} is no longer trusted. MCP servers that came from it were stopped, and its hooks no longer run. An "
    "active run keeps the settings and instructions that it began with."
)
FROM_EDITOR = "{} is trusted by your editor or for this process only; revoke it there."


class ShowTrust(Arguments):
    """Show the folders that you trust and what they may run, or revoke that.

    You give trust at a terminal or in the editor, and consent when something is used for the first time.
    """

    do: Literal["list", "revoke"] = "list"
    folder: str = Field(default="", description="this one if left out")
    consent: str = Field(default="", description="revoke only this, as the list names it")


def trust_action(folders: TrustedFolders, consents: Consents) -> Action:
    """Return the action."""
    handler = TrustAction(folders, consents)
    return TypedAction(
        name="trust",
        title="Show trusted folders",
        arguments=ShowTrust,
        work=handler.trust,
        group="Settings",
        choices={"folder": handler.names, "consent": handler.given},
    )


@frozen
class TrustAction:
    """Does the action. It can take trust back, and never give it: a program may ask for actions as well."""

    folders: TrustedFolders
    consents: Consents

    async def given(self, context: ActionContext) -> Sequence[ActionValue]:
        """Return the consents for this folder."""
        here, rows = context.workspace.root, await asyncio.to_thread(self.consents.all)
        return [ActionValue(_name(row), row.folder) for row in rows if row.folder == here]

    async def names(self, context: ActionContext) -> Sequence[ActionValue]:
        """Return the folders that are trusted."""
        return [ActionValue(folder) for folder in await asyncio.to_thread(self.folders.all)]

    async def trust(self, arguments: ShowTrust, context: ActionContext) -> ActionOutcome:
        """List the folders, or take trust back. **Raises** `ActionError`."""
        here = context.workspace.root
        if arguments.do == "list":
            return await self._list(here)
        if arguments.consent:
            return await self._revoke(arguments.consent, here)
        folder = arguments.folder or here
        if not await asyncio.to_thread(self.folders.forget, folder):
            trusts_otherwise = self.folders.trusts(folder)
            raise ActionError((FROM_EDITOR if trusts_otherwise else HERE[False]).format(folder))
        self.folders.end_servers(folder)
        return ActionOutcome(NO_MORE.format(folder), {"folder": folder})

    async def _list(self, here: str) -> ActionOutcome:
        known, rows = await asyncio.to_thread(self.folders.all), await asyncio.to_thread(self.consents.all)
        trusted = self.folders.trusts(here)
        lines = [HERE[trusted].format(here), *(f"- {folder}" for folder in known), HOW]
        lines += [ACTS, *(f"- {_name(row)} of {row.folder}" for row in rows)] if rows else []
        given = [{"kind": row.kind, "name": row.name, "folder": row.folder} for row in rows]
        data = {"trusted": trusted, "folders": list(known), "consents": given}
        return ActionOutcome("\n".join(lines), data)

    async def _revoke(self, consent: str, here: str) -> ActionOutcome:
        kind, _, name = consent.partition(" ")
        if not await asyncio.to_thread(self.consents.revoke, kind, name):
            raise ActionError(NO_CONSENT.format(consent, here))
        return ActionOutcome(ASKED_AGAIN.format(kind, name, here), {"consent": consent, "folder": here})


def _name(row: ConsentRow) -> str:
    return f"{row.kind} {row.name}"

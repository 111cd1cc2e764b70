"""`/login` and `/logout`: for which model servers a key is kept, how to enter one, and how to forget it."""

import asyncio
from collections.abc import Sequence

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.frozen import frozen
from agls.room.process_ports import KeptKeys
from agls.toolkit import Arguments, TypedAction

ENTER = (
    "A key is never typed into a prompt. To enter the one for {0}: `agls key set {0}` at a terminal, "
    "`agls: Enter API Key` in VS Code, `:Agls key {0}` in Neovim. It is sent to {0} only."
)
NONE = "No key is kept by agls. A key may also come from a variable or a program: /doctor shows what is used."


class Login(Arguments):
    """Show which model servers have a stored key, and how to enter one."""

    name: str = Field(default="", description="a provider, a configured model, or a host")


class Logout(Arguments):
    """Delete the stored key of a model server from every place where agls stores keys on this machine."""

    name: str = Field(min_length=1, description="a provider, a configured model, or a host")


def key_actions(keys: KeptKeys) -> tuple[Action, ...]:
    """Return the actions on keys."""
    handlers = KeyActions(keys)
    return (
        TypedAction(
            name="login",
            title="Show or enter keys",
            arguments=Login,
            work=handlers.login,
            aliases=("account",),
            group="Settings",
            choices={"name": handlers.names},
        ),
        TypedAction(
            name="logout",
            title="Forget a key",
            arguments=Logout,
            work=handlers.logout,
            group="Settings",
            choices={"name": handlers.kept},
        ),
    )


@frozen
class KeyActions:
    """Do the actions. No key is ever shown."""

    keys: KeptKeys

    async def names(self, context: ActionContext) -> Sequence[ActionValue]:
        """Return the names that there are."""
        return [ActionValue(name, address) for name, address in self.keys.known().items()]

    async def kept(self, context: ActionContext) -> Sequence[ActionValue]:
        """Return the hosts with a key."""
        return [ActionValue(host, place) for host, place in await asyncio.to_thread(self.keys.rows)]

    async def login(self, arguments: Login, context: ActionContext) -> ActionOutcome:
        """List the keys, or say how to enter one. **Raises** `ActionError`."""
        rows = await asyncio.to_thread(self.keys.rows)
        data = {"keys": [{"host": host, "place": place} for host, place in rows]}
        if not arguments.name:
            lines = [f"- {host}: in {place}" for host, place in rows]
            return ActionOutcome("\n".join([*(lines or [NONE]), "", ENTER.format("HOST")]), data)
        host = self.keys.host(arguments.name)
        places = [place for known, place in rows if known == host]
        there = f"The key for {host} is in {places[0]}." if places else f"No key is kept for {host}."
        return ActionOutcome(f"{there} {ENTER.format(host)}", {**data, "host": host})

    async def logout(self, arguments: Logout, context: ActionContext) -> ActionOutcome:
        """Forget a key. **Raises** `ActionError`."""
        host = self.keys.host(arguments.name)
        if not await asyncio.to_thread(self.keys.remove, host):
            raise ActionError(f"No key is kept for {host} by agls. /login shows those that are.")
        said = f"The key for {host} is forgotten. One in a variable or in your editor's storage stays."
        return ActionOutcome(said, {"host": host})

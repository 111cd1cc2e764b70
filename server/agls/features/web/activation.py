"""Which service searches: the one that the user chose in the session, else that of the configuration."""

from collections.abc import Sequence

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject
from agls.features.web.settings import SearchProvider, Settings
from agls.frozen import frozen
from agls.room.web_ports import KeyFinder, WebError
from agls.toolkit import Arguments, TypedAction

ROOM = "web"
CHOSEN = "searchChosen"
NONE = "No search provider is configured. Add [web.providers.NAME] to your config file."


class ListProviders(Arguments):
    """Show the services that can search the web, and the one in use."""


class UseProvider(Arguments):
    """Choose the service that searches the web in this session, from its next run on."""

    provider: str = Field(min_length=1, description="its name in the configuration")


def active_provider(settings: Settings, state: State) -> str:
    """Return the name of the provider that searches, "" for none."""
    chosen = [str(note.data.get("name", "")) for note in state.notes.get(ROOM, ()) if note.kind == CHOSEN]
    names = (*reversed(chosen[-1:]), settings.search, *settings.providers)
    return next((name for name in names if name in settings.providers), "")


def actions(settings: Settings, key: KeyFinder) -> tuple[Action, ...]:
    """Return the actions of the room."""
    choice = ProviderChoice(settings, key)
    return (
        TypedAction(
            name="search.providers",
            title="Show what can search the web",
            aliases=("search",),
            group="Settings",
            arguments=ListProviders,
            work=choice.show,
        ),
        TypedAction(
            name="search.use",
            title="Choose what searches the web",
            group="Settings",
            arguments=UseProvider,
            work=choice.use,
            choices={"provider": choice.names},
        ),
    )


@frozen
class ProviderChoice:
    """The services, in the hands of the user."""

    settings: Settings
    key: KeyFinder

    async def names(self, context: ActionContext) -> Sequence[ActionValue]:
        """Return the providers that there are."""
        return [ActionValue(name, one.address) for name, one in self.settings.providers.items()]

    async def show(self, arguments: ListProviders, context: ActionContext) -> ActionOutcome:
        """Show the providers."""
        if not self.settings.providers:
            return ActionOutcome(NONE, {"providers": [], "active": None})
        active = active_provider(self.settings, context.state)
        rows = [await self._row(name, one, active) for name, one in self.settings.providers.items()]
        lines = [
            f"- {row['name']}: {row['kind']} at {row['address']}"
            f"{'' if row['hasKey'] else ', without a key'}{' (searches)' if row['active'] else ''}"
            for row in rows
        ]
        return ActionOutcome("\n".join(lines), {"providers": rows, "active": active})

    async def use(self, arguments: UseProvider, context: ActionContext) -> ActionOutcome:
        """Let this one search, for as long as the session lasts. **Raises** `ActionError`."""
        name = arguments.provider
        if name not in self.settings.providers:
            known = ", ".join(self.settings.providers)
            raise ActionError(f"There is no provider {name!r}. There are: {known}." if known else NONE)
        context.note(CHOSEN, {"name": name})
        return ActionOutcome(f"{name} searches from the next run on.", {"active": name})

    async def _row(self, name: str, one: SearchProvider, active: str) -> JsonObject:
        key = one.api_key.get_secret_value()
        try:
            key = key or (await self.key(one.key_variable, one.host) if one.key_variable else "")
        except WebError:
            key = ""
        return {
            "name": name,
            "kind": one.kind,
            "address": one.address,
            "hasKey": bool(key) or one.kind == "searxng",
            "active": name == active,
        }

"""A model of a provider, or of another server, becomes the default in the user's file of settings."""

import re
from collections.abc import Mapping

from agls.config.choice import check_choosable
from agls.config.editing import SettingChange, SettingsEditor
from agls.config.errors import ConfigError
from agls.config.load import Loaded
from agls.config.model_settings import address
from agls.config.setup import Setup
from agls.config.tables import KeyPath
from agls.frozen import frozen
from agls.models.catalog.providers import PROVIDERS, dialect_at
from agls.models.endpoint import DialectName, host_of, is_loopback
from agls.models.resolver import TIERS

UNKNOWN = "There is no provider {!r}. Known are {}; any other server has an address (baseUrl)."
NEITHER = "Name a provider, or the address of a server (baseUrl)."


@frozen
class ModelServer:
    """A server whose models can be asked for: its name in the settings, address, dialect and key variable."""

    name: str
    base_url: str
    dialect: DialectName
    key_variable: str = ""

    @property
    def host(self) -> str:
        """The host that its key is kept for."""
        return host_of(self.base_url)


def server_of(provider: str, base_url: str) -> ModelServer:
    """**Returns** a known provider, or the server at an address. **Raises** `ConfigError`."""
    if base_url:
        try:
            url = address(_with_scheme(base_url.strip()))
        except ValueError as problem:
            raise ConfigError(str(problem)) from None
        name = re.sub(r"[^a-z0-9]+", "-", host_of(url).lower()).strip("-") or "mine"
        return ModelServer(name, url, dialect_at(url))
    known = next((each for each in PROVIDERS if each.name == provider), None)
    if known is None:
        names = ", ".join(each.name for each in PROVIDERS)
        raise ConfigError(UNKNOWN.format(provider[:100], names) if provider else NEITHER)
    return ModelServer(known.name, known.base_url, known.dialect, known.key_variables[0])


def _with_scheme(typed: str) -> str:
    """**Returns** an address as it is typed, with the scheme that people leave out."""
    if "://" in typed:
        return typed
    plain = f"http://{typed}"
    return plain if is_loopback(host_of(plain)) else f"https://{typed}"


def use_model(
    editor: SettingsEditor, setup: Setup, loaded: Loaded, server: ModelServer | None, model: str
) -> SettingChange:
    """Make a model the default of the user's file. **Raises** `ConfigError`, `ModelError`, `OSError`.

    Without a server the name is one that can be chosen already; else the model gets a table, named after it.
    """
    if server is None:
        check_choosable(setup, loaded, model)
        return editor.choose({}, model)
    name = _table_of(server, model, loaded)
    table: Mapping[KeyPath, object] = {
        ("models", name, "base_url"): server.base_url,
        ("models", name, "dialect"): server.dialect,
        ("models", name, "model"): model,
    }
    return editor.choose(table, name)


def _table_of(server: ModelServer, model: str, loaded: Loaded) -> str:
    """**Returns** the name of the model's table: one that is free, or that says the same."""
    tables = loaded.config.models
    short = model.rpartition("/")[2] or model
    taken = {*loaded.config.tiers, *TIERS}
    names = (short, f"{server.name}-{short}", *(f"{short}-{n}" for n in range(2, len(tables) + 4)))
    return next(
        name
        for name in names
        if name not in taken
        and ((known := tables.get(name)) is None or (known.model, known.base_url) == (model, server.base_url))
    )

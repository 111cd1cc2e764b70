"""Which model a run in a folder works with: a configured one, or one that was found on this machine."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from agls.config.editing import SettingChange
from agls.config.endpoints import (
    DIRECT,
    ModelCatalog,
    check_model,
    look_for_keys,
    offered_models,
    unlisted_model,
)
from agls.config.errors import ConfigError
from agls.config.load import Loaded
from agls.config.named_models import provider_model
from agls.config.setup import Setup
from agls.engine.ports import ModelClient, ModelError, ModelInfo
from agls.models.catalog.providers import PROVIDERS, candidates
from agls.models.editor_host import NO_EDITOR, PREFIX, EditorModelHost, editor_endpoint
from agls.models.endpoint import LOCAL_KINDS, Endpoint
from agls.models.resolver import Models

NO_MODEL = """\
{}, and no model server (Ollama, LM Studio, llama.cpp, vLLM) answers on this machine.
{}
To keep it, write base_url, model and api_key_env into {}"""
NOT_LOOKED_FOR = """\
{}, and agls asks no model server (Ollama, LM Studio, llama.cpp, vLLM) here: local_servers is false.
{}
To keep it, write base_url, model and api_key_env into {}"""
NOTHING = (
    "no model is configured",
    "Start one of these, set OPENAI_API_KEY and OPENAI_MODEL (or those of ANTHROPIC, or of GEMINI), "
    "or use --base-url http://HOST/v1 --model NAME",
)
ONLY_A_KEY = (
    "{} is set but no model is named",
    "Name one: set {}, or use --model NAME",
)
ONLY_AN_ADDRESS = (
    "{} is set but no model is named",
    "Name one that this server has: set {}, or use --model NAME",
)
ONLY_A_NAME = (
    "there is no address for the model {!r}",
    "Start one of these, set {}, or use --base-url http://HOST/v1",
)


def is_local_name(name: str, offered: ModelCatalog) -> bool:
    """Return whether this names a model of a server of this machine (`ollama/qwen`) that is not known yet."""
    kind, _, model = name.partition("/")
    known = {endpoint.name for endpoint in offered.endpoints}
    return bool(model) and kind in LOCAL_KINDS and not known & {kind, name}


def check_choosable(setup: Setup, loaded: Loaded, name: str) -> None:
    """Refuse the name of a model that nothing here offers. Raises `ConfigError` and `ModelError`."""
    offered = offered_models(setup, loaded, complete=False)
    if not (is_local_name(name, offered) or name.startswith(PREFIX)):  # their servers say what they have
        models = Models(offered.endpoints, aliases=offered.aliases, default=offered.default)
        models.unlisted = partial(unlisted_model, setup, loaded)
        models.endpoint(name)  # what `provider_model` finds is for one run: a default has its table


def unknown_model(change: SettingChange, folder: str) -> str:
    """Return why no run can begin with the model that a changed setting names, "" where one can.

    The setting is written all the same: the model may be there by the next run. Not to be called in a loop.
    """
    key = change.origin.key if change.origin and change.origin.value and not change.warning else ""
    if not (change.origin and (key == "model" or key.startswith("tiers."))):
        return ""
    name, loaded = str(change.origin.value), change.setup.load(folder)
    asyncio.run(look_for_keys(change.setup, loaded, name))
    try:
        check_choosable(change.setup, loaded, name)
    except (ConfigError, ModelError) as problem:
        return f"{problem} {getattr(problem, 'hint', '')}".strip()
    return ""


def missing_model(setup: Setup, loaded: Loaded) -> tuple[str, str]:
    """Return what is missing where no model is configured, and what to set; no full stop ends them."""
    variables = (setup.environment.get(provider.model_variable, "") for provider in PROVIDERS)
    name = loaded.config.model or next(filter(None, variables), "")
    if name:
        problem, remedy = ONLY_A_NAME
        return problem.format(name), remedy.format(candidates(name, {})[0][0].key_variables[0])
    for provider in PROVIDERS:
        if setup.environment.get(provider.url_variable):
            problem, remedy = ONLY_AN_ADDRESS
            return problem.format(provider.url_variable), remedy.format(provider.model_variable)
    for provider in PROVIDERS:
        variable, key = provider.key(setup.keys)
        if key:
            problem, remedy = ONLY_A_KEY
            return problem.format(variable), remedy.format(provider.model_variable)
    return NOTHING


def decided_model(setup: Setup, loaded: Loaded) -> tuple[str, str]:
    """Return the model of a run without the setting `model`, and what decides; "" where there is none."""
    offered = offered_models(setup, loaded, complete=False)
    if not offered.endpoints:
        return "", ""
    models = Models(offered.endpoints, aliases=offered.aliases, default=offered.default)
    endpoint = models.endpoint("")
    for provider in PROVIDERS:
        said = setup.environment.get(provider.model_variable, "")
        if not endpoint.table and said in {endpoint.name, f"{provider.name}/{endpoint.name}"}:
            return endpoint.name, provider.model_variable
    return endpoint.name, "the first of [models]"


class NoModels:
    """Implements `ModelResolver` where the configuration is wrong."""

    def __init__(self, problem: ConfigError) -> None:
        self._problem = problem

    def resolve(self, name: str) -> ModelClient:
        """There is none. Raises `ModelError`."""
        raise ModelError(str(self._problem), kind="modelNotFound", hint="See: agls doctor")

    def window(self, name: str) -> int | None:
        """Nothing is known of any."""
        return None

    def model_name(self, name: str) -> str:
        """No model has a name."""
        return ""


class Preferring(NamedTuple):
    """Implements `ModelResolver` for somebody with a usual model of their own ("" for none)."""

    models: Models
    usual: str

    def resolve(self, name: str) -> ModelClient:
        """The named model, or the usual one. Raises `ModelError`."""
        return self.models.resolve(name or self.usual)

    def window(self, name: str) -> int | None:
        """How many tokens the named model holds, `None` when that is not known."""
        try:
            return self.models.window(name or self.usual)
        except ModelError:  # asking the model raises it again
            return None

    def model_name(self, name: str) -> str:
        """**Returns** what its server calls the named model, "" when that is not known."""
        try:
            return self.models.model_name(name or self.usual)
        except ModelError:
            return ""


class Choice:
    """The models of every folder. `setup` gives what holds now; each configuration keeps its connections."""

    def __init__(self, setup: Callable[[], Setup], editor: EditorModelHost = NO_EDITOR) -> None:
        self._setup, self._editor = setup, editor
        self._found: tuple[Endpoint, ...] = ()  # on this machine, by nobody configured
        self._seen: list[tuple[ModelCatalog, Models]] = []

    async def model(self, folder: str, name: str = "") -> ModelClient:
        """The named model, the default, or one found on this machine.

        Raises `ConfigError` (nothing is configured, it is wrong, or a key is missing) and `ModelError`
        (no such model, or a script that cannot be played).
        """
        await self.find(folder, name)
        setup = self._setup()
        loaded = setup.load(folder)
        models = self._models(loaded)
        said = loaded.config.model if loaded.rank("model") in DIRECT else ""
        if named := provider_model(setup, loaded, name or said):
            models.add(named)
        endpoint = models.endpoint(name)
        check_model(setup, loaded, endpoint)
        if endpoint.dialect == "scripted":
            from agls.models.scripted.script import Script  # noqa: PLC0415 - most never need it

            await asyncio.to_thread(Script.load, endpoint.script)
        return models.resolve(name)

    async def find(self, folder: str, name: str = "") -> None:
        """Look for kept keys, and for models on this machine if none is configured or one of these is named.

        Raises `ConfigError` when there is no model.
        """
        setup = self._setup()
        await look_for_keys(setup, setup.load(folder), name)
        offered = self._offered(folder)
        if (name or offered.default).startswith(PREFIX):
            return
        if offered.endpoints and not is_local_name(name or offered.default, offered):
            return
        from agls.models.local.discovery import find_local_servers  # noqa: PLC0415 - needed only without a configuration

        found = await find_local_servers() if self._setup().load(folder).config.local_servers else []
        self._found = tuple(endpoint for server in found for endpoint in server.endpoints())
        if not (self._found or offered.endpoints):
            raise ConfigError(self._none(folder))

    def _models(self, loaded: Loaded) -> Models:
        offered = self._usable(loaded)
        known = next((models for seen, models in self._seen if seen == offered), None)
        if known is None:
            known = Models(offered.endpoints, aliases=offered.aliases, default=offered.default)
            self._seen.append((offered, known))
        known.editor = self._editor
        known.unlisted = partial(unlisted_model, self._setup(), loaded)
        return known

    def known(self, folder: str) -> tuple[ModelInfo, ...]:
        """All that can be named in `folder`, the default first. Raises `ConfigError`."""
        offered = self._offered(folder)
        default = offered.aliases.get(offered.default, offered.default)
        names = [f"{PREFIX}{row.id}" for row in self._editor.rows]
        endpoints = (*offered.endpoints, *(editor_endpoint(self._editor, name) for name in names))
        return tuple(e.info for e in sorted(endpoints, key=lambda e: e.name != default))

    def resolver(self, loaded: Loaded, usual: str = "") -> Preferring | NoModels:
        """The models of a configuration, for work that can be done without one: who asks hears what is wrong.

        `usual` is the model for who names none, "" for the default.
        """
        try:
            return Preferring(self._models(loaded), usual)
        except ConfigError as problem:
            return NoModels(problem)

    def offered(self, folder: str) -> ModelCatalog:
        """What is configured for `folder` or was found, complete or not. Raises `ConfigError`."""
        setup = self._setup()
        return offered_models(setup, setup.load(folder), complete=False).or_found(self._found)

    def notes(self, folder: str, *, trouble_only: bool = False) -> tuple[str, ...]:
        """What the user should know of the configuration for `folder`. Raises `ConfigError`."""
        offered = self._offered(folder)
        found = () if trouble_only else self._found
        local = (f"Found {e.name} at {e.base_url}." for e in found if e.name == offered.default)
        return (*self._setup().load(folder).warnings, *offered.warnings, *local)

    async def aclose(self) -> None:
        """Close every connection."""
        for _, models in self._seen:
            await models.aclose()

    def _none(self, folder: str) -> str:
        """What is missing, and every way to have a model."""
        setup = self._setup()
        what, how = missing_model(setup, setup.load(folder))
        looks = setup.load(folder).config.local_servers
        return (NO_MODEL if looks else NOT_LOOKED_FOR).format(what, how, setup.config_file)

    def _offered(self, folder: str) -> ModelCatalog:
        return self._usable(self._setup().load(folder))

    def _usable(self, loaded: Loaded) -> ModelCatalog:
        return offered_models(self._setup(), loaded).or_found(self._found)

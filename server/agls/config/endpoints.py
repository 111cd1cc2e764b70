"""From the settings to the models that can be used: addresses, and each key only for its own host."""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from agls.config.clouds import Cloud, cloud_of
from agls.config.errors import ConfigError, KeyMissing
from agls.config.key_command import key_command
from agls.config.key_store import StoredKey, look_up, own_places
from agls.config.load import Loaded, misfit
from agls.config.model_settings import ModelSettings, address
from agls.config.recall import REMEMBERED, recalled
from agls.config.setup import Setup
from agls.config.sources import Rank, by_rank, value_up_to
from agls.config.tables import KeyPath
from agls.frozen import frozen
from agls.models.catalog.providers import PROVIDERS, Provider, candidates, dialect_at, provider_of
from agls.models.credential import FIXED_KEY, Credential
from agls.models.editor_host import PREFIX
from agls.models.endpoint import Endpoint, host_of
from agls.models.prices import Prices
from agls.models.resolver import TIERS

PRICED = ("input", "output", "cache_read", "cache_write", "reasoning")
DIRECT = frozenset({Rank.ENVIRONMENT, Rank.ARGUMENTS})  # what the user says for this one process


@frozen
class ModelCatalog:
    """The models that can be used; `default` is "" when none was chosen, `aliases` name others of them."""

    endpoints: tuple[Endpoint, ...]
    default: str
    aliases: Mapping[str, str]
    warnings: tuple[str, ...] = ()

    def or_found(self, found: tuple[Endpoint, ...]) -> "ModelCatalog":
        """These, and those that were found; where none is configured, also under their short names."""
        taken = {endpoint.name for endpoint in self.endpoints}
        found = tuple(endpoint for endpoint in found if endpoint.name not in taken)
        if not found:
            return self
        if self.endpoints:
            default = self.default or (self.endpoints[0].name if len(self.endpoints) == 1 else "")
            return replace(self, endpoints=(*self.endpoints, *found), default=default)
        names = ((e.name.partition("/")[2], e.model, e.name) for e in found)
        short = {said: name for label, model, name in names for said in (label, model)}
        default = short.get(self.default, self.default) or found[0].name
        return ModelCatalog(found, default, {**short, **self.aliases}, self.warnings)


_offered: deque[tuple[object, ModelCatalog]] = deque(maxlen=REMEMBERED)
_keyless: deque[tuple[object, tuple[str, ...]]] = deque(maxlen=REMEMBERED)


def offered_models(setup: Setup, loaded: Loaded, *, complete: bool = True) -> ModelCatalog:
    """The configured models, and the one at `base_url` if there is one.

    Raises `ConfigError`; with `complete` also when the chosen model lacks what it cannot do without.
    """
    kept = dict(setup.kept)
    reader = _Reader(setup, loaded, kept, complete=complete)
    return recalled(_offered, (setup, loaded, kept, complete), reader.offered)


def unlisted_model(setup: Setup, loaded: Loaded, name: str) -> Endpoint | None:
    """Return the model that `--model NAME` names where no table has that name, `None` where none is meant."""
    return _Reader(setup, _asking_for(loaded, name), dict(setup.kept), complete=False).at_no_table()


def _asking_for(loaded: Loaded, name: str) -> Loaded:
    return replace(loaded, config=loaded.config.model_copy(update={"model": name})) if name else loaded


async def look_for_keys(setup: Setup, loaded: Loaded, name: str = "") -> None:
    """Look everywhere for the keys that models of these settings, and the named one, lack, and hold them."""
    if name not in {"", *loaded.config.models, *loaded.config.tiers}:
        loaded = _asking_for(loaded, name)
    reader = _Reader(setup, loaded, {}, complete=False)
    hosts = recalled(_keyless, (setup, loaded), reader.hosts_without_a_key)
    if not hosts:
        return
    found = await look_up(hosts, (*setup.places, *own_places(setup.state_folder)))
    for host in hosts:
        setup.kept.pop(host, None)
    setup.kept.update(found)


async def key_of_host(setup: Setup, variable: str, host: str) -> str:
    """Return the key in a variable, else the one kept for the host, "" for none. Raises `ConfigError`."""
    if key := setup.keys.get(variable, ""):
        return key
    found = await look_up((host,), (*setup.places, *own_places(setup.state_folder)))
    setup.kept.update(found)  # so that it is shown nowhere
    return found[host].key if found else ""


def check_model(setup: Setup, loaded: Loaded, endpoint: Endpoint) -> None:
    """Raise `ConfigError` when this one, if it is configured, lacks what it cannot do without."""
    entry = loaded.config.models.get(endpoint.name.partition("/")[0])
    if entry:
        _Reader(setup, loaded, setup.kept, complete=True).check(entry, endpoint)


class _Reader:
    def __init__(
        self, setup: Setup, loaded: Loaded, kept: Mapping[str, StoredKey], *, complete: bool
    ) -> None:
        self._setup = setup
        self._loaded, self._config = loaded, loaded.config
        self._kept, self._complete = kept, complete
        self._warnings: list[str] = []

    def offered(self) -> ModelCatalog:
        config = self._config
        tables = {name: self._placed(name, entry) for name, entry in config.models.items()}
        chosen = config.tiers.get(self._default(), self._default()).partition("/")[0]
        if chosen in tables:
            if self._complete:
                self.check(config.models[chosen], tables[chosen])
            if config.base_url and self._loaded.rank("base_url") in DIRECT:
                dialect = dialect_at(config.base_url, config.models[chosen].dialect)
                moved = self._moved(tables[chosen], config.base_url)
                tables[chosen] = replace(moved, dialect=dialect)
            own = None
        else:
            own = self.at_no_table()
        endpoints = (*tables.values(), *((own,) if own else ()))
        return ModelCatalog(
            endpoints, self._default() or (own.name if own else ""), config.tiers, tuple(self._warnings)
        )

    def at_no_table(self) -> Endpoint | None:
        """The default model where no table has its name, `None` where nothing says which server has it."""
        if self._config.model.startswith(PREFIX):
            return None  # the editor has it, and nobody else is asked
        return self._at_base_url() or (None if self._config.models else self._shared())

    def _default(self) -> str:
        """Return the name of the default model; a tier without a model means what would be asked else."""
        chosen = self._config.model
        unknown = {*TIERS} - {*self._config.tiers, *self._config.models}
        if chosen not in unknown:
            return chosen
        said = (str(source.values.get("model", "")) for source in by_rank(self._setup.sources))
        return next((name for name in reversed([*said]) if name and name not in unknown), "")

    def hosts_without_a_key(self) -> tuple[str, ...]:
        """Those a kept key could be for. A server on this machine needs none."""
        from agls.config.meant_providers import meant_providers  # noqa: PLC0415 - a session begins without it

        endpoints = self.offered().endpoints
        hosts = [e.host for e in endpoints if not (e.api_key or e.is_local or e.credential is not FIXED_KEY)]
        variables, is_offered = self._setup.environment, bool(endpoints)
        meant = meant_providers(self._config, self._default(), variables, offered=is_offered)
        hosts += [host_of(self._address_of(each)) for each in meant if not self._key_of(each)[1]]
        return tuple(dict.fromkeys(filter(None, hosts)))

    def _or_kept(self, key: str, url: str) -> tuple[str, str]:
        """The key, or the one that is kept for this host, and where."""
        kept = None if key else self._kept.get(host_of(url))
        return (kept.key, kept.place) if kept else (key, "")

    def _placed(self, name: str, entry: ModelSettings) -> Endpoint:
        """The endpoint of one table, in its cloud if it is in one; with a key nothing is signed there."""
        made, cloud = self._named(name, entry), self._cloud(name, entry)
        if not cloud:
            return made
        key = self._setup.keys.get(cloud.key_variable, "") or entry.api_key.get_secret_value()
        has_own = key or made.credential is not FIXED_KEY
        return replace(
            made,
            dialect=cloud.dialect,
            base_url=cloud.base_url,
            api_key=key,
            key_variable=cloud.key_variable,
            key_place="",
            credential=made.credential if has_own else cloud.credential,
            service=cloud.service,
        )

    def _cloud(self, name: str, entry: ModelSettings) -> Cloud | None:
        return cloud_of(name, entry, self._setup.environment, self._setup.keys)

    def _named(self, name: str, entry: ModelSettings) -> Endpoint:
        dialect = dialect_at(entry.base_url or "", entry.dialect)
        provider = provider_of(dialect, entry.base_url or "")
        url = entry.base_url or (self._address_of(provider) if provider else "")
        if entry.api_key_env or entry.api_key.get_secret_value() or not provider:
            variable = entry.api_key_env
            key = self._setup.keys.get(variable, "") or entry.api_key.get_secret_value()
            said_by = "api_key_env" if variable else "api_key"
            if entry.base_url or not (provider and host_of(provider.base_url) == host_of(url)):
                key = self._bound(key, ("models", name, said_by), ("models", name, "base_url"), url)
        elif provider.is_meant(url, self._setup.environment):
            variable, key = provider.key(self._setup.keys)
        else:
            variable, key = "", ""
        key, place = self._or_kept(key, url)
        return Endpoint(
            name=name,
            table=name,
            model=entry.model or name,
            base_url=url,
            address_place=f"base_url in [models.{name}]",
            dialect=dialect,
            api_key=key,
            key_variable=variable,
            key_place=place,
            headers={header: value.get_secret_value() for header, value in entry.headers.items()},
            context_window=entry.context_window,
            output_limit=entry.output_limit,
            prices=Prices(*(getattr(entry, f"{kind}_price") for kind in PRICED)),
            idle_timeout=entry.idle_timeout,
            timeout=entry.timeout,
            script=self._beside(name, "script", entry.script),
            tokenizer=self._beside(name, "tokenizer", entry.tokenizer),
            fallback=entry.fallback,
            temperature=entry.temperature,
            top_p=entry.top_p,
            extra_body=entry.extra_body,
            credential=self._credential(name, entry, url),
        )

    def _credential(self, name: str, entry: ModelSettings, url: str) -> Credential:
        """What lets requests in besides a key that is written down."""
        path = ("models", name, "key_command")
        if not entry.key_command:
            return FIXED_KEY
        program = " ".join(entry.key_command)
        if entry.base_url and not self._bound(program, path, ("models", name, "base_url"), url):
            return FIXED_KEY
        return key_command(name, entry.key_command, entry.key_ttl)

    def _at_base_url(self) -> Endpoint | None:
        config = self._config
        if not config.base_url:
            return None
        if not config.model:
            raise ConfigError(
                "base_url is set, but no model: use --model NAME, AGLS_MODEL, or model in the config file"
            )
        variable, path = config.api_key_env, ("api_key_env",) if config.api_key_env else ("api_key",)
        key = self._setup.keys.get(variable, "") or config.api_key.get_secret_value()
        if own := self._setup.keys.get("AGLS_API_KEY"):
            path, key = (), own
            variable = "AGLS_API_KEY"
        key = self._bound(key, path, ("base_url",), config.base_url)
        dialect = dialect_at(config.base_url)
        if not (key or variable) and (provider := provider_of(dialect, config.base_url)):
            usual, key = provider.key(self._setup.keys)
            variable = usual if key else ""
        key, place = self._or_kept(key, config.base_url)
        if variable and variable not in self._setup.keys and not key and self._complete:
            raise self._unset(variable, ("api_key_env",))
        return Endpoint(
            name=config.model,
            model=config.model,
            base_url=config.base_url,
            address_place=self._loaded.place("base_url"),
            dialect=dialect,
            api_key=key,
            key_variable=variable or "AGLS_API_KEY",
            key_place=place,
        )

    def _shared(self) -> Endpoint | None:
        """The endpoint of the variables that many programs share."""
        variables = self._setup.environment
        asked = self._default() or next(
            (
                f"{provider.name}/{model}"
                for provider in PROVIDERS
                if (model := variables.get(provider.model_variable))
                and (self._key_of(provider)[1] or variables.get(provider.url_variable))
            ),
            "",
        )
        for provider, model in candidates(asked, variables) if asked else ():
            variable, key, place = self._key_of(provider)
            if key or variables.get(provider.url_variable):
                url = self._address_of(provider)
                return Endpoint(
                    name=self._default() or model,
                    model=model,
                    base_url=url,
                    address_place=provider.url_variable if provider.url_variable in variables else "",
                    dialect=provider.spoken_at(url),
                    api_key=key,
                    key_variable=variable,
                    key_place=place,
                )
        return None

    def _key_of(self, provider: Provider) -> tuple[str, str, str]:
        """The variable of its key, the key, and where it is kept if it is not in the variable."""
        variable, key = provider.key(self._setup.keys)
        return variable, *self._or_kept(key, self._address_of(provider))

    def _address_of(self, provider: Provider) -> str:
        """Where a provider is: its own address, or the one that its variable names."""
        try:
            return address(self._setup.environment.get(provider.url_variable) or provider.base_url)
        except ValueError as problem:
            raise ConfigError(str(problem), key=provider.url_variable) from None

    def _moved(self, endpoint: Endpoint, url: str) -> Endpoint:
        """The endpoint at another address; its secrets stay behind when that is another host."""
        moved = replace(endpoint, base_url=url, address_place=self._loaded.place("base_url"))
        if moved.host == endpoint.host:
            return moved
        own = self._setup.keys.get("AGLS_API_KEY", "")
        key, place = self._or_kept(self._bound(own, (), ("base_url",), url), url)
        if endpoint.api_key and not key:
            self._warnings.append(
                f"The key of {endpoint.name} is not sent to {moved.host}. Set AGLS_API_KEY for it."
            )
        return replace(
            moved, api_key=key, key_variable="AGLS_API_KEY", key_place=place, headers={}, credential=FIXED_KEY
        )

    def _bound(self, key: str, key_path: KeyPath, url_path: KeyPath, url: str) -> str:
        """The key, unless who gave it meant another host (SECURITY.md, P10)."""
        giver = self._loaded.rank(*key_path) if key_path else Rank.ENVIRONMENT
        meant = value_up_to(self._setup.sources, giver, url_path)
        direct = not meant and self._loaded.rank(*url_path) in DIRECT
        if not key or direct or host_of(meant) == host_of(url):
            return key
        name = ".".join(key_path) or "AGLS_API_KEY"
        self._warnings.append(
            f"{name} is for {host_of(meant) or 'no address'} and is not sent to {host_of(url)}."
        )
        return ""

    def check(self, entry: ModelSettings, endpoint: Endpoint) -> None:
        """Refuse the chosen model when what it cannot do without is missing."""
        name, provider = endpoint.name, provider_of(endpoint.dialect, endpoint.base_url)
        if entry.api_key_env and entry.api_key_env not in self._setup.keys and not endpoint.api_key:
            raise self._unset(entry.api_key_env, ("models", name, "api_key_env"))
        keyless = not endpoint.api_key and endpoint.credential is FIXED_KEY
        if provider and endpoint.key_variable in provider.key_variables and keyless:
            raise self._unset(endpoint.key_variable, ("models", name))
        if (cloud := self._cloud(name, entry)) and cloud.missing:
            problem = f"{cloud.missing} is missing; write where the model is"
            raise misfit(problem, ("models", name), self._loaded.said)
        needed = (
            endpoint.script if entry.dialect == "scripted" else endpoint.base_url or self._config.base_url
        )
        if not needed:
            missing = "script" if entry.dialect == "scripted" else "base_url"
            raise misfit(f"{missing} is missing; write where it is", ("models", name), self._loaded.said)

    def _unset(self, variable: str, path: KeyPath) -> KeyMissing:
        wrong = misfit(f"the environment variable {variable} is not set", path, self._loaded.said)
        return KeyMissing(wrong.message, file=wrong.file, line=wrong.line, key=wrong.key)

    def _beside(self, name: str, setting: str, file: str) -> str:
        """Return the path of a file that a setting names, relative to the config file that says so."""
        source = self._loaded.said.get(("models", name, setting))
        folder = Path(source.file).parent if source and source.file else Path()
        return str(folder / Path(file).expanduser()) if file else ""

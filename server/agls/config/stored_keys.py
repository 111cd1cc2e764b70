"""The keys that the user keeps for hosts, by the names people have for them: of a provider, of a model."""

from collections.abc import Mapping, Sequence

from agls.config.endpoints import offered_models
from agls.config.errors import ConfigError
from agls.config.key_store import KeyFile, Keyring
from agls.config.setup import Setup
from agls.models.catalog.providers import PROVIDERS
from agls.models.endpoint import Endpoint, host_of

LOCAL = "A server on this machine gets a key only from a variable: api_key_env in [models.NAME]."
UNKNOWN = "{!r} is no host, provider ({}) or configured model ({})."


class StoredKeys:
    """The keys of this user, in the keyring or in a file. All methods raise `ConfigError` and `OSError`."""

    def __init__(self, setup: Setup, folder: str) -> None:
        self.keyring, self.file = Keyring(), KeyFile(setup.state_folder)
        self._models = _models(setup, folder)

    @property
    def known(self) -> Mapping[str, str]:
        """The addresses of providers and of configured models, by their names."""
        providers = {provider.name: provider.base_url for provider in PROVIDERS}
        return providers | {each.name: each.base_url for each in self._models if each.base_url}

    def host(self, name: str) -> str:
        """Return the host of a provider, a configured model, an address or a host's name."""
        host = host_of(
            self.known.get(name, name if "://" in name else f"https://{name}" if "." in name else "")
        )
        if not host and name != "localhost":
            providers = ", ".join(provider.name for provider in PROVIDERS)
            names = ", ".join(endpoint.name for endpoint in self._models) or "none"
            raise ConfigError(UNKNOWN.format(name[:100], providers, names))
        if Endpoint(name="", base_url=f"https://{host or name}").is_local:
            raise ConfigError(LOCAL)
        return host

    def rows(self) -> Sequence[tuple[str, str]]:
        """Return the hosts with a key, and where each is kept; never a key."""
        filed = self.file.read()
        named = [name for name in filed if " " not in name]  # logins at MCP servers are no hosts
        hosts = [*named, *(each.host for each in self._models), *(host_of(p.base_url) for p in PROVIDERS)]
        return [
            (host, place.name)
            for host in dict.fromkeys(filter(None, hosts))
            for place, has in ((self.keyring, self.keyring.get(host)), (self.file, filed.get(host)))
            if has
        ]

    def set(self, host: str, key: str, place: str = "") -> Keyring | KeyFile:
        """Keep a key: in the keyring where there is one, unless it is to be the file. Return where."""
        where = self.keyring if self.keyring.usable and place != "file" else self.file
        where.set(host, key)
        return where

    def remove(self, host: str) -> bool:
        """Forget the key of a host everywhere. Return whether there was one."""
        removed = [place.remove(host) for place in (self.keyring, self.file)]
        return any(removed)


def _models(setup: Setup, folder: str) -> Sequence[Endpoint]:
    """Return the configured models; none where the configuration is wrong: it does not matter here."""
    try:
        return offered_models(setup, setup.load(folder), complete=False).endpoints
    except ConfigError:
        return ()

"""The `[web]` section of the configuration."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, SecretStr, field_validator, model_validator

from agls.room import Table
from agls.room.web_ports import SEARCH_KEYS
from agls.web_address import AddressRefused, host_name, web_address

SearchKind = Literal["searxng", "brave", "tavily", "anthropic", "openai", "gemini"]
ADDRESSES = {
    "brave": "https://api.search.brave.com",
    "tavily": "https://api.tavily.com",
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com",
    "gemini": "https://generativelanguage.googleapis.com",
}
MODELS = {"anthropic": "claude-haiku-4-5", "openai": "gpt-5-mini", "gemini": "gemini-2.5-flash"}


class SearchProvider(Table):
    """A service that searches. Its key is in a variable, or kept for its host: `agls key set HOST`."""

    kind: SearchKind | None = Field(
        default=None,
        description="searxng, brave, tavily, anthropic, openai or gemini; else derived from its name",
    )
    base_url: str = Field(default="", description="its address; searxng has no usual one")
    api_key_env: str = Field(default="", description="the variable with its key; else the usual one")
    api_key: SecretStr = SecretStr("")
    model: str = Field(default="", description="of anthropic, openai or gemini: the model that searches")

    @property
    def address(self) -> str:
        """The address of the service, without a slash at its end."""
        return (self.base_url or ADDRESSES.get(self.kind or "", "")).rstrip("/")

    @property
    def searching_model(self) -> str:
        """The model whose provider searches, "" for a service without models."""
        return self.model or MODELS.get(self.kind or "", "")

    @property
    def host(self) -> str:
        """The host of the service, as rules have it."""
        return web_address(self.address).name

    @property
    def key_variable(self) -> str:
        """The variable with its key, "" for none."""
        return self.api_key_env or SEARCH_KEYS.get(self.kind or "", "")


class Settings(Table):
    """What the model may have of the web. Only your own files set it: a project cannot open a network.

    `private_hosts` may be on networks that are not public. `search` names the provider that searches.
    """

    fetch: bool = Field(default=True, description="whether the model may ask for pages")
    private_hosts: tuple[str, ...] = Field(default=(), description="HOST or HOST:PORT")
    max_bytes: int = Field(default=2_000_000, ge=1_000, description="of a page, unpacked")
    timeout_s: float = Field(default=30, gt=0, le=300, description="seconds for a page, or for a search")
    cache_s: float = Field(default=900, ge=0, description="seconds for which a page is remembered")
    output_characters: int = Field(default=40_000, ge=1_000, description="of a page, for the model")
    providers: Mapping[str, SearchProvider] = Field(default={}, description="services that search, by name")
    search: str = Field(default="", description="the provider that searches; else the first")
    results: Annotated[int, Field(ge=1, le=20)] = Field(
        default=8, description="of a search that names no number"
    )

    @field_validator("private_hosts")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return tuple(map(_named, value))
        except AddressRefused as problem:
            raise ValueError(str(problem)) from None

    @field_validator("providers")
    @classmethod
    def _kinds(cls, value: Mapping[str, SearchProvider]) -> Mapping[str, SearchProvider]:
        return {name: _complete(name, provider) for name, provider in value.items()}

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.search and self.search not in self.providers:
            known = ", ".join(self.providers) or "there are none: write [web.providers.NAME]"
            raise ValueError(f"search names {self.search!r}, which is none of the providers ({known})")
        return self


def _named(host: str) -> str:
    return host_name(host).removesuffix(":80")


def _complete(name: str, provider: SearchProvider) -> SearchProvider:
    kinds = get_args(SearchKind)
    kind = provider.kind or (name if name in kinds else None)
    if kind is None:
        raise ValueError(f"{name} needs a kind: {', '.join(kinds)}")
    complete = provider.model_copy(update={"kind": kind})
    if not complete.address:
        raise ValueError(f"{name} needs a base_url, the address of your SearXNG")
    try:
        web_address(complete.address)
    except AddressRefused as problem:
        raise ValueError(f"base_url of {name}: {problem}") from None
    return complete

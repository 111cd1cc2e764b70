"""A configured model: its address, its key and its figures. Plain data."""

import re
from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from ipaddress import ip_address
from typing import Any, Literal
from urllib.parse import urlsplit

from agls.engine.ports import ModelInfo
from agls.frozen import frozen
from agls.models.credential import FIXED_KEY, Credential
from agls.models.prices import Prices

Service = Literal["", "bedrock", "vertex"]
LOCAL_KINDS = ("ollama", "lmstudio", "llamacpp", "vllm")  # model servers that are found on this machine
DialectName = Literal["chat", "responses", "anthropic", "gemini", "ollama", "scripted"]


@frozen(kw_only=True)
class Endpoint:
    """One configured model.

    `base_url` is what comes before the dialect's path, such as `/chat/completions`. `api_key` is sent
    to that host only; `key_variable` names the environment variable it came from, `key_place` where it is
    kept instead, for hints.
    `address_place` names what gave the address (`--base-url`), for hints too; it is "" when nobody wrote it.
    `idle_timeout` is the longest silence of the server in seconds, before its first byte and between two;
    `timeout` the longest duration of one answer. `script` is the file that the `scripted` dialect plays,
    `fallback` the name of the model that answers when this one cannot. `refused` are parts of a request that
    its server does not accept (`refusals.py`). `extra_body` is sent with every request for an answer.
    `tokenizer` is the file of its tokenizer on this machine. `table` is the table of the configuration that
    describes the model, "" for one that has none.
    `credential` authorizes requests when there is no `api_key`, `service` is the cloud of the model. An
    endpoint without `model` takes it from the requested name (`name/model`).
    """

    name: str
    model: str = ""
    base_url: str = ""
    dialect: DialectName | Literal["editor"] = "chat"
    api_key: str = field(default="", repr=False)
    key_variable: str = ""
    key_place: str = ""
    address_place: str = "base_url"
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    context_window: int | None = None
    output_limit: int | None = None
    prices: Prices = Prices()
    idle_timeout: float = 300.0
    timeout: float = 3600.0
    script: str = ""
    fallback: str = ""
    tokenizer: str = ""
    refused: frozenset[str] = frozenset()
    temperature: float | None = None
    top_p: float | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict[str, Any])
    credential: Credential = FIXED_KEY
    service: Service = ""
    table: str = ""

    @property
    def host(self) -> str:
        """The host name of `base_url`, "" when there is none."""
        return host_of(self.base_url)

    @property
    def identity(self) -> str:
        """Identifies the owner of opaque data: only the model that sent it receives it again."""
        return f"{self.host}/{self.model}"

    @property
    def given_address(self) -> str:
        """The address with what gave it, for hints: `--base-url (http://127.0.0.1:8080/v1)`."""
        return f"{self.address_place} ({self.address})" if self.address_place else self.address

    def setting(self, *settings: str) -> str:
        """Return where to write these settings of the model: its table, or a new one with all it needs."""
        if self.table:
            return f"Write {', '.join(settings)} into [models.{self.table}]."
        label = re.sub(r"[^\w-]+", "-", self.name.partition("/")[0]).strip("-") or "local"
        dialect = (f'dialect = "{self.dialect}"',) if self.dialect != "chat" else ()
        known = (f"[models.{label}]", f'base_url = "{self.base_url}"', f'model = "{self.model}"')
        return "\n".join(("Write into config.toml:", *dict.fromkeys((*known, *dialect, *settings))))

    def limited(self, wanted: int | None) -> int | None:
        """Return the output limit in tokens: the wanted one, capped at that of the model."""
        return wanted and min(wanted, self.output_limit or wanted)

    def at(self, path: str, version: str = "") -> str:
        """Return the URL of a path, behind `version` unless `base_url` names one (`/v1`, `/v1beta`).

        The query of `base_url` (Azure's `api-version`) is kept.
        """
        base, _, query = self.base_url.partition("?")
        base = base.rstrip("/")
        versioned = re.search(r"/v\d\w*(/|$)", base.partition("//")[2])
        url = f"{base}{'' if versioned or not version else f'/{version}'}{path}"
        return f"{url}{'&' if '?' in path else '?'}{query}" if query else url

    @property
    def address(self) -> str:
        """`base_url` without user information and query, which may hold secrets."""
        return re.sub(r"//[^/@]*@", "//", self.base_url).partition("?")[0]

    @property
    def is_local(self) -> bool:
        """Whether the server is on this machine."""
        return is_loopback(self.host)

    @property
    def info(self) -> ModelInfo:
        """What the engine and its features need to know of the model."""
        return ModelInfo(
            name=self.name,
            provider=self.host or self.dialect,
            context_window=self.context_window,
            output_limit=self.output_limit,
            input_price=self.prices.input,
            output_price=self.prices.output,
            cache_read_price=self.prices.cache_read,
            cache_write_price=self.prices.cache_write,
            reasoning_price=self.prices.reasoning,
        )

    @property
    def secrets(self) -> tuple[str, ...]:
        """The texts that are never shown: the key, and the values of the extra headers."""
        held = (self.api_key, *self.headers.values(), *self.credential.secrets)
        return tuple(secret for secret in held if len(secret) > 3)


@lru_cache(maxsize=64)  # every turn asks for it
def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    """Return the host name of a URL, "" when there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # no URL at all: a request raises it
        return ""

"""The providers whose own variables and addresses are known, so that a key alone is enough."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from agls.frozen import frozen
from agls.models.endpoint import Dialect


@frozen
class Provider:
    """One provider: its address, the variables other programs use for it, how its models' names begin."""

    name: str
    dialect: Dialect
    base_url: str
    key_variables: tuple[str, ...]
    model_variable: str
    url_variable: str
    family: str = ""

    def key(self, keys: Mapping[str, str]) -> tuple[str, str]:
        """The name of the variable that is set, and its key; the usual name and "" when none is."""
        found = next((name for name in self.key_variables if keys.get(name)), self.key_variables[0])
        return found, keys.get(found, "")

    def is_meant(self, url: str, variables: Mapping[str, str]) -> bool:
        """Whether its key is for this address: its own, or the one that its variable names."""
        told = variables.get(self.url_variable, "")
        return _host(url) in {_host(self.base_url), _host(told)} - {""}


OPENAI = Provider(
    "openai", "chat", "https://api.openai.com/v1", ("OPENAI_API_KEY",), "OPENAI_MODEL", "OPENAI_BASE_URL"
)
PROVIDERS = (
    OPENAI,
    Provider(
        "anthropic",
        "anthropic",
        "https://api.anthropic.com/v1",
        ("ANTHROPIC_API_KEY",),
        "ANTHROPIC_MODEL",
        "ANTHROPIC_BASE_URL",
        "claude",
    ),
    Provider(
        "gemini",
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "GEMINI_MODEL",
        "GOOGLE_GEMINI_BASE_URL",
        "gemini",
    ),
)
BY_DIALECT: Mapping[Dialect, Provider] = {**{p.dialect: p for p in PROVIDERS}, "responses": OPENAI}
KEY_VARIABLES = tuple(name for provider in PROVIDERS for name in provider.key_variables)


def named(model: str) -> tuple[Provider, str]:
    """Who has a model of this name, and its name there: `claude-…`, `anthropic/claude-…`, `gpt-…`."""
    first, _, rest = model.partition("/")
    for provider in PROVIDERS:
        if first == provider.name and rest:
            return provider, rest
        if provider.family and model.startswith(provider.family):
            return provider, model
    return OPENAI, model


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""

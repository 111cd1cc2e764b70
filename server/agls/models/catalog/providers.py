"""Providers with known addresses and environment variables, so that a key alone configures a model."""

from collections.abc import Mapping

from agls.frozen import frozen
from agls.models.endpoint import DialectName, host_of


@frozen
class Provider:
    """One provider: its address, its usual environment variables, and the prefixes of its models' names."""

    name: str
    dialect: DialectName
    base_url: str
    key_variables: tuple[str, ...]
    model_variable: str
    url_variable: str
    family: str = ""

    def key(self, keys: Mapping[str, str]) -> tuple[str, str]:
        """Return the variable that is set, and its key; the usual variable and "" when none is set."""
        found = next((name for name in self.key_variables if keys.get(name)), self.key_variables[0])
        return found, keys.get(found, "")

    def spoken_at(self, url: str) -> DialectName:
        """Return the dialect; a server in OpenAI's place (OPENAI_BASE_URL) uses chat completions."""
        return dialect_at(url) if self.dialect == "responses" else self.dialect

    def is_meant(self, url: str, variables: Mapping[str, str]) -> bool:
        """Return whether the provider's key belongs to this address: its own, or that in its variable."""
        configured = variables.get(self.url_variable, "")
        return host_of(url) in {host_of(self.base_url), host_of(configured)} - {""}


OPENAI = Provider(
    "openai", "responses", "https://api.openai.com/v1", ("OPENAI_API_KEY",), "OPENAI_MODEL", "OPENAI_BASE_URL"
)


def _compatible(name: str, base_url: str) -> Provider:
    """Return a provider of chat completions whose environment variables are named after it."""
    upper = name.upper()
    return Provider(name, "chat", base_url, (f"{upper}_API_KEY",), f"{upper}_MODEL", f"{upper}_BASE_URL")


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
    _compatible("openrouter", "https://openrouter.ai/api/v1"),
    _compatible("deepseek", "https://api.deepseek.com/v1"),
    _compatible("mistral", "https://api.mistral.ai/v1"),
    _compatible("xai", "https://api.x.ai/v1"),
    _compatible("groq", "https://api.groq.com/openai/v1"),
)
OF_ONE: Mapping[str, Provider] = {p.dialect: p for p in PROVIDERS if p.dialect != "chat"}
BEDROCK_KEY = "AWS_BEARER_TOKEN_BEDROCK"  # what AWS calls an API key of Bedrock
KEY_VARIABLES = (*(name for provider in PROVIDERS for name in provider.key_variables), BEDROCK_KEY)


def dialect_at(url: str, dialect: DialectName | None = None) -> DialectName:
    """Return the chosen dialect, or the usual one of this address.

    OpenAI's current models take no tools in its chat completions.
    """
    return dialect or ("responses" if f".{host_of(url)}".endswith(".api.openai.com") else "chat")


def provider_of(dialect: str, url: str) -> Provider | None:
    """Return the provider at this address; without an address, the provider of this dialect."""
    if not url:
        return OF_ONE.get(dialect)
    return next((p for p in PROVIDERS if host_of(p.base_url) == host_of(url)), OF_ONE.get(dialect))


def candidates(model: str, variables: Mapping[str, str]) -> list[tuple[Provider, str]]:
    """Return the providers that may have a model of this name, the likeliest first, with its name there.

    `claude-…` and `anthropic/claude-…` are Anthropic's. A name without a known prefix is OpenAI's, and so
    may be any name where OPENAI_BASE_URL names a server.
    """
    first, _, rest = model.partition("/")
    prefixed = [(p, rest) for p in PROVIDERS if first == p.name and rest]
    family = [(p, model) for p in PROVIDERS if p.family and model.startswith(p.family)]
    named = prefixed or family
    routed = [(OPENAI, model)] if variables.get(OPENAI.url_variable) or not named else []
    return [*named, *(found for found in routed if found not in named)]

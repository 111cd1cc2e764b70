"""The settings of models: what `[models.NAME]` may say."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

Dialect = Literal["chat", "scripted", "responses", "anthropic", "gemini"]
READY = ("chat", "scripted")  # what this version speaks; the other names are kept for later


def _known(dialect: Dialect) -> Dialect:
    if dialect not in READY:
        raise ValueError(
            f"the {dialect} dialect is not in this version yet; "
            'use dialect = "chat" with the provider\'s OpenAI-compatible address'
        )
    return dialect


def address(url: str) -> str:
    """The address without a slash at its end. Raises `ValueError`, which never shows a password."""
    if "@" in url.partition("//")[2].partition("/")[0]:
        raise ValueError("an address may not hold a password; name a variable with api_key_env instead")
    if not _is_address(url):
        raise ValueError(f"{url!r} is not an address such as http://localhost:11434/v1")
    return url.rstrip("/")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that do not match, a port that is none
        return False


BaseUrl = Annotated[str, AfterValidator(address)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]  # US dollars per million tokens


class ModelSettings(BaseModel):
    """One model. `model` is its name at the provider (the table's name when absent).

    `api_key_env` names the environment variable with the key; `api_key` holds it in plain sight.
    `headers` are sent with every request. Prices are US dollars per million tokens, sizes are tokens.
    `idle_timeout` is how many seconds the server may stay silent. `script` is what a scripted model plays.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    dialect: Annotated[Dialect, AfterValidator(_known)] = "chat"
    base_url: BaseUrl | None = None
    model: str = ""
    api_key_env: str = ""
    api_key: SecretStr = SecretStr("")
    headers: dict[str, SecretStr] = {}
    context_window: Annotated[int, Field(gt=0)] | None = None
    output_limit: Annotated[int, Field(gt=0)] | None = None
    input_price: Price | None = None
    output_price: Price | None = None
    cache_read_price: Price | None = None
    cache_write_price: Price | None = None
    idle_timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 300.0
    script: str = ""

"""The settings of models: what `[models.NAME]` may say."""

import shlex
from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from agls.models.endpoint import DialectName
from agls.room import Table

OURS = frozenset(
    {
        "messages",
        "input",
        "contents",
        "system",
        "systemInstruction",
        "instructions",
        "tools",
        "stream",
        "model",
    }
)


def address(url: str) -> str:
    """The address without a slash at its end. Raises `ValueError`, which never shows a password."""
    if "@" in url.partition("//")[2].partition("/")[0]:
        raise ValueError("an address may not contain a password; name a variable with api_key_env instead")
    if not _is_address(url):
        raise ValueError(f"{url!r} is not an address such as http://localhost:11434/v1")
    return url.rstrip("/")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_word = not any(map(str.isspace, url))
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0 and is_word
    except ValueError:  # brackets that do not match, a port that is none
        return False


def words(value: object) -> object:
    """The words of a program, given as a list or as one line. Raises `ValueError`."""
    if isinstance(value, str):
        return tuple(shlex.split(value))
    return tuple(cast("list[object]", value)) if isinstance(value, list) else value


def extra(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """What may be sent besides. Raises `ValueError` for what agls writes itself."""
    if taken := sorted(OURS & body.keys()):
        raise ValueError(f"extra_body may not hold {', '.join(taken)}: agls writes that itself")
    return body


Words = Annotated[tuple[str, ...], BeforeValidator(words)]
Word = Annotated[str, Field(pattern=r"^[\w.:-]*$")]  # stands in an address
BaseUrl = Annotated[str, AfterValidator(address)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]  # US dollars per million tokens


class ModelSettings(Table):
    """One model. `model` is its name at the provider (the table's name when absent).

    `dialect` is how its server is spoken to, by default `responses` at OpenAI's own address and `chat`
    elsewhere; those of one provider know its `base_url`. The key of a known provider is in the variable
    that everybody uses (such as OPENAI_API_KEY). `api_key_env` names another variable with the key;
    `api_key` holds it in plain sight. `headers` are sent with every request. Prices are US dollars per
    million tokens, sizes are tokens. `idle_timeout` is how many seconds the server may stay silent,
    `timeout` how many one answer may take in all. `script` is what a scripted model plays
    (docs/scripted-model.md). `tokenizer` is the tokenizer.json of the model on this machine, which counts
    its tokens.
    `fallback` is the model that is asked when this one is busy, spent or gone. `key_command` is a program
    that writes the key to its standard output (words, or one line), asked again after `key_ttl` seconds; it
    counts only in the user's own file. `extra_body` is sent with every request for an answer. `service` is
    the cloud that the model is in, at `region` (and, for Vertex, in `project`); requests to Bedrock are
    signed with the AWS credentials of `profile`, or those that AWS's own tools would use.
    """

    dialect: DialectName | None = None
    base_url: BaseUrl | None = None
    model: str = ""
    api_key_env: str = ""
    api_key: SecretStr = SecretStr("")
    key_command: Words = ()
    key_ttl: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 300.0
    headers: Mapping[str, SecretStr] = {}
    context_window: Annotated[int, Field(gt=0)] | None = None
    output_limit: Annotated[int, Field(gt=0)] | None = None
    input_price: Price | None = None
    output_price: Price | None = None
    cache_read_price: Price | None = None
    cache_write_price: Price | None = None
    reasoning_price: Price | None = None
    idle_timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 300.0
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 3600.0
    service: Literal["bedrock", "vertex"] | None = None
    region: Word = ""
    project: Word = ""
    profile: str = ""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    extra_body: Annotated[Mapping[str, Any], AfterValidator(extra)] = {}
    script: str = ""
    tokenizer: str = ""
    fallback: str = ""

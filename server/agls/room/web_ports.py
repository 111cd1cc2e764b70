"""The ports to the web that rooms may ask for, and what goes through them. The assembly implements them."""

from collections.abc import Awaitable, Mapping
from dataclasses import field
from typing import Any, Protocol

from agls.engine.vocabulary import Image
from agls.frozen import frozen
from agls.web_address import WebAddress

SEARCH_KEYS = {
    "brave": "BRAVE_SEARCH_API_KEY",
    "tavily": "TAVILY_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
    "gemini": "GEMINI_API_KEY",
}
"""The variables that hold the keys of services that search, by kind; no child process gets them."""


class WebError(Exception):
    """Something of the web cannot be had. The message is for the model and says what to do."""


@frozen(kw_only=True)
class WebPage:
    """What an address gave.

    `address` is the one that answered, `media_type` that of the answer, `text` what is to be read of it and
    `image` what is to be seen. `moved_to` is the address that the server names instead (`None`: none),
    `is_cut` whether there was more than may be taken.
    """

    address: WebAddress
    status: int = 200
    media_type: str = ""
    title: str = ""
    text: str = ""
    image: Image | None = None
    moved_to: WebAddress | None = None
    is_cut: bool = False
    from_cache: bool = False


class PageReader(Protocol):
    """Fetches a page; `raw` leaves HTML as it is. **Raises** `WebError`."""

    def __call__(self, address: WebAddress, *, raw: bool = False) -> Awaitable[WebPage]: ...


@frozen(kw_only=True)
class ServiceCall:
    """A request to a service of the user's configuration. It answers with JSON; `body` goes by POST."""

    url: str
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    body: Mapping[str, Any] | None = None
    seconds: float = 30.0


@frozen
class ServiceAnswer:
    """The answer: the HTTP status, and what its JSON says (`None`: it is no JSON)."""

    status: int
    content: Any


class ServiceCaller(Protocol):
    """Asks a service. **Raises** `WebError`."""

    def __call__(self, call: ServiceCall, /) -> Awaitable[ServiceAnswer]: ...


class KeyFinder(Protocol):
    """**Returns** the key in this variable, else the one kept for this host, "" when there is none."""

    def __call__(self, variable: str, host: str, /) -> Awaitable[str]: ...

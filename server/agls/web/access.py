"""The way to the web of one process: it remembers pages, and loads what it needs with the first."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from urllib.parse import urlencode, urlsplit

from agls.frozen import frozen
from agls.room.web_ports import ServiceAnswer, ServiceCall, WebPage
from agls.web.limits import PageLimits
from agls.web_address import WebAddress
from agls.workspace.processes import Processes

MOST_PAGES = 64
MOST_CHARACTERS = 8_000_000  # of all that are remembered
MOST_ANSWER = 2_000_000  # bytes of an answer of a service
GOOD = range(200, 300)


@frozen
class RememberedPage:
    """A page, and when it was fetched."""

    page: WebPage
    at: float


class PageCache:
    """The pages that were fetched last, by address and form."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._pages: OrderedDict[tuple[str, bool], RememberedPage] = OrderedDict()

    def find(self, address: str, *, raw: bool, seconds: float) -> WebPage | None:
        """Return the page, `None` when it was not fetched within so many seconds."""
        found = self._pages.get((address, raw))
        return found.page if found and self._now() - found.at < seconds else None

    def keep(self, address: str, page: WebPage, *, raw: bool) -> None:
        """Remember a page; the oldest are forgotten."""
        self._pages[address, raw] = RememberedPage(page, self._now())
        self._pages.move_to_end((address, raw))
        while len(self._pages) > MOST_PAGES or self._size() > MOST_CHARACTERS:
            self._pages.popitem(last=False)

    def _size(self) -> int:
        return sum(
            len(each.page.text) + len(each.page.image.data if each.page.image else "")
            for each in self._pages.values()
        )


class WebAccess:
    """Fetches pages, and asks services. Nothing of HTTP is loaded before it is needed."""

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self._cache = PageCache()

    async def read(self, limits: PageLimits, address: WebAddress, *, raw: bool = False) -> WebPage:
        """Return the page at an address. **Raises** `WebError`."""
        from agls.web.pages import PageFetcher  # noqa: PLC0415 - httpx loads slowly, and few runs need it

        if found := self._cache.find(address.text, raw=raw, seconds=limits.keep):
            return replace(found, from_cache=True)
        page = await PageFetcher(self._processes, limits).fetch(address, raw=raw)
        if page.status in GOOD and limits.keep:
            self._cache.keep(address.text, page, raw=raw)
        return page

    async def ask(self, call: ServiceCall) -> ServiceAnswer:
        """Ask a service of the user's configuration. **Raises** `WebError`."""
        from agls.web.outgoing import Wanted, exchange  # noqa: PLC0415 - see above

        query = f"?{urlencode(call.query)}" if call.query else ""
        content = b"" if call.body is None else json.dumps(call.body).encode()
        received = await exchange(
            Wanted(
                url=call.url + query,
                name=urlsplit(call.url).netloc,
                admits=_any_host,
                method="GET" if call.body is None else "POST",
                headers={"Accept": "application/json", **call.headers},
                content=content,
                most=MOST_ANSWER,
                seconds=call.seconds,
            )
        )
        return ServiceAnswer(received.status, await asyncio.to_thread(_json, received.body))


def _any_host(name: str) -> bool:
    """Admit a host wherever it is: the user named it."""
    return True


def _json(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None

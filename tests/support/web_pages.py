"""Pages on loopback, and what fetches them as a run does."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from agls.room.web_ports import WebPage
from agls.web.limits import PageLimits
from agls.web.pages import PageFetcher
from agls.web_address import web_address
from agls.workspace.processes import Processes
from support.model_server import ModelServer, Raw
from support.patience import PATIENCE

HTML = {"Content-Type": "text/html; charset=utf-8"}


def html(body: str, **more: object) -> Raw:
    """A page of HTML."""
    return Raw([body.encode()], headers=HTML)


def sent(body: bytes, kind: str, **headers: str) -> Raw:
    """Bytes, and what their server says of them."""
    return Raw([body], headers={"Content-Type": kind, **headers})


def redirect(location: str, status: int = 302) -> Raw:
    """A redirect."""
    return Raw(status=status, headers={"Location": location})


class Pages:
    """A server with pages; `fetch` gets one of them, as the user allows this host."""

    def __init__(self, server: ModelServer, processes: Processes) -> None:
        self.server, self.processes = server, processes

    @property
    def name(self) -> str:
        """The host in rules."""
        return f"127.0.0.1:{self.server.port}"

    def url(self, path: str) -> str:
        """The address of a page."""
        return f"http://{self.name}{path}"

    async def fetch(
        self, path: str, *, raw: bool = False, most: int = 2_000_000, seconds: float = PATIENCE
    ) -> WebPage:
        """Fetch a page. **Raises** `WebError`."""
        limits = PageLimits(most=most, seconds=seconds, private_hosts=frozenset({self.name}))
        return await PageFetcher(self.processes, limits).fetch(web_address(self.url(path)), raw=raw)


@asynccontextmanager
async def serving(pages: Mapping[str, Raw]) -> AsyncGenerator[Pages]:
    """Serve pages by their paths."""
    processes = Processes()
    async with ModelServer(pages=pages) as server:
        try:
            yield Pages(server, processes)
        finally:
            await processes.aclose()

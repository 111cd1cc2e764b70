"""Pages: fetched with their redirects, and made text."""

import asyncio
from dataclasses import replace
from functools import partial

from agls.conversion.converter import ConversionError, ConvertibleDocument, convert
from agls.engine.vocabulary import Image
from agls.frozen import frozen
from agls.models.http.addresses import resolve
from agls.models.http.transport import Resolve
from agls.pictures import Unshowable, whole_picture
from agls.room.web_ports import WebError, WebPage
from agls.terminal_codes import spelled_out
from agls.web.limits import PageLimits
from agls.web.outgoing import Received, Wanted, exchange
from agls.web.page_text import ContentKind, as_text, content_kind
from agls.web_address import PRIVATE, AddressRefused, WebAddress, is_private_by_name, moved
from agls.workspace.processes import Processes

HOPS = 5  # redirects within a host
REDIRECTS = {301, 302, 303, 307, 308}
WANTED = "text/markdown, text/html;q=0.9, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5"
QUICK = 65_536  # bytes that are made text sooner than handed to a thread
REFUSED = 400  # HTTP statuses from here on


@frozen
class PageFetcher:
    """Fetches one page."""

    processes: Processes
    limits: PageLimits
    look_up: Resolve = resolve

    async def fetch(self, address: WebAddress, *, raw: bool) -> WebPage:
        """Return what the address gives, or where its server sends elsewhere. **Raises** `WebError`."""
        seconds = self.limits.seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._fetched(address, raw=raw)
        except TimeoutError:
            raise WebError(f"{address.name} did not answer in full within {seconds:g} seconds.") from None

    async def _fetched(self, address: WebAddress, *, raw: bool) -> WebPage:
        for _ in range(HOPS + 1):
            received = await self._received(address)
            location = received.headers.get("location", "")
            if received.status not in REDIRECTS or not location:
                return await self._page(address, received, raw=raw)
            target = _moved(address, location)
            if target.name != address.name or target.scheme < address.scheme:
                return WebPage(address=address, status=received.status, moved_to=target)
            address = target
        raise WebError(f"{address.name} redirects more than {HOPS} times: its addresses lead in a circle.")

    async def _received(self, address: WebAddress) -> Received:
        private = self.limits.private_hosts
        if is_private_by_name(address) and address.name not in private:
            raise WebError(PRIVATE.format(address.name))
        wanted = Wanted(
            url=address.text,
            name=address.name,
            admits=private.__contains__,
            headers={"Accept": WANTED},
            most=self.limits.most,
            seconds=self.limits.seconds,
        )
        return await exchange(wanted, self.look_up)

    async def _page(self, address: WebAddress, received: Received, *, raw: bool) -> WebPage:
        found = content_kind(received.headers.get("content-type", ""), received.body)
        page = WebPage(
            address=address, status=received.status, media_type=found.media_type, is_cut=received.is_cut
        )
        match found.kind:
            case "binary":
                return page
            case "image":
                return _seen(page, received.body)
            case "pdf":
                return await self._read(page, received.body, found)
            case "html" if not raw:
                return await self._read(page, received.body, found)
            case _:
                text = partial(_plain, received.body, found.charset)
                is_long = len(received.body) > QUICK
                return replace(page, text=await asyncio.to_thread(text) if is_long else text())

    async def _read(self, page: WebPage, body: bytes, found: ContentKind) -> WebPage:
        if found.kind == "pdf" and page.is_cut:
            raise WebError(f"The PDF is longer than {self.limits.most:,} bytes, so it cannot be read.")
        document = ConvertibleDocument(
            kind=found.kind, data=body, base=page.address.text, charset=found.charset
        )
        try:
            converted = await convert(self.processes, document, seconds=self.limits.seconds)
        except ConversionError as problem:
            raise WebError(f"{problem} Fetch it raw, or another page.") from None
        return replace(
            page, title=spelled_out(" ".join(converted.title.split())), text=spelled_out(converted.text)
        )


def _moved(address: WebAddress, location: str) -> WebAddress:
    try:
        return moved(address, location)
    except AddressRefused as problem:
        raise WebError(f"{address.name} redirects to an address that cannot be fetched. {problem}") from None


def _seen(page: WebPage, body: bytes) -> WebPage:
    if page.is_cut:
        raise WebError("The image is too large to be looked at.")
    try:
        seen = whole_picture(page.address.text, body)
    except Unshowable as problem:
        raise WebError(str(problem)) from None
    image: Image | None = seen.image if seen else None
    return replace(page, text=seen.words if seen else "", image=image)


def _plain(body: bytes, charset: str) -> str:
    text = as_text(body, charset).replace("\r\n", "\n").replace("\r", "\n")
    return spelled_out(text)

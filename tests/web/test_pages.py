"""Pages as they come from real servers on loopback: honest, wrong, hostile and slow ones."""

import asyncio
import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import overload

import pytest
from pypdf import PdfWriter

from agls.models.http.addresses import Addresses
from agls.room.web_ports import WebError
from agls.web.access import WebAccess
from agls.web.limits import PageLimits
from agls.web.pages import PageFetcher
from agls.web_address import web_address
from agls.workspace.processes import Processes
from support.images import png
from support.model_server import Raw
from support.patience import PATIENCE, become
from support.proxy import Proxy
from support.web_pages import html, redirect, sent, serving

pytestmark = [pytest.mark.row(37)]
GZIP, DEFLATE = ({"Content-Encoding": name} for name in ("gzip", "deflate"))
PNG = png(1, 1)
ARTICLE = """<!doctype html><html><head><title>A &amp; B</title><style>p{}</style></head><body>
<nav><a href="/">Home</a></nav><main><h1>Head</h1>
<p>Some <b>bold</b> text with <a href="../x?a=1">a link</a> to
foo_bar and 2*3*4. {}</p><script>alert(1)</script>
<pre><code class="language-py">def f():
    return 1</code></pre><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
<ul><li>one<ul><li>two</li></ul></li></ul><a href="javascript:x()">trap</a>

<img src="data:image/png;base64,AAAA" alt="dot">
</main><footer>Imprint</footer></body></html>""".replace("{}", "More words. " * 20)


class Endless(Sequence[bytes]):
    """A body without an end."""

    def __iter__(self) -> Iterator[bytes]:
        while True:
            yield b"<p>more</p>" * 1_000

    def __len__(self) -> int:
        return 1

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | Sequence[bytes]:
        raise IndexError


def bomb() -> Raw:
    """A body of 60 MB, packed."""
    return sent(gzip.compress(b"0" * 60_000_000, 1), "text/plain", **GZIP)


def nested_bomb() -> Raw:
    """The same, packed twice."""
    return sent(gzip.compress(gzip.compress(b"0" * 60_000_000, 1)), "text/plain", **GZIP)


async def test_html_becomes_markdown_of_its_main_part() -> None:
    async with serving({"/docs/page": html(ARTICLE)}) as pages:
        page = await pages.fetch("/docs/page")
        raw = await pages.fetch("/docs/page", raw=True)
    assert (page.title, page.media_type, page.status) == ("A & B", "text/html", 200)
    assert f"Some **bold** text with [a link]({pages.url('/x?a=1')}) to\nfoo_bar and 2*3*4." in page.text
    assert page.text.startswith("# Head\n")
    assert "```py\ndef f():\n    return 1\n```" in page.text
    assert "| a | b |\n| --- | --- |\n| 1 | 2 |" in page.text
    assert "- one\n  - two" in page.text
    assert "trap" in page.text
    for gone in ("alert", "Home", "Imprint", "javascript", "base64", "p{}"):
        assert gone not in page.text
    assert raw.text == ARTICLE


ODD = """<base href="/v2/"><meta http-equiv=Refresh content="5; URL='next'">
<div class="highlight-python3 notranslate"><div class="highlight"><pre>x = 1</pre></div></div>
<pre class="sourceCode haskell"><code class="sourceCode haskell">main = y</code></pre>
<pre class="brush: java;">int z;</pre><pre><code data-lang="go">w := 1</code></pre>
<table><caption>Sizes</caption><tr><th>A</th><th>B|C</th></tr><tr><td>1</td><td>2</td></tr></table>
<table><tr><td><table><tr><td>in</td></tr></table></td><td>beside</td></tr></table>
<details><summary>More</summary>folded</details>
<iframe src="film.html" title="A film"></iframe><iframe src="spy.html"></iframe>"""
FRAMES = '<frameset><frame src="nav.html" name="nav"><frame src="text.html"></frameset>'


async def test_odd_pages_lose_nothing_that_markdown_can_say() -> None:
    async with serving({"/docs/odd": html(ODD), "/frames": html(FRAMES)}) as pages:
        text = (await pages.fetch("/docs/odd")).text
        frames = (await pages.fetch("/frames")).text
        base = pages.url("/v2/")
        assert frames.splitlines()[::2] == [
            f"[Frame: {name}]({pages.url(f'/{at}.html')})"
            for name, at in (("nav", "nav"), ("text.html", "text"))
        ]
    assert text.startswith(f"[This page sends its readers on to {base}next]\n")
    for block in ("python3\nx = 1", "haskell\nmain = y", "java\nint z;", "go\nw := 1"):
        assert f"```{block}\n```" in text
    assert "Sizes\n\n| A | B\\|C |\n| --- | --- |\n| 1 | 2 |" in text
    assert "| in |\n| --- |\n\nbeside" in text
    assert "More\n\nfolded" in text
    assert f"[Frame: A film]({base}film.html)" in text
    assert "spy" not in text


@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        (sent(b'{"a": 1}', "application/json"), "application/json", '{"a": 1}'),
        (sent(b"<a><b/></a>", "application/xml"), "application/xml", "<a><b/></a>"),
        (sent(b"x = 1\r\ny", "text/plain"), "text/plain", "x = 1\ny"),
        (sent("Grüße".encode("latin-1"), "text/plain; charset=iso-8859-1"), "text/plain", "Grüße"),
        (sent("Grüße".encode("cp1252"), "text/plain"), "text/plain", "Grüße"),
        (sent("Grüße".encode("utf-16"), "text/plain"), "text/plain", "Grüße"),
        (sent("日本".encode("shift_jis"), 'text/plain; charset="Shift_JIS"'), "text/plain", "日本"),
        (sent(b"plain", "text/plain; charset=zlib"), "text/plain", "plain"),
        (sent(b"<html><p>hi</p></html>", ""), "text/html", "hi"),
        (sent(b"<!DOCTYPE html><p>hi</p>", "application/octet-stream"), "text/html", "hi"),
        (sent("<p>Grüße</p>".encode("latin-1"), "text/html; charset=latin1"), "text/html", "Grüße"),
        (sent(b"<meta charset=iso-8859-1><p>Gr\xfc\xdfe</p>", "text/html"), "text/html", "Grüße"),
        (sent("<p>Grüße</p>".encode("latin-1"), "text/html; charset=x-odd"), "text/html", "Grüße"),
        (sent(b"\0\1\2" * 9, "text/html"), "text/html", ""),
        (sent(b"PK\3\4\0\0\0\0" * 9, "application/zip"), "application/zip", ""),
        (sent("a\x1b[2Jb\u202ec".encode(), "text/plain"), "text/plain", "a[2Jb<U+202E>c"),
        (sent("<p>a\u200bb\u202e</p>".encode(), "text/html"), "text/html", "a<U+200B>b<U+202E>"),
        (sent(gzip.compress(b"packed"), "text/plain", **GZIP), "text/plain", "packed"),
        (sent(zlib.compress(b"packed"), "text/plain", **DEFLATE), "text/plain", "packed"),
        (sent(zlib.compress(b"packed")[2:-4], "text/plain", **DEFLATE), "text/plain", "packed"),
    ],
)  # fmt: skip
async def test_answer_is_what_its_bytes_are(answer: Raw, kind: str, text: str) -> None:
    async with serving({"/": answer}) as pages:
        page = await pages.fetch("/")
    assert (page.media_type, page.text) == (kind, text)


async def test_pdf_is_its_text_and_an_image_is_seen_whatever_they_are_called() -> None:
    written = io.BytesIO()
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.add_metadata({"/Title": "Report"})
    writer.write(written)
    lies = {"/pdf": sent(written.getvalue(), "text/html"), "/png": sent(PNG, "text/plain")}
    broken = {"/broken": sent(b"%PDF-1.4 nothing", "application/pdf")}
    async with serving({**lies, **broken}) as pages:
        page = await pages.fetch("/pdf")
        assert (page.media_type, page.title) == ("application/pdf", "Report")
        seen = await pages.fetch("/png")
        assert seen.image
        assert seen.media_type == "image/png"
        with pytest.raises(WebError, match="The PDF cannot be read"):
            await pages.fetch("/broken")


@pytest.mark.parametrize(
    ("answer", "size"),
    [
        (lambda: Raw(Endless(), headers={"Content-Type": "text/plain"}), 50_000),
        (bomb, 50_000),
        (nested_bomb, 0),
    ],
    ids=["endless", "bomb", "nested bomb"],
)
async def test_body_without_end_is_cut(answer: Callable[[], Raw], size: int) -> None:
    """What is packed twice stays packed: it is no text."""
    async with serving({"/": answer()}) as pages:
        page = await pages.fetch("/", most=50_000)
    assert len(page.text) == size
    assert page.is_cut


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (sent(b"x", "text/plain", **{"Content-Encoding": "br"}), "as 'br', which was not requested"),
        (sent(b"x", "text/plain", **{"Content-Encoding": "gzip, gzip"}), "which was not requested"),
        (sent(b"no gzip", "text/plain", **GZIP), "cannot be unpacked"),
        (Raw([b"half"], then="reset"), "broke off"),
        (Raw(begin="reset"), "broke off"),
        (redirect("/"), "lead in a circle"),
        (redirect("file:///etc/passwd"), "redirects to an address that cannot be fetched"),
        (redirect("http://user:pass@127.0.0.1/"), "redirects to an address that cannot be fetched"),
    ],
)
async def test_page_that_cannot_be_had_says_why(answer: Raw, said: str) -> None:
    async with serving({"/": answer}) as pages:
        with pytest.raises(WebError, match=said):
            await pages.fetch("/")


@pytest.mark.parametrize(
    "answer", [Raw(begin="hang"), Raw([b"<p>"], then="hang"), Raw(Endless(), delay=0.05)]
)
async def test_slow_page_ends_with_its_time(answer: Raw) -> None:
    async with serving({"/": answer}) as pages:
        with pytest.raises(WebError, match=r"within 0\.3 seconds"):
            await pages.fetch("/", seconds=0.3)


@pytest.mark.parametrize("answer", [Raw(begin="hang"), Raw([b"<p>"], then="hang")], ids=["header", "body"])
async def test_cancel_closes_the_connection(answer: Raw) -> None:
    async with serving({"/": answer}) as pages:
        task = asyncio.ensure_future(pages.fetch("/"))
        await become(lambda: pages.server.requests)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await pages.server.closed()


async def test_redirect_within_its_host_is_followed_and_another_host_is_named() -> None:
    hops = {"/a": redirect("/b"), "/b": redirect("c", 307), "/c": sent(b"there", "text/plain")}
    away = {"/away": redirect("https://other.example/x"), "/port": redirect("http://127.0.0.1:1024/")}
    async with serving({**hops, **away}) as pages:
        page = await pages.fetch("/a")
        assert (page.text, page.address.target) == ("there", "/c")
        elsewhere = await pages.fetch("/away")
        assert elsewhere.moved_to == web_address("https://other.example/x")
        assert (await pages.fetch("/port")).moved_to == web_address("http://127.0.0.1:1024/")


class Resolver:
    """A name server that answers something else each time."""

    def __init__(self, *answers: Addresses) -> None:
        self.answers = list(answers)

    async def __call__(self, host: str, port: int) -> Addresses:
        return self.answers.pop(0)


@pytest.mark.parametrize(
    "answers", [[["127.0.0.1"]], [["8.8.8.8", "127.0.0.1"]], [["::ffff:127.0.0.1"]], [["169.254.169.254"]]]
)
async def test_name_that_leads_to_a_private_network_is_refused_before_connecting(
    answers: list[Addresses],
) -> None:
    async with serving({"/": html("secret")}) as pages:
        limits = PageLimits(most=1_000, seconds=PATIENCE)
        fetcher = PageFetcher(pages.processes, limits, Resolver(*answers))
        with pytest.raises(WebError, match="is not on the public network"):
            await fetcher.fetch(web_address(f"http://rebinding.example:{pages.server.port}/"), raw=False)
        assert pages.server.connections == 0


async def test_name_is_looked_up_once_and_connected_to_as_it_was_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A second answer of a name server that rebinds is never asked for."""
    monkeypatch.setattr("agls.web.outgoing.is_public", lambda address: address == "127.0.0.1")
    resolver = Resolver(["127.0.0.1"], ["127.0.0.2"])
    async with serving({"/": sent(b"checked", "text/plain")}) as pages:
        fetcher = PageFetcher(pages.processes, PageLimits(most=1_000, seconds=PATIENCE), resolver)
        page = await fetcher.fetch(web_address(f"http://rebinding.example:{pages.server.port}/"), raw=False)
    assert (page.text, resolver.answers) == ("checked", [["127.0.0.2"]])
    assert pages.server.requests[0].headers["host"] == f"rebinding.example:{pages.server.port}"


@pytest.mark.parametrize(
    "url", ["http://localhost:{}/", "http://intranet:{}/", "http://127.0.0.1:{}/", "http://[::1]:{}/"]
)
async def test_private_host_is_refused_unless_configured(url: str) -> None:
    async with serving({"/": html("secret")}) as pages:
        fetcher = PageFetcher(pages.processes, PageLimits(most=1_000, seconds=PATIENCE))
        with pytest.raises(WebError, match="private_hosts"):
            await fetcher.fetch(web_address(url.format(pages.server.port)), raw=False)
        assert pages.server.connections == 0


async def test_proxy_is_used_and_gets_no_name_that_is_private_here(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with serving({}) as pages, Proxy(pages.server.port) as proxy:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.port}")
        limits = PageLimits(most=1_000, seconds=PATIENCE)
        with pytest.raises(WebError):
            await PageFetcher(pages.processes, limits, Resolver(["10.0.0.1"])).fetch(
                web_address("https://inside.example/"), raw=False
            )
        assert proxy.heads == []


async def test_page_nested_deeper_than_any_for_people_is_its_words() -> None:
    async with serving({"/": html("<div>" * 50_000 + "<p>deep</p>")}) as pages:
        assert (await pages.fetch("/")).text == "deep"


async def test_page_is_remembered_for_a_while() -> None:
    processes = Processes()
    async with serving({"/": sent(b"once", "text/plain"), "/bad": Raw([b"no"], 500)}) as pages:
        web = WebAccess(processes)
        limits = PageLimits(most=1_000, seconds=PATIENCE, keep=60, private_hosts=frozenset({pages.name}))
        first = await web.read(limits, web_address(pages.url("/")))
        second = await web.read(limits, web_address(pages.url("/")))
        assert (first.from_cache, second.from_cache, second.text) == (False, True, "once")
        for _ in range(2):
            assert (await web.read(limits, web_address(pages.url("/bad")))).status == 500
        assert [request.path for request in pages.server.requests] == ["/", "/bad", "/bad"]


async def test_cancel_ends_the_program_that_reads_a_page() -> None:
    """A page of 2 MB takes it many seconds."""
    async with serving({"/": html("<p>a <b>b</b></p>" * 120_000)}) as pages:
        task = asyncio.ensure_future(pages.fetch("/"))
        await become(lambda: pages.processes._running)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not pages.processes._running

"""The services that search: what each is asked, and what it answers."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from agls.engine.vocabulary import Usage
from agls.features.web.native import NATIVE, NativeSearch
from agls.features.web.settings import SearchKind, SearchProvider
from agls.frozen import frozen
from agls.regex import regex
from agls.room.web_ports import KeyFinder, ServiceAnswer, ServiceCall, ServiceCaller, WebError
from agls.web_address import AddressRefused, is_under, web_address

LONGEST = 700  # characters of an excerpt
LONGEST_TITLE = 200
MOST_SUMMARY = 4_000  # characters of what a provider says of its results
NATIVE_SECONDS = 90.0  # a model reads what it found
MOST = 20  # results that are asked for, so that some are left when hosts are left out
_TAGS = regex(r"</?[a-z][^<>]{0,200}>", re.IGNORECASE)
_HIDDEN = regex(
    "[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]+"
)


@frozen
class WebQuery:
    """A search: its words, how many results, and from which hosts (and those below) they may be or not."""

    words: str
    most: int
    domains: Sequence[str] = ()
    without: Sequence[str] = ()

    @property
    def with_operators(self) -> str:
        """The words, with the hosts as the operators that most services understand."""
        only = " OR ".join(f"site:{host}" for host in self.domains)
        parts = (
            self.words,
            f"({only})" if len(self.domains) > 1 else only,
            *(f"-site:{host}" for host in self.without),
        )
        return " ".join(filter(None, parts))

    @property
    def asked(self) -> int:
        """How many results to ask for."""
        return MOST if self.domains or self.without else self.most


@frozen
class SearchResult:
    """One result: an address that can be fetched, and what the service says of it."""

    title: str
    url: str
    text: str = ""
    date: str = ""
    host: str = ""  # of the page, where the address is a redirect to it

    @property
    def site(self) -> str:
        """The host that the page is on."""
        return self.host or web_address(self.url).host


@frozen
class WebFindings:
    """What a search found, and what a provider that searches with a model says of it."""

    results: Sequence[SearchResult]
    summary: str = ""


@frozen
class SearchService:
    """A configured service, which searches."""

    name: str
    provider: SearchProvider
    ask: ServiceCaller
    key: KeyFinder
    seconds: float

    async def search(self, wanted: WebQuery, spend: Callable[[Usage], None]) -> WebFindings:
        """Return the results, the best first; `spend` hears what a model used. **Raises** `WebError`."""
        provider = self.provider
        key = provider.api_key.get_secret_value()
        if not key and provider.key_variable:
            key = await self.key(provider.key_variable, provider.host)
        if not key and provider.kind != "searxng":
            raise WebError(self._without_key())
        if native := NATIVE.get(cast("SearchKind", provider.kind)):
            return await self._natively(native, wanted, key, spend)
        call, read = _CALLS[cast("SearchKind", provider.kind)](provider, wanted, key)
        answer = await self.ask(ServiceCall(**call, seconds=self.seconds))
        self._check(answer)
        rows = _rows(answer.content, *read)
        if not rows and (problem := _problem(answer.content)):
            raise WebError(f"{self.name} could not search: {problem}. Try once more later, or go on without.")
        return WebFindings(_best(rows, wanted))

    async def _natively(
        self, native: NativeSearch, wanted: WebQuery, key: str, spend: Callable[[Usage], None]
    ) -> WebFindings:
        """Have the provider of a model search with its own tool. **Raises** `WebError`."""
        domains = wanted.domains if native.keeps_domains else ()
        words = wanted.words if domains or not (wanted.domains or wanted.without) else wanted.with_operators
        call = native.call(self.provider, words, domains, key)
        answer = await self.ask(ServiceCall(**call, seconds=max(self.seconds, NATIVE_SECONDS)))
        self._check(answer)
        made = native.read(answer.content)
        spend(made.usage)
        found = _best(made.rows, wanted)
        if made.problem and not found:
            raise WebError(
                f"{self.name} could not search: {_plain(made.problem, LONGEST_TITLE)}. Go on without."
            )
        limited = wanted.domains or wanted.without  # its summary may rest on pages that are left out
        return WebFindings(found, "" if limited else _plain(made.summary, MOST_SUMMARY))

    def _without_key(self) -> str:
        provider = self.provider
        return (
            f"{self.name} has no key, so it cannot search. The user can set {provider.key_variable}, "
            f"or keep one with: agls key set {provider.host}"
        )

    def _check(self, answer: ServiceAnswer) -> None:
        """**Raises** `WebError` for what is no answer."""
        status = answer.status
        if status == 200 and isinstance(answer.content, Mapping):
            return
        if self.provider.kind == "searxng" and status in {200, 403}:
            raise WebError(
                f"{self.name} does not answer with JSON. The user can add json to search.formats in the "
                "settings.yml of their SearXNG."
            )
        why = {
            401: "its key is wrong. The user can correct it.",
            403: "its key is wrong or does not allow this. The user can correct it.",
            404: "nothing searches at its address. The user can correct its base_url.",
            422: "it does not take this search. Use simpler words.",
            429: "too many searches, now or in this month. Wait, or go on without.",
        }.get(status, "it does not work properly. Try once more later, or go on without.")
        raise WebError(f"{self.name} answered with HTTP {status}: {why}")


def _searxng(provider: SearchProvider, wanted: WebQuery, key: str) -> tuple[dict[str, Any], Sequence[str]]:
    query = {"q": wanted.with_operators, "format": "json"}
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return {"url": f"{provider.address}/search", "query": query, "headers": headers}, ("results",)


def _brave(provider: SearchProvider, wanted: WebQuery, key: str) -> tuple[dict[str, Any], Sequence[str]]:
    query = {"q": wanted.with_operators, "count": str(wanted.asked), "text_decorations": "false"}
    url = f"{provider.address}/res/v1/web/search"
    return {"url": url, "query": query, "headers": {"X-Subscription-Token": key}}, ("web", "results")


def _tavily(provider: SearchProvider, wanted: WebQuery, key: str) -> tuple[dict[str, Any], Sequence[str]]:
    body = {
        "query": wanted.words,
        "max_results": wanted.asked,
        "include_domains": list(wanted.domains),
        "exclude_domains": list(wanted.without),
    }
    headers = {"Authorization": f"Bearer {key}"}
    return {"url": f"{provider.address}/search", "body": body, "headers": headers}, ("results",)


def _best(rows: Sequence[Any], wanted: WebQuery) -> Sequence[SearchResult]:
    found = (result for row in rows if (result := _result(row)))
    return list(_fitting(found, wanted))[: wanted.most]


_Call = Callable[[SearchProvider, WebQuery, str], tuple[dict[str, Any], Sequence[str]]]
_CALLS: Mapping[SearchKind, _Call] = {"searxng": _searxng, "brave": _brave, "tavily": _tavily}


def _rows(content: Any, *path: str) -> Sequence[Any]:
    for name in path:
        content = cast("Mapping[str, Any]", content).get(name) if isinstance(content, Mapping) else None
    return cast("Sequence[Any]", content) if isinstance(content, list) else ()


def _problem(content: Any) -> str:
    """Return what a service says is wrong where it gives no results, "" for nothing."""
    said = cast("Mapping[str, Any]", content)
    engines = said.get("unresponsive_engines")
    if isinstance(engines, list) and engines:  # SearXNG: pairs of a name and a reason
        pairs = (cast("list[Any]", each) for each in cast("list[Any]", engines) if isinstance(each, list))
        silent = ", ".join(" ".join(map(str, pair[:2])) for pair in pairs)
        return _plain(f"no answer from {silent}", LONGEST_TITLE) if silent else ""
    for name in ("error", "detail", "message"):
        problem: Any = said.get(name)
        while isinstance(problem, Mapping):  # `{"detail": {"error": "…"}}`
            inner = cast("Mapping[str, Any]", problem)
            problem = next((inner[key] for key in ("error", "detail", "message") if key in inner), None)
        if isinstance(problem, str) and problem.strip():
            return _plain(problem, LONGEST_TITLE).rstrip(".")
    return ""


def _result(row: Any) -> SearchResult | None:
    """Return what a row says, `None` when it has no address that can be fetched."""
    if not isinstance(row, Mapping):
        return None
    said = cast("Mapping[str, Any]", row)
    try:
        url = web_address(str(said.get("url") or "")).text
    except AddressRefused:
        return None
    text = next(
        (value for name in ("content", "description") if isinstance(value := said.get(name), str)), ""
    )
    date = _first(said, "publishedDate", "published_date", "age")
    title = _plain(str(said.get("title") or ""), LONGEST_TITLE)
    return SearchResult(
        title or url, url, _plain(text, LONGEST), _plain(date, 40), str(said.get("host") or "")
    )


def _first(said: Mapping[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := said.get(name), str)), "")


def _plain(text: str, most: int) -> str:
    from html import unescape  # noqa: PLC0415 - its table of names is large, and few sessions search the web

    words = " ".join(_HIDDEN.sub(" ", unescape(_TAGS.sub("", text))).split())
    return words if len(words) <= most else f"{words[:most]}…"


def _fitting(found: Iterable[SearchResult], wanted: WebQuery) -> Iterator[SearchResult]:
    """Yield the results of the hosts that are wanted, each address once: not every service keeps to them."""
    seen = set[str]()
    for result in found:
        host = result.site
        included = not wanted.domains or any(is_under(host, domain) for domain in wanted.domains)
        if (
            included
            and result.url not in seen
            and not any(is_under(host, domain) for domain in wanted.without)
        ):
            seen.add(result.url)
            yield result

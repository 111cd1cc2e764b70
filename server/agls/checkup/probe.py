"""The check of a first connection to a model: answers, streaming, tool calls, and context size.

Every finding is in plain language, with the exact setting to change. The check sends one small request, as
a run does.
"""

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace

import httpx

from agls.engine.facts import Overflowed, Replied
from agls.engine.ports import ModelRequest, ToolSpec
from agls.engine.vocabulary import Text, UserMessage
from agls.models.catalog.bundled import with_known_figures
from agls.models.catalog.listing import ModelList, list_models
from agls.models.client import HttpModel
from agls.models.credential import FIXED_KEY
from agls.models.endpoint import Endpoint
from agls.models.errors import USUAL_END, CallFailed, Failure, empty_answer, incomplete, web_page
from agls.models.http.connections import Connections, HttpRequest
from agls.models.local.ollama_sizes import ROOM
from agls.models.local.server_info import UNKNOWN_SERVER, ServerInfo, identify_server
from agls.models.retry import RetryPolicy
from agls.regex import regex
from agls.room.findings import Finding

LEAST = 8_192  # tokens: instructions and tools, one file, and an answer
ANSWER = 2_000  # tokens for the answer: enough for a model that thinks first
WORD = "ready"
ASKING = f"This is a test of the connection. Call the tool `report` with the word {WORD!r}. Say nothing else."
REPORT = ToolSpec(
    "report",
    "Report one word.",
    {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
    frozenset(),
)
AS_TEXT = regex(r"tool_call|<function|TOOL_CALLS|\breport\s*\(|\"(name|word)\"\s*:")
ONCE = RetryPolicy(tries=1)
PATHS = regex(r"/(chat/completions|completions|messages|responses|models|api/chat)/?$")
PROXY = "The proxy requires a login: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT (HTTP_PROXY for http)."


@dataclass(slots=True)
class ProbeAnswer:
    """The outcome of one request."""

    reply: Replied | None = None
    failure: Failure | None = None
    overflow: Overflowed | None = None
    kind: str = ""  # the content type of the answer


class RecordingConnections(Connections):
    """Wraps connections, and records the content type of the last answer."""

    def __init__(self, inner: Connections) -> None:
        super().__init__()
        self._inner = inner
        self.kind = ""

    @asynccontextmanager
    async def ask(self, endpoint: Endpoint, wanted: HttpRequest) -> AsyncGenerator[httpx.Response]:
        """Send a request, and record the content type of a successful answer to a POST."""
        async with self._inner.ask(endpoint, wanted) as response:
            if wanted.method == "POST" and response.status_code < 300:
                self.kind = response.headers.get("content-type", "")
            yield response


async def probe(endpoint: Endpoint, connections: Connections, seconds: float = 60.0) -> Sequence[Finding]:
    """Return the findings of a first request to a model. `seconds` bounds each answer. Never raises.

    The topics are endpoint, key, model, streaming, tools and context. Topics after a failure are missing.
    """
    endpoint = with_known_figures(endpoint)
    listing = await list_models(endpoint, connections, min(seconds, 10.0))
    failure, asking = listing.failure, _Probe(endpoint, connections, listing, seconds)
    if failure and failure == web_page(endpoint):
        return [Finding("endpoint", "fail", failure.message, await asking.address() or failure.hint)]
    if failure and (failure.kind in {"network", "timeout"} or failure.status == 407):
        return [_unreached(failure)]
    return await asking.findings()


@dataclass(slots=True)
class _Probe:
    endpoint: Endpoint
    connections: Connections
    listing: ModelList
    seconds: float
    server: ServerInfo = UNKNOWN_SERVER

    async def findings(self) -> Sequence[Finding]:
        heard = await self._ask(tools=True)
        self.server = await identify_server(self.endpoint, self.connections)
        refused = heard.failure if heard.failure and _is_about_tools(heard.failure) else None
        if refused:
            heard = await self._ask(tools=False)
        if heard.failure:
            return await self._failed(heard.failure)
        if heard.overflow:
            return [*self._reached(), self._context(heard.overflow.limit or 0)]
        return [
            *self._reached(),
            Finding("model", "pass", f"{self.endpoint.model} answers."),
            self._streaming(heard),
            self._refused_tools(refused) if refused else self._tools(heard),
            self._context(
                self.server.window or self.listing.figures_of(self.endpoint.model).get("context_window")
            ),
        ]

    async def _ask(self, *, tools: bool) -> ProbeAnswer:
        watched, heard = RecordingConnections(self.connections), ProbeAnswer()
        endpoint = replace(
            self.endpoint,
            timeout=self.seconds,
            idle_timeout=min(self.seconds, self.endpoint.idle_timeout),
            fallback="",
        )
        said = (UserMessage("item_probe", (Text(ASKING if tools else f"Say {WORD}."),)),)
        request = ModelRequest("item_answer", "", said, (REPORT,) if tools else (), ANSWER)
        try:
            async with aclosing(HttpModel(endpoint, watched, ONCE).stream(request)) as parts:
                async for part in parts:
                    match part:
                        case Replied():
                            heard.reply = part
                        case Overflowed():
                            heard.overflow = part
                        case _:
                            pass
        except CallFailed as error:
            heard.failure = error.failure
        heard.kind = watched.kind
        return heard

    def _reached(self) -> list[Finding]:
        keyed = self.endpoint.api_key or self.endpoint.credential is not FIXED_KEY
        key = "The server accepts the key." if keyed else "The server asks for no key."
        return [
            Finding("endpoint", "pass", f"{self.endpoint.address} answers."),
            Finding("key", "pass", key),
        ]

    async def _failed(self, failure: Failure) -> Sequence[Finding]:
        here = Finding("endpoint", "pass", f"{self.endpoint.address} answers.")
        if found := self._half_failed(failure):
            return [*self._reached(), found]
        match failure.kind:
            case "auth" | "quota":
                return [here, Finding("key", "fail", failure.message, failure.hint)]
            case "modelNotFound" | "badRequest" if self._is_elsewhere(failure):
                fix = await self.address() or self._check_address()
                return [Finding("endpoint", "fail", failure.message, fix)]
            case "rateLimit" | "overloaded" | "providerInternal":
                return [Finding("endpoint", "warn", failure.message, failure.hint)]
            case "network":
                return [_unreached(failure)]
            case "timeout":
                hint = (
                    "A local model may load slowly: send it one request by hand, or raise [doctor] seconds."
                )
                return [here, Finding("model", "fail", failure.message, hint)]
            case _:
                return [*self._reached(), Finding("model", "fail", failure.message, failure.hint)]

    def _half_failed(self, failure: Failure) -> Finding | None:
        """Return the finding about an answer that began and then failed; `None` for other failures."""
        if failure == empty_answer(self.endpoint):
            fix = self.server.more_context(self.endpoint, ROOM)
            return Finding("context", "fail", failure.message, fix)
        if failure == incomplete(self.endpoint):
            fix = "Check the log of the server, and the timeouts of any proxy in between."
            return Finding("streaming", "fail", failure.message, fix)
        if failure.kind == "badRequest" and "stream" in failure.message.lower():
            fix = "agls needs streaming: switch it on in the server, or choose another one."
            return Finding("streaming", "fail", failure.message, fix)
        return None

    def _is_elsewhere(self, failure: Failure) -> bool:
        """Return whether the path is wrong rather than the model: the list of models is missing as well."""
        lists = self.listing.failure
        return failure.status in {404, 405} and lists is not None and lists.status in {404, 405}

    async def address(self) -> str:
        """Return the fix for a wrong path: an address of this host that answers; "" for none."""
        whole, mark, query = self.endpoint.base_url.partition("?")
        given = whole.rstrip("/")
        base = PATHS.sub("", given)
        stem = re.sub(r"/v\d\w*$", "", base)
        for url in dict.fromkeys((base, f"{base}/v1", f"{stem}/v1", f"{stem}/api/v1", stem)):
            if url != given:
                there = await list_models(
                    replace(self.endpoint, base_url=f"{url}{mark}{query}"), self.connections, 3.0
                )
                if there.failure is None and there.models:
                    return f"{self._correct(f'{url}{mark}{query}')}: that address answers."
        return ""

    def _correct(self, url: str) -> str:
        place = self.endpoint.address_place
        return f"Use {place} {url}" if place.startswith("--") else f'Set {place or "base_url"} = "{url}"'

    def _check_address(self) -> str:
        at = self.endpoint.given_address
        dialect = self.endpoint.dialect
        model = self.endpoint.model
        return f"Check {at}: {USUAL_END}; then dialect ({dialect}) and the model's name ({model})."

    def _streaming(self, heard: ProbeAnswer) -> Finding:
        if "json" in heard.kind and "ndjson" not in heard.kind:
            text = "The server sends its answer in one piece, so you see nothing until it is complete."
            fix = (
                "Switch streaming on in the server, or buffering off in a proxy (nginx: proxy_buffering off)."
            )
            return Finding("streaming", "warn", text, fix)
        return Finding("streaming", "pass", "The answer is streamed.")

    def _refused_tools(self, failure: Failure) -> Finding:
        text = f"The server does not let this model use tools: {failure.message}"
        return Finding("tools", "fail", text, self.server.tools(self.endpoint))

    def _tools(self, heard: ProbeAnswer) -> Finding:
        reply = heard.reply
        calls = reply.tool_calls if reply else ()
        if any(call.name == REPORT.name and call.arguments.get("word") for call in calls):
            return Finding("tools", "pass", "The model calls tools.")
        if calls:
            text = "The model calls a tool, but with wrong arguments. It will make many mistakes."
            return Finding("tools", "warn", text, "Choose a stronger model.")
        if reply and AS_TEXT.search(reply.text):
            text = "The model writes its tool calls as text, and the server does not turn them into calls."
            return Finding("tools", "fail", text, self.server.tools(self.endpoint))
        text = "The model was asked to call a tool and did not."
        return Finding("tools", "warn", text, self.server.tools(self.endpoint))

    def _context(self, reported: float | None) -> Finding:
        return context_finding(self.endpoint, self.server, int(reported or 0))


def context_finding(endpoint: Endpoint, server: ServerInfo = UNKNOWN_SERVER, reported: int = 0) -> Finding:
    """Return the finding about the size of the context.

    `reported` is the server's own figure; 0 is unknown, and the configured or listed one counts.
    """
    believed = endpoint.context_window or 0
    size = reported or believed
    more = server.more_context(endpoint, max(ROOM, believed))
    if not size:
        text = "The size of this model's context is not known."
        return Finding("context", "warn", text, endpoint.setting(f"context_window = {ROOM}"))
    if reported and believed > reported:
        text = (
            f"The server gives {size:,} tokens, not the {believed:,} of context_window: the rest is cut off."
        )
        return Finding("context", "fail", text, f"{more} Or set context_window = {size}.")
    if size < LEAST:
        cut = "are cut off silently" if server.kind == "ollama" else "the work stops early"
        text = (
            f"The context is {size:,} tokens: the definitions of tools and your files do not fit, and {cut}."
        )
        return Finding("context", "fail", text, more)
    if size < ROOM:
        text = f"The context is {size:,} tokens: enough to start, but small for work on several files."
        return Finding("context", "warn", text, more)
    return Finding("context", "pass", f"The context is {size:,} tokens.")


def _unreached(failure: Failure) -> Finding:
    return Finding("endpoint", "fail", failure.message, PROXY if failure.status == 407 else failure.hint)


def _is_about_tools(failure: Failure) -> bool:
    return failure.kind in {"badRequest", "providerInternal"} and bool(
        re.search(r"\btools?\b|tool[ _-]?(use|call|choice)|function call", failure.message, re.IGNORECASE)
    )

"""The tool `web_search`."""

from collections.abc import Sequence
from dataclasses import field
from functools import partial

from pydantic import Field, field_validator

from agls.engine.facts import Used
from agls.engine.feature import CallTool, Invocation, RunView
from agls.engine.ports import Effect, Preview, Target, ToolContext, WorkspaceError
from agls.engine.vocabulary import ToolOutcome, Usage
from agls.features.web.fetching import OUTSIDE
from agls.features.web.services import SearchResult, SearchService, WebQuery
from agls.frozen import frozen
from agls.room.web_ports import WebError
from agls.terminal_codes import enclosed
from agls.toolkit import Arguments
from agls.web_address import AddressRefused, host_name

SEARCH = "web_search"


class WebSearch(Arguments):
    """Search the web. Returns titles, addresses and excerpts; fetch what you need in full."""

    query: str = Field(min_length=1, max_length=400)
    domains: tuple[str, ...] = Field(default=(), max_length=20, description="only from these hosts")
    exclude_domains: tuple[str, ...] = Field(default=(), max_length=20, description="not from these hosts")
    max_results: int | None = Field(default=None, ge=1, le=20)

    @field_validator("domains", "exclude_domains")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return tuple(host_name(host.strip().removeprefix("*.")) for host in value)
        except AddressRefused as problem:
            raise ValueError(str(problem)) from None


@frozen
class WebSearcher:
    """Searches with one service; `usual` is how many results a search has that names no number.

    `spent` is what the model of a provider used, by the calls that are not counted yet.
    """

    service: SearchService
    usual: int
    spent: dict[str, Usage] = field(default_factory=dict[str, Usage])

    async def count(self, invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        """Let a call run, and record what a model that searched for it used: it is a request of its own."""
        try:
            return await inner(invocation)
        finally:
            if usage := self.spent.pop(invocation.call.call_id, None):
                view.record(Used(SEARCH, usage))

    def targets(self, arguments: WebSearch) -> tuple[Target, ...]:
        """Return the host of the service."""
        return (Target(Effect.NETWORK, self.service.provider.host),)

    async def describe(self, arguments: WebSearch, context: ToolContext) -> Preview:
        """Say what is asked, and whom."""
        return Preview(f"Search with {self.service.name}: {arguments.query}", {})

    async def search(self, arguments: WebSearch, context: ToolContext) -> ToolOutcome:
        """Search and list the results. Raises `WorkspaceError` with what to do instead."""
        wanted = WebQuery(
            arguments.query,
            arguments.max_results or self.usual,
            arguments.domains,
            arguments.exclude_domains,
        )
        try:
            found = await self.service.search(wanted, partial(self.spent.__setitem__, context.call_id))
        except WebError as problem:
            raise WorkspaceError(str(problem)) from None
        if not (found.results or found.summary):
            return ToolOutcome("Nothing was found. Try other words, or fewer limits.")
        parts = (found.summary, _listed(found.results))
        return ToolOutcome(f"[From {self.service.name}. {OUTSIDE}]\n{enclosed(_joined(parts))}")


def _joined(parts: Sequence[str]) -> str:
    return "\n\n".join(filter(None, parts))


def _listed(found: Sequence[SearchResult]) -> str:
    return "\n\n".join(_row(number, result) for number, result in enumerate(found, 1))


def _row(number: int, result: SearchResult) -> str:
    date = f" ({result.date})" if result.date else ""
    return f"{number}. {result.title}\n{result.url}{date}\n{result.text}".rstrip()

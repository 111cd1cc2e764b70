"""The wiring of the room."""

from functools import partial
from typing import Any

from agls.engine.actions import FoundActions
from agls.engine.feature import Feature
from agls.engine.ports import Effect, Tool
from agls.features.web.activation import ROOM, actions, active_provider
from agls.features.web.fetching import FETCH, WebFetch, WebFetcher, fetch_targets
from agls.features.web.mentioned_pages import fetch_mentioned
from agls.features.web.searching import SEARCH, WebSearch, WebSearcher
from agls.features.web.services import SearchService
from agls.features.web.settings import Settings
from agls.room.run_ports import RunInfo
from agls.room.web_ports import KeyFinder, PageReader, ServiceCaller
from agls.toolkit import TypedTool

CONNECTS = frozenset({Effect.NETWORK})


def build(settings: Settings, run: RunInfo, read: PageReader, ask: ServiceCaller, key: KeyFinder) -> Feature:
    """Build the feature of a run: it searches when a provider is configured."""
    tools: list[Tool] = []
    slots: dict[str, Any] = {}  # those of what is switched on
    if settings.fetch:
        fetcher = WebFetcher(read, settings.private_hosts)
        fetch = TypedTool(
            name=FETCH,
            arguments=WebFetch,
            work=fetcher.fetch,
            effects=CONNECTS,
            targets=fetch_targets,
            describe=fetcher.describe,
            output_limit=settings.output_characters,
        )
        tools.append(fetch)
        slots["around_model"] = fetch_mentioned
    if active := active_provider(settings, run.state):
        service = SearchService(active, settings.providers[active], ask, key, settings.timeout_s)
        searcher = WebSearcher(service, settings.results)
        search = TypedTool(SEARCH, WebSearch, searcher.search, CONNECTS, searcher.targets, searcher.describe)
        tools.append(search)
        slots["around_tool"] = searcher.count
    offered = FoundActions(partial(actions, settings, key))
    return Feature(name=ROOM, tools=tuple(tools), actions=offered, **slots)

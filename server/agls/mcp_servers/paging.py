"""The pages of a list of a server, up to a limit, whatever comes after the first of them."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TypeVar

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND

from agls.mcp_servers.failures import is_closed, words_of
from agls.mcp_servers.listing import MOST_PAGES

Page = TypeVar("Page", types.ListToolsResult, types.ListResourcesResult, types.ListPromptsResult)


class Pages:
    """Lists of one server; `problems` are told what is missing of them."""

    def __init__(self, problems: list[str]) -> None:
        self._problems = problems

    async def of(self, what: str, ask: Callable[..., Awaitable[Page]]) -> AsyncGenerator[Page]:
        """Yield the pages of a list. **Raises** what the first one raises."""
        cursor, seen = None, set[str]()
        for _ in range(MOST_PAGES):
            try:
                page = await ask(cursor=cursor)
            except MCPError as error:
                if cursor is None or is_closed(error):
                    raise
                self._problems.append(f"the list of its {what} breaks off: {words_of(error)}")
                return
            yield page
            cursor = page.next_cursor
            if not cursor:
                return
            if cursor in seen:
                self._problems.append(f"the list of its {what} runs in a circle: it was read once")
                return
            seen.add(cursor)
        self._problems.append(
            f"the list of its {what} has more than {MOST_PAGES} pages: the others are left out"
        )

    async def optional(self, what: str, ask: Callable[..., Awaitable[Page]]) -> AsyncGenerator[Page]:
        """Yield the pages of a list that the server may lack: some name what they do not have."""
        try:
            async for page in self.of(what, ask):
                yield page
        except MCPError as error:
            if is_closed(error):
                raise
            if error.code != METHOD_NOT_FOUND:
                self._problems.append(f"its {what} could not be listed: {words_of(error)}")

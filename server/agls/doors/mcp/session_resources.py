"""The sessions of a folder as resources of MCP: listed by pages, each read as Markdown."""

from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from agls.doors.mcp.results import RESOURCE
from agls.doors.session_file import export
from agls.engine.ports import JournalError
from agls.stores.rows import summarise
from agls.views.wire_json import timestamp
from agls.world import World

MARKDOWN = "text/markdown"
MOST_TEXT = 400_000  # characters of a session: its end, which matters more
CUT = "[The beginning is left out: {} characters.]\n\n"
Context = ServerRequestContext[Any, Any]


class SessionResources:
    """The sessions of the folder `here`, and no others; those of helpers are part of theirs."""

    def __init__(self, world: World, here: str) -> None:
        self._world = world
        self._here = here

    async def list(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """**Returns** a page of the sessions, the latest first."""
        cursor = (params.cursor if params else None) or ""
        try:
            rows, following = await self._world.sessions.list(cwd=self._here, cursor=cursor)
        except JournalError as problem:
            raise MCPError(types.INVALID_PARAMS, str(problem)) from None
        resources = [
            types.Resource(
                uri=RESOURCE + row.session_id,
                name=row.session_id,
                title=row.title or row.session_id,
                description=f"{row.state}, {timestamp(row.updated_at)}",
                mime_type=MARKDOWN,
            )
            for row in rows
            if not row.parent_item
        ]
        return types.ListResourcesResult(resources=resources, next_cursor=following or None)

    async def templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """**Returns** how the address of a session is made."""
        template = types.ResourceTemplate(
            uri_template=f"{RESOURCE}{{session_id}}",
            name="session",
            description="A session of this folder, as Markdown.",
            mime_type=MARKDOWN,
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """**Returns** a session as Markdown. **Raises** `MCPError` where there is none in this folder."""
        uri = str(params.uri)
        session_id = uri.removeprefix(RESOURCE)
        if not uri.startswith(RESOURCE) or not await self.has(session_id):
            raise MCPError(types.INVALID_PARAMS, f"There is no resource {uri[:200]!r}.")
        page = await export(session_id, await self._world.sessions.peek(session_id), "md")
        text = page.decode("utf-8", "replace")
        left_out = len(text) - MOST_TEXT
        text = CUT.format(left_out) + text[left_out:] if left_out > 0 else text
        contents = types.TextResourceContents(uri=uri, mime_type=MARKDOWN, text=text)
        return types.ReadResourceResult(contents=[contents])

    async def has(self, session_id: str) -> bool:
        """**Returns** whether this is a session of the folder."""
        try:
            entries = await self._world.sessions.peek(session_id)
        except JournalError:
            return False
        return bool(entries) and summarise(session_id, entries)[0].cwd == self._here

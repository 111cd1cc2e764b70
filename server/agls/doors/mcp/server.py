"""The requests of another agent, answered: tools, and sessions as resources."""

import asyncio
from contextlib import suppress
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from agls import __version__
from agls.argument_faults import faults_in
from agls.doors.mcp.arguments import ARGUMENTS, TOOLS, CancelRun, ResumeSession, RunPrompt
from agls.doors.mcp.cancel_notices import CancelNotices
from agls.doors.mcp.results import ServedEnd, failed, result_of
from agls.doors.mcp.served_run import NotBegun, ServedRun
from agls.doors.mcp.session_resources import SessionResources
from agls.engine.session import Session
from agls.engine.vocabulary import JsonObject
from agls.world import World

MOST_AT_ONCE = 8  # runs of one server
CANCEL_PATIENCE = 10.0  # seconds for the end of a run that is cancelled
INSTRUCTIONS = (
    "A coding agent that works in one folder. `run` gives it a task in a new session, `resume` goes on with "
    "one. Its sessions are resources. What it may do was decided by its user; it is refused what nobody "
    "allowed."
)
INTERNAL = "Something went wrong inside agls; its log says what."
BUSY = "A run of {} is under way here: wait for its end, or cancel it."
FULL = f"{MOST_AT_ONCE} runs are under way: wait for the end of one, or cancel one."
ELSEWHERE = "There is no session {!r} of this folder. The resources are those that there are."
Context = ServerRequestContext[Any, Any]


class AgentTools:
    """Answers the requests of one client, in the folder `here`. `options` hold for every run."""

    def __init__(self, world: World, here: str, options: JsonObject, notices: CancelNotices) -> None:
        self._world = world
        self._here = here
        self._options = options
        self._notices = notices
        self._resources = SessionResources(world, here)
        self._working: set[asyncio.Task[object]] = set()
        self._runs: dict[str, ServedRun] = {}  # by their sessions

    def server(self) -> Server[Any]:
        """**Returns** the server of the SDK that answers with this."""
        return Server(
            "agls",
            version=__version__,
            title="agls",
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._resources.list,
            on_list_resource_templates=self._resources.templates,
            on_read_resource=self._resources.read,
        )

    async def _list_tools(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=TOOLS)

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        model = ARGUMENTS.get(params.name)
        if model is None:
            known = ", ".join(ARGUMENTS)
            raise MCPError(
                types.INVALID_PARAMS, f"There is no tool {params.name[:100]!r}; there are {known}."
            )
        try:
            arguments = model.model_validate(params.arguments or {})
        except ValidationError as error:
            return failed(faults_in(params.name, model.model_json_schema(), error))
        match arguments:
            case RunPrompt():
                return await self._run(arguments, context)
            case ResumeSession():
                return await self._resume(arguments, context)
            case CancelRun():
                return await self._cancel(arguments.session_id)
            case _:  # pragma: no cover - every model of the table stands above
                raise AssertionError(params.name)

    async def _run(self, arguments: RunPrompt, context: Context) -> types.CallToolResult:
        async def opening() -> Session:
            session = await self._world.sessions.create(self._here, title=arguments.title.strip())
            self._runs[session.session_id] = run
            return session

        run = ServedRun(self._world, self._options, opening, arguments.prompt, is_new=True)
        return await self._followed(run, context)

    async def _resume(self, arguments: ResumeSession, context: Context) -> types.CallToolResult:
        session_id = arguments.session_id
        if not await self._resources.has(session_id):
            return failed(ELSEWHERE.format(session_id[:100]))
        if session_id in self._runs:
            return failed(BUSY.format(session_id))

        async def opening() -> Session:
            return await self._world.sessions.open(session_id)

        run = ServedRun(self._world, self._options, opening, arguments.prompt)
        return await self._followed(run, context, session_id)

    async def _followed(self, run: ServedRun, context: Context, session_id: str = "") -> types.CallToolResult:
        """Have the run work, and report its progress. Where the client cancels the request it is cancelled.

        It has a task of its own: when the client goes away it is not cancelled but interrupted, which can be
        gone on with.
        """
        if len(self._working) >= MOST_AT_ONCE:
            return failed(FULL)
        if session_id:
            self._runs[session_id] = run
        work = self._world.sessions.spawn(run.work())
        self._working.add(work)
        work.add_done_callback(lambda done: self._let_go(run, done))
        try:
            async for count, words in run.progress.reports():
                await context.session.report_progress(count, None, words)
            ended = await asyncio.shield(work)
        except asyncio.CancelledError:
            if self._notices.take(context.request_id):
                run.cancel()
            raise
        match ended:
            case ServedEnd():
                return result_of(ended)
            case NotBegun():
                return failed(str(ended))
            case _:  # an exception that the log has
                return failed(INTERNAL)

    def _let_go(self, run: ServedRun, work: asyncio.Task[object]) -> None:
        self._working.discard(work)
        for session_id in [each for each, known in self._runs.items() if known is run]:
            del self._runs[session_id]

    async def _cancel(self, session_id: str) -> types.CallToolResult:
        run, outcome = self._runs.get(session_id), "not_running"
        if run:
            run.cancel()
            with suppress(TimeoutError):
                await asyncio.wait_for(run.over.wait(), CANCEL_PATIENCE)
            outcome = "cancelled" if run.over.is_set() else "cancelling"
        words = types.TextContent(type="text", text=f"{session_id}: {outcome.replace('_', ' ')}")
        members = {"session_id": session_id, "outcome": outcome}
        return types.CallToolResult(content=[words], structured_content=members)

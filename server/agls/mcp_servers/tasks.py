"""Calls that a server answers with a task, which goes on until it is asked for the result.

The extension `io.modelcontextprotocol/tasks` of the revision 2026-07-28 (SEP-2663).
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Literal

import mcp_types as types
from mcp.client.context import ClientRequestContext
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from agls.mcp_servers.callers import Callers

FIRST_WAIT, LONGEST_WAIT = 1.0, 30.0  # seconds between two looks where the server suggests nothing
SHORTEST_WAIT = 0.1  # whatever it suggests
CANCELLED = "The server cancelled the task."


class Task(types.Result):
    """A task as the server told of it last."""

    task_id: str
    status: Literal["working", "input_required", "completed", "failed", "cancelled"]
    status_message: str | None = None
    poll_interval_ms: float | None = None


class TaskHandle(Task):
    """The answer to a call that became a task."""

    result_type: Literal["task"] = "task"


class TaskState(Task):
    """The answer to `tasks/get`, with what the status brings."""

    result: dict[str, Any] | None = None
    error: types.ErrorData | None = None
    input_requests: dict[str, types.InputRequest] | None = None


class TaskParams(types.RequestParams):
    """What requests about a task have."""

    task_id: str


class UpdateParams(TaskParams):
    """Answers to what a task asked, by the names of the questions."""

    input_responses: dict[str, Any]


class GetTask(types.Request[TaskParams, Literal["tasks/get"]]):
    """Ask how far a task is."""

    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams
    name_param = "taskId"


class UpdateTask(types.Request[UpdateParams, Literal["tasks/update"]]):
    """Answer what a task asked."""

    method: Literal["tasks/update"] = "tasks/update"
    params: UpdateParams
    name_param = "taskId"


class CancelTask(types.Request[TaskParams, Literal["tasks/cancel"]]):
    """Ask the server to stop a task."""

    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: TaskParams
    name_param = "taskId"


class Tasks(ClientExtension):
    """Waits for tasks, as long as the call may take that became one. `leave` does work nobody waits for."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self, callers: Callers, leave: Callable[[Coroutine[Any, Any, None]], object]) -> None:
        self._callers, self._leave = callers, leave

    def claims(self) -> Sequence[ResultClaim[Any]]:
        """**Returns** the one kind of answer that it takes."""
        return (ResultClaim(result_type="task", model=TaskHandle, resolve=self._result),)

    async def _result(self, handle: TaskHandle, context: ClaimContext) -> types.CallToolResult:
        """**Returns** the result of the task that a call became; its id is kept first."""
        if request := self._callers.current:
            request.keep(handle.task_id)
        task = TaskState.model_validate(handle.model_dump(exclude={"result_type"}))
        return await self._ended(task, context.session)

    async def take_up(self, task_id: str, session: ClientSession) -> types.CallToolResult:
        """**Returns** the result of a task that an earlier process waited for."""
        return await self._ended(await _look(session, task_id), session)

    async def _ended(self, task: TaskState, session: ClientSession) -> types.CallToolResult:
        """**Returns** the result. A call that ends before the task, for whatever reason, cancels it."""
        try:
            done = await self._end(task, session)
        except BaseException:
            self._leave(_cancel(session, task.task_id))
            raise
        if done.status == "completed":
            return types.CallToolResult.model_validate(done.result or {})
        if done.error:
            raise MCPError.from_error_data(done.error)
        raise MCPError(INTERNAL_ERROR, done.status_message or CANCELLED)

    async def _end(self, task: TaskState, session: ClientSession) -> TaskState:
        """**Returns** the task when it has ended; what it asks meanwhile is answered once."""
        request, task_id = self._callers.current, task.task_id
        answered, wait = set[str](), FIRST_WAIT
        while task.status in {"working", "input_required"}:
            if request:
                request.heard(task.status_message or "")
            asked = {key: one for key, one in (task.input_requests or {}).items() if key not in answered}
            if asked:
                answered |= set(asked)
                answers = await _answers(session, asked)
                update = UpdateTask(params=UpdateParams(task_id=task_id, input_responses=answers))
                await session.send_request(update, types.EmptyResult)
            await asyncio.sleep(_pause(task, wait))
            wait = min(wait * 2, LONGEST_WAIT)
            task = await _look(session, task_id)
        return task


async def _look(session: ClientSession, task_id: str) -> TaskState:
    """**Returns** how far a task is."""
    return await session.send_request(GetTask(params=TaskParams(task_id=task_id)), TaskState)


def _pause(task: Task, usual: float) -> float:
    """**Returns** the seconds until the next look."""
    if task.poll_interval_ms is None:
        return usual
    return max(SHORTEST_WAIT, min(task.poll_interval_ms / 1_000, LONGEST_WAIT))


async def _answers(session: ClientSession, asked: dict[str, types.InputRequest]) -> dict[str, Any]:
    """**Returns** the answers to questions, one after the other. What nobody answers fails the call."""
    answers: dict[str, Any] = {}
    for key, one in asked.items():
        context = ClientRequestContext(session=session, request_id=key, meta=None)
        answer = await session.dispatch_input_request(context, one)
        if isinstance(answer, types.ErrorData):
            raise MCPError.from_error_data(answer)
        answers[key] = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
    return answers


async def _cancel(session: ClientSession, task_id: str) -> None:
    """Ask the server to stop; it may go on all the same."""
    with suppress(Exception):
        await session.send_request(CancelTask(params=TaskParams(task_id=task_id)), types.EmptyResult)

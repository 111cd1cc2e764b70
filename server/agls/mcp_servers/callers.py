"""Those whose requests a server works on, and what it asks them meanwhile."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

import mcp_types as types

from agls.mcp_servers.content import sampling_of
from agls.room.mcp_ports import (
    Caller,
    McpQuestion,
    McpReply,
    McpSampled,
    McpSampling,
    SamplingRefused,
    ServerDefinition,
)

MOST_PROGRESS = 20_000  # characters of one request that are shown
MOST_QUESTIONS = 20  # of one request
LONGEST_MESSAGE = 4_000  # characters
NOT_NOW = McpReply("cancel")
NO_SAMPLE = "Nobody is there who could allow it."
REJECTED = -1  # the code of the specification for what a user did not allow


class Request:
    """A request under way: for whom, and the limit of time, which reports of progress and people move."""

    def __init__(self, caller: Caller, definition: ServerDefinition) -> None:
        self._caller, self._definition = caller, definition
        self._loop = asyncio.get_running_loop()
        self._until = self._loop.time() + definition.longest
        self._left, self._questions = MOST_PROGRESS, MOST_QUESTIONS
        self._limit: asyncio.Timeout | None = None
        self._last = ""
        self.unanswered = ""
        """The last question that got no answer, or a no."""
        self._no = NOT_NOW

    @property
    def _next(self) -> float:
        return min(self._until, self._loop.time() + self._definition.idle)

    @property
    def seconds(self) -> float:
        """The limit that ended it."""
        return self._definition.longest if self._loop.time() >= self._until else self._definition.idle

    @asynccontextmanager
    async def limited(self) -> AsyncGenerator[None]:
        """Hold the block to the limit. **Raises** `TimeoutError`."""
        async with asyncio.timeout_at(self._next) as self._limit:
            yield

    def unlimited(self) -> None:
        """Take the limit of the block away."""
        self._move(None)
        self._limit = None

    def _move(self, when: float | None) -> None:
        if self._limit and not self._limit.expired():
            self._limit.reschedule(when)

    def heard(self, message: str) -> None:
        """Show what is new about it; any sign of the server gives it more time."""
        self._move(self._next)
        line = f"{message}\n"
        if message and line != self._last and self._left > 0:
            self._last = line
            self._caller.show(line[: self._left])
            self._left -= len(line)

    async def advance(self, progress: float, total: float | None, message: str | None) -> None:
        """Show a report of progress, which gives the server more time."""
        self._move(self._next)
        line = progress_line(progress, total, message)
        if self._left > 0:
            self._caller.show(line[: self._left])
        self._left -= len(line)

    def keep(self, task_id: str) -> None:
        """Let the caller keep the id of the task that the request became."""
        self._caller.keep(task_id)

    @property
    def can_ask(self) -> bool:
        """Whether there is somebody to ask."""
        return self._caller.ask is not None and self._caller.attended

    async def ask(self, question: McpQuestion) -> McpReply:
        """Ask the caller; the server is not charged with the time that takes.

        A server that asks the same again gets the same no: nobody is asked twice.
        """
        if question.message and question.message == self.unanswered:
            return self._no
        reply = NOT_NOW
        if self._caller.ask is not None and self._may_ask():
            with self._uncharged():
                reply = await self._caller.ask(question)
        if reply.action != "accept":
            self.unanswered, self._no = question.message, reply
        return reply

    async def sample(self, asked: McpSampling) -> McpSampled:
        """Let the caller's model answer, without charging the server. **Raises** `SamplingRefused`."""
        if self._caller.sample is None or not self._may_ask():
            raise SamplingRefused(NO_SAMPLE)
        with self._uncharged():
            return await self._caller.sample(asked)

    def _may_ask(self) -> bool:
        """Count a question. **Returns** whether it is not one too many."""
        self._questions -= 1
        return self._questions >= 0

    @contextmanager
    def _uncharged(self) -> Generator[None]:
        """Take only the whole limit of the request for the block, in which people decide."""
        self._move(self._until)
        try:
            yield
        finally:
            self._move(self._next)


_CURRENT: ContextVar[Request | None] = ContextVar("mcp_request", default=None)


class Callers:
    """Finds the one to ask.

    The old era does not say which request a question belongs to: there the newest counts.
    """

    def __init__(self, definition: ServerDefinition) -> None:
        self._definition = definition
        self._open: list[Request] = []

    @contextmanager
    def request(self, caller: Caller, definition: ServerDefinition) -> Generator[Request]:
        """Work on a request for the block, within the limits of time of a definition."""
        request = Request(caller, definition)
        token = _CURRENT.set(request)
        self._open.append(request)
        try:
            yield request
        finally:
            self._open.remove(request)
            _CURRENT.reset(token)

    @property
    def current(self) -> Request | None:
        """The request that is worked on here."""
        request = _CURRENT.get()
        if request in self._open:
            return request
        return self._open[-1] if self._open else None

    @property
    def can_ask(self) -> bool:
        """Whether there is somebody to ask."""
        return self.current is not None and self.current.can_ask

    async def ask(self, question: McpQuestion) -> McpReply:
        """Ask the one whose request it is."""
        request = self.current
        return await request.ask(question) if request else NOT_NOW

    async def elicit(self, context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        """Answer a question of the server."""
        message, name = params.message[:LONGEST_MESSAGE], self._definition.name
        if isinstance(params, types.ElicitRequestURLParams):
            reply = await self.ask(
                McpQuestion(
                    name, message, url=params.url, elicited=True, elicitation_id=params.elicitation_id or ""
                )
            )
            return types.ElicitResult(action=reply.action)
        reply = await self.ask(McpQuestion(name, message, dict(params.requested_schema), elicited=True))
        content = dict(reply.content) if reply.action == "accept" else None
        return types.ElicitResult(action=reply.action, content=content)

    async def sample(
        self, context: object, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult | types.ErrorData:
        """Answer what the server asks a model."""
        request = self.current
        try:
            if request is None:
                raise SamplingRefused(NO_SAMPLE)
            answer = await request.sample(sampling_of(self._definition.name, params))
        except SamplingRefused as why:
            return types.ErrorData(code=REJECTED, message=str(why))
        content = types.TextContent(type="text", text=answer.text)
        reason = "maxTokens" if answer.is_cut else "endTurn"
        return types.CreateMessageResult(
            role="assistant", content=content, model=answer.model, stop_reason=reason
        )


def progress_line(done: float, total: float | None, message: str | None) -> str:
    """**Returns** a report of progress as a line."""
    amount = f"{done:g}/{total:g}" if total else f"{done:g}"
    return f"{amount} {message or ''}".strip() + "\n"

"""Requests on standard input: lines of JSON-RPC, each answered (protocol#headless)."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from agls.doors.agent.asking import Way
from agls.doors.agent.attached import Attached, Role
from agls.doors.agent.call import Call
from agls.doors.agent.client import ClientCapabilities
from agls.doors.agent.connection import Connection
from agls.doors.agent.limits import ConnectionLimits
from agls.doors.agent.methods import Handler
from agls.doors.agent.methods.action_invoke import invoke_action
from agls.doors.agent.methods.cancel import cancel
from agls.doors.agent.methods.respond import respond
from agls.doors.agent.methods.steer import steer
from agls.doors.agent.peer import Peer
from agls.doors.agent.server import AgentServer
from agls.doors.errors import bad, unsupported
from agls.doors.headless.stdin_lines import LONGEST, StdinLines
from agls.doors.messages import INVALID_REQUEST, METHOD_NOT_FOUND, Bad, JsonObject, kind_of, parse
from agls.engine.facts import Asked
from agls.engine.run_action import actions
from agls.engine.session import Session
from agls.engine.vocabulary import Question
from agls.json_values import is_object
from agls.world import World
from agls_protocol.sessions import ActionInvokeParams
from agls_protocol.types import SteerParams, SteerResult

PROGRAM = ClientCapabilities(
    name="stdin", version=1, by_events=True, forms=True, edits_input=True, confirms=True
)
GONE = ClientCapabilities(name="stdin", version=1)


async def steer_this_run(connection: Connection, params: SteerParams, call: Call) -> SteerResult:
    """`agent/steer`: injected while the run goes on, else returned."""
    if params.if_ended != "return":
        message = "This process ends with its run: params.ifEnded can only be return. Go on with agls resume."
        raise unsupported(message, "ifEnded")
    return await steer(connection, params, call)


async def invoke_in_this_run(connection: Connection, params: ActionInvokeParams, call: Call) -> JsonObject:
    """`agent/action/invoke`: only what begins no run."""
    attached = await connection.open(params.session_id, call)
    if any(spec.name == params.name and spec.prompts for spec in actions(attached.session)):
        message = (
            f"This process ends with its run, and {params.name} begins another: agls resume /{params.name}"
        )
        raise unsupported(message, "name")
    return await invoke_action(connection, params, call)


METHODS: Mapping[str, Handler] = {
    "agent/steer": steer_this_run,
    "agent/cancel": cancel,
    "agent/respond": respond,
    "agent/action/invoke": invoke_in_this_run,
}


class RunConnection(Connection):
    """The program that started a run: it reaches the session of the run and its children, no others."""

    def present(self, session: Session, role: Role) -> "EventsOnly":
        """Return what shows nothing: the run writes the events."""
        return EventsOnly()

    async def open(self, session_id: str, call: Call) -> Attached:
        """Return a session of this process. **Raises** `Bad`."""
        if known := self.attached.get(session_id):
            return known
        raise bad("sessionNotFound", f"This process has only {self.latest} and its children.")


class EventsOnly:
    """Implements `Presenter` for a program that reads the events."""

    def give_token(self, run_id: str, token: object) -> None:
        """Do nothing: nothing reports progress."""

    def run_of(self, token: object) -> str:
        """Return ""."""
        return ""

    def report(self, events: Sequence[JsonObject]) -> None:
        """Do nothing."""

    def record(self, events: Sequence[JsonObject], *, attached: bool) -> str:
        """Do nothing."""
        return ""

    def way(self, question: Question) -> Way | None:
        """Return `None`: no request goes to the program."""
        return None

    def announce(self, asked: Asked) -> bool:
        """Return False: there is nothing besides the events."""
        return False


class Answers:
    """Implements `MessageWriter`: each answer is written at once, and never waits."""

    backlog = 0
    others = 0

    def __init__(self, write: Callable[[JsonObject], None]) -> None:
        self._write = write

    def stalled(self) -> float:
        """Return 0: what waits for the program is counted by its output."""
        return 0.0

    def send(self, message: JsonObject, *, urgent: bool = False) -> None:
        """Write an answer."""
        self._write(message)

    def put(self, pieces: Sequence[object]) -> bool:
        """Take no events: the run writes them."""
        return False

    def flush(self) -> None:
        """Do nothing: nothing waits."""


class Control:
    """A program that writes requests, one per line, and reads their answers among the events.

    It counts as somebody who can answer questions until its input ends. Requests are followed in order.
    """

    invokes = True

    def __init__(self, world: World, lines: StdinLines, write: Callable[[JsonObject], None]) -> None:
        self._lines = lines
        self._peer = Peer(Answers(write), ConnectionLimits(), PROGRAM)
        self._connection = RunConnection(world, self._peer, "", {})
        self._served = asyncio.Event()

    def attach(self, session: Session) -> None:
        """Be there for the questions of this session; those of its children follow by themselves."""
        if not session.state.parent_item:
            self._connection.attach(session, Call(""))

    async def serve(self, session: Session) -> None:
        """Follow the requests until the input ends; then nobody is there any more."""
        try:
            async with asyncio.TaskGroup() as tasks, aclosing(self._lines.lines()) as lines:
                server = AgentServer(self._connection, tasks, METHODS)
                async for line in lines:
                    if line is None or line.strip():
                        await self._follow(server, session.session_id, line)
            self._leave()
        finally:
            self._served.set()

    def _leave(self) -> None:
        """Answer no more questions, neither those of children to come."""
        self._peer.client = GONE
        for attached in self._connection.attached.values():
            attached.session.questions.attend(False, forms=PROGRAM.forms)

    async def settle(self) -> None:
        """Answer what was asked by now."""
        self._lines.finish()
        await self._served.wait()

    async def _follow(self, server: AgentServer, session_id: str, line: bytes | None) -> None:
        known = None
        try:
            message = _request(line)
            known = message["id"]
            given = message.get("params")
            if given is None or is_object(given):
                named = {name: value for name, value in (given or {}).items() if value is not None}
                message = {**message, "params": {"sessionId": session_id, **named}}
            await server.request(message)
        except Bad as refused:
            refused.id = refused.id if known is None else known
            self._peer.refuse(refused)


def _request(line: bytes | None) -> dict[str, Any]:
    """Return the request in this line. **Raises** `Bad` where there is none that is followed here."""
    if line is None:
        raise Bad(INVALID_REQUEST, f"A line is longer than {LONGEST} bytes.", kind="limitExceeded")
    message = parse(line)
    if kind_of(message) != "request":
        text = "Every line is a request with a method and an id. agent/respond answers questions."
        raise Bad(INVALID_REQUEST, text)
    if message["method"] not in METHODS:
        text = f"There is no method {message['method'][:200]!r} here; there are {', '.join(METHODS)}."
        raise Bad(METHOD_NOT_FOUND, text, message["id"])
    return message

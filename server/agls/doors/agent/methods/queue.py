"""`agent/queue`: see and rearrange the prompts that wait."""

from collections.abc import Sequence

from agls.commands import CommandError
from agls.doors import from_wire
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.idempotency import check_no_prompt, request_of
from agls.doors.agent.world import WorldPort
from agls.doors.attachments import taken_in
from agls.doors.from_wire import GivenFile
from agls.doors.typed_text import admitted_content, command_of
from agls.engine import run_queue
from agls.engine.session import Session
from agls.engine.vocabulary import Content
from agls.views.values import waiting
from agls_protocol.sessions import QueueParams, QueueResult

COMMAND = (
    "A command does not wait in the queue. Take this prompt out (op remove) and send the command with "
    "agent/run, or begin with // to say it to the model."
)


async def queue(connection: Connection, params: QueueParams, call: Call) -> QueueResult:
    """Do it, and give the queue as it is then; the same `clientKey` does it once, whoever asks again."""
    said = from_wire.content_or_files(params.input) if params.input is not None else ()
    if params.op == "replace" and not said:
        raise from_wire.Malformed("params.input must not be empty")
    session = (await connection.open(params.session_id, call)).session
    await _change(session, params, said, connection.world)
    await session.log.sync()
    page, queued = connection.page(params.max_bytes), session.state.queue
    return QueueResult([page.must_have({**waiting(admitted)}, len(queued)) for admitted in queued])


async def _change(
    session: Session, params: QueueParams, said: Sequence[Content | GivenFile], world: WorldPort
) -> None:
    request = request_of("agent/queue", params)
    check_no_prompt(session, request)
    facts = run_queue.REPLACED if params.op == "replace" else run_queue.CHANGED
    if params.op == "list" or run_queue.followed(session, request, facts):
        return
    match params.op:
        case "remove":
            run_queue.remove(session, params.item_id, request)
        case "move":
            run_queue.move(session, params.item_id, params.to, request)
        case "replace":
            content = await taken_in(said, world.setup, session.state.cwd, world.storage.blobs)
            if params.expand:
                _check_is_prompt(world, session, content)
            content = await admitted_content(world, session, content, expand=params.expand)
            await run_queue.replace(session, params.item_id, content, request)


def _check_is_prompt(world: WorldPort, session: Session, content: Sequence[Content]) -> None:
    """**Raises** `Malformed` for a command."""
    try:
        command = command_of(world, session, content)
    except CommandError as problem:
        raise from_wire.Malformed(str(problem)) from None
    if command:
        raise from_wire.Malformed(COMMAND)

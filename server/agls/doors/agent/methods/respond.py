"""`agent/respond`: answer an open question, for clients that cannot answer server requests."""

from agls.doors.agent.asking import read_answer
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.errors import check_asked, session_busy
from agls_protocol.types import RespondParams, RespondResult


async def respond(connection: Connection, params: RespondParams, call: Call) -> RespondResult:
    """Answer it; one that is not open any more is `alreadyResolved`. **Raises** `Malformed`: it never was."""
    for session_id, followed in connection.followed.items():
        if params.request_id in followed.session.state.questions:
            raise session_busy(session_id)
    for attached in connection.attached.values():
        session = attached.session
        if question := session.state.questions.get(params.request_id):
            answer = read_answer(connection.client, question, params.response)
            accepted = session.questions.answer(params.request_id, answer)
            return RespondResult("accepted" if accepted else "alreadyResolved")
    if params.request_id not in connection.asked:
        check_asked((attached.session for attached in connection.attached.values()), params.request_id)
    return RespondResult("alreadyResolved")

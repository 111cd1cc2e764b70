"""`agent/respond`: answer an open question, for clients that cannot answer server requests."""

from typing import Any

from agls.doors.agent.asking import read_answer, shown_to
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.errors import check_asked, session_busy
from agls.doors.from_wire import Malformed
from agls.engine.vocabulary import Question
from agls.json_values import is_object
from agls_protocol.types import RespondParams, RespondResult


async def respond(connection: Connection, params: RespondParams, call: Call) -> RespondResult:
    """Answer it; one that is not open any more is `alreadyResolved`.

    **Raises** `Malformed`: it never was, or it has no such option, and then it stays open.
    """
    for session_id, followed in connection.followed.items():
        if params.request_id in followed.session.state.questions:
            raise session_busy(session_id)
    for attached in connection.attached.values():
        session = attached.session
        if question := session.state.questions.get(params.request_id):
            _check_option(connection, question, params.response)
            answer = read_answer(connection.client, question, params.response)
            accepted = session.questions.answer(params.request_id, answer)
            return RespondResult("accepted" if accepted else "alreadyResolved")
    if params.request_id not in connection.asked:
        check_asked((attached.session for attached in connection.attached.values()), params.request_id)
    return RespondResult("alreadyResolved")


def _check_option(connection: Connection, question: Question, response: Any) -> None:
    """Refuse an option that the question does not have. **Raises** `Malformed`."""
    options = [option.option_id for option in shown_to(connection.client, question).options]
    if not options or not is_object(response) or response.get("outcome") != "selected":
        return
    if (chosen := response.get("optionId")) not in options:
        raise Malformed(
            f"params.response.optionId must be one of {', '.join(options)}, not {str(chosen)[:100]!r}"
        )

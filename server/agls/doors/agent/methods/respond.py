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

FORM_OUTCOMES = ("accept", "decline", "cancel")
CHOICE_OUTCOMES = ("selected", "dismissed")


async def respond(connection: Connection, params: RespondParams, call: Call) -> RespondResult:
    """Answer it; one that is not open any more is `alreadyResolved`.

    **Raises** `Malformed`: it never was, or it has no such answer, and then it stays open.
    """
    for session_id, followed in connection.followed.items():
        if params.request_id in followed.session.state.questions:
            raise session_busy(session_id)
    for attached in connection.attached.values():
        session = attached.session
        if question := session.state.questions.get(params.request_id):
            _check(connection, question, params.response)
            answer = read_answer(connection.client, question, params.response)
            accepted = session.questions.answer(params.request_id, answer)
            return RespondResult("accepted" if accepted else "alreadyResolved")
    if params.request_id not in connection.asked:
        check_asked((attached.session for attached in connection.attached.values()), params.request_id)
    return RespondResult("alreadyResolved")


def _check(connection: Connection, question: Question, response: Any) -> None:
    """Refuse an outcome or an option that the question does not have. **Raises** `Malformed`."""
    if not is_object(response):
        raise Malformed("params.response must be an object")
    outcomes = FORM_OUTCOMES if question.kind == "form" else CHOICE_OUTCOMES
    if response.get("outcome") not in outcomes:
        raise Malformed(f"params.response.outcome must be one of {', '.join(outcomes)}")
    options = [option.option_id for option in shown_to(connection.client, question).options]
    if response["outcome"] == "selected" and response.get("optionId") not in options:
        raise Malformed(f"params.response.optionId must be one of {', '.join(options)}")

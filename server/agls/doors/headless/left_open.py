"""What the user should know of a run whose process ended: commands that were running, and open questions."""

from collections.abc import Iterable, Iterator

from agls.engine.context import UNKNOWN
from agls.engine.facts import Answered, Asked, Entry, RunEnded, RunStarted
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import AssistantMessage, StopReason, ToolResult, UserMessage
from agls.views.values import call_title

UNKNOWN_OUTCOME = "Outcome unknown: {}. It was running when agls ended; it is not run again by itself."
NOT_ANSWERED = (
    "Not answered: {}. agls ended while it waited for your answer, so this was not done. "
    "If the model still wants it, you are asked again."
)


def left_open(session: Session) -> Iterator[str]:
    """Yield what the end of the process left open, when it interrupted the last run."""
    state = session.state
    if not (state.stop and state.stop.reason is StopReason.INTERRUPTED):
        return
    yield from map(UNKNOWN_OUTCOME.format, _unknown(state))
    yield from map(NOT_ANSWERED.format, _unanswered(session.log.journal.entries()))


def _unknown(state: State) -> Iterator[str]:
    """Yield the calls that were running: nobody knows what they did."""
    calls = {c.call_id: c for m in state.transcript if isinstance(m, AssistantMessage) for c in m.tool_calls}
    for message in reversed(state.transcript):
        if isinstance(message, UserMessage) and message.origin == "user":
            return
        if isinstance(message, ToolResult) and message.text.startswith(UNKNOWN):
            yield call_title(message.name, calls[message.call_id].arguments)


def _unanswered(entries: Iterable[Entry]) -> list[str]:
    """**Returns** the titles of the questions that were open when the last run ended."""
    waiting: dict[str, str] = {}
    for entry in entries:
        match entry.fact:
            case RunStarted():
                waiting = {}
            case Asked(request_id, question):
                waiting[request_id] = question.title
            case Answered(request_id):
                waiting.pop(request_id, None)
            case RunEnded(stop=stop) if stop.reason is not StopReason.INTERRUPTED:
                waiting = {}
            case _:
                pass
    return list(waiting.values())

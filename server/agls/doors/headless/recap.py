"""What somebody sees who goes on with a session: what was said last, and how its last run ended."""

from agls.engine.state import State
from agls.engine.vocabulary import AssistantMessage, StopReason, Text, UserMessage
from agls.frozen import frozen
from agls.short_text import brief, cut

LONGEST_PROMPT, LONGEST_ANSWER = 200, 2000  # characters
ENDED = "The last run ended ({}). {}"


@frozen
class Recap:
    """The last prompt and its answer, both cut, and how the run ended; each is "" where there is none."""

    prompt: str = ""
    answer: str = ""
    ending: str = ""


def recap(state: State, way_on: str) -> Recap:
    """Return what was said last. `way_on` says how to go on with a run that did not come to its end."""
    prompt = answer = ""
    for message in state.transcript:
        match message:
            case UserMessage(content=content, origin="user"):
                prompt, answer = " ".join(part.text for part in content if isinstance(part, Text)), ""
            case AssistantMessage(text=text) if text.strip():
                answer = text
            case _:
                pass
    reason = state.stop.reason if state.stop else StopReason.END_TURN
    is_over = reason is StopReason.END_TURN
    ending = "" if is_over else ENDED.format(reason.replace("_", " "), way_on)
    return Recap(brief(prompt, LONGEST_PROMPT), cut(answer.strip(), LONGEST_ANSWER), ending)

"""What the model reads of plan mode: that it is on, and how to finish; that it is over; the approved plan."""

from agls.engine.prefix_fold import PrefixFold
from agls.engine.state import State
from agls.engine.vocabulary import AssistantMessage, Message, Text, ToolResult, UserMessage
from agls.features.plan.entries import Plan
from agls.features.plan.record import ROOM

PRESENT = "present_plan"  # the tool
PLAN_MODE = "plan"  # among the permission modes
ON = "Plan mode is on: you can read and search, and nothing can be changed. Find out what you need to know,"
TO_APPROVE = f"{ON} then finish with {PRESENT}: the user approves the plan, changes it, or has you go on."
AS_ANSWER = f"{ON} then give the plan as your answer, whole and in Markdown: nobody can approve it now."
OFF = "Plan mode is off: the user wants the work to be done now."
APPROVED_PLAN = "This is the plan that the user approved, word for word. Work by it.\n\n"


def mode_message(state: State, *, planning: bool, offered: bool) -> str:
    """Return what the model must read of the mode, "" when its context has that."""
    known = _known_modes.of(state.context.messages)
    if planning:
        wanted = TO_APPROVE if offered else AS_ANSWER
        return "" if known == wanted else wanted
    return OFF if known not in {"", OFF} else ""


def document_message(plan: Plan, state: State) -> str:
    """Return the approved plan for a model whose context lost it, "" when there is nothing to say."""
    if not plan.document or plan.is_over:
        return ""
    known = _known_documents.of(state.context.messages)
    return "" if plan.document in known else f"{APPROVED_PLAN}{plan.document}"


def _with_modes(known: str, messages: tuple[Message, ...]) -> str:
    return next((mode for message in reversed(messages) if (mode := _mode_in(message))), known)


def _mode_in(message: Message) -> str:
    if isinstance(message, ToolResult):
        return OFF if _is_approval(message) else ""
    text = _text_of_room(message)
    return text if text.startswith(ON) or text == OFF else ""


def _with_documents(known: str, messages: tuple[Message, ...]) -> str:
    for message in messages:
        match message:
            case AssistantMessage(tool_calls=calls):
                presented = (call.arguments.get("plan") for call in calls if call.name == PRESENT)
                known = next((text for text in presented if isinstance(text, str)), known)
            case ToolResult(text=text) if _is_approval(message):
                known = f"{known}\n{text}"
            case _ if (text := _text_of_room(message)).startswith(APPROVED_PLAN):
                known = text
            case _:
                pass
    return known


_known_modes = PrefixFold(str, _with_modes)  # of each session: what its model read of the mode last
_known_documents = PrefixFold(str, _with_documents)  # the texts in which it may have read the approved plan


def _is_approval(result: ToolResult) -> bool:
    return result.name == PRESENT and result.status == "completed"


def _text_of_room(message: Message) -> str:
    match message:
        case UserMessage(content=(Text(text),), origin=origin) if origin == ROOM:
            return text
        case _:
            return ""

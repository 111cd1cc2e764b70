"""The question put to the user, and the words in which the model reads the answer."""

from collections.abc import Sequence

from agls.engine.feature import PermissionAnswer
from agls.engine.ports import Preview
from agls.engine.vocabulary import Answer, Option, Question, ToolOutcome
from agls.features.permissions.decision import Ask, Deny
from agls.features.permissions.grants import SANDBOXED
from agls.features.permissions.look_alikes import warning
from agls.features.permissions.visible import one_line, visible_object
from agls.json_values import is_object, list_in, text_in

ONCE = Option("once", "Allow once", "allow")
REJECT = Option("reject", "Reject", "reject")
LOOKED = Option("looked", "Allow; I looked at these files, approve as before", "allow", "session")
SUGGESTED = "{} suggests to allow without a question: {}. That is a wish of its file and allows nothing."
SANDBOX = Option("sandbox", "Allow commands in the sandbox for this session", "allow", "session", SANDBOXED)
ANOTHER_WAY = "Do not try to do the same another way."
WHY = "Why it needs that: {}"
NOBODY = "Nobody was there to answer."
GO_ON = "Go on without it, and say at the end what could not be done."
CHANGED = (
    "These files decide what runs unasked, and they changed while a command ran: {}. Nothing is approved "
    "automatically until you looked at them."
)


def after_change(files: Sequence[str]) -> Ask:
    """**Returns** the question about a call that would run unasked, had agls's own files not changed."""
    return Ask((CHANGED.format(one_line(", ".join(files))),), more=(LOOKED,))


def suggestion(held: object) -> str:
    """**Returns** what the file of the run's command suggests to allow, as a sentence ("": nothing)."""
    if not is_object(held):
        return ""
    tools = [one_line(str(tool)) for tool in list_in(held.get("tools"))]
    return SUGGESTED.format(one_line(text_in(held.get("by"))), ", ".join(tools)) if tools else ""


def question(call_id: str, preview: Preview, ask: Ask) -> Question:
    """**Returns** the question: the exact effect, the reason, and the answers, always in the same order."""
    return Question(
        kind="permission",
        title=one_line(preview.title),
        reason=" ".join(filter(None, (warning(preview.title, preview.subject), *ask.reasons))),
        call_id=call_id,
        subject=visible_object(preview.subject),
        options=_options(ask),
    )


def chosen(answer: Answer, asked: Question) -> Option:
    """**Returns** the chosen option; an answer that is no clear yes is a no."""
    known = {option.option_id: option for option in asked.options}
    return known.get(answer.option_id, REJECT) if answer.outcome == "selected" else REJECT


def denial(start: str, deny: Deny) -> ToolOutcome:
    """**Returns** the outcome of a denied call: a line for everybody, then the advice for the model."""
    text = "\n".join(filter(None, (f"{start}: {deny.reason}", deny.advice)))
    return ToolOutcome(text, status="rejected", refused_by=deny.by)


def hook_refusal(answer: PermissionAnswer) -> ToolOutcome:
    """**Returns** the outcome when a hook refused in the user's place."""
    text = f"Not run: {answer.by} refused it. {answer.reason}".strip()
    return ToolOutcome(f"{text}\n{ANOTHER_WAY}", status="rejected", refused_by="hook")


def refusal(answer: Answer, outside: str = "", reasons: Sequence[str] = ()) -> ToolOutcome:
    """**Returns** the outcome when the user did not say yes: a line for everybody, then some for the model.

    `outside` says of a path that it is outside of the workspace, `reasons` why it needs an answer at all.
    """
    if answer.outcome == "unanswered":
        why = [] if outside else [WHY.format(" ".join(reasons))] if reasons else []
        said = f"Not run: it needs the user's permission. {answer.feedback or NOBODY}"
        text = "\n".join([said, *why, GO_ON])
    elif answer.outcome == "cancelled":
        text = "Not run: the question was withdrawn before the user answered it."
    else:
        text = "Not run: the user said no."
        text += f" They said: {answer.feedback}" if answer.feedback else f"\n{ANOTHER_WAY}"
    by = "user" if answer.outcome in {"selected", "dismissed", "declined"} else "nobody"
    return ToolOutcome("\n".join(filter(None, (text, outside))), status="rejected", refused_by=by)


def _options(ask: Ask) -> tuple[Option, ...]:
    if not ask.rules:
        return ONCE, *ask.more, REJECT
    rule = "\n".join(ask.rules)
    session = Option("session", "Allow for this session", "allow", "session", rule)
    if all(each.startswith("edit(") and not each.startswith("edit(/") for each in ask.rules):
        session = Option("session", "Allow all edits in this session", "allow", "session", "edit")
    project = Option("project", "Allow for this project", "allow", "project", rule)
    return ONCE, session, project, *ask.more, REJECT

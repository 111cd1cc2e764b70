"""The question put to the user, and the words in which the model reads the answer."""

from collections.abc import Sequence

from agls.engine.ports import Preview
from agls.engine.vocabulary import Answer, Option, Question, ToolOutcome
from agls.features.permissions.decision import Ask
from agls.features.permissions.visible import one_line, visible_object

ONCE = Option("once", "Allow once", "allow")
REJECT = Option("reject", "Reject", "reject")
LOOKED = Option("looked", "Allow; I looked at these files, approve as before", "allow", "session")
CHANGED = (
    "These files decide what runs unasked, and they changed while a command ran: {}. Nothing is approved "
    "automatically until you looked at them."
)


def after_change(files: Sequence[str]) -> Ask:
    """What would have run unasked, had agls's own files not changed while a command ran."""
    return Ask((CHANGED.format(one_line(", ".join(files))),), more=(LOOKED,))


def question(call_id: str, preview: Preview, ask: Ask) -> Question:
    """What the user sees: what exactly would happen, why it is asked, always the same order of answers."""
    return Question(
        kind="permission",
        title=one_line(preview.title),
        reason=" ".join(ask.reasons),
        call_id=call_id,
        subject=visible_object(preview.subject),
        options=_options(ask),
    )


def chosen(answer: Answer, asked: Question) -> Option:
    """The option the answer means; whatever is no clear yes is a no."""
    known = {option.option_id: option for option in asked.options}
    return known.get(answer.option_id, REJECT) if answer.outcome == "selected" else REJECT


def refusal(answer: Answer) -> ToolOutcome:
    """What the model reads when the user did not say yes."""
    if answer.outcome == "unanswered":
        text = (
            "Not run: it needs the user's permission and nobody is there to give it. Go on without it, "
            "and say at the end what could not be done."
        )
    elif answer.outcome == "cancelled":
        text = "Not run: the question was withdrawn before the user answered it."
    else:
        text = "Not run: the user said no."
        text += (
            f" They said: {answer.feedback}" if answer.feedback else " Do not try to do the same another way."
        )
    return ToolOutcome(text, status="rejected")


def _options(ask: Ask) -> tuple[Option, ...]:
    if not ask.rules:
        return ONCE, *ask.more, REJECT
    rule = "\n".join(ask.rules)
    session = Option("session", "Allow for this session", "allow", "session", rule)
    if all(each.startswith("edit(") and not each.startswith("edit(/") for each in ask.rules):
        session = Option("session", "Allow all edits in this session", "allow", "session", "edit")
    project = Option("project", "Allow for this project", "allow", "project", rule)
    return ONCE, session, project, REJECT

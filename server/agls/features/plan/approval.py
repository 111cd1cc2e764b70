"""The question whether a plan is approved, and the answer to it: of a person, or prepared for a script."""

from collections.abc import Sequence

from agls.engine.state import State
from agls.engine.vocabulary import Answer, Option, Question
from agls.features.plan.record import PREPARED, ROOM
from agls.frozen import frozen
from agls.modes import Mode, is_mode
from agls.room.prepared_answers import PreparedAnswer, prepared_answer

TITLE = "Approve this plan?"
REASON = "Nothing has been changed yet. If you approve, the session leaves plan mode and the agent begins."
OPTIONS = (
    Option("ask", "Approve and ask first", "allow"),
    Option("acceptEdits", "Approve and accept edits", "allow", "session"),
    Option("reject", "Keep planning", "reject"),
)
WORDS = {"approve": "ask", "yes": "ask", **{option.label.casefold(): option.option_id for option in OPTIONS}}


@frozen(kw_only=True)
class Decision:
    """An answer: the `mode` to go on in (`None`: go on planning), a comment, the plan as the user changed it.

    `key` is that of a prepared answer. A person is `absent` when no answer came; `comment` says why.
    """

    mode: Mode | None = None
    comment: str = ""
    edited: str = ""
    key: str = ""
    absent: bool = False


def question(plan: str, call_id: str) -> Question:
    """Return the question whether this plan is approved."""
    return Question("plan", TITLE, REASON, call_id, {"type": "plan", "plan": plan}, OPTIONS)


def by_person(answer: Answer, plan: str, longest: int) -> Decision:
    """Return what a person decided about a plan; an answer that is no clear yes is a no."""
    changed = (answer.input or {}).get("plan", "")
    edited = changed.strip() if isinstance(changed, str) and len(changed) <= longest else ""
    return Decision(
        mode=_mode_of(answer.option_id) if answer.outcome == "selected" else None,
        comment=answer.feedback,
        edited="" if edited == plan.strip() else edited,
        absent=answer.outcome == "unanswered",
    )


def deciding(answers: Sequence[PreparedAnswer]) -> Sequence[PreparedAnswer]:
    """Return the answers that may be for plans: those for any question only where they name an option."""
    return [each for each in answers if each.question or _option_id(each.answer)]


def by_prepared(answers: Sequence[PreparedAnswer], state: State) -> Decision | None:
    """Return what a prepared answer decides, `None` when none is left that fits.

    It is an option (its id or its label), `approve`, or a comment with which the model goes on planning.
    """
    used = {str(note.data["key"]) for note in state.notes.get(ROOM, ()) if note.kind == PREPARED}
    found = prepared_answer(deciding(answers), TITLE, frozenset(used))
    if found is None:
        return None
    chosen = _option_id(found.answer)
    return Decision(mode=_mode_of(chosen), comment="" if chosen else found.answer, key=found.key)


def _option_id(words: str) -> str:
    known = {option.option_id.casefold(): option.option_id for option in OPTIONS} | WORDS
    return known.get(" ".join(words.casefold().split()), "")


def _mode_of(option_id: str) -> Mode | None:
    return option_id if is_mode(option_id) else None

"""What a model is asked: a text, the place in it, and what somebody wants there."""

from collections.abc import Sequence

from agls.engine.ports import ModelRequest, new_id
from agls.engine.vocabulary import Text, UserMessage
from agls.frozen import frozen
from agls.regex import regex

AROUND = 12_000  # characters of the text before the place, and as many behind it
CLOSE = 4_000  # the same for a completion, which must be quick
LONGEST_COMPLETION = 256  # tokens
LINE_END = regex(r"\r\n|\n|\r")
EDIT = """\
You change code in an editor. You are shown a file, a part of it that is selected, and what the user wants. \
Answer with the text that takes the place of the selection, and with nothing else: no explanation, no marks \
around it, nothing of what stands before or behind the selection. Keep the indentation, the style and \
whatever the wish does not concern. Where nothing is selected, answer with the text to insert there."""
COMPLETE = """\
You complete code in an editor while the user types. You are shown a file with <cursor/> where the cursor \
is. Answer with the text to insert there, and with nothing else: no explanation, no marks around it, nothing \
that stands there already. Finish the line or the few lines that the user has begun, and then stop. Answer \
with nothing where there is nothing sensible to add."""


@frozen
class Selection:
    """A part of a text, from `start` up to `end` (offsets), in the file that is called so."""

    name: str
    text: str
    start: int
    end: int

    @property
    def selected(self) -> str:
        """The part."""
        return self.text[self.start : self.end]


@frozen
class EditTry:
    """What somebody wanted before, and what they got: now they want something else of it."""

    instruction: str
    text: str


@frozen
class EditWish:
    """What somebody wants at a place; `problems` are what is shown as wrong there, a line each."""

    instruction: str
    problems: Sequence[str] = ()
    attempts: Sequence[EditTry] = ()


def whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """**Returns** the lines of a selection, from the beginning of the first to the end of the last one.

    A line at whose beginning the selection ends is not one of them.
    """
    first = max((end_.end() for end_ in LINE_END.finditer(text, 0, start)), default=0)
    if end > start and end > first and text[end - 1] in "\r\n":
        end -= 2 if text[end - 2 : end] == "\r\n" else 1
    last = LINE_END.search(text, max(first, end))
    return first, last.start() if last else len(text)


def edit_request(place: Selection, wish: EditWish) -> ModelRequest:
    """**Returns** what the model is asked for an edit."""
    before, behind = place.text[: place.start][-AROUND:], place.text[place.end :][:AROUND]
    parts = [f"The file is {place.name}.", f"<before>\n{before}\n</before>"]
    parts += [f"<selection>\n{place.selected}\n</selection>", f"<behind>\n{behind}\n</behind>"]
    if wish.problems:
        parts.append("The editor shows these problems:\n" + "\n".join(f"- {one}" for one in wish.problems))
    for attempt in wish.attempts:
        parts.append(f"I wanted: {attempt.instruction}\nYou answered:\n<answer>\n{attempt.text}\n</answer>")
    wanted = "I want something else now" if wish.attempts else "I want"
    return _asked(EDIT, "\n\n".join([*parts, f"{wanted}: {wish.instruction}"]))


def completion_request(place: Selection) -> ModelRequest:
    """**Returns** what the model is asked for a completion at the start of the place."""
    before, behind = place.text[: place.start][-CLOSE:], place.text[place.end :][:CLOSE]
    question = f"The file is {place.name}.\n\n<file>\n{before}<cursor/>{behind}\n</file>"
    return _asked(COMPLETE, question, LONGEST_COMPLETION)


def _asked(system: str, question: str, most: int | None = None) -> ModelRequest:
    message = UserMessage(new_id("item"), (Text(question),))
    return ModelRequest(new_id("item"), system, (message,), max_output_tokens=most)

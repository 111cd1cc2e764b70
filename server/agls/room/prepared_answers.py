"""Answers that were prepared before the model asked: for scripts, and for questions that come again."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from agls.room import RunOption, Table

OPTION = "answers"
SUCH = 'write a list such as [{"question": "…", "answer": "…"}]'


class PreparedAnswer(Table):
    """An answer, and the question that it is for; without a question it answers any."""

    answer: str = Field(min_length=1)
    question: str = Field(default="", description="all of it, or with match = contains a part of it")
    match: Literal["exact", "contains"] = "exact"
    once: bool = Field(default=False, description="whether it answers one question of a session only")

    @property
    def key(self) -> str:
        """Identifies the answer in notes."""
        return sha256(self.model_dump_json().encode()).hexdigest()[:12]

    def fits(self, question: str) -> bool:
        """Return whether it is for this question; upper and lower case and white space do not matter."""
        wanted, asked = plain(self.question), plain(question)
        return not wanted or (wanted in asked if self.match == "contains" else wanted == asked)


_LIST = TypeAdapter(tuple[PreparedAnswer, ...], config=ConfigDict(defer_build=True))


def plain(text: str) -> str:
    """Return a text without what does not matter when two are compared: case and white space."""
    return " ".join(text.casefold().split())


def complaint(value: object) -> str:
    """Return what is wrong with the value of the option, "" for nothing."""
    try:
        _LIST.validate_python(value)
    except ValidationError as error:
        return f"{_explained(error.errors(include_url=False)[0])}; {SUCH}"
    return ""


def _explained(problem: Mapping[str, Any]) -> str:
    match problem["loc"], problem["type"]:
        case (int(index), *_, str(key)), "missing":
            return f"answer {index + 1} has no {key!r}"
        case (int(index), *_, str(key)), "extra_forbidden":
            return f"answer {index + 1} has {key!r}, which means nothing"
        case (int(index), *rest), _:
            return f"answer {index + 1}: {'.'.join(map(str, rest))}: {problem['msg']}"
        case _:
            return "they are no list"


ANSWERS = RunOption(OPTION, complaint=complaint)


def check(settings: object, options: Mapping[str, object]) -> None:
    """Refuse answers that nobody can read. **Raises** `ValueError`."""
    if OPTION in options and (wrong := complaint(options[OPTION])):
        raise ValueError(f"{OPTION}: {wrong}")


def answers_of(
    options: Mapping[str, object], configured: Sequence[PreparedAnswer]
) -> Sequence[PreparedAnswer]:
    """Return the answers for a run: its own before those of the configuration."""
    own = _LIST.validate_python(options[OPTION]) if OPTION in options else ()
    return (*own, *configured)


def prepared_answer(
    answers: Sequence[PreparedAnswer], question: str, used: frozenset[str]
) -> PreparedAnswer | None:
    """Return the first answer for this question, exact ones first; `None` when none is left."""
    left = [each for each in answers if each.fits(question) and not (each.once and each.key in used)]
    ranks = {"exact": 0, "contains": 1}
    return min(left, key=lambda each: ranks[each.match] if each.question else 2, default=None)

"""Answers that are asked for again and again: every run asks several times, nearly always for the same."""

from collections import deque
from collections.abc import Callable
from typing import TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")
REMEMBERED = 8  # answers of a kind: configurations that are in use at once


def recalled(known: deque[tuple[Question, Answer]], question: Question, find: Callable[[], Answer]) -> Answer:
    """**Returns** the answer to an equal question, or what `find` finds, which is remembered."""
    for asked, answer in known:
        if asked == question:
            return answer
    known.append((question, find()))
    return known[-1][1]

"""Edits at the cursor, and completion while somebody types: one question to a model, and no session.

Nothing is written: who asks gets the text that would stand there. Every door may ask (docs/decisions/1100).
"""

from agls.inline_edit.answers import CodeStream
from agls.inline_edit.editing import Edited, InlineEditor, InlineError
from agls.inline_edit.questions import EditTry, EditWish, Selection, whole_lines

__all__ = [
    "CodeStream",
    "EditTry",
    "EditWish",
    "Edited",
    "InlineEditor",
    "InlineError",
    "Selection",
    "whole_lines",
]

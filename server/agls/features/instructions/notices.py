"""Notices to the user about instruction files that the model does not see, or sees only a part of."""

from collections.abc import Iterator, Sequence

from agls.engine.facts import Notice
from agls.instruction_files import FittedText, Survey


def notices(survey: Survey, texts: Sequence[FittedText]) -> Iterator[Notice]:
    """Yield a notice for each file that the model does not see whole for a reason that can be mended."""
    for left_out in survey.omitted:
        if left_out.problem:
            text = f"{left_out.path}: {left_out.why}"
            yield Notice("warning", "Project instructions are not used", text)
    for text in texts:
        if text.cut:
            size = len(text.source.text)
            said = f"Only the first {size - text.cut:,} of its {size:,} characters are used."
            yield Notice("warning", f"{text.source.path} is long", said)

"""Buffers text and thinking, so that the pieces of one read become one delta."""

from typing import Literal

from agls.models.unicode import valid_unicode

DeltaKind = Literal["text", "thinking"]


class DeltaBuffer:
    """Collects pieces in their order, and joins neighbours of one kind."""

    def __init__(self) -> None:
        self._runs: list[tuple[DeltaKind, list[str]]] = []

    def add(self, kind: DeltaKind, text: str) -> None:
        """Append a piece, which may be empty."""
        if self._runs and self._runs[-1][0] == kind:
            self._runs[-1][1].append(text)
        elif text:
            self._runs.append((kind, [text]))

    def taken(self, *, final: bool = False) -> list[tuple[DeltaKind, str]]:
        """Return and clear the pieces. Half of a surrogate pair waits for the rest unless `final`."""
        runs: list[tuple[DeltaKind, str]] = [(kind, "".join(texts)) for kind, texts in self._runs]
        self._runs = []
        if runs and not final and "\ud800" <= runs[-1][1][-1] <= "\udbff":
            kind, text = runs.pop()
            self._runs = [(kind, [text[-1]])]
            runs.append((kind, text[:-1]))
        return [(kind, valid_unicode(text)) for kind, text in runs if text]

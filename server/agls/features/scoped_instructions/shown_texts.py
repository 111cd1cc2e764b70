"""Which instructions for single files the model has seen, and which of them it lacks now."""

from collections.abc import Mapping, Sequence
from typing import Any

from agls.engine.prefix_fold import PrefixFold
from agls.engine.state import Note, State
from agls.engine.vocabulary import JsonObject, Message, UserMessage
from agls.frozen import frozen
from agls.instruction_files import FittedText, InstructionFiles, fitted

ROOM = "scoped_instructions"
SHOWN = "told"  # the kind of the notes in journals
FOR_FILES = "These instructions are for files that you work on now. They count like those of the project."
GONE = "These do not count any more: {}"


@frozen
class ShownText:
    """A text that the model was shown: its digest and length, the message that has it, and its files."""

    digest: str
    size: int
    item_id: str
    touched: tuple[str, ...]


ShownTexts = Mapping[str, ShownText]


def shown_in(notes: tuple[Note, ...]) -> ShownTexts:
    """Return the texts that the notes of this room list, by the paths of the instruction files."""
    shown: dict[str, ShownText] = {}
    for note in notes:
        if note.kind == SHOWN:
            shown = {path: _text_of(row) for path, row in note.data["files"].items()}
    return shown


def _text_of(row: Mapping[str, Any]) -> ShownText:
    return ShownText(row["digest"], row["size"], row["itemId"], tuple(row["touched"]))


def _with_items(known: frozenset[str], messages: tuple[Message, ...]) -> frozenset[str]:
    new = [m.item_id for m in messages if isinstance(m, UserMessage) and m.origin == ROOM]
    return known.union(new) if new else known


_items = PrefixFold(frozenset[str], _with_items)
"""The messages of this room that the model still sees."""


class ScopedTexts:
    """The instructions for the files that were touched."""

    def __init__(self, files: InstructionFiles) -> None:
        self._files = files

    def must_look(self, state: State, shown: ShownTexts) -> bool:
        """Return whether a text that was shown may have changed, or has left the context."""
        return bool(shown) and (not state.run.turns or bool(self._lost(state, shown)))

    def missing(
        self, state: State, shown: ShownTexts, new: Sequence[str]
    ) -> tuple[Sequence[FittedText], Sequence[str]]:
        """Return the texts that the model lacks, as far as they fit, and the files that are gone."""
        lost = self._lost(state, shown)
        before = {path for row in shown.values() for path in row.touched}
        found = self._files.touched([*before, *new])
        fresh = [
            text
            for text in found.always + tuple(t for t in found.texts if t.when == "touched")
            if text.path in lost or text.path not in shown or shown[text.path].digest != text.digest
        ]
        names = {text.path for text in found.texts}
        gone = [path for path in shown if path not in names and shown[path].digest]
        if not fresh:
            return (), gone
        settings = self._files.settings
        first = sum(min(len(text.text), settings.file_limit) for text in self._files.survey().always)
        kept = sum(row.size for path, row in shown.items() if path not in {text.path for text in fresh})
        return fitted(fresh, settings.limit - first - kept, settings.file_limit), gone

    def noted(
        self,
        shown: ShownTexts,
        new: Sequence[str],
        texts: Sequence[FittedText],
        gone: Sequence[str],
        item_id: str,
    ) -> JsonObject:
        """Return the note that goes with a message."""
        rows = {path: row for path, row in shown.items() if path not in gone}
        for text in texts:
            path, size = text.source.path, len(text.source.text) - text.cut
            touched = rows[path].touched if path in rows else self._fitting(text, new)
            rows[path] = ShownText(text.source.digest, size, item_id, touched)
        return {"files": {path: _row(row) for path, row in rows.items()}}

    def _fitting(self, text: FittedText, new: Sequence[str]) -> tuple[str, ...]:
        """Return a touched file that this text is for; the text is found again by it later."""
        for path in new:
            if any(each.path == text.source.path for each in self._files.touched([path]).texts):
                return (path,)
        return ()

    def _lost(self, state: State, shown: ShownTexts) -> frozenset[str]:
        """Return the files whose texts were shown and have left the context since."""
        seen = _items.of(state.context.messages)
        return frozenset(path for path, row in shown.items() if row.item_id not in seen)


def words(texts: Sequence[FittedText], gone: Sequence[str]) -> str:
    """Return the message for the model."""
    sections = [FOR_FILES] if texts else []
    for text in texts:
        content = text.text.strip().replace("</project-file", "<\\/project-file")
        path = text.source.path.replace('"', "'")
        sections.append(f'<project-file path="{path}">\n{content}\n</project-file>')
    return "\n\n".join([*sections, *([GONE.format(", ".join(gone))] if gone else [])])


def _row(row: ShownText) -> JsonObject:
    return {"digest": row.digest, "size": row.size, "itemId": row.item_id, "touched": list(row.touched)}

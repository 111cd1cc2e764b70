"""Which version of each file the model of this session last saw; kept as notes, so it survives a resume."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple

from agls.engine.feature import RunView
from agls.engine.ports import FileText, WorkspaceError
from agls.engine.prefix_fold import PrefixFold
from agls.engine.state import Note
from agls.engine.vocabulary import FileVersion, JsonObject
from agls.redaction import without_keys
from agls.room.process_ports import HeldKeys
from agls.terminal_codes import KEY_MARK

from .lines import flatten
from .texts import Texts

NAME = "files"
SAW, MADE = "saw", "made"  # kinds of notes
MADE_BEFORE = "\nThis very edit was made before in this session: it is probably already there."
EDIT = "edit"  # what a note has besides, where an edit led to the version
UNREAD = "unread"  # the same, where some lines of the version were not shown: the first and last of each part
IN_PART = (
    "{} was read only in part: lines {} of it, as it is now, were not shown, and all of it would be "
    "replaced. Read the rest first, or change what is to change with edit_file."
)
LOSES_KEY = (
    f"{{}}: the new text has {KEY_MARK} where the file has a key of the user, which is not shown to you; "
    "nothing was changed. Change the lines around it with edit_file."
)
Spans = Sequence[Sequence[int]]


def _with_versions(known: Mapping[str, str], notes: Sequence[Note]) -> Mapping[str, str]:
    """Return a new mapping."""
    saws = {note.data["uri"]: note.data["hash"] for note in notes if note.kind == SAW}
    return {**known, **saws} if saws else known


versions = PrefixFold[Mapping[str, str]](dict[str, str], _with_versions)
"""The hash of each file as the model last saw it, by URI."""


def _with_edits(known: frozenset[str], notes: Sequence[Note]) -> frozenset[str]:
    """Return the known edits and those in these notes."""
    made = {note.data[EDIT] for note in notes if EDIT in note.data}
    return known | made if made else known


edits = PrefixFold[frozenset[str]](frozenset[str], _with_edits)
"""The edits that were made in the session, as hashes."""


def _with_unread(known: Mapping[str, Spans], notes: Sequence[Note]) -> Mapping[str, Spans]:
    """Return a new mapping."""
    spans = {note.data["uri"]: note.data.get(UNREAD, ()) for note in notes if note.kind == SAW}
    return {**known, **spans} if spans else known


unread = PrefixFold[Mapping[str, Spans]](dict[str, Spans], _with_unread)
"""The lines of each file that the model was not shown, by URI."""


def without_lines(spans: Spans, first: int, last: int) -> Spans:
    """Return what is left of some parts of a file when these lines were shown."""
    left = [(begin, min(end, first - 1)) for begin, end in spans]
    left += [(max(begin, last + 1), end) for begin, end in spans]
    return sorted({(begin, end) for begin, end in left if begin <= end})


def edit_key(uri: str, what: str) -> str:
    """Return the hash of an edit of a file: the same edit has the same one."""
    return sha256(f"{uri}\0{what}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


class ShownLines(NamedTuple):
    """The first and the last line of a page, and how many lines there are."""

    first: int
    last: int
    total: int


class FileMemory:
    """What the model knows of files: the notes of the run that it sees, and what they say the texts are."""

    def __init__(self, keys: HeldKeys) -> None:
        self.texts = Texts()
        self._keys = keys
        self._view: RunView | None = None

    def see(self, view: RunView) -> None:
        """From now on this run says what the model knows, and keeps what it learns."""
        self._view = view

    def saw(self, uri: str, version: FileVersion, text: str, edit: str = "") -> None:
        """Record that the model knows this version and its text, and the `edit` that led to it."""
        self._know(uri, version.hash, text, edit, self._unread_behind(uri, text) if edit else ())

    def read(self, uri: str, version: FileVersion, text: str, page: ShownLines) -> None:
        """Record that the model was shown some lines of this version."""
        before = self._unread(uri) if self._seen(uri) == version.hash else [(1, page.total)]
        self._know(uri, version.hash, text, "", without_lines(before, page.first, page.last))

    def moved(self, source: str, uri: str, version: FileVersion, text: str, edit: str = "") -> None:
        """Record what the model knows of a file at its new place: as much as it knew at the old one."""
        if self.knows(source) and (edit or self._seen(source) == version.hash):
            spans = self._unread(source)
            self._know(uri, version.hash, text, edit, _all_of(text) if edit and spans else spans)

    def imagined(self, uri: str, text: str, edit: str = "") -> None:
        """The model knows this text, but the file holds more: it may edit that, not write over it."""
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        self._know(uri, digest, text, edit, self._unread_behind(uri, text))

    def made(self, uri: str, edit: str) -> None:
        """Record an edit of a file of which the model does not know the whole text."""
        if self._view and edit:
            self._view.note(NAME, MADE, {"uri": uri, EDIT: edit})

    def has_made(self, edit: str) -> bool:
        """Whether this edit was made in the session."""
        return self._view is not None and edit in edits.of(_notes(self._view))

    def text_of(self, uri: str) -> str | None:
        """The text the model knows, `None` when only its hash is known."""
        seen = self._seen(uri)
        return None if seen is None else self.texts.find(uri, seen)

    def shared(self, file: FileText) -> FileText:
        """Return the file, with the text that is known already where that is the same."""
        known = self.texts.find(file.place.uri, file.version.hash)
        return replace(file, text=known) if known == file.text else file

    def holding(self, part: str) -> Sequence[str]:
        """The files that the model knows and in whose text this part stands, by URI."""
        return [uri for uri, digest in self.texts.holding(part) if self._seen(uri) == digest]

    def unknown(self, uri: str) -> None:
        """Nobody knows what became of the text: only its hash still counts."""
        if seen := self._seen(uri):
            self.texts.drop(uri, seen)

    def knows(self, uri: str) -> bool:
        """Whether the model read this file, or wrote it."""
        return self._seen(uri) is not None

    def check(self, file: FileText) -> None:
        """Raise `WorkspaceError` unless the model knows this very text."""
        seen, shown = self._seen(file.place.uri), file.place.shown
        if seen is None:
            raise WorkspaceError(f"{shown} was not read in this session. Read it first, then change it.")
        if seen != file.version.hash:
            raise WorkspaceError(f"{shown} has changed since it was read. Read it again, then change it.")

    def check_whole(self, file: FileText) -> None:
        """Raise `WorkspaceError` unless the model was shown all of this very text."""
        self.check(file)
        if spans := self._unread(file.place.uri):
            lines = " and ".join(f"{first} to {last}" for first, last in spans)
            raise WorkspaceError(IN_PART.format(file.place.shown, lines))

    def check_keys(self, file: FileText, text: str) -> None:
        """Raise `WorkspaceError` if the new text has a mark where the file has a key, unseen by the model."""
        more_marks = text.count(KEY_MARK) - file.text.count(KEY_MARK)
        if more_marks > 0 and self._count_keys(text) < self._count_keys(file.text):
            raise WorkspaceError(LOSES_KEY.format(file.place.shown))

    def _count_keys(self, text: str) -> int:
        return without_keys(self._keys(), text).count(KEY_MARK) - text.count(KEY_MARK)

    def _know(self, uri: str, digest: str, text: str, edit: str, spans: Spans) -> None:
        self.texts.keep(uri, digest, text)
        if edit or self._seen(uri) != digest or list(spans) != [*map(tuple, self._unread(uri))]:
            data: JsonObject = {"uri": uri, "hash": digest, **({EDIT: edit} if edit else {})}
            if spans:
                data[UNREAD] = [list(span) for span in spans]
            if self._view:
                self._view.note(NAME, SAW, data)

    def _unread(self, uri: str) -> Spans:
        return () if self._view is None else unread.of(_notes(self._view)).get(uri, ())

    def _unread_behind(self, uri: str, text: str) -> Spans:
        """Return what counts as unread when an edit made this text: all of it, if some of it was unread."""
        return _all_of(text) if self._unread(uri) else ()

    def _seen(self, uri: str) -> str | None:
        return None if self._view is None else versions.of(_notes(self._view)).get(uri)


def _all_of(text: str) -> Spans:
    return [(1, flatten(text).removesuffix("\n").count("\n") + 1)]


def _notes(view: RunView) -> tuple[Note, ...]:
    return view.state.notes.get(NAME, ())

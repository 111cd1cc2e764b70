"""An editor with a user at it, as the far end of LSP: it applies edits, and misbehaves when it is told to.

It counts positions by itself, so that it and the server can be wrong only independently.
"""

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from support.wire import Wire

Message = dict[str, Any]
Notify = Callable[[str, Message], None]
LINE_END = re.compile(r"\r\n|\n|\r")
UNIT = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
CAPABILITIES: Message = {"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}}


def nothing() -> None:
    """Nothing happens."""


def as_it_is(text: str) -> str:
    """Nothing is changed."""
    return text


@dataclass
class Manners:
    """How this editor treats an edit it is asked to apply. All of it good by default.

    `before` happens when the edit arrives, before its version is looked at; `behind` right after it was
    applied and before the answer. `refusal` is the whole answer to everything. `half` applies the first
    half of the new text and refuses. `lies` says that it applied what it did not; `shrugs` says so of an
    edit of an old version (Neovim). `late` tells changes after the answer, several in one; `whole` tells each
    as the whole text, `pieces` as several in one notification. `step` is what each adds to the version.
    `formats` is applied to the new text, `on_save` to the whole text when it is saved; `before_save` happens
    when it is asked to save.
    """

    before: Callable[[], None] = nothing
    behind: Callable[[], None] = nothing
    refusal: Message | None = None
    half: bool = False
    lies: bool = False
    shrugs: bool = False
    late: bool = False
    whole: bool = False
    pieces: bool = False
    step: int = 1
    formats: Callable[[str], str] = as_it_is
    on_save: Callable[[str], str] = as_it_is
    before_save: Callable[[], None] = nothing


@dataclass
class Document:
    """An open document. `undo` holds what each step of the user's undo would bring back, with its label."""

    uri: str
    text: str
    version: int = 1
    saved: str = ""
    undo: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


class LspEditor:
    """Open documents; what the user does to them is told by `notify` like any editor tells it.

    `lag` is how many seconds it is late when it is late; with `None` it waits for `flush`.
    """

    def __init__(self, notify: Notify, encoding: str = "utf-16", lag: float | None = 0.05) -> None:
        self.notify, self._encoding, self._lag = notify, encoding, lag
        self.documents: dict[str, Document] = {}
        self.manners = Manners()
        self.asked: list[Message] = []  # the params of every `workspace/applyEdit`
        self.saves: list[str] = []
        self._untold: dict[str, None] = {}
        self._lock = threading.RLock()

    # --- the user ---

    def open(self, uri: str, text: str, *, unsaved: bool = False, version: int = 1) -> Document:
        """Open a document; `unsaved` when the editor brings back what was never saved."""
        document = self.documents[uri] = Document(uri, text, version, saved="" if unsaved else text)
        self._tell("textDocument/didOpen", uri, languageId="text", version=version, text=text)
        return document

    def open_file(self, path: Path, *, version: int = 1) -> Document:
        """Open a file as it is on the disk, line ends and all."""
        return self.open(path.as_uri(), path.read_bytes().decode("utf-8-sig"), version=version)

    def type(self, uri: str, at: int, text: str, *, over: int = 0) -> None:
        """Type at an offset, over that many characters."""
        self._change(uri, at, at + over, text, "typing")

    def type_where(self, uri: str, where: Callable[[str], int], text: str) -> None:
        """Type where it is right for the text of this moment, whatever else goes on."""
        with self._lock:
            self.type(uri, where(self.documents[uri].text), text)

    def append(self, uri: str, text: str) -> None:
        """Type at the end."""
        self.type(uri, len(self.documents[uri].text), text)

    def undo(self, uri: str) -> str:
        """Undo one step; gives its label."""
        document = self.documents[uri]
        label, before = document.undo.pop()
        self._change(uri, 0, len(document.text), before, "undo")
        document.undo.pop()
        return label

    def save(self, uri: str) -> None:
        """Save, formatters first."""
        document = self.documents[uri]
        if (formatted := self.manners.on_save(document.text)) != document.text:
            self._change(uri, 0, len(document.text), formatted, "format on save")
        document.saved = document.text
        self.saves.append(uri)
        self.flush()
        _path(uri).write_bytes(document.text.encode())
        self._tell("textDocument/didSave", uri)

    def close(self, uri: str) -> None:
        """Close a document."""
        del self.documents[uri]
        self._tell("textDocument/didClose", uri)

    def rename(self, uri: str, new: str) -> None:
        """Rename the file of a document, as an editor does: the old one is closed, the new one opened."""
        document = self.documents[uri]
        if _path(uri).exists():
            _path(uri).rename(_path(new))
        self.close(uri)
        self.open(new, document.text, version=document.version + 1)

    def reload(self, uri: str) -> None:
        """Take in what the disk holds."""
        document, disk = self.documents[uri], _path(uri).read_bytes().decode("utf-8-sig")
        document.saved = disk
        self._change(uri, 0, len(document.text), disk, "reload")

    def once(self, action: Callable[[], None]) -> None:
        """Do this when the next edit arrives, before it is looked at."""

        def act() -> None:
            self.manners.before = nothing
            action()

        self.manners.before = act

    # --- what the server asks ---

    def save_all(self, params: Message) -> Message:
        """Answer `agent/saveDocuments`: a version that is not there any more is not saved."""
        saved: list[str] = []
        failed: list[Message] = []
        self.manners.before_save()
        for document in params["documents"]:
            uri, known = document["uri"], self.documents.get(document["uri"])
            if known is None or known.version != document["version"]:
                failed.append({"uri": uri, "message": "it was changed meanwhile"})
                continue
            self.save(uri)
            saved.append(uri)
        return {"saved": saved, "failed": failed}

    def apply(self, params: Message) -> Message:
        """Answer `workspace/applyEdit`, with good manners or without."""
        self.asked.append(params)
        manners = self.manners
        manners.before()
        if manners.refusal is not None:
            return manners.refusal
        (change,) = params["edit"]["documentChanges"]
        (edit,) = change["edits"]
        document = self.documents.get(change["textDocument"]["uri"])
        if document is None:
            return {"applied": False, "failureReason": "no such document", "failedChange": 0}
        with self._lock:
            if change["textDocument"]["version"] != document.version:
                return {"applied": manners.shrugs, "failureReason": "it is newer", "failedChange": 0}
            if manners.lies:
                return {"applied": True}
            self._apply(document, edit, params["label"])
        manners.behind()
        if manners.half:
            return {"applied": False, "failureReason": "out of memory", "failedChange": 0}
        return {"applied": True}

    def _apply(self, document: Document, edit: Message, label: str) -> None:
        start, end = (self.offset(document.text, edit["range"][name]) for name in ("start", "end"))
        new = self.manners.formats(edit["newText"])
        if self.manners.half:
            new = new[: len(new) // 2]
        self._change(document.uri, start, end, new, label)

    # --- telling ---

    def offset(self, text: str, position: Message) -> int:
        """Where a position is: what is before it, cut off in the units of the encoding."""
        codec, size = UNIT[self._encoding]
        number: int = position["line"]
        starts = [0, *(match.end() for match in LINE_END.finditer(text)), len(text)]
        start = starts[number]
        line = LINE_END.split(text[start:], maxsplit=1)[0]
        head = line.encode(codec)[: position["character"] * size].decode(codec)
        return start + len(head)

    def position(self, text: str, offset: int) -> Message:
        """The position of an offset."""
        codec, size = UNIT[self._encoding]
        ends = [match.end() for match in LINE_END.finditer(text, 0, offset)]
        if text[offset - 1 : offset + 1] == "\r\n" and ends and ends[-1] == offset:
            raise ValueError("no position parts a CR LF")
        start = ends[-1] if ends else 0
        return {"line": len(ends), "character": len(text[start:offset].encode(codec)) // size}

    def flush(self) -> None:
        """Tell what was not told yet: the whole text, whatever happened in between."""
        with self._lock:
            for uri in self._untold:
                if document := self.documents.get(uri):
                    self._tell_change(document, {"text": document.text})
            self._untold.clear()

    def _change(self, uri: str, start: int, end: int, text: str, label: str) -> None:
        with self._lock:
            document = self.documents[uri]
            before = document.text
            document.undo.append((label, before))
            document.text = before[:start] + text + before[end:]
            document.version += self.manners.step
            if self.manners.late:
                self._untold[uri] = None
                if self._lag is not None:
                    threading.Timer(self._lag, self.flush).start()
                return
            if uri in self._untold:  # what comes now is counted from a text nobody was told
                del self._untold[uri]
                self._tell_change(document, {"text": document.text})
                return
            self._tell_change(document, *self._changes(document, before, (start, end), text))

    def _changes(
        self, document: Document, before: str, span: tuple[int, int], text: str
    ) -> Iterator[Message]:
        """How this editor tells that a part of what was before became this text."""
        start, end = (self.position(before, at) for at in span)
        if self.manners.whole:
            yield {"text": document.text}
        elif self.manners.pieces:
            yield {"range": {"start": start, "end": end}, "text": ""}
            yield {"range": {"start": start, "end": start}, "text": text}
        else:
            yield {"range": {"start": start, "end": end}, "text": text}

    def _tell_change(self, document: Document, *changes: Message) -> None:
        identifier = {"uri": document.uri, "version": document.version}
        self.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": list(changes)})

    def _tell(self, method: str, uri: str, **more: Any) -> None:
        self.notify(method, {"textDocument": {"uri": uri, **more}})


def attach(
    wire: Wire,
    encoding: str = "utf-16",
    *,
    saves: bool = False,
    events: bool = False,
    versions: bool = True,
    code: bool = False,
) -> LspEditor:
    """An editor at the other end of a server process. Its user allows everything."""
    agent: Message = {"protocolVersions": [1], "events": {}, "permission": {}, "edits": {}}
    agent["edits"] |= {"save": {}} if saves else {}
    agent |= {"codeQuery": {}, "diagnostics": {}} if code else {}
    agent["edits"] |= {"fileEvents": {}} if events else {}
    wire.initialize(
        agent,
        capabilities={"general": {"positionEncodings": [encoding]}, **(CAPABILITIES if versions else {})},
    )
    editor = LspEditor(wire.notify, encoding)
    wire.answers |= {
        "workspace/applyEdit": editor.apply,
        "agent/saveDocuments": editor.save_all,
        "agent/requestPermission": lambda params: {
            "outcome": "selected",
            "optionId": next(o["optionId"] for o in params["options"] if o["decision"] == "allow"),
        },
    }
    return editor


def _path(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))

"""Ports to the language servers of the code. The assembly implements them."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen


@frozen
class CodeDocument:
    """A file as a language server shall know it; `language` is the identifier that LSP has for it."""

    uri: str
    language: str
    text: str


@frozen(kw_only=True)
class ServerProgram:
    """A language server that may be started: its command line, and the language that it is for.

    `settings` answer its questions for the configuration, by section; `options` go with its start. It ends
    when nobody asked it anything for `idle` seconds. It gets `patience` seconds to begin, and these
    `variables` besides the usual ones.
    """

    language: str
    argv: tuple[str, ...]
    settings: JsonObject = field(default_factory=dict[str, Any])
    options: JsonObject = field(default_factory=dict[str, Any])
    variables: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    idle: float = 600.0
    patience: float = 30.0


class CodeServer(Protocol):
    """Somebody who answers requests of LSP 3.17 about code; positions are in its `encoding`.

    One that does not run is started when it is asked. `ask` makes sure that it knows the documents as they
    are, and **returns** its answer: `NO_ANSWER` when nobody there knows such files. `diagnostics` **returns**
    what is wrong in a document (LSP, Diagnostic), when that is known `seconds` later at most, else `None`;
    one that is `changed` was changed just now, together with those `beside` it. Both raise
    `WorkspaceError`. `documents` are the URIs of those that it knows.
    """

    @property
    def name(self) -> str: ...
    @property
    def encoding(self) -> str: ...
    @property
    def runs(self) -> bool: ...
    @property
    def documents(self) -> Sequence[str]: ...

    async def ask(
        self, method: str, params: JsonObject, documents: Sequence[CodeDocument], seconds: float
    ) -> Any: ...

    async def diagnostics(
        self,
        document: CodeDocument,
        seconds: float,
        *,
        changed: bool = False,
        beside: Sequence[CodeDocument] = (),
    ) -> Sequence[JsonObject] | None: ...


class OwnServer(CodeServer, Protocol):
    """A language server of this process, which works in `folder`.

    `last_error` says why it ended by itself or could not be started, "" for nothing. `restart` ends it where
    it runs and starts it, also when it is left alone after errors; it raises `WorkspaceError`. `stop` only
    ends it.
    """

    @property
    def folder(self) -> str: ...
    @property
    def last_error(self) -> str: ...
    async def restart(self) -> None: ...
    async def stop(self) -> None: ...


NO_ANSWER = object()


@frozen
class OutlinedText:
    """A text whose symbols are wanted, and the name of the grammar that it is written in."""

    grammar: str
    text: str


class Outliner(Protocol):
    """Finds the symbols of texts by their grammar alone.

    It **returns** those of each text (LSP, `DocumentSymbol`), `None` where `seconds` were not enough for it,
    and raises `WorkspaceError`. `knows` is whether there is such a grammar here.
    """

    def knows(self, grammar: str) -> bool: ...
    async def __call__(
        self, texts: Sequence[OutlinedText], seconds: float
    ) -> Sequence[Sequence[JsonObject] | None]: ...


class CodeServers(Protocol):
    """The language servers for the folder of this run.

    `editor` are those of the editor, if it answers for them. `find` **returns** the absolute path of a
    program on the PATH or, in a folder that the user trusts, in the places that tools of a project have; else
    "". In a folder that nobody trusts none is `allowed`. `own` **returns** a server of this process. `shows`
    is whether a file may be shown.
    """

    @property
    def allowed(self) -> bool: ...
    def editor(self) -> CodeServer | None: ...
    def find(self, program: str) -> str: ...
    def own(self, program: ServerProgram) -> OwnServer: ...
    def shows(self, path: str) -> bool: ...

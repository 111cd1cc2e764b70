"""Who is asked about a file: the editor's language servers, then one of this process, then its outline."""

from collections.abc import Iterator, Sequence
from contextlib import aclosing
from posixpath import basename, splitext

from agls.engine.ports import FileText, Workspace, WorkspaceError
from agls.frozen import frozen
from agls.room.code_ports import CodeDocument, CodeServer, CodeServers, Outliner, OwnServer, ServerProgram

from .brought import BroughtServer, BroughtServers
from .derived import DerivedSource
from .languages import COMMANDS, OPTIONS, language_of
from .outline import OutlineSource
from .settings import Language, Settings
from .source import CodeSource, ServerSource

MOST_LISTED = 5_000  # files that are looked at to learn which languages there are
UNSET = Language()
NONE = BroughtServers()


@frozen
class CodeSources:
    """The sources for one run."""

    settings: Settings
    servers: CodeServers
    workspace: Workspace
    outliner: Outliner
    brought: BroughtServers = NONE

    def of(self, file: FileText) -> Iterator[CodeSource]:
        """Yield the sources for a file, in the order in which they are asked."""
        servers = [*self.servers_of(file)]
        yield from servers
        yield DerivedSource(servers=servers, workspace=self.workspace, document=self.document)
        hint = "" if self.own(file.place.path) else self.hint(file.place.path)
        yield OutlineSource(outliner=self.outliner, workspace=self.workspace, hint=hint)

    def servers_of(self, file: FileText) -> Iterator[ServerSource]:
        """Yield the language servers for a file, in the order in which they are asked."""
        if editor := self.servers.editor():
            yield ServerSource(editor, self._nothing)
        if server := self.own(file.place.path):
            yield ServerSource(server, self._documents)

    def warm(self, path: str) -> CodeServer | None:
        """Return the server that can say what is wrong in a file without being started for that."""
        editor = self.servers.editor()
        if editor and any(self._is(uri, path) for uri in editor.documents):
            return editor
        server = self.own(path)
        return (
            server if server and (server.runs or self.settings.diagnostics_after_edits == "start") else None
        )

    def own(self, path: str) -> CodeServer | None:
        """Return the server of this process for a file, `None` when none is installed or allowed."""
        language, _ = self._language(path)
        return self.own_for(language) if language else None

    def own_for(self, language: str) -> OwnServer | None:
        """Return the server of this process for a language, `None` when none is installed or allowed."""
        program = self._program(language) if self.settings.start_servers else None
        return self.servers.own(program) if program else None

    @property
    def languages(self) -> Sequence[str]:
        """The languages for which a server is known."""
        own = (name for name, each in self.settings.languages.items() if each.command)
        return sorted({*COMMANDS, *own, *self.brought.by_language})

    def document(self, file: FileText) -> CodeDocument:
        """Return a file as language servers know it."""
        _, identifier = self._language(file.place.path)
        return CodeDocument(file.place.uri, identifier or "plaintext", file.text)

    def hint(self, path: str) -> str:
        """Return the reason why there is no language server for a file."""
        language, _ = self._language(path)
        commands = " or ".join(each.command[0] for each in self._servers(language))
        if not self.servers.allowed:
            return "Language servers are not started in a folder that the user does not trust."
        if not (commands and self.settings.start_servers):
            return "No language server is known for such files."
        return f"No language server for it is installed ({commands})."

    async def samples(self) -> Sequence[str]:
        """Return one file of each language that there is, the most frequent language first."""
        found: dict[str, list[str]] = {}
        seen = 0
        async with aclosing(self.workspace.walk()) as portions:
            async for portion in portions:
                for path in portion:
                    language, _ = self._language(path)
                    found.setdefault(language, []).append(path)
                seen += len(portion)
                if seen >= MOST_LISTED:
                    break
        found.pop("", None)
        return [paths[0] for paths in sorted(found.values(), key=len, reverse=True)]

    def _is(self, uri: str, path: str) -> bool:
        try:
            return self.workspace.place(uri).path == path
        except WorkspaceError:  # no file of this machine
            return False

    async def _documents(self, uris: Sequence[str]) -> Sequence[CodeDocument]:
        files = await self.workspace.read_each(*uris)
        return [self.document(file) for file in files if isinstance(file, FileText)]

    async def _nothing(self, uris: Sequence[str]) -> Sequence[CodeDocument]:
        return ()  # the editor sends changes to its own servers

    def _language(self, path: str) -> tuple[str, str]:
        """Return the language of a file, and its identifier; "" for none."""
        found = language_of(path, self.settings.languages)
        if found[0] or not self.brought.endings:
            return found
        language = self.brought.endings.get(splitext(basename(path))[1].lower(), "")
        return language, language

    def _servers(self, language: str) -> Sequence[BroughtServer]:
        """Return the servers for a language, in the order in which they are looked for."""
        chosen = self.settings.languages.get(language, UNSET)
        options = {**OPTIONS.get(language, {}), **chosen.options}
        if chosen.command:
            return [BroughtServer(chosen.command, chosen.settings, options)]
        usual = [BroughtServer(each, chosen.settings, options) for each in COMMANDS.get(language, ())]
        return [*self.brought.by_language.get(language, ()), *usual]

    def _program(self, language: str) -> ServerProgram | None:
        chosen = self.settings.languages.get(language, UNSET)
        for each in self._servers(language) if chosen.enabled else ():
            if path := self.servers.find(each.command[0]):
                return ServerProgram(
                    language=language,
                    argv=(path, *each.command[1:]),
                    settings=each.settings,
                    options=each.options,
                    variables=each.variables,
                    idle=self.settings.idle_s,
                    patience=each.patience or self.settings.timeout_s,
                )
        return None

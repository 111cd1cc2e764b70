"""What the user may ask and do about language servers: `/lsp`."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.room.code_ports import OwnServer
from agls.toolkit import Arguments, TypedAction

from .sources import CodeSources

EDITOR = "The editor's own language servers are asked first."
UNTRUSTED = "Language servers are not started in a folder that you do not trust. Trust it: agls trust"
NONE = "No language server is installed for any of: {}."
WHICH = "Write which: /lsp {} LANGUAGE, one of {}"
UNKNOWN = "There is no language server for {} here; there are some for: {}"
STARTED = "{} runs in {}."
STOPPED = "{} was stopped. A question about such a file starts it again."
IDLE = "{} does not run."


class ManageServers(Arguments):
    """Show the language servers of this process, or start, stop or restart that of a language."""

    do: Literal["show", "start", "stop", "restart"] = "show"
    language: str = Field(default="", description="such as python, typescript or go")


def actions(sources: CodeSources) -> tuple[Action, ...]:
    """Return the actions of the room."""
    handlers = ServerActions(sources)
    return (
        TypedAction(
            name="lsp",
            title="Show or restart language servers",
            arguments=ManageServers,
            work=handlers.manage,
            aliases=("language-servers",),
            group="Settings",
            choices={"language": handlers.languages},
        ),
    )


@frozen
class ServerActions:
    """Do the actions of the room."""

    sources: CodeSources

    async def languages(self, context: ActionContext) -> Sequence[ActionValue]:
        """Return the languages whose servers are installed."""
        return [ActionValue(language, server.name) for language, server in self._installed()]

    async def manage(self, arguments: ManageServers, context: ActionContext) -> ActionOutcome:
        """Follow the arguments. **Raises** `ActionError`; `WorkspaceError` for one that does not start."""
        if arguments.do == "show":
            return self._shown()
        server = self._chosen(arguments)
        runs = server.runs
        if arguments.do == "stop":
            await server.stop()
            text = (STOPPED if runs else IDLE).format(server.name)
            return ActionOutcome(text, {"name": server.name, "state": "stopped"})
        if arguments.do == "restart" or not runs:
            with context.breakable():
                await server.restart()
        return ActionOutcome(STARTED.format(server.name, server.folder), _row(arguments.language, server))

    def _chosen(self, arguments: ManageServers) -> OwnServer:
        if not self.sources.servers.allowed:
            raise ActionError(UNTRUSTED)
        installed = dict(self._installed())
        if server := installed.get(arguments.language.casefold()):
            return server
        known = ", ".join(installed) or "none"
        if not arguments.language:
            raise ActionError(WHICH.format(arguments.do, known))
        raise ActionError(UNKNOWN.format(arguments.language, known))

    def _installed(self) -> Sequence[tuple[str, OwnServer]]:
        each = ((language, self.sources.own_for(language)) for language in self.sources.languages)
        return [(language, server) for language, server in each if server]

    def _shown(self) -> ActionOutcome:
        installed = self._installed()
        parts = [EDITOR] if self.sources.servers.editor() else []
        if installed:
            parts.append(_table(installed))
        elif not self.sources.servers.allowed:
            parts.append(UNTRUSTED)
        else:
            parts.append(NONE.format(", ".join(self.sources.languages)))
        rows = [_row(language, server) for language, server in installed]
        return ActionOutcome("\n\n".join(parts), {"servers": rows})


def _table(installed: Sequence[tuple[str, OwnServer]]) -> str:
    lines = [
        f"| {language} | {server.name} | {_state(server)} | `{server.folder}` | {_cell(server.last_error)} |"
        for language, server in installed
    ]
    return "\n".join(["| Language | Server | State | Folder | Last error |", "|---|---|---|---|---|", *lines])


def _state(server: OwnServer) -> str:
    return f"runs, {len(server.documents)} files open" if server.runs else "not started"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _row(language: str, server: OwnServer) -> JsonObject:
    return {
        "language": language,
        "name": server.name,
        "state": "running" if server.runs else "stopped",
        "folder": server.folder,
        "lastError": server.last_error,
        "documents": len(server.documents),
    }

"""Resources that the session read: the model is told when one changed since."""

from collections.abc import MutableMapping, Sequence

from agls.engine.facts import Injected
from agls.engine.ports import new_id
from agls.engine.vocabulary import Text, UserMessage
from agls.frozen import frozen
from agls.room.mcp_ports import Caller, McpAnswer, McpServer
from agls.short_text import brief

LONGEST, MOST = 200, 20  # characters of an address, and addresses that are named at a time
CHANGED = (
    "These resources of MCP servers changed since you read them, as the servers say: {}. Read one again "
    "before you rely on it."
)


@frozen(eq=False)
class SeenResources:
    """Remembers for a session what it read, by server and address, with how often that had changed then."""

    known: MutableMapping[tuple[str, str], int]

    async def read(self, server: McpServer, uri: str, caller: Caller) -> McpAnswer:
        """Read a resource. **Raises** `ServerProblem`."""
        before = server.changes_of(uri)
        answer = await server.read(uri, caller)
        self.known[server.definition.name, uri] = before
        return answer

    def changed(self, servers: Sequence[McpServer]) -> Sequence[Injected]:
        """**Returns** what is told of those that changed, once for each change."""
        by_name = {server.definition.name: server for server in servers}
        told: list[str] = []
        for (name, uri), before in [*self.known.items()]:
            if len(told) == MOST:
                break
            if (server := by_name.get(name)) and server.changes_of(uri) > before:
                told.append(f"{brief(uri, LONGEST)} ({name})")
                del self.known[name, uri]
        if not told:
            return ()
        text = Text(CHANGED.format(", ".join(told)))
        return (Injected((UserMessage(new_id("item"), (text,), "mcp"),)),)

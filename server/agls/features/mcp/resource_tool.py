"""The resources of an MCP server, as a tool that lists and reads them."""

from collections.abc import Callable, Sequence

from agls.engine.ports import Effect, Preview, Target, ToolContext, ToolSpec
from agls.engine.vocabulary import JsonObject, ToolCall, ToolOutcome
from agls.features.mcp.questions import UserQuestions
from agls.features.mcp.seen_resources import SeenResources
from agls.features.mcp.server_tool import EFFECTS, FROM, outcome_of
from agls.frozen import frozen
from agls.room.mcp_ports import McpResource, McpServer, ServerProblem
from agls.short_text import brief, cut
from agls.terminal_codes import enclosed

NAME = "resources"
ABOUT = (
    "Read a resource of the MCP server {}. Without `uri`, list what it has; parts in braces are to fill in."
)
MOST = 60_000  # characters of a list
LONGEST = 200  # characters of what is said of one
NONE = "{} lists no resources."
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"uri": {"type": "string", "description": "the address of the resource"}},
    "additionalProperties": False,
}


def no_file(uri: str) -> str:
    """**Returns** that a resource is no file of the folder."""
    return ""


@frozen(eq=False)
class ResourceTool:
    """Reads resources of one server. It is named as its tools are, so rules for the server hold for it.

    For what is a file of the folder (`file_of`) the rules for reading it hold.
    """

    server: McpServer
    spec: ToolSpec
    questions: UserQuestions
    seen: SeenResources
    file_of: Callable[[str], str] = no_file

    async def preview(self, call: ToolCall, context: ToolContext) -> Preview:
        """Its server, and what is read."""
        name = self.server.definition.name
        uri = str(call.arguments.get("uri") or "")
        title = f"{name}: read {brief(uri, LONGEST)}" if uri else f"{name}: list resources"
        subject: JsonObject = {"type": "tool", "name": call.name, "input": call.arguments, "server": name}
        file = self.file_of(uri)
        targets = (Target(Effect.READS, file),) if file else ()
        return Preview(title, {**subject, "tool": NAME}, targets)

    async def __call__(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Let the server list or read. **Returns** failures as outcomes for the model."""
        name = self.server.definition.name
        uri = str(call.arguments.get("uri") or "")
        try:
            if not uri:
                found = await self.server.resources()
                listed = enclosed(cut(resource_lines(found), MOST))
                text = FROM.format(name) + listed if listed else NONE.format(name)
                return ToolOutcome(text, effects="none")
            answer = await self.seen.read(self.server, uri, self.questions.caller(call.call_id))
            return outcome_of(name, uri, answer)
        except ServerProblem as problem:
            return ToolOutcome(problem.for_model, status="failed", effects="none")


def spec_of_resources(name: str, server: str, *, always: bool) -> ToolSpec:
    """**Returns** the tool as the model sees it."""
    return ToolSpec(name, ABOUT.format(server), SCHEMA, EFFECTS, load="always" if always else "auto")


def resource_lines(resources: Sequence[McpResource]) -> str:
    """**Returns** a line of Markdown for each."""
    return "\n".join(map(_line, resources))


def _line(resource: McpResource) -> str:
    said = ": ".join(
        brief(words, LONGEST) for words in (resource.name, resource.description) if words.strip()
    )
    return f"- {resource.uri}" + (f" ({said})" if said else "")

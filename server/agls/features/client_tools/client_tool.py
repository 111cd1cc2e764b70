"""A tool of the client, as the engine calls it."""

from collections.abc import Collection, Sequence

from agls.engine.ports import Effect, Preview, ToolContext, ToolSpec
from agls.engine.vocabulary import ToolCall, ToolOutcome
from agls.frozen import frozen
from agls.regex import regex
from agls.room.process_ports import OfferedTool, ToolClient
from agls.terminal_codes import enclosed

KEPT = 50_000  # characters of an answer that the model gets
_NAME = regex(r"[A-Za-z0-9_-]{1,64}")


@frozen
class ClientTool:
    """One tool of the client in one run of a session."""

    offered: OfferedTool
    client: ToolClient
    session_id: str
    run_id: str

    @property
    def spec(self) -> ToolSpec:
        """The tool as the model sees it."""
        effect = Effect.READS if self.offered.reads_only else Effect.EXECUTES
        described = self.offered.description
        effects = frozenset({effect})
        return ToolSpec(
            self.offered.name, described, self.offered.schema, effects, output_limit=KEPT, load="auto"
        )

    async def preview(self, call: ToolCall, context: ToolContext) -> Preview:
        """Its name and arguments: more is not known of it."""
        return Preview(call.name, {"type": "tool", "name": call.name, "input": call.arguments})

    async def __call__(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Let the client do it."""
        outcome = await self.client.call(self.session_id, self.run_id, call)
        text = outcome.text if self.offered.own else enclosed(outcome.text)
        return ToolOutcome(text, outcome.status, outcome.effects, images=outcome.images)


def usable(offered: Sequence[OfferedTool], taken: Collection[str]) -> tuple[list[OfferedTool], list[str]]:
    """Return the tools whose names can be used, and why others cannot."""
    names = set(taken)
    kept = list[OfferedTool]()
    problems = list[str]()
    for tool in offered:
        if not _NAME.fullmatch(tool.name):
            problems.append(f"{tool.name[:80]!r} is no name of a tool: up to 64 letters, digits, _ and -.")
        elif tool.name in names:
            problems.append(f"{tool.name}: there is a tool of this name already.")
        else:
            names.add(tool.name)
            kept.append(tool)
    return kept, problems

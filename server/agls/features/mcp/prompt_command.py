"""The prompts of MCP servers as commands: `/mcp__SERVER__PROMPT`."""

from collections.abc import Iterator, Sequence

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionSpec, ActionValue
from agls.engine.vocabulary import Content, Image, JsonObject
from agls.features.mcp.images import seen
from agls.features.mcp.names import tool_name
from agls.features.mcp.questions import UserQuestions
from agls.features.mcp.run_servers import RunServers
from agls.frozen import frozen
from agls.room.command_prompts import command_prompt
from agls.room.mcp_ports import McpImage, McpMessage, McpPrompt, McpServer, ServerProblem
from agls.short_text import brief

GROUP = "Prompts of MCP servers"
FROM = "It is a prompt of the MCP server {}.\n\n"
LONGEST = 500  # characters of what is said of it
WHO = {True: "User", False: "Assistant"}


@frozen(eq=False)
class PromptCommand:
    """Implements `Action`: a prompt of a server, which is asked for its words when the command is given."""

    name: str
    server: McpServer
    prompt: McpPrompt
    questions: UserQuestions

    @property
    def spec(self) -> ActionSpec:
        """The command as its user sees it."""
        prompt, origin = self.prompt, self.server.definition.name
        title = brief(prompt.title or prompt.description or prompt.name, 80)
        about = brief(prompt.description or title, LONGEST)
        end = "" if about.endswith((".", "!", "?")) else "."
        members = {
            one.name: {"type": "string", "description": brief(one.description or one.name, LONGEST)}
            for one in prompt.arguments
        }
        schema: JsonObject = {
            "type": "object",
            "properties": members,
            "required": [one.name for one in prompt.arguments if one.required],
            "additionalProperties": False,
        }
        words = f"{about}{end}\n\nA prompt of the MCP server {origin}."
        return ActionSpec(self.name, title, words, schema, group=GROUP, prompts=True)

    async def values(self, member: str, context: ActionContext) -> Sequence[ActionValue]:
        """Return what the server suggests; any other words may be given as well."""
        try:
            suggested = await self.server.complete(self.prompt.name, member, "")
        except ServerProblem:  # somebody types: the command itself says what is wrong
            return ()
        return [ActionValue(words) for words in suggested]

    async def __call__(self, arguments: JsonObject, context: ActionContext) -> ActionOutcome:
        """Make the prompt. **Raises** `ActionError`."""
        given = {name: str(value) for name, value in arguments.items() if value not in {None, ""}}
        missing = [one.name for one in self.prompt.arguments if one.required and one.name not in given]
        if missing:
            raise ActionError(f"/{self.name} needs {', '.join(missing)}.")
        try:
            with context.breakable():
                messages = await self.server.prompt(self.prompt.name, given, self.questions.caller())
        except ServerProblem as problem:
            raise ActionError(str(problem)) from None
        text, images = _content(messages)
        if not (text.strip() or images):
            raise ActionError(f"{self.server.definition.name} sent an empty prompt.")
        made = command_prompt(self.name, FROM.format(self.server.definition.name) + text)
        content: tuple[Content, ...] = (*made.content, *images)
        return ActionOutcome("", prompt=type(made)(content))


def _content(messages: Sequence[McpMessage]) -> tuple[str, Sequence[Image]]:
    """**Returns** the words of all messages, and the images in them."""
    images: list[Image] = []
    texts: list[str] = []
    for message in messages:
        parts: list[str] = []
        for part in message.parts:
            if isinstance(part, McpImage):
                words, found = seen(f"image {len(images) + 1}", part.data)
                parts.append(words)
                images += found
            else:
                parts.append(part)
        text = "\n".join(parts)
        several = any(not one.by_user for one in messages)
        texts.append(f"{WHO[message.by_user]}: {text}" if several else text)
    return "\n\n".join(texts), images


def commands_of(run: RunServers) -> Iterator[Action]:
    """Yield the prompts of the servers that are known."""
    names: set[str] = set()
    for used in run.now_used():
        for prompt in used.server.known.prompts if used.server.known else ():
            name = tool_name(used.name, prompt.name, names)
            names.add(name)
            yield PromptCommand(name, used.server, prompt, run.questions)

"""What a server lists: bounded, and checked before anybody uses it."""

from collections.abc import Mapping, Sequence

from agls.engine.vocabulary import JsonObject
from agls.json_values import is_list, is_object
from agls.room.mcp_ports import Discovery, McpPrompt, McpResource, McpTool

MOST_TOOLS = 2_000
MOST_PAGES = 200
MOST_CHARACTERS = 8_000_000  # of all definitions
LONGEST_NAME = 256
LONGEST_DESCRIPTION = 100_000
DEEPEST, MOST_SUBSCHEMAS = 64, 2_000
LONGEST_INSTRUCTIONS = 2_000
MOST_RESOURCES, MOST_PROMPTS = 500, 500
MOST_WORDS = 1_000_000  # characters of all resources, and of all prompts


class ServerListing:
    """What a server lists, page by page, up to the limits."""

    def __init__(self, instructions: str, era: str) -> None:
        self._instructions, self._era = instructions[:LONGEST_INSTRUCTIONS], era
        self._tools: dict[str, McpTool] = {}
        self._dropped: list[str] = []
        self._prompts: dict[str, McpPrompt] = {}
        self._resources: tuple[McpResource, ...] = ()
        self._has_resources = False
        self.lasts = 0.0  # seconds for which it counts, 0 where the server does not say
        self._left, self._left_of_prompts = MOST_CHARACTERS, MOST_WORDS

    def note_life(self, milliseconds: object) -> None:
        """Note for how long a page counts: of several the shortest time."""
        if isinstance(milliseconds, int) and milliseconds > 0:
            self.lasts = min(self.lasts or float("inf"), milliseconds / 1_000)

    def take(self, tools: Sequence[McpTool]) -> bool:
        """Take in a page. **Returns** whether there may be another one."""
        for tool in tools:
            if len(self._tools) >= MOST_TOOLS:
                self._dropped.append(f"it has more than {MOST_TOOLS:,} tools: the others are left out")
                return False
            problem, size = _examined(tool)
            self._left -= size
            if self._left < 0:
                self._dropped.append(
                    f"its tools have more than {MOST_CHARACTERS:,} characters: the others are left out"
                )
                return False
            if problem or tool.name in self._tools:
                self._dropped.append(f"{tool.name[:80]!r} {problem or 'is there twice'}")
            else:
                self._tools[tool.name] = tool
        return bool(tools)

    def take_prompts(self, prompts: Sequence[McpPrompt]) -> bool:
        """Take in a page of prompts. **Returns** whether there may be another one."""
        for prompt in prompts:
            self._left_of_prompts -= _size(prompt)
            if len(self._prompts) >= MOST_PROMPTS or self._left_of_prompts < 0:
                self._dropped.append("it has too many prompts: the others are left out")
                return False
            if 0 < len(prompt.name) <= LONGEST_NAME:
                self._prompts.setdefault(prompt.name, prompt)
            else:
                self._dropped.append(f"{prompt.name[:80]!r} is no name of a prompt")
        return bool(prompts)

    def take_resources(self, resources: Sequence[McpResource]) -> None:
        """Take in the resources, of many the first."""
        self._has_resources, left = True, MOST_WORDS
        kept: list[McpResource] = []
        for one in resources[:MOST_RESOURCES]:
            left -= len(one.uri) + len(one.name) + len(one.description)
            if left < 0:
                break
            kept.append(one)
        self._resources = tuple(kept)

    def leave_out(self, problems: Sequence[str]) -> None:
        """Note what was broken, and is not used."""
        self._dropped += problems

    @property
    def schemas_of_answers(self) -> Mapping[str, JsonObject]:
        """What the tools say of their answers, by their names."""
        return {tool.name: tool.output_schema for tool in self._tools.values() if tool.output_schema}

    def discovery(self) -> Discovery:
        """**Returns** all that was listed."""
        return Discovery(
            tools=tuple(self._tools.values()),
            prompts=tuple(self._prompts.values()),
            resources=self._resources,
            has_resources=self._has_resources,
            dropped=tuple(dict.fromkeys(self._dropped))[:50],
            instructions=self._instructions,
            era=self._era,
        )


def _size(prompt: McpPrompt) -> int:
    named = sum(len(one.name) + len(one.description) for one in prompt.arguments)
    return len(prompt.name) + len(prompt.title) + len(prompt.description) + named


def _examined(tool: McpTool) -> tuple[str, int]:
    """**Returns** what is wrong with a tool ("": nothing), and how many characters it has about."""
    if not tool.name or len(tool.name) > LONGEST_NAME:
        return f"is no name of a tool: it may have 1 to {LONGEST_NAME} characters", len(tool.name)
    if len(tool.description) > LONGEST_DESCRIPTION:
        return f"has a description of more than {LONGEST_DESCRIPTION:,} characters", 0
    size = len(tool.name) + len(tool.description)
    for schema in (tool.schema, tool.output_schema or {}):
        problem, found = examined_size(schema)
        size += found
        if problem:
            return f"has a schema that {problem}", size
    return "", size


def examined_size(schema: JsonObject) -> tuple[str, int]:
    """**Returns** in what way a schema is too large ("": in none), and how many characters it has about."""
    count, size, is_deep = _measured(schema)
    if is_deep:
        return f"is deeper than {DEEPEST} levels", size
    return f"has more than {MOST_SUBSCHEMAS:,} parts" if count > MOST_SUBSCHEMAS else "", size


def _measured(schema: JsonObject) -> tuple[int, int, bool]:
    """**Returns** how many objects a schema has, its characters about, and whether it is too deep."""
    count = size = 0
    level: list[object] = [schema]
    for _ in range(DEEPEST):
        below: list[object] = []
        for value in level:
            if is_object(value):
                count += 1
                size += sum(map(len, value)) + 4 * len(value)
                below += value.values()
            elif is_list(value):
                below += value
            else:
                size += len(value) if isinstance(value, str) else 6
        if not below or count > MOST_SUBSCHEMAS:
            return count, size, False
        level = below
    return count, size, True

"""What the manifests do in one run: texts at their moments, refusals, other names, answers by template."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agls.engine.facts import GateFact, Injected, Notice
from agls.engine.feature import Attempt, CallTool, Invocation, RunView
from agls.engine.ports import Preview, Tool, ToolContext, ToolSpec, new_id, process_id
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Stop, Text, ToolCall, ToolOutcome, UserMessage
from agls.features.plugins.manifest import OtherName, PluginManifest, VirtualTool
from agls.frozen import frozen
from agls.regex import regex
from agls.room.delegation import hands_over
from agls.room.run_ports import RunTools
from agls.toolkit import SpecifiedTool

ROOM = "plugins"
BEGUN, USED = "begun", "used"
BLOCKED = "Not run: the plugin {} blocks the tool {}. {}"
OTHERWISE = "Do not try another way to do the same."
GUIDANCE = "<plugins>\n{}\n</plugins>"
_PLACE = regex(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


@frozen(eq=False)
class TemplateTool:
    """Implements `Tool`: answers with a template."""

    tool: VirtualTool

    @property
    def spec(self) -> ToolSpec:
        """The tool as the model sees it."""
        return ToolSpec(self.tool.name, self.tool.description, dict(self.tool.schema), frozenset())

    async def preview(self, call: ToolCall, context: ToolContext) -> Preview:
        """Return what it would do: nothing but answer."""
        return Preview(call.name, {"type": "tool", "name": call.name, "input": call.arguments})

    async def __call__(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Answer."""
        return ToolOutcome(filled(self.tool.template, call.arguments))


def filled(template: str, arguments: JsonObject) -> str:
    """**Returns** the template with its arguments; a placeholder without one stays."""

    def value(found: Any) -> str:
        given = arguments.get(found[1])
        if given is None:
            return str(found[0])
        return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)

    return _PLACE.sub(value, template)


class RunPlugins:
    """The manifests that count in one run."""

    def __init__(self, found: Sequence[PluginManifest], tools: RunTools) -> None:
        self._found = [each for each in found if not each.problem]
        self._tools = tools
        self._aliases = {alias.name: (each, alias) for each in self._found for alias in each.aliases}
        self._virtual = {tool.name: (each, tool) for each in self._found for tool in each.virtual}

    async def around_run(self, attempt: Attempt, view: RunView) -> Stop:
        """Show the user the texts for the end of a run, however it ends."""
        stop = await attempt()
        for each in self._with("afterTurn"):
            view.show(Notice("info", f"Plugin {each.name}", each.texts["afterTurn"]))
        return stop

    async def before_turn(self, view: RunView) -> Sequence[Stop | GateFact]:
        """Begin a run with the texts for that moment."""
        state = view.state
        if state.run.turns:
            return ()
        before = [note.data for note in state.notes.get(ROOM, ()) if note.kind == BEGUN]
        resumed = bool(before) and before[-1]["process"] != process_id()
        view.note(ROOM, BEGUN, {"process": process_id()})
        first = [each.texts["beforePrompt"] for each in self._with("beforePrompt")]
        texts = [text for text in first if not _is_seen(text, state)]
        texts += [each.texts["beforePersist"] for each in self._with("beforePersist") if before]
        texts += [each.texts["onResume"] for each in self._with("onResume") if resumed]
        if not texts:
            return ()
        said = (Text(GUIDANCE.format("\n".join(texts))),)
        return (Injected((UserMessage(new_id("item"), said, ROOM),)),)

    async def around_tool(self, invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        """Refuse, rename and count a call, and put texts behind its result."""
        name = invocation.call.name
        if name in self._aliases and isinstance(invocation.tool, SpecifiedTool):
            plugin, alias = self._aliases[name]
            view.note(ROOM, USED, {"plugin": plugin.name, "tool": name})
            call = replace(invocation.call, name=alias.base)
            return await self._passed(replace(invocation, call=call, tool=invocation.tool.tool), view, inner)
        if name in self._virtual and isinstance(invocation.tool, TemplateTool):
            view.note(ROOM, USED, {"plugin": self._virtual[name][0].name, "tool": name})
        return await self._passed(invocation, view, inner)

    async def _passed(self, invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        name = invocation.call.name
        for each in self._found:
            if (why := each.refusal(name)) is not None:
                view.note(ROOM, USED, {"plugin": each.name, "tool": name})
                text = BLOCKED.format(each.name, name, why or OTHERWISE)
                return ToolOutcome(text, status="rejected", refused_by="policy")
        outcome = await inner(invocation)
        texts = [*self._texts_of(name, "afterResult", "afterDelegate")]
        return replace(outcome, text="\n\n".join((outcome.text, *texts))) if texts else outcome

    def late_tools(self) -> Sequence[Tool]:
        """Return the other names and the answering tools, without those whose name is taken."""
        bases = self._tools.all
        made: list[Tool] = []
        for name, (_, alias) in self._aliases.items():
            if name not in bases and alias.base in bases:
                made.append(_renamed(bases[alias.base], alias))
        free = (tool for name, (_, tool) in self._virtual.items() if name not in {*bases, *self._aliases})
        return [*made, *map(TemplateTool, free)]

    def show_tools(self, tools: Sequence[ToolSpec], state: State) -> Sequence[ToolSpec]:
        """Leave out what is blocked, and say in a description what shall be known before a call."""
        return [self._guided(tool) for tool in tools if not self._is_blocked(tool.name)]

    def _is_blocked(self, name: str) -> bool:
        base = self._aliases[name][1].base if name in self._aliases else name
        return any(each.refusal(one) is not None for each in self._found for one in (name, base))

    def _guided(self, tool: ToolSpec) -> ToolSpec:
        texts = [*self._texts_of(tool.name, "beforeTool", "beforeDelegate")]
        return replace(tool, description="\n".join((tool.description, *texts))) if texts else tool

    def _texts_of(self, name: str, of_tool: str, of_handing: str) -> Iterator[str]:
        for each in self._found:
            texts: Mapping[str, str] = each.tool_texts.get(name, {})
            handing = each.texts.get(of_handing) if hands_over(name) else None
            yield from filter(None, (texts.get(of_tool), handing))

    def _with(self, moment: str) -> Sequence[PluginManifest]:
        return [each for each in self._found if moment in each.texts]


def _renamed(tool: Tool, alias: OtherName) -> SpecifiedTool:
    description = alias.description or tool.spec.description
    return SpecifiedTool(tool, replace(tool.spec, name=alias.name, description=description))


def _is_seen(text: str, state: State) -> bool:
    said = (each for each in state.context.messages if isinstance(each, UserMessage) and each.origin == ROOM)
    return any(isinstance(part, Text) and text in part.text for each in said for part in each.content)

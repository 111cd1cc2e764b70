"""Hooks that are a tool of an MCP server: called with what happened, and read like output of a program."""

import asyncio
import json
from typing import Any

from agls.engine.vocabulary import JsonObject
from agls.features.hooks.answers import HookFailed
from agls.features.hooks.settings import HookSetting
from agls.json_values import is_list, is_object
from agls.regex import regex
from agls.room.mcp_ports import McpAnswer, ServerCalls, ServerProblem
from agls.short_text import cut

_PLACE = regex(r"\$\{([\w.-]{1,200})\}")
SHOWN = 300  # characters of what a tool said of its failure


async def called(setting: HookSetting, given: JsonObject, servers: ServerCalls) -> str:
    """Call the tool. **Returns** the text of its answer. **Raises** `HookFailed`."""
    arguments = filled(setting.input, given)
    try:
        async with asyncio.timeout(setting.timeout):
            answer = await servers.call(setting.server, setting.tool, arguments)
    except TimeoutError:
        raise HookFailed(f"its tool took longer than {setting.timeout:g} s") from None
    except ServerProblem as problem:
        raise HookFailed(str(problem)) from None
    if answer.is_error:
        raise HookFailed(f"its tool failed: {cut(_text(answer), SHOWN)}")
    return _text(answer)


def filled(value: Any, given: JsonObject) -> Any:
    """**Returns** the input with what happened in its places, such as `${tool_input.file_path}`.

    A text that is one place gets the value as it is; what is not there is "".
    """
    if is_object(value):
        return {name: filled(each, given) for name, each in value.items()}
    if is_list(value):
        return [filled(each, given) for each in value]
    if not isinstance(value, str):
        return value
    if whole := _PLACE.fullmatch(value):
        return _at(whole[1], given)
    return _PLACE.sub(lambda place: _in_words(_at(place[1], given)), value)


def _at(path: str, given: JsonObject) -> Any:
    found: Any = given
    for name in path.split("."):
        found = found.get(name) if is_object(found) else None
    return "" if found is None else found


def _in_words(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _text(answer: McpAnswer) -> str:
    return "\n".join(part for part in answer.parts if isinstance(part, str)).strip() or answer.structured

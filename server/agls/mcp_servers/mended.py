"""Answers that nearly fit the protocol, mended: what a server did is done, and its words are there."""

import json
from collections.abc import Mapping

import mcp_types as types
from pydantic import TypeAdapter, ValidationError

from agls.engine.vocabulary import JsonObject
from agls.json_values import is_list, is_object, value_in

OF_CALLS = {"content", "structuredContent", "toolResult"}  # the last one is that of the first revision
MOST_BLOCKS = 2_000  # of an answer
MOST_MESSAGES = 100  # of a prompt
LEFT_OUT = "[{:,} more parts are left out]"
LONGEST_VALUE = 2_000  # characters of one value of what is shown as JSON
BLOCK: TypeAdapter[types.ContentBlock] = TypeAdapter(types.ContentBlock)


def mend(result: JsonObject) -> None:
    """Let an answer fit, where it is plain what was meant; blocks of a newer kind become JSON."""
    if isinstance(cursor := result.get("nextCursor"), int):
        result["nextCursor"] = str(cursor)
    if OF_CALLS & result.keys():
        _mend_call(result)
    elif is_list(messages := result.get("messages")):
        del messages[MOST_MESSAGES:]
        for message in messages:
            if is_object(message):
                message["content"] = _block(message.get("content"))


def _mend_call(result: JsonObject) -> None:
    content = result.get("content", result.pop("toolResult", None))
    blocks: list[object] = content if is_list(content) else [] if content is None else [content]
    structured = result.get("structuredContent")
    is_older = "resultType" not in result
    if is_older and structured is not None and not is_object(structured):  # these have objects alone
        del result["structuredContent"]
        blocks = blocks or [json.dumps(structured, ensure_ascii=False)]
    result["content"] = [_block(block) for block in blocks[:MOST_BLOCKS]]
    if len(blocks) > MOST_BLOCKS:
        result["content"].append(_block(LEFT_OUT.format(len(blocks) - MOST_BLOCKS)))
    if not is_object(result.get("_meta", {})):
        del result["_meta"]


def _block(block: object) -> object:
    """**Returns** a block that the SDK takes."""
    if isinstance(block, str):
        return {"type": "text", "text": block}
    if value_in(block, "type") and _fits(
        block
    ):  # the SDK takes it without, its check of the revision does not
        return block
    if is_object(block):
        plain = {"type": "text"} if set(block) == {"text"} else {}
        plain |= {key: value for key, value in block.items() if key not in {"annotations", "_meta"}}
        if plain.get("type") == "image":
            plain |= _image(plain)
        if _fits(plain):
            return plain
        block = {key: _short(value) for key, value in block.items()}
    return {"type": "text", "text": json.dumps(block, ensure_ascii=False)}


def _fits(block: object) -> bool:
    try:
        BLOCK.validate_python(block, by_name=False)
    except (ValidationError, RecursionError):
        return False
    return True


def _image(block: Mapping[str, object]) -> JsonObject:
    """**Returns** what an image without a kind lacks: what it is is seen by its bytes."""
    return {"mimeType": block.get("mimeType") or "image/png"}


def _short(value: object) -> object:
    if isinstance(value, str) and len(value) > LONGEST_VALUE:
        return f"{value[:100]}… ({len(value):,} characters)"
    return value

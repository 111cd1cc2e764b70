"""The members that clients write, turned into the engine's nouns; everything else is refused by name."""

import binascii
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from agls.diff import Hunk, numbered
from agls.engine.vocabulary import (
    BY_USER,
    Answer,
    Content,
    Image,
    JsonObject,
    Question,
    Resource,
    ResourceLink,
    Stop,
    StopReason,
    Text,
)
from agls.frozen import frozen
from agls.json_values import is_list, is_object
from agls.regex import regex

LONGEST_REASON = 500  # characters of why a client cancels
LONGEST_NAME = 200  # characters of the name of a file that is attached
MEDIA_TYPE = regex(r"([\w.+-]{1,60}/[\w.+-]{1,100})?", re.ASCII)
Part = TypeVar("Part")
NOT_UNDERSTOOD = Answer("unanswered", feedback="The answer of the client could not be understood.")


class Malformed(ValueError):
    """A client sent something that this protocol does not have; the message names the member."""


@frozen
class GivenFile:
    """A file with its bytes; `media_type` is "" where the client sent none."""

    name: str
    media_type: str
    data: bytes


def content(blocks: Any, where: str = "params.input") -> tuple[Content, ...]:
    """Return content blocks, or a bare string, as the engine's content; empty when there is no text in them.

    **Raises** `Malformed`, which names the member as `where`.
    """
    return _parts(blocks, PARTS, where)


def content_or_files(blocks: Any) -> tuple[Content | GivenFile, ...]:
    """Return the content of a prompt, which may have files. **Raises** `Malformed`."""
    return _parts(blocks, WITH_FILES, "params.input")


def _parts(
    blocks: Any, kinds: Mapping[str, Callable[[JsonObject, str], Part]], where: str
) -> tuple[Part, ...]:
    if isinstance(blocks, str):
        blocks = [{"type": "text", "text": blocks}]
    if not is_list(blocks):
        raise Malformed(f"{where} must be a list of content blocks or a string")
    parts = tuple(_part(block, f"{where}[{index}]", kinds) for index, block in enumerate(blocks))
    return parts if any(not isinstance(part, Text) or part.text.strip() for part in parts) else ()


def _part(block: Any, where: str, kinds: Mapping[str, Callable[[JsonObject, str], Part]]) -> Part:
    if not is_object(block):
        raise Malformed(f"{where} must be an object with a `type`")
    kind = block.get("type")
    if not isinstance(kind, str) or kind not in kinds:
        raise Malformed(f"{where}.type must be one of {', '.join(kinds)}, not {kind!r}")
    return kinds[kind](block, where)


def _text_of(block: JsonObject, member: str, where: str) -> str:
    value = block.get(member)
    if not isinstance(value, str):
        raise Malformed(f"{where}.{member} must be a string")
    return value


def _text(block: JsonObject, where: str) -> Content:
    return Text(_text_of(block, "text", where))


def _image(block: JsonObject, where: str) -> Content:
    data, kind = _text_of(block, "data", where), _text_of(block, "mimeType", where)
    if not kind.startswith("image/"):
        raise Malformed(
            f"{where}.mimeType must begin with image/; give anything else as a block of type file"
        )
    if not _bytes_of(data, where):
        raise Malformed(f"{where}.data must not be empty")
    return Image(data, kind)


def _file(block: JsonObject, where: str) -> GivenFile:
    name = _text_of(block, "name", where).replace("\\", "/").rpartition("/")[2].strip()
    if not name or not name.isprintable() or len(name) > LONGEST_NAME:
        raise Malformed(f"{where}.name must be the name of a file, of at most {LONGEST_NAME} characters")
    kind = block.get("mimeType") or ""
    if not isinstance(kind, str) or not MEDIA_TYPE.fullmatch(kind):
        raise Malformed(f"{where}.mimeType must be a media type such as application/pdf")
    return GivenFile(name, kind, _bytes_of(_text_of(block, "data", where), where))


def _bytes_of(data: str, where: str) -> bytes:
    try:
        return b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise Malformed(f"{where}.data must be base64") from None


def _resource(block: JsonObject, where: str) -> Content:
    return Resource(_text_of(block, "uri", where), _text_of(block, "text", where))


def _link(block: JsonObject, where: str) -> Content:
    name = block.get("name")
    return ResourceLink(_text_of(block, "uri", where), name if isinstance(name, str) else "")


def stop_of(reason: str) -> Stop:
    """Return why a run ends that a client cancels, in its own words if it gave any."""
    said = " ".join(reason.split())[:LONGEST_REASON]
    return Stop(StopReason.CANCELLED, f"{BY_USER.detail}: {said}") if said else BY_USER


PARTS: Mapping[str, Callable[[JsonObject, str], Content]] = {
    "text": _text,
    "image": _image,
    "resource": _resource,
    "resourceLink": _link,
}
WITH_FILES: Mapping[str, Callable[[JsonObject, str], Content | GivenFile]] = {**PARTS, "file": _file}


def path(uri: str, where: str = "the address") -> str:
    """Return the absolute path of a `file:` URI on this machine; `where` is its member.

    **Raises** `Malformed`.
    """
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"} or not parts.path.startswith("/"):
        raise Malformed(f"{where}: {uri[:200]!r} is not a file: URI with an absolute path on this machine")
    plain = unquote(parts.path)
    if "\0" in plain:
        raise Malformed(f"{where}: {uri[:200]!r} names no path")
    return plain


def named(given: JsonObject, member: str) -> str:
    """Return the name in the argument of a command, "" when it is absent.

    **Raises** `Malformed`: no string.
    """
    name = given.get(member)
    if name is None:
        return ""
    if not isinstance(name, str):
        raise Malformed(f"{member} must be a string")
    return name


def answer(question: Question, response: Any, by: str) -> Answer:
    """Return a client's answer to a question; one that cannot be understood counts as none."""
    if not is_object(response):
        return NOT_UNDERSTOOD
    read = _form if question.kind == "form" else _permission
    return read(question, response, by)


def _permission(question: Question, response: JsonObject, by: str) -> Answer:
    if response.get("outcome") == "dismissed":
        return Answer("dismissed", feedback=_optional_text(response, "feedback"), by=by)
    known = [option.option_id for option in question.options]
    chosen, changed = response.get("optionId"), response.get("input")
    edited = changed if is_object(changed) else None
    if response.get("outcome") != "selected" or chosen not in known or edited != changed:
        return NOT_UNDERSTOOD
    part = response.get("hunks")
    if part is not None and (edited or not _are_hunks(part, question)):
        return NOT_UNDERSTOOD
    content: JsonObject = {} if part is None else {"hunks": part}
    return Answer("selected", str(chosen), _optional_text(response, "feedback"), edited, content, by=by)


def _are_hunks(part: Any, question: Question) -> bool:
    """Return whether these are ids of changes that the question shows."""
    return is_list(part) and set(map(str, part)) <= set(shown_hunks(question))


def shown_hunks(question: Question) -> dict[str, tuple[int, Hunk]]:
    """Return the single changes of an edit, as its question shows them; none of anything else."""
    changes = question.subject.get("changes")
    return numbered(filter(is_object, changes)) if is_list(changes) else {}


def _form(question: Question, response: JsonObject, by: str) -> Answer:
    outcome, filled = response.get("outcome"), response.get("content")
    if outcome == "accept" and (is_object(filled) or question.subject.get("type") == "url"):
        return Answer("accepted", content=filled if is_object(filled) else {}, by=by)
    match outcome:
        case "decline":
            return Answer("declined", by=by)
        case "cancel":
            return Answer("cancelled", by=by)
        case _:
            return NOT_UNDERSTOOD


def _optional_text(response: JsonObject, member: str) -> str:
    value = response.get(member)
    return value if isinstance(value, str) else ""

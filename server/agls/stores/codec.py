"""Facts as lines of text and back: the format of a journal on disk.

A line is one JSON array in ASCII that begins with the CRC-32 of all its following bytes; then come
the number of the fact, its time, its name and its fields:

    ["89abcdef",7,5520,"run_ended",["run_3ov7kq2yxa",["end_turn"]]]
    ["89abcdef",8,5523,"admitted",["run_k2yxa3ov7q","item_yx7q3ov2ka","Hello",{"client_key":"a"}]]

The time is in milliseconds behind that of the first entry, which has its own in Unix seconds. A record is
written like a call: a list of the fields that have no default, in their order, and behind them an object with
those of the others that have another value. One in which every field has a default is that object.
In format 1 every record was an object, and every time in Unix seconds.

The first line is the header: an object with `journal` (the format's version), `session`, `epoch`,
`created` and perhaps `asked` in their place. The names in `FACTS` and `CONTENTS`, and the names and the order
of the fields of those classes, are a promise to every file ever written: a new field has a default.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, get_args, get_origin
from zlib import crc32

from cattrs import Converter
from cattrs.errors import CattrsError
from cattrs.gen import make_dict_unstructure_fn
from cattrs.strategies import configure_tagged_union
from pydantic_core import from_json

from agls.engine import facts, vocabulary
from agls.engine.facts import Entry, Fact, Unknown
from agls.engine.ports import JournalError
from agls.engine.vocabulary import ChangeKind, Content, JsonObject, Text
from agls.frozen import frozen

FORMAT = 2  # of the file: lines, header, checksums; an older agls refuses a newer one

FACTS: dict[str, type[Fact]] = {
    "session_changed": facts.SessionChanged,
    "admitted": facts.Admitted,
    "queue_changed": facts.QueueChanged,
    "run_started": facts.RunStarted,
    "steered": facts.Steered,
    "taken_in": facts.TakenIn,
    "injected": facts.Injected,
    "turn_started": facts.TurnStarted,
    "replied": facts.Replied,
    "cut": facts.Cut,
    "overflowed": facts.Overflowed,
    "used": facts.Used,
    "tool_started": facts.ToolStarted,
    "tool_finished": facts.ToolFinished,
    "asked": facts.Asked,
    "answered": facts.Answered,
    "compacted": facts.Compacted,
    "cleared": facts.Cleared,
    "expanded": facts.Expanded,
    "rewound": facts.Rewound,
    "phase_started": facts.PhaseStarted,
    "limits_changed": facts.LimitsChanged,
    "noted": facts.Noted,
    "run_ended": facts.RunEnded,
}
CONTENTS: dict[str, type[Content]] = {
    "text": vocabulary.Text,
    "image": vocabulary.Image,
    "resource": vocabulary.Resource,
    "resource_link": vocabulary.ResourceLink,
}
EARLIER: Mapping[str, JsonObject] = {"run_started": {"limits": {}, "item_ids": []}}  # defaults in format 1
CONTENT = tuple[Content, ...]
PLAIN = (str, int, float, bool)
KINDS = {cls: name for name, cls in FACTS.items()}
_SEAL = b'["%08x",'
SEALED = len(_SEAL % 0)
_as_json = json.JSONEncoder(separators=(",", ":")).encode


class Damaged(ValueError):
    """A line is not what was written."""


@frozen
class Header:
    """The first line of a journal. `epoch` names one unbroken numbering; `created` is Unix time.

    `asked` is the request that the session was made for, "" when it had no key.
    """

    session_id: str
    epoch: str
    created: float
    asked: str = ""


def encode(line: Entry | Header, since: float = 0.0) -> bytes:
    """Return the line as it stands in the file, with its line end.

    `since` is the time of the first entry, 0 for that itself.
    """
    if isinstance(line, Header):
        head: JsonObject = {"journal": FORMAT, "session": line.session_id}
        asked = {"asked": line.asked} if line.asked else {}
        body: list[Any] = [head | {"epoch": line.epoch, "created": line.created} | asked]
    else:
        body = [line.seq, _time(line.at, since), name_of(line.fact), _fields(line.fact)]
    return sealed(body)


def _time(at: float, since: float) -> float:
    """Return the time as it is written: in whole milliseconds, if that says all of it."""
    try:
        passed = round(at * 1000) - round(since * 1000)
        return passed if since and _moment(passed, since) == at else at
    except (OverflowError, ValueError):  # of a stranger's file
        return at


def _moment(passed: int, since: float) -> float:
    return (round(since * 1000) + passed) / 1000


def decode(line: bytes, since: float = 0.0) -> Entry | Header:
    """Return the entry or header of a line (without its line end).

    `since` is the time of the first entry, 0 for that itself, and where none is counted from it.

    **Raises** `Damaged` when a byte of it is not as it was written, and `JournalError` when it is whole but
    only a newer agls can read this file.
    """
    body = unsealed(line)
    if len(body) == 4:  # as a pattern would say it, in a fifth of its time
        seq, at, kind, data = body
        if type(at) is int:
            try:
                at = _moment(at, since) if since else float(at)
            except (OverflowError, ValueError) as error:
                raise Damaged("its time is none") from error
        if type(seq) is int and type(at) is float and type(kind) is str and type(data) in {dict, list}:
            return Entry(seq, at, structure(kind, data))
    match body:
        case [
            {
                "journal": int(journal),
                "session": str(session_id),
                "epoch": str(epoch),
                "created": float(created),
            }
        ] if journal in {1, FORMAT}:
            return Header(session_id, epoch, created, str(body[0].get("asked", "")))
        case _:
            raise JournalError("it was written by a newer agls; update agls to open it")


def sealed(body: list[Any]) -> bytes:
    """Return a line with these values behind its checksum, and its line end."""
    rest = _as_json(body)[1:].encode("ascii")
    return _SEAL % crc32(rest) + rest + b"\n"


def checksum_of(line: bytes) -> int:
    """Return the checksum that a line begins with."""
    return int(line[2:10], 16)


def unsealed(line: bytes) -> list[Any]:
    """Return the values of a line (without its line end). **Raises** `Damaged`."""
    rest = line[SEALED:]
    if line[:SEALED] != _SEAL % crc32(rest):
        raise Damaged("its checksum does not match")
    return _parsed(b"[" + rest)


def _parsed(line: bytes) -> list[Any]:
    try:
        return from_json(line)
    except ValueError:
        pass  # half a surrogate pair is a text for Python, which wrote it, and for no other parser
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Damaged("it is not JSON") from error


def unstructure(fact: Fact) -> tuple[str, JsonObject]:
    """Return the fact's name and its fields without those that have their default.

    Of an unknown fact they are what was read.
    """
    if isinstance(fact, Unknown):
        return fact.kind, fact.data if isinstance(fact.data, dict) else {"fields": fact.data}
    return KINDS[type(fact)], converter().unstructure(fact)


def _fields(fact: Fact) -> JsonObject | list[Any]:
    return fact.data if isinstance(fact, Unknown) else _row_writer(type(fact))(fact)


@cache  # cattrs forgets what it made for one kind when it meets another
def _row_writer(kind: type[Fact]) -> Callable[[Fact], JsonObject | list[Any]]:
    return _writer().get_unstructure_hook(kind)


def name_of(fact: Fact) -> str:
    """Return the fact's name."""
    return fact.kind if isinstance(fact, Unknown) else KINDS[type(fact)]


def structure(kind: str, data: JsonObject | list[Any]) -> Fact:
    """Return the fact of this name with these fields.

    A fact of a newer agls that this one does not understand becomes `Unknown` and keeps everything. Unknown
    fields of known facts are ignored, missing ones take their default.
    """
    if read := _reader(kind):
        try:
            return read({**EARLIER[kind], **data} if kind in EARLIER and type(data) is dict else data, None)
        except (CattrsError, LookupError, TypeError, ValueError):
            pass
    return Unknown(kind, data)


@cache
def _reader(kind: str) -> Callable[[Any, Any], Any] | None:
    return converter().get_structure_hook(FACTS[kind]) if kind in FACTS else None


@cache
def converter() -> Converter:
    """Return what makes plain JSON of the engine's values and back, strictly."""
    made = Converter(omit_if_default=True, detailed_validation=False)
    for plain in PLAIN:
        made.register_structure_hook(plain, _exactly)
    made.register_structure_hook(StrEnum, _member)
    made.register_structure_hook_func(_is_json, _json)
    made.register_structure_hook_func(lambda wanted: wanted == ChangeKind, _change_kind)
    made.register_unstructure_hook_func(_is_json, _as_it_is)
    made.register_structure_hook_factory(_is_row, _row_of)
    made.register_structure_hook_factory(is_dataclass, _record_of)
    names: dict[type, str] = {cls: name for name, cls in CONTENTS.items()}
    configure_tagged_union(Content, made, tag_name="type", tag_generator=names.__getitem__)
    _write_mere_text_as_such(made)
    return made


@cache
def _writer() -> Converter:
    """Return the converter that writes records as lists; contents, which name their type, are objects."""
    made = converter().copy()
    made.register_unstructure_hook_factory(is_dataclass, _list_of)
    return made


def _list_of(wanted: Any, converter: Converter) -> Callable[[Any], Any]:
    named = make_dict_unstructure_fn(wanted, converter, _cattrs_omit_if_default=True)
    required = _required(wanted)

    def write(value: Any) -> list[Any]:
        members = named(value)
        row = [members.pop(name) for name in required]
        return [*row, members] if members else row

    return write if required and wanted not in CONTENTS.values() else named


def _required(wanted: Any) -> list[str]:
    return [one.name for one in fields(wanted) if one.default is MISSING and one.default_factory is MISSING]


def _write_mere_text_as_such(converter: Converter) -> None:
    """Write a content of a single text as a string: nearly all are."""
    structure_rows = converter.get_structure_hook(CONTENT)
    unstructure_rows = converter.get_unstructure_hook(CONTENT)

    def read(value: Any, _: Any) -> tuple[Content, ...]:
        return (Text(value),) if isinstance(value, str) else structure_rows(value, CONTENT)

    def write(content: tuple[Content, ...]) -> Any:
        match content:
            case (Text(text),):
                return text
            case _:
                return unstructure_rows(content)

    converter.register_structure_hook_func(_is_content, read)
    converter.register_unstructure_hook_func(_is_content, write)


# cattrs would turn 1 into "1", "abc" into ("a", "b", "c"), and take "abc" for a record without
# fields. Here a value of another shape means that a newer version wrote it.


def _exactly(value: Any, wanted: type) -> Any:
    if type(value) is wanted:
        return value
    if wanted is float and type(value) is int:
        return float(value)
    raise TypeError(f"not {wanted.__name__}: {value!r}")


def _change_kind(value: Any, wanted: Any) -> str:
    """Return the kind of a file's change; old journals may say that it was moved."""
    if value not in {*get_args(ChangeKind), "moved"}:
        raise ValueError(value)
    return "modified" if value == "moved" else value


def _member(value: Any, wanted: type[StrEnum]) -> StrEnum:
    return _members(wanted)[value]


@cache
def _members(wanted: type[StrEnum]) -> Mapping[str, StrEnum]:
    return {member.value: member for member in wanted}  # to call the class takes ten times as long


def _is_content(wanted: Any) -> bool:
    return wanted == CONTENT


def _is_json(wanted: Any) -> bool:
    return get_origin(wanted) is dict


def _json(value: Any, wanted: Any) -> JsonObject:
    return _exactly(value, dict)


def _as_it_is(value: JsonObject) -> JsonObject:
    return value


def _is_row(wanted: Any) -> bool:
    return get_origin(wanted) is tuple


def _row_of(wanted: Any, converter: Converter) -> Callable[[Any, Any], tuple[Any, ...]]:
    of = get_args(wanted)[0]
    one = converter.get_structure_hook(of)

    def row(value: Any, _: Any) -> tuple[Any, ...]:
        return tuple([one(item, of) for item in _exactly(value, list)])

    return row


def _record_of(wanted: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    """Return a hook like cattrs' own generator, without its half a millisecond for each kind of fact."""
    kinds = {one.name: one.type for one in fields(wanted)}
    plain = {name: kind for name in kinds if (kind := _plain(kinds[name]))}
    hooks = {name: _plain_hook(kind) or converter.get_structure_hook(kind) for name, kind in kinds.items()}
    columns = [(plain.get(name), hooks[name], kinds[name]) for name in _required(wanted)]

    def named(said: JsonObject) -> JsonObject:
        if others := [name for name, member in said.items() if type(member) is not plain.get(name)]:
            said = said.copy()
            for name in others:
                member = said.pop(name)
                if name in hooks:
                    said[name] = hooks[name](member, kinds[name])
        return said

    def record(value: Any, _: Any) -> Any:
        if type(value) is dict or not columns:
            return wanted(**named(_exactly(value, dict)))
        _exactly(value, list)
        row = [
            member if type(member) is right else hook(member, kind)
            for member, (right, hook, kind) in zip(value, columns, strict=False)
        ]
        if len(value) == len(columns):
            return wanted(*row)
        (others,) = value[len(columns) :]
        return wanted(*row, **named(_exactly(others, dict)))

    return record


def _plain(wanted: Any) -> type | None:
    """Return the type of values that are taken as they are, also where they may be absent."""
    if get_origin(wanted) in {None, UnionType}:
        kinds = [kind for kind in get_args(wanted) or (wanted,) if kind is not NoneType]
        return kinds[0] if len(kinds) == 1 and kinds[0] in PLAIN else None
    return dict if _is_json(wanted) else None


def _plain_hook(wanted: Any) -> Callable[[Any, Any], Any] | None:
    """Return the hook that the converter would find, without its long search."""
    return _json if _is_json(wanted) else _exactly if wanted in PLAIN else None

"""The members of a type of the protocol: of a typed dictionary or a record."""

from dataclasses import MISSING, fields, is_dataclass
from types import NoneType
from typing import Any, Literal, NamedTuple, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

from agls_protocol.converter import camel


class Member(NamedTuple):
    """One member: its name on the wire, its type, whether it is always there and whether it may be `null`."""

    name: str
    type: Any
    required: bool
    nullable: bool


def has_members(kind: Any) -> bool:
    """Whether this is a type with members, not a primitive or a union."""
    return is_typeddict(kind) or is_dataclass(kind)


def members(kind: Any) -> list[Member]:
    """Return the members of a type that has them, in their order."""
    hints = get_type_hints(kind, include_extras=True)
    if is_typeddict(kind):
        needed = kind.__required_keys__
        return [_member(name, _bare(hint), needed=name in needed) for name, hint in hints.items()]
    return [
        _member(camel(each.name), hints[each.name], needed=each.default is each.default_factory is MISSING)
        for each in fields(kind)
    ]


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is NotRequired else hint


def _member(name: str, hint: Any, *, needed: bool) -> Member:
    names_the_kind = get_origin(hint) is Literal and len(get_args(hint)) == 1
    return Member(name, hint, needed or names_the_kind, needed and NoneType in get_args(hint))

"""The members of a type of the protocol: of a typed dictionary or an attrs class."""

from types import NoneType
from typing import Any, Literal, NamedTuple, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

import attrs

from agls_protocol.converter import camel


class Member(NamedTuple):
    """One member: its name on the wire, its type, whether it is always there and whether it may be `null`."""

    name: str
    type: Any
    required: bool
    nullable: bool


def has_members(kind: Any) -> bool:
    """Whether this is a type with members, not a primitive or a union."""
    return is_typeddict(kind) or attrs.has(kind)


def members(kind: Any) -> list[Member]:
    """Return the members of a type that has them, in their order."""
    hints = get_type_hints(kind, include_extras=True)
    if is_typeddict(kind):
        needed = kind.__required_keys__
        return [_member(name, _bare(hint), needed=name in needed) for name, hint in hints.items()]
    fields = [(field, hints[field.name]) for field in attrs.fields(kind)]
    return [_member(camel(field.name), hint, needed=field.default is attrs.NOTHING) for field, hint in fields]


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is NotRequired else hint


def _member(name: str, hint: Any, *, needed: bool) -> Member:
    names_the_kind = get_origin(hint) is Literal and len(get_args(hint)) == 1
    return Member(name, hint, needed or names_the_kind, needed and NoneType in get_args(hint))

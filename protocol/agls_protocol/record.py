"""How a type of the protocol is declared whose values clients send: a dataclass that compiles nothing.

There are ninety, and a session begins with values of three. `dataclass` and attrs write methods for each
class and compile them, which took a tenth of a start. Here all share those below (docs/decisions/806).
"""

from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import Any, TypeVar, cast, dataclass_transform

Class = TypeVar("Class", bound=type)


@dataclass_transform(field_specifiers=(field,))
def record(plain: Class) -> Class:
    """Make a class a dataclass whose values are made with the names of its fields, or in their order."""
    made = cast("Any", dataclass(plain, init=False, repr=False, eq=False))
    made.__init__, made.__repr__ = _initialize, _repr
    made.__eq__, made.__hash__ = _is_equal, None
    return cast("Class", made)


def _initialize(self: Any, *given: Any, **named: Any) -> None:
    members = dict(zip(self.__match_args__, given, strict=False), **named)
    if len(members) < len(given) + len(named):
        raise TypeError(f"{type(self).__name__} was given too many values, or one twice")
    blank, made = _defaults(self.__class__)
    values = {**blank, **members}
    if len(values) > len(blank):
        raise TypeError(f"{type(self).__name__} has no {next(name for name in members if name not in blank)}")
    for name, make in made:
        if name not in members:
            values[name] = make()
    if MISSING in values.values():
        missing = next(name for name, value in values.items() if value is MISSING)
        raise TypeError(f"{type(self).__name__} needs {missing}")
    self.__dict__.update(values)


@cache
def _defaults(plain: Any) -> tuple[dict[str, Any], Sequence[tuple[str, Callable[[], Any]]]]:
    """**Returns** the fields of a class with their defaults, and what makes those that are made each time."""
    known = fields(plain)
    made = [(each.name, each.default_factory) for each in known if each.default_factory is not MISSING]
    return {each.name: each.default for each in known}, made


def _is_equal(self: object, other: object) -> bool:
    return vars(self) == vars(other) if other.__class__ is self.__class__ else NotImplemented


def _repr(self: object) -> str:
    return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

"""How a value is declared: a dataclass with slots whose fields are never assigned again.

`dataclass(frozen=True, slots=True)` says the same, but writes and compiles seven methods for each class,
which took an eighth of the time until the first session. Here only `__init__` is compiled. That nobody
assigns is for the type checker to say, which reads the whole project (docs/decisions/206).
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, cast, dataclass_transform, overload

Class = TypeVar("Class", bound=type)


@overload
def frozen(made: Class, /) -> Class: ...
@overload
def frozen(*, eq: bool = True, kw_only: bool = False) -> Callable[[Class], Class]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(made: Any = None, /, *, eq: bool = True, kw_only: bool = False) -> Any:
    """Make a class a value: equal to, and hashed like, another of its class with equal fields.

    Without `eq` it is equal to itself alone.
    """

    def make(plain: type) -> type:
        value = cast("Any", dataclass(plain, repr=False, eq=False, kw_only=kw_only, slots=True))
        if "__repr__" not in vars(plain):
            value.__repr__ = _repr
        if eq and (names := [given.name for given in fields(value) if given.compare]):
            _compare(value, attrgetter(*names))
        return cast("type", value)

    return make(made) if made else make


def _compare(value: Any, compared: Callable[[object], Any]) -> None:
    def equal(self: object, other: object) -> bool:
        return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: object) -> int:
        return hash(compared(self))

    value.__eq__, value.__hash__ = equal, hashed


def _repr(self: Any) -> str:
    shown = (f"{given.name}={getattr(self, given.name)!r}" for given in fields(self) if given.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"

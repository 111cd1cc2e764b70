"""How a value is declared: a dataclass with slots whose fields are never assigned again.

`dataclass(frozen=True, slots=True)` says the same, but writes and compiles seven methods for each class,
which took an eighth of the time until the first session. Here only `__init__` is compiled, when the first
value of the class is made: of most classes a session begins without one (docs/decisions/700). That nobody
assigns is for the type checker to say, which reads the whole project (docs/decisions/206).
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
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
        value = cast("Any", dataclass(plain, init=False, repr=False, eq=False, kw_only=kw_only, slots=True))
        if "__init__" not in vars(plain):
            value.__init__ = _initialize
        if "__repr__" not in vars(plain):
            value.__repr__ = _repr
        if eq and (names := [given.name for given in fields(value) if given.compare]):
            value.__compared__ = attrgetter(*names)
            value.__eq__, value.__hash__ = _equal, _hashed
        return cast("type", value)

    return make(made) if made else make


def _initialize(self: object, *given: object, **named: object) -> None:
    """Compile `__init__` when it is called first, in place of this one."""
    value: Any = next(each for each in type(self).__mro__ if vars(each).get("__init__") is _initialize)
    value.__init__ = compiled = _initializer(value)
    compiled(self, *given, **named)


def _initializer(value: Any) -> Callable[..., None]:
    """**Returns** the `__init__` of a dataclass with these fields."""
    given = fields(value)
    members: dict[str, Any] = {each.name: _as_declared(each) for each in given}
    members |= {"__annotations__": {each.name: each.type for each in given}, "__doc__": value.__doc__}
    if hasattr(value, "__post_init__"):
        members["__post_init__"] = value.__post_init__  # that there is one is all that counts
    twin = type(value.__name__, (), {**members, "__module__": value.__module__})
    twin.__qualname__ = value.__qualname__
    return dataclass(twin, repr=False, eq=False, match_args=False).__init__


def _as_declared(given: Field[Any]) -> Any:
    if given.default_factory is not MISSING:
        return field(default_factory=given.default_factory, init=given.init, kw_only=given.kw_only)
    return field(default=given.default, init=given.init, kw_only=given.kw_only)


def _equal(self: Any, other: Any) -> bool:
    if other.__class__ is not self.__class__:
        return NotImplemented
    compared = self.__compared__
    return compared(self) == compared(other)


def _hashed(self: Any) -> int:
    return hash(self.__compared__(self))


def _repr(self: Any) -> str:
    shown = (f"{given.name}={getattr(self, given.name)!r}" for given in fields(self) if given.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"

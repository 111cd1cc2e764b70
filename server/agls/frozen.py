"""How a value is declared: a dataclass with slots whose fields are never assigned again.

`dataclass(frozen=True, slots=True)` says the same, but writes and compiles seven methods for each class,
which took an eighth of the time until the first session. Here a class gets no more than its slots when it
is declared. `dataclass` finds its fields, compiles `__init__` and does nothing else when the first value is
made, or somebody asks: of most classes a session begins without one (docs/decisions/700). That nobody
assigns is for the type checker to say, which reads the whole project (docs/decisions/206).
"""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, Field, dataclass, field, fields
from inspect import get_annotations
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, TypeVar, dataclass_transform, get_origin, overload

Class = TypeVar("Class", bound=type)


class _Declared(NamedTuple):
    """What a class says of its own fields: their types, and of some a default or a `field()`."""

    types: Mapping[str, Any]
    defaults: Mapping[str, Any]
    kw_only: bool


class _WhenAsked:
    """An attribute of classes that is there when somebody first reads it."""

    def __init__(self, name: str, make: Callable[[Any], object]) -> None:
        self._name, self._make = name, make

    def __get__(self, value: object, owner: type) -> object:
        declared = next(each for each in owner.__mro__ if vars(each).get(self._name) is self)
        setattr(declared, self._name, made := self._make(declared))
        return made


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
        members = dict(vars(plain))
        types = {name: given for name, given in get_annotations(plain).items() if not _is_of_class(given)}
        defaults = {name: members.pop(name) for name in types if name in members}
        inherited = {name for each in plain.__mro__[1:] for name in vars(each).get("__slots__", ())}
        slots = [name for name, given in types.items() if given is not KW_ONLY and name not in inherited]
        for name in ("__dict__", "__weakref__"):
            members.pop(name, None)
        members |= {"__slots__": tuple(slots), "__declared__": _Declared(types, defaults, kw_only)}
        members |= ATTRIBUTES
        members.setdefault("__init__", _initialize)
        members.setdefault("__repr__", _repr)
        if eq and (slots or inherited):
            members |= {"__compared__": COMPARED, "__eq__": _equal, "__hash__": _hashed}
        value = type(plain)(plain.__name__, plain.__bases__, members)
        value.__qualname__ = plain.__qualname__
        return value

    return make(made) if made else make


def _is_of_class(annotation: object) -> bool:
    return annotation is ClassVar or get_origin(annotation) is ClassVar


def _fields(value: Any) -> Mapping[str, Field[Any]]:
    """**Returns** the fields of a class by name, those of its bases first; its `__init__` is ready, too."""
    twin = _twin(value)
    if vars(value)["__init__"] is _initialize:
        value.__init__ = twin.__init__
    return twin.__dataclass_fields__


def _twin(value: Any) -> Any:
    """**Returns** a dataclass with the same fields, and with an `__init__`."""
    types, defaults, kw_only = value.__declared__
    known: dict[str, Field[Any]] = {}
    for base in value.__mro__[-1:0:-1]:
        known |= getattr(base, "__dataclass_fields__", {})
    members: dict[str, Any] = {name: given for name, given in known.items() if name not in types} | defaults
    members["__annotations__"] = {name: given.type for name, given in known.items()} | types
    members |= {"__doc__": value.__doc__, "__module__": value.__module__, "__qualname__": value.__qualname__}
    if hasattr(value, "__post_init__"):
        members["__post_init__"] = value.__post_init__  # that there is one is all that counts
    twin = type(value.__name__, (), members)
    return dataclass(twin, repr=False, eq=False, match_args=False, kw_only=kw_only)


def _positional(value: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(value) if each.init and not each.kw_only)


def _compared(value: Any) -> Callable[[object], object]:
    return attrgetter(*(each.name for each in fields(value) if each.compare))


COMPARED = _WhenAsked("__compared__", _compared)
ATTRIBUTES = {
    name: _WhenAsked(name, make)
    for name, make in (("__dataclass_fields__", _fields), ("__match_args__", _positional))
}
"""Those by which dataclasses and patterns know a class."""


def _initialize(self: object, *given: object, **named: object) -> None:
    """Compile `__init__` when it is called first, in place of this one."""
    value: Any = next(each for each in type(self).__mro__ if vars(each).get("__init__") is _initialize)
    fields(value)
    value.__init__(self, *given, **named)


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

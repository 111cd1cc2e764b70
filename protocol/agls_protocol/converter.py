"""Between plain JSON and the protocol's types: lenient about what is there, strict about what it is."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache, partial
from typing import Any, Literal, cast, get_args, get_origin, is_typeddict

from cattrs import Converter, transform_error
from cattrs.cols import list_structure_factory
from cattrs.gen import make_dict_structure_fn, override

PRIMITIVES: dict[type, str] = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
WRITTEN_AS_THEY_ARE = {*PRIMITIVES, dict}


def camel(name: str) -> str:
    """`session_id` as `sessionId`; a leading underscore stays."""
    head, *rest = name.lstrip("_").split("_")
    return "_" * (len(name) - len(name.lstrip("_"))) + head + "".join(part.capitalize() for part in rest)


@cache
def make_converter() -> Converter:
    """The converter for all types of the protocol, the same for everybody: it learns a type at its first use.

    Reading ignores unknown members and takes `null` for an absent one; a value of the wrong type is
    refused, never bent. Writing leaves out what is `None`.
    """
    converter = Converter(detailed_validation=True)
    for primitive, words in PRIMITIVES.items():
        converter.register_structure_hook(primitive, _exactly(primitive, words))
    converter.register_structure_hook_func(_is_literal, _one_of)
    converter.register_structure_hook_func(_is_json, _object)
    converter.register_structure_hook_factory(_is_list, partial(_list, converter))
    converter.register_structure_hook_factory(is_dataclass, partial(_reader, converter))
    converter.register_unstructure_hook_factory(is_dataclass, partial(_writer, converter))
    converter.register_unstructure_hook_func(_is_json, _as_it_is)
    return converter


def explain(error: Exception) -> str:
    """What was wrong with a value that could not be read, with the place in wire names."""
    problems = transform_error(error, path="params", format_exception=_say)
    return "; ".join(map(_sentence, problems))


def _sentence(problem: str) -> str:
    """Turn `says what @ its.place` of cattrs around."""
    said, _, place = problem.rpartition(" @ ")
    return f"{'.'.join(map(camel, place.split('.')))} {said}"


def _say(problem: BaseException, kind: type | None) -> str:
    return "is missing" if isinstance(problem, KeyError) else str(problem)


def _exactly(primitive: type, words: str) -> Callable[[Any, Any], Any]:
    accepted = (int, float) if primitive is float else (primitive,)

    def read(value: Any, _: Any) -> Any:
        if isinstance(value, accepted) and (primitive is bool or not isinstance(value, bool)):
            return value
        raise TypeError(f"must be {words}")

    return read


def _is_literal(kind: Any) -> bool:
    return get_origin(kind) is Literal


def _one_of(value: Any, kind: Any) -> Any:
    if value not in get_args(kind):
        raise TypeError(f"must be one of {', '.join(map(str, get_args(kind)))}")
    return value


def _object(value: Any, _: Any) -> Any:
    if not isinstance(value, dict):
        raise TypeError("must be an object")
    return cast(dict[str, Any], value)


def _is_list(kind: Any) -> bool:
    return get_origin(kind) is list


def _list(converter: Converter, kind: Any) -> Callable[[Any, Any], Any]:
    (element,) = get_args(kind)
    structure, refuse = converter.get_structure_hook(element), list_structure_factory(kind, converter)

    def read(value: Any, kind: Any) -> Any:
        if not isinstance(value, list):  # the characters of a string are no list
            raise TypeError("must be a list")
        given, done = cast(list[Any], value), list[Any]()
        with suppress(Exception):
            for each in given:
                done.append(structure(each, element))
            return done
        return refuse(given[: len(done) + 1], kind)  # names only the first wrong one: there may be a million

    return read


def _is_json(kind: Any) -> bool:
    """Whether values of this type are plain JSON already, as most of a long transcript is."""
    return kind is dict or get_origin(kind) is dict or is_typeddict(kind)


def _as_it_is(value: Any) -> Any:
    return value


def _names(cls: Any) -> dict[str, Any]:
    return {
        each.name: override(rename=camel(each.name), omit_if_default=each.default is None)
        for each in fields(cls)
    }


def _reader(converter: Converter, cls: Any) -> Callable[[Any, Any], Any]:
    structure = make_dict_structure_fn(cls, converter, **_names(cls))

    def read(value: Any, kind: Any) -> Any:
        members = _object(value, kind)
        return structure({name: member for name, member in members.items() if member is not None}, kind)

    return read


def _writer(converter: Converter, cls: Any) -> Callable[[Any], Any]:
    """As cattrs' own generator, without the millisecond that it takes for each type that is written first."""
    members = [(each.name, camel(each.name), each.default is None) for each in fields(cls)]

    def write(value: Any) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for name, wire, may_be_absent in members:
            member = getattr(value, name)
            if member is not None or not may_be_absent:
                result[wire] = written(member)
        return result

    def written(member: Any) -> Any:
        if type(member) in WRITTEN_AS_THEY_ARE:
            return member
        if type(member) is list:  # of texts or of objects, and perhaps of thousands
            return [written(each) for each in cast(list[Any], member)]
        return converter.unstructure(member)

    return write

"""What `record` makes of a class: a dataclass, with methods that all share."""

from dataclasses import field, is_dataclass, replace

import pytest

from agls_protocol import documents, sessions, types
from agls_protocol.record import record


@record
class Point:
    """A value."""

    x: int
    names: list[str] = field(default_factory=list[str])
    mode: str = field(default="form", kw_only=True)


def test_a_record_is_made_by_the_names_of_its_fields_or_in_their_order() -> None:
    assert Point(1, ["a"]) == Point(x=1, names=["a"]) == replace(Point(2, ["a"]), x=1) != Point(1)
    assert Point(1).names is not Point(1).names
    assert repr(Point(1, mode="url")) == "Point(x=1, names=[], mode='url')"
    assert Point(1) != (1, [], "form")


@pytest.mark.parametrize(
    ("given", "named", "problem"),
    [
        ((), {}, "Point needs x"),
        ((1, [], "form"), {}, "too many"),
        ((1,), {"x": 2}, "too many"),
        ((1,), {"y": 2}, "Point has no y"),
    ],
)
def test_a_record_is_not_made_of_other_members(
    given: tuple[object, ...], named: dict[str, object], problem: str
) -> None:
    make: type = Point
    with pytest.raises(TypeError, match=problem):
        make(*given, **named)


def test_nothing_is_compiled_for_a_type_of_the_protocol() -> None:
    """Each has the methods of all others."""
    for module in (documents, sessions, types):
        records = [each for each in vars(module).values() if isinstance(each, type) and is_dataclass(each)]
        assert {each.__init__.__module__ for each in records} == {"agls_protocol.record"}

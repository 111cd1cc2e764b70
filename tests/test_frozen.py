"""Values: what `frozen` makes of a class, and that the type checker guards it."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import KW_ONLY, FrozenInstanceError, field, fields, replace
from pathlib import Path
from typing import ClassVar

import pytest

from agls.doors.library.results import Artifact, Step
from agls.frozen import frozen

ASSIGNING = """\
from agls.frozen import frozen

@frozen
class Point:
    x: int

Point(1).x = 2
"""


@frozen
class Point:
    """A value."""

    x: int
    names: tuple[str, ...] = ()
    secret: str = field(default="", repr=False)


@frozen
class Place:
    """Another with the same fields."""

    x: int
    names: tuple[str, ...] = ()
    secret: str = field(default="", repr=False)


@frozen(eq=False, kw_only=True)
class Part:
    """Equal to itself alone."""

    given: Mapping[str, int]


def test_values_are_equal_by_class_and_fields() -> None:
    """And hashed alike; a value of another class is another value."""
    assert Point(1, ("a",)) == Point(1, ("a",)) != Point(1, ("b",))
    assert len({Point(1), Point(1), Point(2)}) == 2
    assert Point(1) != Place(1)
    assert Point(1) != (1, (), "")
    assert Part(given={}) != Part(given={})
    assert len({Part(given={}), Part(given={})}) == 2


def test_a_value_is_shown_without_its_secrets() -> None:
    """`repr=False` holds."""
    assert repr(Point(1, ("a",), "hidden")) == "Point(x=1, names=('a',))"


def test_a_value_is_copied_and_replaced() -> None:
    """As every dataclass."""
    point = Point(1, ("a",), "s")
    assert copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point
    assert replace(point, x=2) == Point(2, ("a",), "s")


def test_a_value_has_no_other_fields() -> None:
    """It has slots."""
    with pytest.raises(AttributeError):
        object.__setattr__(Point(1), "y", 2)


def test_the_type_checker_refuses_an_assignment(tmp_path: Path) -> None:
    """What runs would not: so this has to hold."""
    (tmp_path / "assigning.py").write_text(ASSIGNING)
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "assigning.py"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert 'Attribute "x" is read-only' in found.stdout, found.stdout + found.stderr


def test_results_of_the_library_refuse_assignments_while_they_run() -> None:
    for result, name in ((Artifact("notes.md", "text"), "content"), (Step("Done."), "text")):
        with pytest.raises(FrozenInstanceError):
            setattr(result, name, "other")


@frozen
class Marked(Point):
    """A value with the fields of another, and one more."""

    mark: str = ""


class Named(Point):
    """A subclass that is not declared as a value."""


def test_subclasses_are_initialized_and_compared_each_with_its_own_fields() -> None:
    assert Marked(1, ("a",), mark="x").mark == "x"
    assert Marked(1, mark="x") != Marked(1, mark="y")
    assert hash(Marked(1, mark="x")) == hash(Marked(1, mark="x"))
    assert Named(2).x == 2
    assert Named(2) == Named(2)
    assert Named(2) != Point(2)
    assert Point(3).names == ()


def test_fields_are_found_when_somebody_asks() -> None:
    """Those of the bases first; patterns with positions have them, also before a value was made."""

    @frozen
    class Route(Place):
        kind: ClassVar[str] = "route"
        _: KW_ONLY
        stops: int = 0

    assert [each.name for each in fields(Route)] == ["x", "names", "secret", "stops"]
    assert Route.kind == "route"
    assert Route.__match_args__ == ("x", "names", "secret")
    with pytest.raises(TypeError, match=r"Route.__init__\(\) missing 1 required positional argument: 'x'"):
        Route()  # pyright: ignore[reportCallIssue]

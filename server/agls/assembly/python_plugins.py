"""Rooms of Python packages: installed beside agls, and named in the user's own config file (decision 1410).

A package names a room as an entry point of the group `agls.features`. Nothing is imported unless it is named,
and what is wrong with one is said where plugins are listed: it takes nothing from the others.
"""

import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

from pydantic import ValidationError, create_model

from agls.assembly.arrivals import Rooms
from agls.config import Config, ConfigError
from agls.engine.feature import Feature
from agls.room import OnUse, PromptRefused, Room
from agls.room.declaration import (
    Completions,
    admit_anything,
    complete_nothing,
    do_nothing_at_end,
    understand_nothing,
)
from agls.room.exposed import NamedPackages
from agls.room.process_ports import PythonPlugin

GROUP = "agls.features"
NONE = "no installed package has an entry point {!r} in {}. Install it there: {} -m pip install PACKAGE"
SEVERAL = "several packages have it ({}): uninstall all but one"
NO_ROOM = "{} is a {}, and must be a Room (agls.library)"
NO_FEATURE = "its `build` returned a {}, and must return a Feature or None"
FAILED = "{} failed: {}"
TURN_OFF = "Update the package, or remove [plugins.python.{}] from your config file (docs/plugins.md)."
USUAL: Mapping[str, tuple[object, object]] = {  # functions of a room, and what stands for their answer
    "expand": (understand_nothing, ()),
    "complete": (complete_nothing, Completions()),
    "screen": (admit_anything, ()),
    "at_end": (do_nothing_at_end, None),
}
Named = Mapping[str, Mapping[str, Any]]
_log = logging.getLogger(__name__)


class PackageProblem(Exception):
    """A package cannot be used; the message says why."""


class PythonRooms:
    """The rooms of the packages that the user named, among all rooms. `broken` says what does not work."""

    def __init__(self, rooms: Rooms, named: Named) -> None:
        self.broken: dict[str, str] = {}
        self._leave: list[Callable[[], None]] = []
        for name, values in named.items():
            try:
                self._leave.append(rooms.add(_Guard(self.broken, name).around(_room(name, values))))
            except (PackageProblem, ConfigError) as problem:
                self._note(name, str(problem))

    def leave(self) -> None:
        """Take the rooms away again."""
        for leave in self._leave:
            leave()

    def _note(self, name: str, problem: str) -> None:
        self.broken[name] = problem
        _log.warning("the Python plugin %s cannot be used: %s", name, problem)


def python_plugins(config: Config, broken: Mapping[str, str] | None = None) -> Sequence[PythonPlugin]:
    """**Returns** the packages that are named, and those that are only installed.

    What was found to be `broken` so far is known; without it all that are named are tried.
    """
    named = config.exposed(NamedPackages).python
    if broken is None:
        broken = PythonRooms(Rooms(), named).broken if named else {}
    found = {each.name: each for each in entry_points(group=GROUP)}
    return tuple(
        _row(name, found.get(name), is_on=name in named, problem=broken.get(name, ""))
        for name in sorted({*named, *found})
    )


def _row(name: str, found: EntryPoint | None, *, is_on: bool, problem: str) -> PythonPlugin:
    package = found.dist if found else None
    about = (package.name, package.version) if package else ("", "")
    fix = TURN_OFF.format(name) if problem else ""
    return PythonPlugin(name, *about, found.value if found else "", is_on, problem, fix)


def _room(name: str, values: Mapping[str, Any]) -> Room[Any]:
    """**Returns** the room of an entry point, with these settings. **Raises** `PackageProblem`."""
    found: Sequence[EntryPoint] = [*entry_points(group=GROUP, name=name)]
    if not found:
        raise PackageProblem(NONE.format(name, GROUP, sys.executable))
    if len(found) > 1:
        packages = sorted(each.dist.name for each in found if each.dist)
        raise PackageProblem(SEVERAL.format(", ".join(packages)))
    try:
        room: object = found[0].load()
    except (Exception, SystemExit) as problem:  # somebody's module raises what it likes
        raise PackageProblem(FAILED.format(f"importing {found[0].value}", _words(problem))) from problem
    if not isinstance(room, Room):
        raise PackageProblem(NO_ROOM.format(found[0].value, type(room).__name__))
    return _with_settings(name, cast("Room[Any]", room), values)


def _with_settings(name: str, room: Room[Any], values: Mapping[str, Any]) -> Room[Any]:
    """**Returns** the room with settings whose usual values are these. **Raises** `PackageProblem`."""
    try:
        section = room.settings.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(("plugins", "python", name, *map(str, first["loc"])))
        raise PackageProblem(f"{key}: {first['msg']}") from None
    usual: dict[str, Any] = {
        key: (field.annotation, getattr(section, key)) for key, field in room.settings.model_fields.items()
    }
    return replace(room, settings=create_model(room.settings.__name__, __base__=room.settings, **usual))


class _Guard:
    """Keeps what a package does wrong, besides in a run, from the session; it is said of the plugin."""

    def __init__(self, broken: dict[str, str], name: str) -> None:
        self._broken, self._name = broken, name

    def around(self, room: Room[Any]) -> Room[Any]:
        """**Returns** the room, which takes no part in what it cannot do."""
        build = room.build.function if isinstance(room.build, OnUse) else room.build
        functions: dict[str, Any] = {
            key: partial(self._asked, key, getattr(room, key), otherwise)
            for key, (usual, otherwise) in USUAL.items()
            if getattr(room, key) is not usual
        }
        return replace(room, build=partial(self._built, build), **functions)

    def _built(self, build: Callable[..., object], *given: Any) -> Feature | None:
        try:
            feature = build(*given)
        except Exception as problem:  # noqa: BLE001 - as above
            self._fail("build", problem)
            return None
        if feature is None or isinstance(feature, Feature):
            return feature
        self._say(NO_FEATURE.format(type(feature).__name__))
        return None

    async def _asked(self, key: str, work: Any, otherwise: object, *given: Any) -> Any:
        try:
            return await work(*given)
        except PromptRefused:
            raise
        except Exception as problem:  # noqa: BLE001 - as above
            self._fail(key, problem)
            return otherwise

    def _fail(self, what: str, problem: Exception) -> None:
        _log.exception("the Python plugin %s: %s failed", self._name, what)
        self._say(FAILED.format(f"`{what}`", _words(problem)))

    def _say(self, problem: str) -> None:
        self._broken[self._name] = problem


def _words(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {problem}"

"""Rooms declare themselves, and only the order names them (ARCHITECTURE.md, "Rooms declare themselves")."""

import inspect
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agls.assembly.needs import PORTS
from agls.features import checkpoints, outputs, permissions, redaction
from agls.order import MCP, ORDER, PLUGINS, ROOMS
from agls.room import Room
from agls.room.declaration import complete_nothing, understand_nothing

SERVER = Path(__file__).parents[2] / "server" / "agls"
IMPORTS = re.compile(r"^\s*(?:from agls\.features|import agls\.features)\b", re.MULTILINE)


def test_order_names_every_room_once_and_keeps_the_places_of_arrivals() -> None:
    folders = {path.parent.name for path in (SERVER / "features").glob("*/__init__.py")}
    assert sorted(room.name for room in ROOMS) == sorted(folders)
    guarding = [redaction.ROOM, permissions.ROOM, checkpoints.ROOM]
    assert ORDER[:2] == (outputs.ROOM, redaction.ROOM), "what it hides is hidden from all, files too"
    assert max(map(ORDER.index, guarding)) < ORDER.index(PLUGINS) < ORDER.index(MCP)


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_builder_takes_the_settings_and_then_what_the_room_needs(room: Room[Any]) -> None:
    settings, *needed = inspect.signature(room.build, eval_str=True).parameters.values()
    assert [each.annotation for each in needed] == list(room.needs)
    told = room.of_agent[0] if room.of_agent and not room.has_table else room.settings
    assert settings.annotation == told
    assert room.settings.__module__ in {f"agls.features.{room.name}.settings", "agls.room.declaration"}


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_what_understands_typed_text_takes_the_settings_the_text_and_what_the_room_needs(
    room: Room[Any],
) -> None:
    for function, default in ((room.expand, understand_nothing), (room.complete, complete_nothing)):
        if function is not default:
            settings, _, *needed = inspect.signature(function, eval_str=True).parameters.values()
            assert settings.annotation == room.settings
            assert [each.annotation for each in needed] == list(room.needs)


def test_every_port_that_a_room_needs_is_provided_and_none_that_nobody_needs() -> None:
    assert PORTS.keys() == {port for room in ROOMS for port in room.needs}


def test_only_the_order_names_rooms() -> None:
    found = Counter[str]()
    for path in SERVER.rglob("*.py"):
        name = str(path.relative_to(SERVER))
        if not name.startswith("features/") and name != "order.py":
            found[name] += len(IMPORTS.findall(path.read_text()))
    listed = tomllib.loads((Path(__file__).parent / "ratchets.toml").read_text())["rooms_named"]
    assert dict(+found) == listed, "name no room; where there is one less, change its line in ratchets.toml"

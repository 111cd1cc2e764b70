"""The page of a room (its README.md) names what it takes part in, keeps and offers; tables are whole."""

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from agls.order import ROOMS
from agls.room import Room

SERVER = Path(__file__).parents[2] / "server" / "agls"
FEATURES = SERVER / "features"
ACTIONS = json.loads((SERVER / "room_actions.json").read_text("utf-8"))
SLOTS = "around_run|before_turn|around_model|around_tool|before_stop|on_fact|show_tools|late_tools"
IN_PAGE = re.compile(rf"`({SLOTS})`")
GIVEN = re.compile(rf'(?:[\s(]|\[")({SLOTS})(?:"\])?\s*=(?!=)')  # an argument of Feature, or one of several
NOTED = re.compile(r"\.note\(\s*(?:ROOM|NAME),\s*([A-Z_]+)\b")
KEPT = re.compile(r"\.note\(\s*([A-Z_]+), \{")  # by an action, which notes for its own room only


def page_of(room: Room[Any]) -> str:
    return (FEATURES / room.name / "README.md").read_text("utf-8")


def sources_of(room: Room[Any]) -> dict[str, str]:
    """**Returns** the modules of the room by their dotted names."""
    files = sorted((FEATURES / room.name).glob("*.py"))
    return {f"agls.features.{room.name}.{path.stem}": path.read_text("utf-8") for path in files}


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_page_of_a_room_names_exactly_the_slots_that_it_uses(room: Room[Any]) -> None:
    used = {slot for text in sources_of(room).values() for slot in GIVEN.findall(text)}
    assert set(IN_PAGE.findall(page_of(room))) == used


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_page_of_a_room_names_every_note_that_it_keeps(room: Room[Any]) -> None:
    kinds = {
        getattr(import_module(module), constant)
        for module, text in sources_of(room).items()
        for constant in (*NOTED.findall(text), *KEPT.findall(text))
    }
    page = page_of(room)
    assert [kind for kind in sorted(kinds) if f"`{kind}`" not in page] == []


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_page_of_a_room_names_every_action_that_it_offers(room: Room[Any]) -> None:
    page = page_of(room)
    names = [row["spec"]["name"] for row in ACTIONS if row["room"] == room.name]
    assert [name for name in names if not re.search(rf"`/?{re.escape(name)}\b", page)] == []


@pytest.mark.parametrize("package", ["language_servers", "mcp_servers", "workspace"])
def test_table_of_modules_names_every_module_of_its_package(package: str) -> None:
    folder = SERVER / package
    rows = [line for line in (folder / "README.md").read_text("utf-8").splitlines() if line.startswith("| `")]
    named = set(re.findall(r"`(\w+)\.py`", "".join(row.split("|")[1] for row in rows)))
    assert named == {path.stem for path in folder.glob("*.py")} - {"__init__"}

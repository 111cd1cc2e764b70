"""Rooms declare themselves, and only the order names them (ARCHITECTURE.md, "Rooms declare themselves")."""

import inspect
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agls.assembly.needs import PORTS
from agls.features import checkpoints, outputs, permissions, redaction
from agls.order import MCP, ORDER, PLUGINS, ROOMS, TOOLS, WORDS
from agls.prompt_files.agent_tools import OWN
from agls.room import OnUse, Room, exposed
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
def test_room_that_tells_the_model_something_has_a_heading_for_people(room: Room[Any]) -> None:
    sources = [path.read_text("utf-8") for path in (SERVER / "features" / room.name).glob("*.py")]
    shown = [text for text in sources if "background import ROOM" not in text]  # that is for models only
    says = any("Injected(" in text and re.search(r"UserMessage\(.*ROOM\)", text) for text in shown)
    assert bool(room.heading) or not says
    assert room.heading[:1].isupper() or not room.heading


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_builder_takes_the_settings_and_then_what_the_room_needs(room: Room[Any]) -> None:
    assert isinstance(room.build, OnUse), (
        "write build_of(__name__): a process begins without the work of rooms"
    )
    settings, *needed = inspect.signature(room.build.function, eval_str=True).parameters.values()
    assert [each.annotation for each in needed] == list(room.needs)
    told = room.of_agent[0] if room.of_agent and not room.has_table else room.settings
    assert settings.annotation == told
    assert room.settings.__module__ in {f"agls.features.{room.name}.settings", "agls.room.declaration"}


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_functions_for_typed_text_take_the_settings_the_text_and_the_needs_of_the_room(
    room: Room[Any],
) -> None:
    for function, default in ((room.expand, understand_nothing), (room.complete, complete_nothing)):
        if function is not default:
            assert isinstance(function, OnUse), "write OnUse(module, name), as for build"
            settings, _, *needed = inspect.signature(function.function, eval_str=True).parameters.values()
            assert settings.annotation == room.settings
            assert [each.annotation for each in needed] == list(room.needs)


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_no_default_of_a_setting_is_made_by_a_class(room: Room[Any]) -> None:
    """Pydantic would look for its signature with the tokenizer of Python, which takes ten milliseconds."""
    made_by = {name: each.default_factory for name, each in room.settings.model_fields.items()}
    assert [name for name, factory in made_by.items() if isinstance(factory, type)] == [], "default=[]"


def test_provided_ports_are_exactly_those_that_rooms_need() -> None:
    assert PORTS.keys() == {port for room in ROOMS for port in room.needs}


def test_each_exposed_protocol_is_implemented_by_the_settings_of_one_room() -> None:
    protocols = [each for _, each in inspect.getmembers(exposed, inspect.isclass) if is_own(each)]
    rooms = [(port, room) for room in ROOMS for port in room.exposes]
    assert sorted(port.__name__ for port, _ in rooms) == sorted(each.__name__ for each in protocols)
    for port, room in rooms:
        assert isinstance(room.settings(), port), f"{room.name} lacks a member of {port.__name__}"


def is_own(each: type) -> bool:
    return each.__module__ == exposed.__name__


def test_only_the_order_names_rooms() -> None:
    found = Counter[str]()
    for path in SERVER.rglob("*.py"):
        name = str(path.relative_to(SERVER))
        if not name.startswith("features/") and name != "order.py":
            found[name] += len(IMPORTS.findall(path.read_text()))
    assert not +found, "name no room: read its settings by a protocol of room/exposed.py, or call its action"


def test_files_of_agents_may_name_every_tool() -> None:
    assert not TOOLS - OWN, "name each in OWN of prompt_files/agent_tools.py"


def test_calls_of_every_tool_have_words_for_people() -> None:
    assert not TOOLS - WORDS.keys(), "say how each is called for people: `words` of the ROOM that offers it"


def test_rooms_declare_the_tools_that_they_offer() -> None:
    modules = [path.read_text("utf-8") for path in (SERVER / "features").rglob("*.py")]
    for name in TOOLS:
        assert any(f'"{name}"' in text for text in modules), f"no room has a tool {name}"
    page = (SERVER.parents[1] / "docs" / "tools.md").read_text("utf-8")
    offered = set(re.findall(r"^## `(\w+)`$", page, re.MULTILINE))
    assert offered - TOOLS == set(), "name each in `tools` of the ROOM that offers it"

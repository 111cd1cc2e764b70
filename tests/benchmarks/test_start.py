"""What is imported until a session is ready: counts of modules, which are the same on every machine."""

import json
import sys

import pytest

from agls.order import ROOMS
from benchmarks.peers import Bench, Model

MOST = 866  # of all modules, those of Python among them
MOST_OF_OURS = 560
LISTING = """\
import json, sys
from agls.__main__ import leave_out, main

leave_out()
from agls.world import World

def list_modules(world, folder):
    sys.stderr.write(json.dumps(sorted(sys.modules)) + "\\n")

World.prepare = list_modules  # what follows the answer to agent/session/new
sys.exit(main(["serve", "--stdio"]))
"""
LATER = (
    "certifi",
    "html",
    "httpx",
    "importlib.metadata",
    "lsprotocol",
    "pygls",
    "rich",
    "sqlite3",
    "tomlkit",
    "yaml",
)


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("start")
    with Model() as model:
        talking = Bench(model, folder, (sys.executable, "-c", LISTING)).ready("agls")
        talking.client.close()
    return json.loads((folder / "agls.log").read_text().splitlines()[0])


def test_a_session_is_ready_with_few_modules(modules: list[str]) -> None:
    """Whoever makes the number larger imports something that a session does not need to begin."""
    ours = [name for name in modules if name.partition(".")[0] in {"agls", "agls_protocol"}]
    assert len(ours) <= MOST_OF_OURS, f"{len(ours)} of ours"
    assert len(modules) <= MOST, f"{len(modules)} in all"


def test_a_session_is_ready_without_libraries_for_later(modules: list[str]) -> None:
    assert [name for name in LATER if name in modules] == []


def test_rooms_are_loaded_after_the_session_is_ready(modules: list[str]) -> None:
    """All but those whose actions depend on the session."""
    loaded = {
        name.split(".")[2]
        for name in modules
        if name.startswith("agls.features.") and name.endswith(".feature")
    }
    assert loaded == {room.name for room in ROOMS if room.actions_vary}

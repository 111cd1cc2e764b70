"""A house to break into, for every test its own."""

from pathlib import Path

import pytest

from .attacker import House


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)

"""A session over real files."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from .scene import Scene, opened


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    async with opened(tmp_path) as scene:
        yield scene

"""A session's background tasks for tests that have no session."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from agls.engine.background import Background
from agls.engine.log import Log
from agls.engine.state import State
from agls.stores.memory import MemoryStore
from agls.workspace.clock import SystemClock


def no_tasks() -> Background:
    """Tasks of a session that nobody keeps: none yet."""

    def spawn(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        return asyncio.get_running_loop().create_task(work)

    return Background(Log(MemoryStore().create("ses_none"), SystemClock(), State()), spawn)

"""Calls of the code of other programs, which may block, crash or never return without harm here."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import copy_context
from inspect import isawaitable, iscoroutinefunction
from threading import Thread
from typing import Any, TypeVar

Given = TypeVar("Given")
GRACE = 1.0  # seconds that a cancelled call gets to end by itself
_log = logging.getLogger(__name__)
_left: set[asyncio.Task[Any]] = set()  # tasks that never ended; a loop alone does not keep its tasks


async def called(function: Callable[[], Any]) -> Any:
    """Call the function and wait; one that is not `async` works in a thread of its own.

    Cancelling the wait ends it at once; a thread goes on by itself, and its result is dropped.

    **Raises** what the function raises.
    """
    made = function() if iscoroutinefunction(function) else await _in_thread(function)
    return await made if isawaitable(made) else made


async def within(seconds: float, what: str, work: Coroutine[Any, Any, Given]) -> Given | None:
    """Wait for this work, so many seconds at most. A failure or a timeout is logged as `what`.

    **Returns** its result, `None` after a failure or a timeout.
    """
    task = asyncio.get_running_loop().create_task(work)
    try:
        await asyncio.wait({task}, timeout=seconds)
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=GRACE)
    if not task.done():
        _left.add(task)
        task.add_done_callback(_left.discard)
    if not task.done() or task.cancelled():
        _log.error("%s took longer than %g seconds and was left", what, seconds)
        return None
    if problem := task.exception():
        _log.error("%s failed", what, exc_info=problem)
        return None
    return task.result()


def _in_thread(function: Callable[[], Any]) -> asyncio.Future[Any]:
    loop = asyncio.get_running_loop()
    result: asyncio.Future[Any] = loop.create_future()
    context = copy_context()

    def settle(given: Any, problem: Exception | None) -> None:
        if not result.done():
            result.set_exception(problem) if problem else result.set_result(given)

    def work() -> None:
        given, problem = None, None
        try:
            given = context.run(function)
        except BaseException as raised:  # noqa: BLE001 - not even a sys.exit() leaves the caller waiting
            if isinstance(raised, Exception) and not isinstance(raised, StopIteration):
                problem = raised
            else:
                problem = RuntimeError(f"{type(raised).__name__}: {raised}")
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(settle, given, problem)

    Thread(target=work, name="agls: code of the program", daemon=True).start()
    return result

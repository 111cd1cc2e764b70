"""The port for handing work over: children are sessions with a parent."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import field
from typing import Any, Protocol

from agls.engine.ports import Store
from agls.engine.state import State
from agls.engine.vocabulary import Content, JsonObject, Stop
from agls.frozen import frozen


@frozen
class ChildTask:
    """The task of a child, for the call `call_id`; `label` distinguishes the children of one call.

    `options` are those of its session; `resumes` is the child that goes on, "" for a new one.
    """

    call_id: str
    label: str
    content: tuple[Content, ...]
    title: str = ""
    options: JsonObject = field(default_factory=dict[str, Any])
    resumes: str = ""


@frozen
class ChildResult:
    """How the run of a child ended, and its state then."""

    stop: Stop
    state: State


def helpers_of(store: Store, session_id: str) -> list[str]:
    """Return the sessions that worked for this one, and those that worked for them, the deepest first.

    A fork is none of them. Blocks: call it off the event loop. **Raises** `JournalError`.
    """
    below: dict[str, list[str]] = {}
    cursor, is_last = "", False
    while not is_last:
        rows, cursor = store.list(cursor=cursor, limit=1000)
        is_last = not cursor
        for row in rows:
            if row.parent_item:
                below.setdefault(row.parent, []).append(row.session_id)
    found = [session_id]
    for each in found:
        found += [child for child in below.get(each, ()) if child not in found]
    return found[:0:-1]


Begin = Callable[[ChildTask], asyncio.Future[ChildResult]]


class Spawner(Protocol):
    """The children of one session, the parent, whose `state` it shows.

    A child is an ordinary session: with its own journal, permissions and limits. What it uses is recorded in
    the parent as `Used`, by the child's id, as it is used. `note` records a fact of a room in the parent,
    `delegated` that one more piece of work was handed over.
    """

    @property
    def state(self) -> State: ...
    def note(self, feature: str, kind: str, data: JsonObject) -> None: ...
    def delegated(self, by: str) -> None: ...

    def child_of(self, child_task: ChildTask) -> str:
        """Return the id of the child that does this task."""
        ...

    def task_group(self) -> AbstractAsyncContextManager[Begin]:
        """Begin tasks, which run side by side: leaving the block cancels those that are not done.

        Every way for a child to fail is a `ChildResult`; cancelling its future cancels the child.
        """
        ...

    def open_child(self, session_id: str) -> "AbstractAsyncContextManager[Spawner]":
        """Open a child that has no task: what a crash left open in it is closed.

        What it used and its parent does not know of yet is recorded when the block is left.
        **Raises** `JournalError`.
        """
        ...

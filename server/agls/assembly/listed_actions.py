"""The actions of rooms as a file lists them, so that people are shown them before a room is imported.

`scripts/reference.py` writes the file from the rooms themselves (docs/decisions/807).
"""

import json
from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from agls.engine.actions import Action, ActionContext, ActionSpec
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.toolkit import shipped_schemas

ACTIONS = Path(__file__).parents[1] / "room_actions.json"


@frozen(eq=False)
class ListedAction:
    """Implements `Action` for the list alone: to do one, the rooms are built (`engine/run_action.py`)."""

    spec: ActionSpec

    async def values(self, member: str, context: ActionContext) -> NoReturn:
        """**Raises** `NotImplementedError`."""
        raise NotImplementedError

    async def __call__(self, arguments: JsonObject, context: ActionContext) -> NoReturn:
        """**Raises** `NotImplementedError`."""
        raise NotImplementedError


@cache
def listed_actions(room: str) -> Sequence[Action]:
    """**Returns** the actions that a room always offers, in their order."""
    return tuple(ListedAction(_spec(row["spec"])) for row in _rows() if row["room"] == room)


def command_named(name: str) -> ActionSpec | None:
    """**Returns** the command `/name` that some room always offers, `None` if there is none."""
    found = (row["spec"] for row in _rows() if name in (row["spec"]["name"], *row["spec"]["aliases"]))
    return next(map(_spec, found), None)


@cache
def _rows() -> Sequence[JsonObject]:
    return json.loads(ACTIONS.read_text("utf-8"))


def _spec(row: JsonObject) -> ActionSpec:
    members: dict[str, Any] = {**row, "schema": shipped_schemas()[row["schema"]]}
    for name in ("aliases", "shorthand"):
        members[name] = tuple(row[name])
    return ActionSpec(**members)


def row_of(room: str, spec: ActionSpec, arguments: str) -> JsonObject:
    """**Returns** an action as the file has it: the name of its arguments stands for their schema."""
    members: JsonObject = {each.name: getattr(spec, each.name) for each in fields(ActionSpec)}
    return {"room": room, "spec": {**members, "schema": arguments}}

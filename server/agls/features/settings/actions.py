"""What the user may ask and change: the settings."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.room.process_ports import SettingRow, SettingsStore
from agls.room.run_ports import HookPoints
from agls.toolkit import Arguments, TypedAction

DEFAULT = "default"
USER, PROJECT = "user file", "project file"
CHANGE = "ConfigChange"  # the event of hooks, and how it names the files
SOURCES = {USER: "user_settings", PROJECT: "project_settings"}
WRITE = "Write what to {0}: /config {0} budget.max_turns"

READ_AGAIN = (
    "Settings, instructions, rules and commands were read again; they hold from the next run on. `/doctor` "
    "names files that cannot be used."
)
SAME = "No setting changed."


class Configure(Arguments):
    """Show the settings that are not defaults; get, set, unset or explain one, from the next run on."""

    do: Literal["list", "get", "set", "unset", "explain"] = "list"
    key: str = Field(default="", description="the name of a setting or a table, such as budget.max_turns")
    value: str = Field(default="", description="as in TOML; what is none is text")
    project: bool = Field(default=False, description="in the folder's file, which only makes things stricter")


class ReadAgain(Arguments):
    """Read settings, instructions, rules and commands again. Changes apply from the next run on."""


def actions(store: SettingsStore, points: HookPoints) -> tuple[Action, ...]:
    """Return the actions of the room."""
    handlers = SettingsActions(store, points)
    return (
        TypedAction(
            "config",
            "Show or change settings",
            Configure,
            handlers.configure,
            aliases=("settings",),
            group="Settings",
            choices={"key": handlers.keys},
        ),
        TypedAction("reload", "Read all files again", ReadAgain, handlers.reload, group="Settings"),
    )


@frozen
class SettingsActions:
    """Do the actions of the room."""

    store: SettingsStore
    points: HookPoints

    async def keys(self, context: ActionContext) -> Sequence[ActionValue]:
        """Return the names of the settings."""
        return [ActionValue(row.key, f"{_json(row.value)} ({row.where})") for row in self.store.rows()]

    async def configure(self, arguments: Configure, context: ActionContext) -> ActionOutcome:
        """Follow the arguments. **Raises** `ActionError`."""
        key, project = arguments.key, arguments.project
        value = arguments.value
        if not value:  # both were typed in a row, or as in the file
            key, _, value = key.partition("=" if "=" in key.partition(" ")[0] else " ")
        if arguments.do in {"get", "set", "unset"} and not key:
            raise ActionError(WRITE.format(arguments.do))
        if arguments.do in {"set", "unset"}:
            await self._ask_hooks(project=project)
        match arguments.do:
            case "set":
                report = await asyncio.to_thread(self.store.set, key, value.strip(), project=project)
            case "unset":
                report = await asyncio.to_thread(self.store.unset, key, project=project)
            case "list":
                return _shown([row for row in self.store.rows(key) if row.source != DEFAULT])
            case _:
                return _shown(self.store.rows(key))
        return ActionOutcome(report, {"settings": [_row(row) for row in self.store.rows() if row.key == key]})

    async def reload(self, arguments: ReadAgain, context: ActionContext) -> ActionOutcome:
        """Read all files again. **Raises** `ActionError`; then everything is as it was."""
        rows = await asyncio.to_thread(self.store.reload)
        for source in dict.fromkeys(row.source for row in rows if row.source in SOURCES):
            file = self.store.file(project=source == PROJECT)
            await self.points.ask(CHANGE, (SOURCES[source],), {"source": SOURCES[source], "file_path": file})
        different = f"These settings are different now:\n\n{_table(rows)}" if rows else SAME
        return ActionOutcome(f"{READ_AGAIN}\n\n{different}", {"settings": [_row(row) for row in rows]})

    async def _ask_hooks(self, *, project: bool) -> None:
        """Let hooks see that a file is about to change. **Raises** `ActionError` when one is against it."""
        source = SOURCES[PROJECT if project else USER]
        data: JsonObject = {"source": source, "file_path": self.store.file(project=project)}
        if objection := (await self.points.ask(CHANGE, (source,), data)).objection:
            raise ActionError(f"{objection} Nothing was changed.")


def _shown(rows: Sequence[SettingRow]) -> ActionOutcome:
    if not rows:
        return ActionOutcome("Nothing is set there: all settings have their defaults.", {"settings": []})
    return ActionOutcome(_table(rows), {"settings": [_row(row) for row in rows]})


def _table(rows: Iterable[SettingRow]) -> str:
    lines = [f"| `{row.key}` | `{_json(row.value)}` | {row.where} |" for row in rows]
    return "\n".join(["| Setting | Value | From |", "|---|---|---|", *lines])


def _row(row: SettingRow) -> JsonObject:
    return {"key": row.key, "value": row.value, "source": row.source, "where": row.where}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str).replace("|", "\\|")

"""`agls config get`, `set`, `unset` and `list`: the settings that hold in a folder, and changes of them."""

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from agls.config import (
    UNATTENDED,
    ConfigInputs,
    GuardedFiles,
    Loaded,
    Origin,
    Rank,
    SettingsEditor,
    Setup,
    found,
    look_for_keys,
    read,
    row_of,
)
from agls.config.choice import decided_model, unknown_model
from agls.config.editing import in_words
from agls.disk_space import why_unwritten
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.listing import table
from agls.doors.headless.open_session import folder
from agls.doors.headless.streams import write, write_json, write_stderr
from agls.order import exposing
from agls.room.exposed import SpendingLimits
from agls.views.escape import escape_controls


def config(arguments: argparse.Namespace) -> int:
    """Follow the command. **Raises** `CannotBegin` and `ConfigError`."""
    here = folder(arguments.cwd or ".")
    is_trusted = getattr(arguments, "trust", False)
    setup = read(ConfigInputs(remembered=True), here, lambda root: is_trusted and root == Path(here))
    match arguments.command:
        case "config get":
            loaded = setup.load(here)
            rows = [_decided(row, setup, loaded) for row in found(loaded, arguments.key)]
            _show(rows, as_json=arguments.json)
        case "config list":
            rows = [row for row in setup.load(here).explain() if row.rank is not Rank.DEFAULT]
            _list(rows, as_json=arguments.json)
        case _:
            _change(arguments, setup, here)
    return Exit.DONE


MODEL = "model"
NO_VALUE = "What is it to be? Write: agls config set {} VALUE"
CONFIG = dict.fromkeys((f"config {name}" for name in ("get", "set", "unset", "list")), config)


def _show(rows: Sequence[Origin], *, as_json: bool) -> None:
    """Write one setting as its bare value, several as a table."""
    if as_json:
        write_json([*map(row_of, rows)])
    elif len(rows) == 1:
        value = rows[0].value
        write(
            f"{escape_controls(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}\n"
        )
        write_stderr(f"{escape_controls(rows[0].where)}{_usual(rows[0])}\n")
    else:
        _list(rows, as_json=False)


def _decided(row: Origin, setup: Setup, loaded: Loaded) -> Origin:
    """Return the setting; of a model that nobody set the one that a run asks, and what decides on it."""
    if row.key != MODEL or row.value:
        return row
    asyncio.run(look_for_keys(setup, loaded))
    name, where = decided_model(setup, loaded)
    if not name:
        return replace(row, where="no model is configured; agls doctor says what to set")
    return Origin(MODEL, name, Rank.ENVIRONMENT if where in setup.environment else row.rank, where)


def _usual(origin: Origin) -> str:
    """Return what counts for a run in place of a setting that nobody made."""
    table, _, name = origin.key.partition(".")
    if origin.value is not None or table != exposing(SpendingLimits).name:
        return ""
    unattended = getattr(UNATTENDED.limits, name, None)
    return f" (no limit at a terminal, {unattended:g} without one)" if unattended else " (no limit)"


def _list(rows: Sequence[Origin], *, as_json: bool) -> None:
    if as_json:
        write_json([*map(row_of, rows)])
    elif not rows:
        write_stderr("All settings have their defaults. Change one: agls config set KEY VALUE\n")
    else:
        shown = ((row.key, json.dumps(row.value, ensure_ascii=False), row.where) for row in rows)
        write(table([("SETTING", "VALUE", "FROM"), *shown]))


def _change(arguments: argparse.Namespace, setup: Setup, here: str) -> None:
    files = GuardedFiles(setup.state_folder, setup.config_file)
    editor, project = SettingsEditor(setup, here, files), arguments.project
    try:
        if arguments.command == "config set":
            done = editor.set(*_setting(arguments.key, arguments.value), project=project)
        else:
            done = editor.unset(arguments.key, project=project)
    except OSError as problem:
        raise CannotBegin(
            f"The file cannot be written: {why_unwritten(problem)}", "configInvalid", Exit.FAILED
        ) from problem
    now = f" {in_words(done.origin)}" if done.origin else ""
    write_stderr(f"{escape_controls(str(done.file))} was changed.{escape_controls(now)}\n")
    for warning in filter(None, (done.warning, unknown_model(done, here))):
        write_stderr(f"{escape_controls(warning)}\n")


def _setting(key: str, value: str | None) -> tuple[str, str]:
    """Return a setting and its value, also of `KEY=VALUE`. **Raises** `CannotBegin` without a value."""
    name, is_there, behind = key.partition("=")
    if value is None and is_there:
        return name.strip(), behind.strip()
    if value is None:
        raise CannotBegin(NO_VALUE.format(key), "usage")
    return key, value

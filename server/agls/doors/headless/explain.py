"""`agls config explain`: every setting that holds, its source, and the model that comes of it."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from agls.config import (
    UNATTENDED,
    Choice,
    ConfigError,
    FolderGrants,
    GuardedFiles,
    Origin,
    Rank,
    Seal,
    Setup,
)
from agls.doors.headless.listing import table
from agls.doors.headless.streams import write, write_json, write_stderr
from agls.engine.ports import ModelError
from agls.engine.vocabulary import JsonObject
from agls.views.escape import escape_controls


def write_settings(setup: Setup, folder: str, *, as_json: bool) -> None:
    """Write the settings for `folder` to standard output, and warnings to standard error.

    **Raises** `ConfigError`.
    """
    loaded = setup.load(folder)
    origins = (*loaded.explain(), *_saved(setup, folder))
    if as_json:
        rows = (
            {"key": o.key, "value": o.value, "source": o.rank, "where": o.where, **_unattended(o)}
            for o in origins
        )
        write_json([*rows])
    else:
        shown = ((o.key, json.dumps(o.value, ensure_ascii=False), _mark(o)) for o in origins)
        write(table([("SETTING", "VALUE", "FROM"), *shown]))
        there = "" if setup.config_file.exists() else ", which is not there yet"
        write(f"\nYour own settings are read from {escape_controls(str(setup.config_file))}{there}.\n")
        write(f"{escape_controls(_model(setup, folder))}\n")
    for warning in loaded.warnings:
        write_stderr(f"{escape_controls(warning)}\n")


def _saved(setup: Setup, folder: str) -> Sequence[Origin]:
    """Return the rules that the user saved for this folder."""
    files = GuardedFiles(setup.state_folder, setup.config_file)
    rules = FolderGrants(files, Seal(files), Path(folder)).load()
    where = "saved for this folder; agls permissions revoke RULE takes one back"
    return [Origin("permissions.saved", list(rules), Rank.USER, where)] if rules else []


def _model(setup: Setup, folder: str) -> str:
    """Return the model of a run in this folder, or why it has none."""
    try:
        info = asyncio.run(Choice(lambda: setup).model(folder)).info
    except (ConfigError, ModelError) as problem:
        return f"A run here cannot begin: {problem}"
    return f"A run here asks the model {info.name} ({info.provider})."


def _mark(origin: Origin) -> str:
    if alone := _unattended(origin).get("unattended"):
        return f"no limit at a terminal, {alone:g} where nobody is there"
    return "" if origin.rank is Rank.DEFAULT else origin.where


def _unattended(origin: Origin) -> JsonObject:
    """Return the default of this limit for a run that nobody watches; nothing for other settings."""
    table, _, name = origin.key.partition(".")
    most = getattr(UNATTENDED.limits, name, None) if table == "budget" else None
    return {"unattended": most} if most is not None and origin.value is None else {}

"""`agls config explain`: every setting that holds, who said so, and the model that comes of it."""

import asyncio
import json

from agls.config import Choice, ConfigError, Rank, Setup
from agls.doors.harmless import harmless
from agls.doors.headless.listing import table
from agls.doors.headless.streams import tell, write
from agls.engine.ports import ModelError


def write_settings(setup: Setup, folder: str, *, as_json: bool) -> None:
    """Write the settings for `folder` to standard output and what was not followed to standard error.

    Raises `ConfigError`.
    """
    loaded = setup.load(folder)
    origins = loaded.explain()
    if as_json:
        rows = [{"key": o.key, "value": o.value, "source": o.rank, "where": o.where} for o in origins]
        write(json.dumps(rows, indent=2) + "\n")
    else:
        shown = ((o.key, json.dumps(o.value, ensure_ascii=False), _mark(o.rank, o.where)) for o in origins)
        write(table([("SETTING", "VALUE", "FROM"), *shown]))
        write(f"\n{harmless(_model(setup, folder))}\n")
    for warning in loaded.warnings:
        tell(f"{harmless(warning)}\n")


def _model(setup: Setup, folder: str) -> str:
    """Which model a run in this folder has, or why it has none."""
    try:
        info = asyncio.run(Choice(lambda: setup).model(folder)).info
    except (ConfigError, ModelError) as problem:
        return f"A run here cannot begin: {problem}"
    return f"A run here asks the model {info.name} ({info.provider})."


def _mark(rank: Rank, where: str) -> str:
    return "" if rank is Rank.DEFAULT else where

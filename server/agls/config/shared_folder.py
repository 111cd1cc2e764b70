"""A plugin in the root of its catalogue: what below that folder belongs to the other plugins."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from agls.engine.vocabulary import JsonObject
from agls.json_values import is_list
from agls.plugin_files.reading import MANIFESTS

LARGEST = 1_000_000  # bytes of a file that is looked into
NAMING = (*(name for name, _ in MANIFESTS), "hooks/hooks.json", ".mcp.json")  # files that may name folders


def folders_of_others(folder: Path, entry: JsonObject, others: Sequence[Path]) -> Sequence[Path]:
    """**Returns** the folders below a plugin that do not belong to it.

    These are the folders of the `others` in its catalogue that nothing of the plugin names, and the skills
    beside those that an entry with `strict: false` names.
    """
    inside = [each for each in others if each != folder and each.is_relative_to(folder)]
    said = "\n".join(_naming(folder, entry)) if inside else ""
    foreign = [each for each in inside if f"/{each.relative_to(folder).as_posix()}" not in said]
    return [*foreign, *(_skills_beside(folder, entry) if entry.get("strict") is False else ())]


def _naming(folder: Path, entry: JsonObject) -> Iterator[str]:
    yield json.dumps(entry, ensure_ascii=False)
    for path in (folder / name for name in NAMING):
        if path.is_file() and path.stat().st_size <= LARGEST:
            yield path.read_text("utf-8", "replace")


def _skills_beside(folder: Path, entry: JsonObject) -> Iterator[Path]:
    said = entry.get("skills")
    named = {
        (folder / each).resolve() for each in (said if is_list(said) else [said]) if isinstance(each, str)
    }
    for parent in {each.parent for each in named if each.is_relative_to(folder) and each.parent.is_dir()}:
        yield from (each for each in parent.iterdir() if each not in named and (each / "SKILL.md").is_file())

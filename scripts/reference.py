#!/usr/bin/env python3
"""Write docs/tools.md, the man page, schemas, and what is generated of docs/cli.md and docs/config.md.

`--check` only compares.

In the pages it stands between `<!-- generated: NAME -->` and `<!-- end -->`; the rest is written by hand.
"""

import asyncio
import json
import pkgutil
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from types import UnionType
from typing import Any, Union, cast, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic_core import PydanticUndefined

from agls import __version__, features
from agls.assembly.listed_actions import ACTIONS, row_of
from agls.config import ConfigInputs, Setup, read
from agls.config.schema import Config
from agls.doors.headless.exits import Exit
from agls.doors.headless.options.declaration import OptionSpec
from agls.doors.headless.options.table import Node, nodes
from agls.engine.actions import Action
from agls.engine.feature import RunSetup
from agls.engine.ports import ToolSpec
from agls.engine.run_action import NO_PROMPT
from agls.order import ROOMS, TOOLS
from agls.toolkit import SCHEMAS, Arguments, TypedAction, name_of, schema_of, shipped_schemas
from agls.workspace.editor import NoEditor
from agls.world import open_world

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PLACE = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
RANGES = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "maxLength": "length at most",
}
TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "table",
}


# --- the configuration -----------------------------------------------------------------------------


def tables() -> str:
    """Every table of the configuration: what it is for, and each key with its type and default."""
    return "\n".join(_tables(Config, "", {}))


def _bracketed(table: str) -> str:
    return table if table.startswith("[") else f"[{table}]"


def _tables(model: type[BaseModel], name: str, seen: dict[type[BaseModel], str]) -> Iterator[str]:
    title = f"`[{name}]`" if name and not name.startswith("[") else f"`{name}`"
    yield f"### {title if name else 'Keys outside of any table'}\n"
    yield f"{cleandoc(model.__doc__ or '')}\n".replace("{{", "{{").replace("\n\n\n", "\n\n")
    schema = model.model_json_schema(by_alias=False)
    below: list[tuple[type[BaseModel], str]] = []
    rows: list[str] = []
    for key, field in model.model_fields.items():
        inner = _model_in(field.annotation)
        if inner:
            below.append((inner, _name_of(name, key, field.annotation)))
        else:
            rows.append(f"| `{key}` | {_type(schema['properties'][key], schema)} | {_default(field)} |")
    if rows:
        yield "\n".join(("| Key | Type | Default |", "|---|---|---|", *rows, ""))
    below.sort(key=lambda one: one[1].startswith("agents"))  # their tables are those of others, too
    for inner, where in below:
        if inner in seen:
            yield f"### `{_bracketed(where)}`\n\nThe keys are those of `{_bracketed(seen[inner])}`.\n"
        else:
            seen[inner] = where
            yield from _tables(inner, where, seen)


def _name_of(above: str, key: str, annotation: Any) -> str:
    path = f"{above.strip('[]')}.{key}" if above else key
    kinds = {get_origin(annotation), *(get_origin(part) for part in get_args(annotation))}
    if dict in kinds or "Mapping" in str(annotation):
        return f"{path}.NAME"
    return f"[[{path}]]" if tuple in kinds else path


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if (
        get_origin(annotation) is not None
        or isinstance(annotation, UnionType)
        or get_origin(annotation) is Union
    ):
        return next((found for part in get_args(annotation) if (found := _model_in(part))), None)
    return None


def _type(schema: dict[str, Any], root: dict[str, Any]) -> str:
    if "$ref" in schema:
        return _type(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(_type(each, root) for each in schema[several] if each.get("type") != "null")
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}), root)}"
    said = [f"{word} {schema[name]:g}" for name, word in RANGES.items() if name in schema]
    return ", ".join((TYPES.get(str(schema.get("type")), "any value"), *said))


def _default(field: Any) -> str:
    if field.default is PydanticUndefined:
        return "required" if field.default_factory is None else ""
    value = field.default.get_secret_value() if isinstance(field.default, SecretStr) else field.default
    if value is None:
        return "not set"
    return f"`{json.dumps(value, default=lambda one: list(one) if hasattr(one, '__iter__') else str(one))}`"


# --- the command line ------------------------------------------------------------------------------


def commands() -> str:
    """Every command with its options."""
    return "\n".join(_section(node) for node in nodes() if node.words)


def exits() -> str:
    """The exit codes, by their names."""
    said = {
        Exit.DONE: "done",
        Exit.FAILED: "an error, or interrupted",
        Exit.UNUSABLE: "the command line or the configuration cannot be used",
        Exit.NEEDED_HUMAN: "it ended well, but a question found nobody to answer it",
        Exit.LIMIT: "a limit was reached",
        Exit.REFUSED: "the model refused",
        Exit.UNREAD: "whoever read its output is gone (`| head`); a run was interrupted",
        Exit.CANCELLED: "cancelled",
    }
    return "\n".join(
        ("| Code | Meaning |", "|--:|---|", *(f"| {int(code)} | {said[code]} |" for code in Exit), "")
    )


def _section(node: Node) -> str:
    rows = [f"| `{name}` | {_cell(text)} |" for name, text in _arguments(node)]
    rows += [
        f"| {_names(option)} | {_cell(option.help)} |" for option in node.options if "-h" not in option.names
    ]
    rows += [
        f"| `agls {' '.join((*node.words, each.name))}` | {each.summary} |" for each in node.command.below
    ]
    table = "\n".join(("", "| | |", "|---|---|", *rows, "")) if rows else ""
    examples = node.command.examples.removeprefix("examples:").strip("\n")
    lines = (
        re.sub(r"(?<=\S)(  +)(?=\S)", r"\1# ", line, count=1) for line in cleandoc(examples).splitlines()
    )
    shown = f"\n```sh\n{chr(10).join(lines)}\n```\n" if examples else ""
    level = "#" * (len(node.words) + 2)
    return (
        f"{level} `agls {' '.join(node.words)}`\n\n{node.command.summary}\n\n`{node.usage}`\n{table}{shown}"
    )


def _arguments(node: Node) -> Iterator[tuple[str, str]]:
    for each in node.command.each_option:
        if not each.is_named:
            yield each.settings.get("metavar", each.names[0]), each.help


def _names(option: OptionSpec) -> str:
    value = f" {option.value}".replace("|", "\\|") if option.value else ""
    return ", ".join(f"`{name}`" for name in option.names) + (f"{value}" if value else "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


# --- the man page ----------------------------------------------------------------------------------


def man() -> str:
    """The manual page."""
    lines = [
        f'.TH AGLS 1 "" "agls {__version__}" "User Commands"',
        ".SH NAME", r"agls \- a coding agent for every editor, and without one",
        ".SH SYNOPSIS", r".B agls", r".I COMMAND", "\\&...",
        ".SH COMMANDS",
    ]  # fmt: skip
    for node in (node for node in nodes() if node.words):
        lines += [f".SS {_roff(node.usage)}", _roff(node.command.summary)]
        for name, text in _arguments(node):
            lines += [".TP", f".I {_roff(name)}", _roff(text)]
        for option in node.options:
            if "-h" not in option.names:
                value = f" {option.value}" if option.value else ""
                lines += [".TP", f".B {_roff(', '.join(option.names) + value)}", _roff(option.help)]
        if node.command.examples:
            lines += [".PP", ".nf", *map(_roff, node.command.examples.splitlines()), ".fi"]
    lines += [".SH EXIT STATUS"]
    for row in exits().splitlines()[2:]:
        code, text = row.strip("| ").split(" | ")
        lines += [".TP", f".B {code}", _roff(text)]
    lines += [".SH SEE ALSO", _roff("docs/cli.md and docs/config.md of the project; agls COMMAND --help")]
    return "\n".join(lines) + "\n"


def _roff(text: str) -> str:
    quoted = text.replace("\\", r"\e").replace("-", r"\-").replace("…", "...")  # plain where man is
    return f"\\&{quoted}" if quoted.startswith((".", "'")) else quoted


# --- the tools -------------------------------------------------------------------------------------


def tools() -> str:
    """What the model is told of each tool of a session in which nothing was changed, word for word."""
    specs = [tool.spec for tool in _usual_run().tools]
    check_declared(spec.name for spec in specs)
    head = (
        "# The tools of the model",
        "What the model is told of each tool of a usual session with a user who answers questions, word for "
        "word. This page is generated (`scripts/reference.py`), so that every change of a description or of "
        "a schema is seen in a review. "
        "[context.md](context.md#tools) says when a tool is shown.",
        "| Tool | Shown | Characters |\n|---|---|--:|",
    )
    rows = [f"| `{spec.name}` | `{spec.load}` | {_size(spec):,} |" for spec in specs]
    whole = f"| | | {sum(map(_size, specs)):,} |"
    return "\n\n".join((*head[:-1], "\n".join((head[-1], *rows, whole)), *map(_tool, specs))) + "\n"


def check_declared(names: Iterable[str]) -> None:
    """Raise `SystemExit` when no room declares a tool of this name."""
    if unknown := ", ".join(sorted(set(names) - TOOLS)):
        raise SystemExit(
            f"No room declares the tool {unknown}: name it in `tools` of ROOM (its __init__.py)."
        )


def _usual_run() -> RunSetup:
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as folder:
        Path(home, "config.toml").touch()
        inputs = ConfigInputs(config_file=f"{home}/config.toml", state_dir=f"{home}/state")
        return asyncio.run(_run_setup(read(inputs, folder, lambda _: False, {}), folder))


async def _run_setup(setup: Setup, folder: str) -> RunSetup:
    async with open_world(setup, editor=NoEditor(), headless=False) as world:
        session = await world.sessions.create(folder)
        session.questions.attend(True)  # some tools are only there where somebody answers
        return session.run_setup(NO_PROMPT)


def _size(spec: ToolSpec) -> int:
    return len(spec.name) + len(spec.description) + len(json.dumps(spec.schema))


def _tool(spec: ToolSpec) -> str:
    schema = json.dumps(spec.schema, indent=2, ensure_ascii=False)
    return f"## `{spec.name}`\n\n```text\n{spec.description}\n```\n\n```json\n{schema}\n```"


# --- the schemas of arguments ----------------------------------------------------------------------


def schemas() -> str:
    """The schema of each model of arguments in a room, one to a line."""
    for module in pkgutil.walk_packages(features.__path__, f"{features.__name__}."):
        import_module(module.name)
    models = {name_of(model): model for model in _models(Arguments) if _is_of_room(model)}
    rows = [f"{json.dumps(name)}: {json.dumps(schema_of(models[name]))}" for name in sorted(models)]
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _models(above: type[Arguments]) -> Iterator[type[Arguments]]:
    for model in above.__subclasses__():
        yield model
        yield from _models(model)


def _is_of_room(model: type[Arguments]) -> bool:
    module = sys.modules[model.__module__]
    return module.__name__.startswith(features.__name__) and vars(module).get(model.__qualname__) is model


# --- the actions of rooms --------------------------------------------------------------------------


def room_actions() -> str:
    """The actions that each room always offers, one to a line."""
    fixed = {room.name for room in ROOMS if room.has_actions and not room.actions_vary}
    offering = [feature for feature in _usual_run().features if feature.name in fixed]
    rows = [_action(feature.name, action) for feature in offering for action in feature.actions]
    return "[\n" + ",\n".join(rows) + "\n]\n"


def _action(room: str, action: Action) -> str:
    assert isinstance(action, TypedAction), f"{action.spec.name}: write a TypedAction"
    arguments = name_of(cast("TypedAction[Arguments]", action).arguments)
    return json.dumps(row_of(room, action.spec, arguments), ensure_ascii=False)


PARTS = {"tables": tables, "commands": commands, "exits": exits}


def fresh(path: Path) -> str:
    """What the file should say."""
    if path.suffix == ".1":
        return man()
    if path.name == "tools.md":
        return tools()
    if path == SCHEMAS:
        return schemas()
    if path == ACTIONS:
        return room_actions()
    text = path.read_text("utf-8")
    return PLACE.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]()}\n{found[3]}", text)


def main() -> int:
    """Write the files, or with `--check` say which are stale; gives the exit code."""
    files = [DOCS / "cli.md", DOCS / "config.md", DOCS / "agls.1", DOCS / "tools.md", SCHEMAS, ACTIONS]
    shipped_schemas().clear()  # all are made anew
    made = {file: fresh(file) for file in files}
    stale = [file for file, text in made.items() if not file.exists() or file.read_text("utf-8") != text]
    for file in stale:
        if "--check" not in sys.argv:
            file.write_text(made[file], "utf-8")
    if stale and "--check" in sys.argv:
        names = ", ".join(str(file.relative_to(ROOT)) for file in stale)
        print(f"stale: {names}; run .venv/bin/python scripts/reference.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

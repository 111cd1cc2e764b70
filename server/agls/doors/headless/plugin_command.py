"""`agls plugin`: installed plugins, shown with everything that they bring before they count."""

import argparse
import asyncio
import getpass
import shlex
import sys
from collections.abc import AsyncGenerator, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from agls.config import ConfigInputs, PluginRecord, Setup, read
from agls.config.plugin_changes import NewVersion, PluginChanges
from agls.config.plugin_sources import fetched
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.listing import table
from agls.doors.headless.open_session import folder
from agls.doors.headless.streams import write, write_json, write_stderr
from agls.engine.vocabulary import JsonObject
from agls.plugin_files import PluginProblem, option_lines, own_name, powers_of
from agls.views.escape import escape_controls
from agls.workspace.redact import harden

ASK = "Install this? Its hooks, servers and programs then run without another question. [y/N] "
ASK_UPDATE = "Update to this? [y/N] "
ASK_TRY = "Use this for one run? Its hooks and servers then run without another question. [y/N] "
HOW = "Nothing was installed. To install it: agls plugin add {} --yes\n"
HOW_TRY = "Not used, and nothing was run: nobody can be asked here. To use it without a question: --yes\n"
LEFT = "Nothing was changed.\n"
NONE = "No plugin is installed. To install one: agls plugin add SOURCE\n"
SAME = "{} is installed in exactly this version.\n"
TO_UPDATE = "To update: agls plugin add {}\n"
NO_CHANGE = "There is nothing new: an update would change no file.\n"
HEADINGS = ("PLUGIN", "VERSION", "STATE", "SOURCE")
SETTING = "--set needs KEY=VALUE, not {!r}: there is no terminal to ask for the value."
Answer = TypeVar("Answer")
NEEDS = "It needs values: {}. Give them: agls plugin enable {} --set {}=...\n"


def follow_plugin(arguments: argparse.Namespace) -> int:
    """Follow `agls plugin`, but for `try`. **Raises** `CannotBegin` and `ConfigError`."""
    harden()
    return _told(_Command(_setup(), arguments).do())


def tried(arguments: argparse.Namespace) -> PluginRecord | None:
    """**Returns** the plugin to try, `None` when its user does not want it. **Raises** as above."""
    harden()
    return _told(_Command(_setup(), arguments).tried())


def _setup() -> Setup:
    return read(ConfigInputs(remembered=True), folder("."), lambda _: False)


def _told(work: Coroutine[Any, Any, Answer]) -> Answer:
    """**Returns** what the work comes to. **Raises** `CannotBegin`."""
    try:
        return asyncio.run(work)
    except PluginProblem as problem:
        raise CannotBegin(f"{str(problem).rstrip('.')}.", "usage", Exit.FAILED) from problem
    except OSError as problem:
        raise CannotBegin(f"That cannot be done: {problem}", "configInvalid", Exit.FAILED) from problem


class _Command:
    """One command on the plugins of the user."""

    def __init__(self, setup: Setup, arguments: argparse.Namespace) -> None:
        self._setup, self._arguments = setup, arguments
        self._plugins, self._changes = setup.plugins, PluginChanges(setup.plugins)

    async def do(self) -> int:
        """Follow the arguments. **Returns** the exit code."""
        arguments = self._arguments
        match arguments.command.removeprefix("plugin "):
            case "add":
                return await self._add()
            case "list":
                self._list()
            case "show":
                await self._show()
            case "diff":
                await self._diff()
            case "enable":
                self._changes.switch(arguments.name, on=True, values=_values(arguments.set))
            case "disable":
                self._changes.switch(arguments.name, on=False, values={})
            case _:
                self._changes.remove(arguments.name)
        return Exit.DONE

    async def tried(self) -> PluginRecord | None:
        """**Returns** the plugin to try, once its user saw what it brings."""
        async with self._new(self._arguments.source, _values(self._arguments.set)) as new:
            write_stderr(_text([*_head(new), *map(_indented, powers_of(new.content))]))
            self._plugins.store.data(new.record.name).mkdir(mode=0o700, parents=True, exist_ok=True)
            return new.record if _agreed(ASK_TRY, HOW_TRY, yes=self._arguments.yes) else None

    async def _add(self) -> int:
        arguments = self._arguments
        async with self._new(arguments.source, _values(arguments.set)) as new:
            changes = self._changes.differences(new)
            if arguments.json:
                is_agreed = arguments.yes
                write_json({**_row(new, changes), "installed": is_agreed})
            else:
                brings = [*powers_of(new.content), *option_lines(new.content)]
                write(_text([*_head(new), *map(_indented, changes or brings)]))
                how = HOW.format(arguments.source)
                ask = ASK_UPDATE if new.before else ASK
                is_agreed = new.is_known or _agreed(ask, how, yes=arguments.yes)
            if not is_agreed:
                self._changes.sweep()
                return Exit.DONE if sys.stdin.isatty() else Exit.UNUSABLE
            self._changes.install(new)
        if not arguments.json:
            write_stderr(SAME.format(new.record.name) if new.is_known else "Installed.\n")
            if missing := new.content.missing:
                write_stderr(NEEDS.format(", ".join(missing), new.record.name, missing[0]))
        return Exit.DONE

    def _list(self) -> None:
        rows = [*self._changes.rows(), *self._python()]
        if self._arguments.json:
            write_json([*rows])
        elif rows:
            cells = [(row["name"], row.get("version", ""), _state(row), row["source"]) for row in rows]
            write(table([HEADINGS, *cells]))
            for row in rows:
                if row.get("problem"):
                    write_stderr(escape_controls(f"{row['name']}: {row['problem']}") + "\n")
        else:
            write_stderr(NONE)
        self._changes.sweep()  # a session that removed one was using it
        if self._plugins.ignored:
            write_stderr(f"{escape_controls(self._plugins.ignored)}\n")

    def _python(self) -> Iterator[JsonObject]:
        """Yield the rows of Python packages."""
        from agls.assembly.python_plugins import python_plugins  # noqa: PLC0415 - what it needs is loaded long

        for each in python_plugins(self._setup.load(folder(".")).config):
            about = {"name": each.name, "version": each.version, "is_on": each.is_on, "place": each.place}
            problem = {"problem": f"{each.problem}. {each.fix}"} if each.problem else {}
            yield {**about, "source": f"Python package {each.package}".strip(), **problem}

    async def _show(self) -> None:
        named = self._plugins.of(own_name(self._arguments.name))
        if named:
            content = self._changes.content(named)
            new = NewVersion(named, content, named)
            self._write_shown(new)
            return
        async with self._new(self._arguments.name, {}) as new:
            self._write_shown(new)
        self._changes.sweep()

    def _write_shown(self, new: NewVersion) -> None:
        if self._arguments.json:
            write_json(_row(new, ()))
        else:
            lines = [*powers_of(new.content), *option_lines(new.content)]
            write(_text([*_head(new), *map(_indented, lines)]))

    async def _diff(self) -> None:
        record = self._changes.named(self._arguments.name)
        async with self._new(record.source, {}) as new:
            changes = self._changes.differences(new)
            if self._arguments.json:
                write_json({"name": record.name, "changes": list(changes)})
            elif changes:
                write(_text(changes))
                write_stderr(escape_controls(TO_UPDATE.format(shlex.quote(record.source))))
            else:
                write_stderr(NO_CHANGE)
        self._changes.sweep()

    @asynccontextmanager
    async def _new(self, source: str, values: Mapping[str, str]) -> AsyncGenerator[NewVersion]:
        """Fetch a plugin into the store, for as long as the block runs."""
        async with fetched(source, self._setup.environment) as found:
            yield self._changes.prepare(found, _whole(source), values)


def _whole(source: str) -> str:
    """**Returns** a source as it is found from any folder."""
    name, at, rest = source.rpartition("@")
    place, mark, ref = rest.partition("#")
    path = Path(place).expanduser()
    return f"{name}{at}{path.resolve()}{mark}{ref}" if place and path.is_dir() else source


def _values(said: Sequence[str]) -> Mapping[str, str]:
    """**Returns** the values that `--set` gives. **Raises** `CannotBegin`."""
    return {each.partition("=")[0]: _value(each) for each in said}


def _value(said: str) -> str:
    name, mark, text = said.partition("=")
    if mark:
        return text
    if not sys.stdin.isatty():
        raise CannotBegin(SETTING.format(said), "usage")
    return getpass.getpass(f"{name}: ").strip()  # unseen, and in no history of a shell


def _head(new: NewVersion) -> Iterator[str]:
    content, before = new.content, new.before
    yield f"{content.name} {content.version}".strip() + (
        f": {content.description}" if content.description else ""
    )
    yield f"from {new.record.source}"
    if before and not new.is_known:
        yield "It changes this of the version that is installed:"
    else:
        yield "It brings:"
    if content.unused:
        yield f"  (of no use here: {', '.join(content.unused)})"
    yield from (f"  (mistake in it: {remark})" for remark in content.remarks)


def _indented(line: str) -> str:
    return f"  {line}"


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{escape_controls(line)}\n" for line in lines)


def _row(new: NewVersion, changes: Sequence[str]) -> JsonObject:
    content = new.content
    return {
        "name": content.name,
        "version": content.version,
        "description": content.description,
        "dialect": content.dialect,
        "source": new.record.source,
        "digest": new.record.digest,
        "brings": list(powers_of(content)),
        "changes": list(changes),
        "unused": list(content.unused),
        "remarks": list(content.remarks),
        "options": [
            {
                "name": each.name,
                "type": each.type,
                "description": each.description or each.title,
                "required": each.required,
                "sensitive": each.sensitive,
                "is_set": bool(content.values.get(each.name)),
            }
            for each in content.options
        ],
    }


def _state(row: JsonObject) -> str:
    if row.get("problem"):
        return "broken"
    if row.get("missing"):
        return "needs values"
    return "on" if row["is_on"] else "off"


def _agreed(question: str, how: str, *, yes: bool) -> bool:
    """**Returns** whether the user wants it; where nobody can be asked they do not."""
    if yes:
        return True
    if not sys.stdin.isatty():
        write_stderr(how)
        return False
    write_stderr(question)
    agreed = sys.stdin.readline().strip().lower() in {"y", "yes"}
    if not agreed:
        write_stderr(LEFT)
    return agreed

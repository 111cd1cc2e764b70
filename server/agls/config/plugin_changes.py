"""What the user does with plugins: installs one version, switches it on and off, removes it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path
from typing import Any

from agls.config.plugin_sources import FetchedPlugin
from agls.config.plugin_store import files_of
from agls.config.plugins import InstalledPlugins, PluginRecord
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.plugin_files import (
    PluginContent,
    PluginProblem,
    option_lines,
    own_name,
    powers_of,
    read_plugin,
    with_values,
)
from agls.plugin_files.values import checked_value

UNKNOWN = "there is no plugin {!r}. There are: {}"
NO_OPTION = "{} has no option {!r}. It has: {}"
MOST_FILES = 50  # that are named as changed


@frozen
class NewVersion:
    """A version of a plugin that was copied into the store, and the one that it would replace."""

    record: PluginRecord
    content: PluginContent
    before: PluginRecord | None = None

    @property
    def is_known(self) -> bool:
        """Whether exactly this is installed."""
        return self.before is not None and self.before.digest == self.record.digest


class PluginChanges:
    """Changes which plugins there are. All raise `PluginProblem` and `OSError`."""

    def __init__(self, plugins: InstalledPlugins) -> None:
        self._plugins = plugins

    def prepare(self, fetched: FetchedPlugin, source: str, values: Mapping[str, str]) -> NewVersion:
        """Copy a plugin into the store; it does not count yet. **Returns** what it would be."""
        name = read_plugin(str(fetched.folder), fetched.entry, fetched.name).name
        digest = self._plugins.store.keep(fetched.folder, name, fetched.left_out)
        before = self._plugins.of(name)
        record = PluginRecord(name, digest, source, entry=fetched.entry or {})
        if before:
            record = replace(record, enabled=before.enabled, values=before.values, kept=before.kept)
        content = read_plugin(str(self._plugins.store.path(name, digest)), fetched.entry, name)
        record = replace(record, values=_set(content, record.values, values))
        return NewVersion(record, with_values(content, self._plugins.values(record), ""), before)

    def install(self, new: NewVersion) -> None:
        """Let a version count from the next run on. What nobody uses any more is deleted."""
        self._plugins.store.data(new.record.name).mkdir(mode=0o700, parents=True, exist_ok=True)
        self._plugins.hold(new.record)
        self.sweep()

    def sweep(self) -> None:
        """Delete the versions that are not installed and that no process uses."""
        self._plugins.store.sweep({(each.name, each.digest) for each in self._plugins.all()})

    def switch(self, name: str, *, on: bool, values: Mapping[str, str]) -> None:
        """Switch a plugin on, with these values of its options, or off."""
        record = self.named(name)
        given = record.values
        if values:
            given = _set(self.content(record), record.values, values)
        self._plugins.hold(replace(record, enabled=on, values=given))

    def remove(self, name: str) -> None:
        """Remove a plugin with what it kept."""
        own = self.named(name).name
        self._plugins.forget(own)
        self._plugins.store.forget_data(own)
        self.sweep()

    def rows(self) -> Sequence[JsonObject]:
        """**Returns** what a list shows of each installed plugin."""
        return [row_of(each, self._plugins) for each in self._plugins.all()]

    def named(self, name: str) -> PluginRecord:
        """**Returns** the installed plugin of this name."""
        found = self._plugins.of(own_name(name))
        if found is None:
            there = ", ".join(each.name for each in self._plugins.all()) or "none"
            raise PluginProblem(UNKNOWN.format(name, there))
        return found

    def content(self, record: PluginRecord) -> PluginContent:
        """**Returns** what an installed plugin brings."""
        found = self._plugins.content(record)
        if isinstance(found, str):
            raise PluginProblem(f"{record.name} cannot be used: {found}")
        return found

    def powers(self, name: str) -> Sequence[str]:
        """**Returns** what an installed plugin brings and which options it has, line by line."""
        content = self.content(self.named(name))
        return [*powers_of(content), *option_lines(content)]

    def differences(self, new: NewVersion) -> Sequence[str]:
        """**Returns** how a version differs from the one that is installed: its powers, then its files."""
        if new.before is None or new.is_known:
            return ()
        root = self._plugins.store.path(new.before.name, new.before.digest)
        try:
            old = read_plugin(str(root), new.before.entry or None, new.before.name)
        except PluginProblem:
            return [f"+{line}" for line in powers_of(new.content)]
        lines = unified_diff([*powers_of(old)], [*powers_of(new.content)], lineterm="", n=0)
        powers = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
        return [*powers, *_changed_files(root, Path(new.content.root))]


def row_of(record: PluginRecord, plugins: InstalledPlugins) -> JsonObject:
    """**Returns** what a list shows of an installed plugin."""
    row: dict[str, Any] = {"name": record.name, "source": record.source, "digest": record.digest}
    found = plugins.content(record)
    if isinstance(found, str):
        return {**row, "is_on": record.enabled, "problem": found}
    return {
        **row,
        "is_on": record.enabled,
        "version": found.version,
        "description": found.description,
        "remarks": list(found.remarks),
        "unused": list(found.unused),
        "missing": list(found.missing),
    }


def _set(content: PluginContent, before: Mapping[str, str], new: Mapping[str, str]) -> Mapping[str, str]:
    """**Returns** the values of a plugin's options with these new ones."""
    options = {each.name: each for each in content.options}
    for name in new:
        if name not in options:
            raise PluginProblem(NO_OPTION.format(content.name, name, ", ".join(options) or "none"))
    checked = {name: checked_value(options[name], text) for name, text in new.items()}
    return {name: text for name, text in {**before, **checked}.items() if name in options}


def _changed_files(before: Path, after: Path) -> Iterator[str]:
    old, new = files_of(before), files_of(after)
    changed = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    for name in changed[:MOST_FILES]:
        how = "changed" if name in old and name in new else "new" if name in new else "gone"
        yield f"file {name}: {how}"
    if len(changed) > MOST_FILES:
        yield f"… {len(changed) - MOST_FILES} more files"

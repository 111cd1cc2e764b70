"""Which plugins the user installed, and which of them are on: kept in the user's own state with a mark."""

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from agls.config.own_files import PLUGINS, GuardedFiles
from agls.config.seal import Seal
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen

if TYPE_CHECKING:
    from agls.config.plugin_secrets import PluginSecrets
    from agls.config.plugin_store import PluginStore
    from agls.plugin_files import PluginContent

KIND = "plugins"
FOREIGN = "{} is ignored: it does not have the mark of agls, so something else wrote or changed it."
CHANGED = "its files in {} are not those that you consented to. Install it again: agls plugin add {}"


@frozen
class PluginRecord:
    """An installed plugin: its version by `digest`, the source it came from, and what its user set.

    `entry` is what its catalogue says of it, `values` are those of its options. Values that may not be shown
    are kept with the keys: `kept` names their options, each with a mark that is new for every value.
    """

    name: str
    digest: str
    source: str
    enabled: bool = True
    added_at: float = 0.0
    entry: JsonObject = field(default_factory=JsonObject)
    values: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    kept: Mapping[str, str] = field(default_factory=dict[str, str])


@frozen
class PluginTrouble:
    """A plugin that cannot be used, and why."""

    record: PluginRecord
    problem: str


class InstalledPlugins:
    """The installed plugins. What agls did not write itself counts for nothing; `ignored` says so.

    Those that are `tried` are for this process alone. Of one that is installed as well the tried one counts.
    """

    def __init__(self, files: GuardedFiles, seal: Seal, tried: Sequence[PluginRecord] = ()) -> None:
        self._files, self._seal = files, seal
        self._tried = tuple(tried)
        self.file = files.state_folder / PLUGINS
        self._stamp: tuple[int, ...] | None = None
        self._known: Sequence[PluginRecord] = ()
        self._held: list[int] = []  # open files, which say that a version is in use
        self._contents: dict[tuple[str, str, str], PluginContent | str] = {}
        self._active: tuple[Sequence[PluginRecord], Sequence[PluginContent]] = ((), ())
        self.ignored = ""

    @property
    def store(self) -> "PluginStore":
        """Where their contents are."""
        from agls.config.plugin_store import PluginStore  # noqa: PLC0415 - few users have plugins

        return PluginStore(self._files.state_folder)

    @property
    def _secrets(self) -> "PluginSecrets":
        from agls.config.plugin_secrets import PluginSecrets  # noqa: PLC0415 - as above

        return PluginSecrets(self._files.state_folder)

    def all(self) -> Sequence[PluginRecord]:
        """**Returns** all that are installed, by name."""
        try:
            status = self.file.stat()
        except OSError:
            self._stamp, self._known = None, ()
            self.ignored = ""
            return ()
        stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
        if stamp != self._stamp:
            self._known, self._stamp = self._read(), stamp
        return self._known

    def of(self, name: str) -> PluginRecord | None:
        """**Returns** the one of this name."""
        return next((each for each in self.all() if each.name == name), None)

    def active(self) -> Sequence["PluginContent"]:
        """**Returns** those that are on and can be used; the same object while nothing changed."""
        records = self._on()
        if records is not self._active[0] and records != self._active[0]:
            found = [self.content(each) for each in records]
            self._active = (records, tuple(each for each in found if not isinstance(each, str)))
        return self._active[1]

    @property
    def secrets(self) -> Sequence[str]:
        """The values of options that may not be shown."""
        return [
            value
            for each in self.active()
            for option in each.options
            if option.sensitive and (value := each.values.get(option.name))
        ]

    def troubles(self) -> Sequence[PluginTrouble]:
        """**Returns** those that are on and cannot be used."""
        found = ((each, self.content(each)) for each in self._on())
        return [PluginTrouble(each, why) for each, why in found if isinstance(why, str)]

    def content(self, record: PluginRecord) -> "PluginContent | str":
        """**Returns** what a plugin brings, or why it cannot be used."""
        said = [record.entry, dict(record.values), dict(record.kept)]
        key = (record.name, record.digest, json.dumps(said, sort_keys=True))
        known = self._contents.get(key)
        if known is None:
            known = self._contents[key] = self._content(record)
            if _shown_secrets(known, record) and self.of(record.name) == record:  # of an earlier agls
                self._keep_apart(record)
        return known

    def _keep_apart(self, record: PluginRecord) -> None:
        from agls.plugin_files import PluginProblem  # noqa: PLC0415 - as above

        with suppress(PluginProblem, OSError):  # the next look tries again
            self.hold(record)

    def _content(self, record: PluginRecord) -> "PluginContent | str":
        from agls.plugin_files import PluginProblem, read_plugin, with_values  # noqa: PLC0415 - as above

        store = self.store
        self._held += store.hold(record.name, record.digest)
        if not store.is_whole(record.name, record.digest):
            return CHANGED.format(store.path(record.name, record.digest), record.source)
        try:
            root = str(store.path(record.name, record.digest))
            found = read_plugin(root, record.entry or None, record.name)
            values = self.values(record)
        except PluginProblem as problem:
            return str(problem)
        return with_values(found, values, str(store.data(record.name)))

    def values(self, record: PluginRecord) -> Mapping[str, str]:
        """**Returns** the values of its options, also kept ones. **Raises** `PluginProblem`."""
        if not record.kept:
            return record.values
        kept = self._secrets.read(record.name)
        return {**{name: kept[name] for name in record.kept if name in kept}, **record.values}

    def holds(self, root: str) -> bool:
        """**Returns** whether a plugin that is used from this folder is still what the user consented to.

        It may be an earlier version: a run goes on with that with which it began.
        """
        used = ((key[0], key[1]) for key, each in self._contents.items() if not isinstance(each, str))
        store = self.store
        return any(str(store.path(*each)) == root and store.is_whole(*each) for each in set(used))

    def hold(self, record: PluginRecord) -> None:
        """Remember a plugin, in the place of an earlier version. **Raises** `OSError` and `PluginProblem`."""
        now = replace(self._without_secrets(record), added_at=record.added_at or time.time())
        self._write([*(each for each in self.all() if each.name != record.name), now])

    def forget(self, name: str) -> None:
        """Forget a plugin with the values of its options. **Raises** `OSError` and `PluginProblem`."""
        self._secrets.forget(name)
        self._write([each for each in self.all() if each.name != name])

    def _without_secrets(self, record: PluginRecord) -> PluginRecord:
        """**Returns** the record once its values that may not be shown are kept with the keys."""
        found = self.content(record) if record.values or record.kept else ""
        if isinstance(found, str):
            return record
        given, known = _shown_secrets(found, record), {each.name for each in found.options}
        kept = {name: mark for name, mark in record.kept.items() if name in known and name not in given}
        if not given and kept == record.kept:
            return record
        before = self.values(replace(record, values={}, kept=kept))
        fresh = {name: text for name, text in given.items() if text}
        self._secrets.keep(record.name, {**before, **fresh})
        values = {name: text for name, text in record.values.items() if name not in given}
        return replace(record, values=values, kept={**kept, **{name: uuid4().hex for name in fresh}})

    def _on(self) -> Sequence[PluginRecord]:
        known = self.all()
        if not (known or self._tried):
            return ()
        tried = {each.name for each in self._tried}
        return (*self._tried, *(each for each in known if each.enabled and each.name not in tried))

    def _write(self, records: Sequence[PluginRecord]) -> None:
        rows = [
            [e.name, e.digest, e.source, e.enabled, e.added_at, e.entry, dict(e.values), dict(e.kept)]
            for e in sorted(records, key=lambda each: each.name)
        ]
        self._files.write(self.file, {"plugins": rows, "seal": self._seal.sign(KIND, rows)})
        self._stamp = None

    def _read(self) -> Sequence[PluginRecord]:
        self.ignored = ""
        try:
            held: dict[str, Any] = json.loads(self.file.read_text("utf-8"))
            rows = list(held["plugins"])
            if self._seal.proves(KIND, rows, held.get("seal")):
                return tuple(PluginRecord(*row) for row in rows)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass
        self.ignored = FOREIGN.format(self.file)
        return ()


def _shown_secrets(content: "PluginContent | str", record: PluginRecord) -> Mapping[str, str]:
    """**Returns** the values in a record that may not be shown."""
    options = () if isinstance(content, str) else content.options
    return {
        each.name: record.values[each.name]
        for each in options
        if each.sensitive and each.name in record.values
    }

"""The settings in their files: the port `SettingsStore`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from agls.config import ConfigError, GuardedFiles, SettingsEditor, Setup, found
from agls.config.choice import unknown_model
from agls.config.editing import SettingChange, in_words
from agls.config.folders import PROJECT_FILE
from agls.engine.actions import ActionError
from agls.room.process_ports import SettingRow

LOOK_FIRST = (
    "{} changed while a command of the agent ran. Look at what is in there, then allow the next question for "
    "permission with “I looked at these files”, or start agls again: until then no settings are read again."
)


class SetupHolder(Protocol):
    """The process, whose later runs work with the `setup` that it holds.

    `reload` **returns** one with all settings as their files have them now; it raises `ConfigError`.
    """

    setup: Setup

    @property
    def reload(self) -> Callable[[Setup], Setup]: ...
    def forget_texts(self) -> None: ...


class FileSettings:
    """Implements `SettingsStore` for one folder."""

    def __init__(self, folder: str, files: GuardedFiles, holder: SetupHolder) -> None:
        self._folder, self._files = folder, files
        self._holder = holder

    def rows(self, key: str = "") -> Sequence[SettingRow]:
        """**Returns** the settings that hold. **Raises** `ActionError`."""
        try:
            loaded = self._holder.setup.load(self._folder)
            rows = found(loaded, key) if key else loaded.explain()
        except ConfigError as problem:
            raise ActionError(str(problem)) from None
        return [SettingRow(row.key, row.value, row.rank, row.where) for row in rows]

    def file(self, *, project: bool = False) -> str:
        """**Returns** the file of the user, or of the folder."""
        return str(Path(self._folder, PROJECT_FILE) if project else self._holder.setup.config_file)

    def set(self, key: str, text: str, *, project: bool = False) -> str:
        """Write a setting. **Raises** `ActionError`."""
        return self._done(lambda editor: editor.set(key, text, project=project))

    def unset(self, key: str, *, project: bool = False) -> str:
        """Take a setting out. **Raises** `ActionError`."""
        return self._done(lambda editor: editor.unset(key, project=project))

    def reload(self) -> Sequence[SettingRow]:
        """Read all settings again. **Returns** those that are different. **Raises** `ActionError`."""
        if changed := self._files.changed:  # perhaps by the agent
            raise ActionError(LOOK_FIRST.format(", ".join(changed)))
        holder, before = self._holder, self._held()
        try:
            setup = holder.reload(holder.setup)
            setup.load(self._folder)
        except ConfigError as problem:
            raise ActionError(f"{problem}. Nothing was read; what held before holds") from None
        holder.setup = setup
        holder.forget_texts()
        now = self._held()
        gone = [SettingRow(key, None, "", "") for key in before if key not in now]
        return [row for key, row in now.items() if key not in before or before[key].value != row.value] + gone

    def _held(self) -> Mapping[str, SettingRow]:
        try:
            return {row.key: row for row in self.rows()}
        except ActionError:  # they were wrong
            return {}

    def _done(self, change: Callable[[SettingsEditor], SettingChange]) -> str:
        editor = SettingsEditor(self._holder.setup, self._folder, self._files, careful=True)
        try:
            done = change(editor)
        except ConfigError as problem:
            raise ActionError(str(problem)) from None
        except OSError as problem:
            from agls.disk_space import why_unwritten  # noqa: PLC0415 - a disk is seldom full

            raise ActionError(f"The file cannot be written: {why_unwritten(problem)}") from problem
        self._holder.setup = done.setup
        now = f" {in_words(done.origin)}" if done.origin else ""
        notes = [done.warning, unknown_model(done, self._folder)]
        return " ".join(filter(None, [f"{done.file} was changed.{now}", *notes]))

"""What an import from another agent would write, and where; what it would not, and why."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from agls.config.editing import USUAL_MODE, PreparedSettings, SettingsEditor
from agls.config.errors import ConfigError
from agls.config.folders import PROJECT_FILE
from agls.config.own_files import GuardedFiles
from agls.frozen import frozen
from agls.other_agents import (
    CommandText,
    Finding,
    ForeignInstructions,
    LeftOut,
    MemoryEntryText,
    RuleFound,
)
from agls.room.memory_ports import LONGEST_ENTRY
from agls.stores.disk import replace_whole

INSTRUCTIONS, COMMANDS = "AGENTS.md", "commands"
FROM = "<!-- from {} by agls import -->"
SAME = "it is there already"
OTHER_THERE = "{} is there already and says something else: rename one of the two"
OUTSIDE = "{} is outside of the project: a link leads there"
NO_WORDS = "a rule of agls cannot say this exactly (docs/config.md)"
NO_GRANT = (
    "a project's file grants nothing; to allow it yourself: agls config set permissions.allow '[\"{}\"]'"
)
TOO_LONG = "an entry has at most {:,} characters; write it into AGENTS.md"
CHANGED = "{} was changed meanwhile; nothing more was written. Look again with agls import"


@frozen
class PlannedFile:
    """A file as it is (`None`: not there) and as it would be."""

    file: Path
    before: str | None
    after: str
    project: bool = False


@frozen
class ImportPlan:
    """Changes of files and settings, and entries to remember; what `stays`, and what is `left_out`."""

    changes: Sequence[PlannedFile] = ()
    settings: Sequence[PreparedSettings] = ()
    memory: Sequence[MemoryEntryText] = ()
    stays: Sequence[LeftOut] = ()
    left_out: Sequence[LeftOut] = ()

    @property
    def is_empty(self) -> bool:
        """**Returns** whether there is nothing to write."""
        return not (self.changes or self.settings or self.memory)


@frozen
class ImportPlanner:
    """Makes the plan of one import. `remembered` are the entries that are there (`compared`)."""

    config_file: Path
    folder: str
    editor: SettingsEditor
    remembered: frozenset[tuple[bool, str]] = frozenset()

    def plan(self, findings: Iterable[Finding]) -> ImportPlan:
        """**Returns** the plan. **Raises** `ConfigError`, `OSError` for files of ours that cannot be read."""
        found = list(findings)
        left = [each for each in found if isinstance(each, LeftOut)]
        changes = [
            *self._instructions([each for each in found if isinstance(each, ForeignInstructions)], left),
            *self._commands([each for each in found if isinstance(each, CommandText)], left),
        ]
        settings = self._rules([each for each in found if isinstance(each, RuleFound)], left)
        memory = self._memory([each for each in found if isinstance(each, MemoryEntryText)], left)
        return ImportPlan(
            changes,
            settings,
            memory,
            [each for each in left if each.stays],
            [each for each in left if not each.stays],
        )

    def _instructions(self, texts: Sequence[ForeignInstructions], left: list[LeftOut]) -> list[PlannedFile]:
        file = self.config_file.with_name(INSTRUCTIONS)
        before = _text(file)
        after = (before or "").rstrip("\n")
        for each in texts:
            if each.text in after:
                left.append(LeftOut(each.source, "instructions", SAME, stays=True))
            else:
                after = f"{after}\n\n{FROM.format(each.source)}\n{each.text}".lstrip("\n")
        changed = after != (before or "").rstrip("\n")
        return [PlannedFile(file, before, f"{after}\n")] if changed else []

    def _commands(self, commands: Sequence[CommandText], left: list[LeftOut]) -> list[PlannedFile]:
        changes: list[PlannedFile] = []
        for each in filter(lambda command: command.text, commands):
            folder = Path(self.folder, PROJECT_FILE).parent if each.project else self.config_file.parent
            file = folder / COMMANDS / each.name
            if each.project and not file.resolve().is_relative_to(Path(self.folder).resolve()):
                left.append(LeftOut(each.source, "a command", OUTSIDE.format(file)))
                continue
            there = next((change.after for change in changes if change.file == file), _text(file))
            if there is None:
                changes.append(PlannedFile(file, None, each.text, each.project))
            elif there == each.text:
                left.append(LeftOut(each.source, "a command", SAME, stays=True))
            else:
                left.append(LeftOut(each.source, "a command", OTHER_THERE.format(file)))
        return changes

    def _rules(self, rules: Sequence[RuleFound], left: list[LeftOut]) -> list[PreparedSettings]:
        return [
            prepared
            for project in (False, True)
            if (
                prepared := self._of_file(
                    [each for each in rules if each.project == project], left, project=project
                )
            )
        ]

    def _of_file(
        self, rules: Sequence[RuleFound], left: list[LeftOut], *, project: bool
    ) -> PreparedSettings | None:
        """**Returns** a config file with these rules, `None` where nothing changes."""
        wanted: dict[tuple[str, ...], list[object]] = {}
        prepared: PreparedSettings | None = None
        for each in rules:
            path = ("permissions", each.kind)
            what = f"{each.kind} {each.original}"
            if not each.rule:
                left.append(LeftOut(each.source, what, NO_WORDS))
            elif project and each.kind == "allow":
                left.append(LeftOut(each.source, what, NO_GRANT.format(each.rule)))
            else:
                stand = self.editor.values_in(path, project=project)
                there = wanted.get(path, [*stand])
                if each.rule in there:
                    left += [LeftOut(each.source, what, SAME, stays=True)] if each.rule in stand else []
                    continue
                try:
                    tried = {**wanted, path: [*there, each.rule]}
                    prepared = self.editor.prepare(tried, project=project)
                    wanted = tried
                except ConfigError as problem:
                    left.append(LeftOut(each.source, what, str(problem).split(": ", 1)[-1]))
        return prepared

    def _memory(self, entries: Sequence[MemoryEntryText], left: list[LeftOut]) -> list[MemoryEntryText]:
        wanted: dict[tuple[bool, str], MemoryEntryText] = {}
        for each in entries:
            key = (each.project, compared(each.text))
            if key in self.remembered:
                left.append(LeftOut(each.source, "an entry", SAME, stays=True))
            elif len(each.text) > LONGEST_ENTRY:
                left.append(LeftOut(each.source, f"{each.text[:60]}…", TOO_LONG.format(LONGEST_ENTRY)))
            else:
                wanted.setdefault(key, each)
        return list(wanted.values())


def compared(text: str) -> str:
    """**Returns** the words of an entry by which two are the same."""
    return " ".join(text.casefold().split())


def write_files(plan: ImportPlan, editor: SettingsEditor, files: GuardedFiles) -> None:
    """Write the files and the settings of a plan. **Raises** `OSError`, also when one changed meanwhile."""
    for change in plan.changes:
        if _text(change.file) != change.before:
            raise OSError(CHANGED.format(change.file))
        change.file.parent.mkdir(mode=0o755 if change.project else 0o700, parents=True, exist_ok=True)
        replace_whole(change.file, change.after.encode())
        if change.project:
            change.file.chmod(USUAL_MODE)
        files.settle(change.file)
    for prepared in plan.settings:
        editor.apply(prepared)


def _text(file: Path) -> str | None:
    """**Returns** the text of a file of ours, `None` where there is none. **Raises** `OSError`."""
    try:
        return file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise OSError(f"{file} is not UTF-8; save it as UTF-8") from None

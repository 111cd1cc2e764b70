"""Which instruction files there are in folders, and which of them count (docs/instructions.md)."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple, Protocol

from agls.engine.ports import WorkspaceError
from agls.front_matter import names, split, truth
from agls.instruction_files.fitting import FIRST
from agls.instruction_files.markdown import imports_in, without_comments
from agls.instruction_files.names import LISTS, LOCAL, MAIN, OTHER, RULES, RulePlace
from agls.instruction_files.plain import plain
from agls.instruction_files.texts import InstructionText, Moment, Omitted, Origin
from agls.json_values import list_in, value_in, with_comments
from agls.regex import regex

MOST_HOPS = 4
MOST_IMPORTS = 20  # files that one file brings with it, and theirs
MOST_LOOKED_UP = 100  # words behind an @ in one file
MOST_LISTED = 50  # texts that a configuration file names
LONGEST_DESCRIPTION = 300
OF_CURSOR = "/.cursor/rules/"  # whose files name others as seen from the root of the project
TEXTS = {".md", ".mdc", ".markdown", ".txt"}
EVERYTHING = {"*", "**", "**/*"}
ALWAYS = ("always_on", "always")  # the words of Windsurf and Kiro
_BLANK = regex(r"\s+")


class ReadText(NamedTuple):
    """A file that was read: its path as people read it, the path without links, and its text."""

    shown: str
    real: str
    text: str


class FolderReader(Protocol):
    """Reads small files of trusted folders, by absolute paths. All but `shown` raise `WorkspaceError`.

    `text` **returns** the members of a `ReadText`, `None` where there is no file, `below` the files in a
    folder whose names end so, `fitting` those that fit an absolute glob, `holders` those of these names in
    the folders below one, `holds` whether a path may be followed: it lies in a trusted folder.
    """

    def text(self, path: str) -> tuple[str, str, str] | None: ...
    def below(self, folder: str, ends: tuple[str, ...]) -> Sequence[str]: ...
    def fitting(self, glob: str) -> Sequence[str]: ...
    def holders(self, folder: str, names: tuple[str, ...], deepest: int) -> Sequence[str]: ...
    def is_file(self, path: str) -> bool: ...
    def holds(self, path: str) -> bool: ...
    def shown(self, path: str) -> str: ...


class Collection:
    """The texts of several folders, each text once. `home` is the user's, "" where it is not known."""

    def __init__(self, reader: FolderReader, home: str = "") -> None:
        self._reader, self._home = reader, home
        self.texts: list[InstructionText] = []
        self.omitted: list[Omitted] = []
        self._known: dict[str, str] = {}  # by real path and by content: the file that brought it first

    def add_folder(self, folder: str) -> None:
        """Add the files of one folder: one main file, the local one, rules; others only without these."""
        before = len(self.texts)
        self._add_first(folder, MAIN)
        self._add_file(f"{folder}/{LOCAL}", "local", folder)
        for rules in RULES:
            for path in self._rules(f"{folder}/{rules.folder}", rules):
                self._add_rule(path, folder, rules)
        for name in LISTS:
            self._add_listed(f"{folder}/{name}", folder)
        if len(self.texts) == before:
            for name in OTHER:
                self._add_file(f"{folder}/{name}", "other", folder)
        else:
            self._shadow(folder, OTHER, "the folder has other instruction files")

    def _add_listed(self, path: str, folder: str) -> None:
        """Add the texts that a configuration file of another agent names, in its `instructions`."""
        read = self._read(path)
        if not isinstance(read, ReadText):
            return
        try:
            found = with_comments(read.text)
        except ValueError:  # the doctor says so
            return
        named = [name for name in list_in(value_in(found, "instructions")) if isinstance(name, str)]
        for name in named[:MOST_LISTED]:
            target = _normal(PurePath(folder) / name)
            if "://" in name:
                why = f"{read.shown} names it, but no instructions are read from the web"
            elif not _is_text(name):  # nor a file with keys
                why = f"{read.shown} names it, but it is no Markdown file and no plain text"
            elif name.startswith("~") or not self._reader.holds(target):
                why = f"{read.shown} names it, but it is outside the trusted folder"
            elif texts := self._reader.fitting(target):
                for each in texts:
                    self._add_file(each, "project", folder)
                continue
            else:
                why = f"{read.shown} names it, but there is no such file"
            self.omitted.append(Omitted(plain(name), why, problem=True))

    def add_own(self, path: str, origin: Origin) -> bool:
        """Add the administrator's or the user's own file. **Returns** whether there is one."""
        return self._add_file(path, origin, "")

    def _add_first(self, folder: str, candidates: Sequence[str]) -> None:
        for place, name in enumerate(candidates):
            if self._add_file(f"{folder}/{name}", "project", folder):
                self._shadow(folder, candidates[place + 1 :], f"{name} of the same folder counts")
                return

    def _shadow(self, folder: str, others: Sequence[str], why: str) -> None:
        for name in others:
            try:
                found = self._reader.is_file(f"{folder}/{name}")
            except WorkspaceError:
                continue
            if found:
                self.omitted.append(Omitted(self._reader.shown(f"{folder}/{name}"), why))

    def _add_file(self, path: str, origin: Origin, folder: str) -> bool:
        """**Returns** whether there is such a file that can be read and says something."""
        read = self._read(path)
        if isinstance(read, ReadText):
            self._add(read, path, InstructionText(read.shown, read.text, origin, read.real, folder))
            return bool(without_comments(read.text).strip())
        return False

    def _read(self, path: str) -> ReadText | Omitted | None:
        try:
            found = self._reader.text(path)
            return ReadText(*found) if found else None
        except WorkspaceError as problem:
            left_out = Omitted(self._reader.shown(path), str(problem), problem=True)
            self.omitted.append(left_out)
            return left_out

    def _add(self, read: ReadText, path: str, text: InstructionText) -> None:
        if self._adds_nothing(read):
            return
        self.texts.append(self._cleaned(text))
        self._follow(path, read.text, text, self._budget())

    def _budget(self) -> Iterator[int]:
        return iter(range(MOST_IMPORTS))

    def _adds_nothing(self, read: ReadText) -> bool:
        """Return whether this text adds nothing: it is empty, or is among the texts already."""
        content = without_comments(read.text).strip()
        if not content:
            self.omitted.append(Omitted(read.shown, "it is empty"))
            return True
        where = self._known.get(read.real) or self._known.get(content)
        if where == read.shown:  # files may import each other, or one file several times
            return True
        if where:
            self.omitted.append(Omitted(read.shown, f"it is the same text as {where}"))
            return True
        self._known[read.real] = self._known[content] = read.shown
        return False

    def _cleaned(self, text: InstructionText) -> InstructionText:
        cleaned = plain(without_comments(text.text)).strip()
        return InstructionText(
            plain(text.path),
            cleaned,
            text.origin,
            text.real,
            text.folder,
            text.when,
            text.globs,
            text.description,
            text.imported_by,
        )

    def _follow(
        self, path: str, content: str, importer: InstructionText, budget: Iterator[int], hop: int = 1
    ) -> None:
        """Add what a file imports, and what that imports."""
        for name in imports_in(content)[:MOST_LOOKED_UP]:
            target = self._target(path, name, importer)
            read = self._import(target, importer) if target else None
            if read is None:
                continue
            if hop > MOST_HOPS or next(budget, None) is None:
                why = (
                    f"more than {MOST_HOPS} files import each other"
                    if hop > MOST_HOPS
                    else "too many imports"
                )
                self.omitted.append(Omitted(read.shown, f"{why} (in {importer.path})", problem=True))
                continue
            text = InstructionText(
                read.shown,
                read.text,
                importer.origin,
                read.real,
                importer.folder,
                importer.when,
                importer.globs,
                importer.description,
                importer.path,
            )
            if not self._adds_nothing(read):
                self.texts.append(self._cleaned(text))
                self._follow(target, read.text, text, budget, hop + 1)

    def _target(self, path: str, name: str, importer: InstructionText) -> str:
        """Return the absolute path that an import names, "" for one that is not followed."""
        named = name
        if name.startswith("~/") and self._home and importer.origin in FIRST:
            named = f"{self._home}{name[1:]}"
        elif name.startswith("~"):
            self._refuse(name, importer)
            return ""
        target = _normal(PurePath(path).parent / named)
        if OF_CURSOR in path and not self._reader.is_file(target):
            target = _normal(PurePath(importer.folder) / name)
        if self._reader.holds(target):
            return target
        if "/" in name or _is_text(name):  # another single word behind an @ may be a person's name
            self._refuse(name, importer)
        return ""

    def _refuse(self, name: str, importer: InstructionText) -> None:
        place = "not beside that file" if importer.origin in FIRST else "outside the trusted folder"
        why = f"{importer.path} imports it, but it is {place}"
        self.omitted.append(Omitted(plain(name), why, problem=True))

    def _import(self, path: str, importer: InstructionText) -> ReadText | None:
        try:
            found = self._reader.text(path)
            if found is None and _is_text(path):
                self.omitted.append(
                    Omitted(
                        self._reader.shown(path), f"{importer.path} imports it, but there is no such file"
                    )
                )
            return ReadText(*found) if found else None
        except WorkspaceError as problem:
            if "/" in path and PurePath(path).suffix:
                self.omitted.append(Omitted(self._reader.shown(path), str(problem), problem=True))
            return None

    def _rules(self, place: str, rules: RulePlace) -> Sequence[str]:
        try:
            if rules.alone and self._reader.is_file(place):
                return (place,)
            found = self._reader.below(place, rules.ends)
            return [path for path in found if not _is_below(path, place, rules.others)]
        except WorkspaceError as problem:
            self.omitted.append(Omitted(self._reader.shown(place), str(problem), problem=True))
            return ()

    def _add_rule(self, path: str, folder: str, rules: RulePlace) -> None:
        read = self._read(path)
        if not isinstance(read, ReadText):
            return
        values, body, problem = split(read.text)
        if problem:
            self.omitted.append(
                Omitted(read.shown, f"its front matter cannot be read: {problem}", problem=True)
            )
            return
        globs = tuple(each for key in rules.globs for each in names(values.get(key)))
        description = _BLANK.sub(" ", str(values.get("description") or "")).strip()[:LONGEST_DESCRIPTION]
        when = _moment(globs, description, values)
        if when is None:
            self.omitted.append(Omitted(read.shown, "it counts only where somebody names it"))
            return
        read = ReadText(read.shown, read.real, body)
        text = InstructionText(read.shown, body, "rule", read.real, folder, when, globs, plain(description))
        self._add(read, path, text)


def _moment(globs: Sequence[str], description: str, values: Mapping[str, Any]) -> Moment | None:
    """Return when a rule is sent, `None` for one that waits to be named."""
    trigger = values.get("trigger") or values.get("inclusion")  # the second is Kiro's
    always = truth(values.get("alwaysApply"))
    if trigger == "manual":
        return None
    excepts = any(glob.startswith("!") for glob in globs)
    if always or trigger in ALWAYS or (not excepts and any(glob in EVERYTHING for glob in globs)):
        return "always"
    if globs and trigger != "model_decision":
        return "touched"
    if description:
        return "described"
    return None if always is False else "always"


def _is_text(name: str) -> bool:
    """Return whether this is the name of a text: an import of one that is missing is a slip."""
    return PurePath(name).suffix.lower() in TEXTS


def _is_below(path: str, place: str, folders: Sequence[str]) -> bool:
    return any(path.startswith(f"{place}/{folder}/") for folder in folders)


def _normal(path: PurePath) -> str:
    """Return the path with `.` and `..` resolved, without looking at the disk."""
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and len(parts) > 1:
            parts.pop()
        elif part not in {".", ".."}:
            parts.append(part)
    return str(PurePath(*parts))

"""The skills of a session, and the commands that the model may load like them."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, cast

from agls.features.skills.catalogue import CatalogueEntry, SkillCatalogue, catalogue_of
from agls.features.skills.loaded import marked
from agls.features.skills.offered import for_model, named_skills
from agls.features.skills.places import SkillFolder, own_paths, skill_folders
from agls.features.skills.settings import Settings
from agls.features.skills.skill_file import SkillFile, body_of, find_skills
from agls.instruction_files import plain
from agls.instruction_files.folder_texts import FolderTexts, TextFolders
from agls.prompt_files.command_file import CommandFile
from agls.prompt_files.found_commands import found_commands
from agls.prompt_files.shell_lines import LinesHolder
from agls.prompt_files.template import FilledTemplate, Given, expanded
from agls.regex import regex
from agls.room.on_use import OnUse
from agls.room.opened_folders import ROOM

if TYPE_CHECKING:
    from agls.features.skills.nested import NestedSkills

MOST_FILES = 50  # that are listed with a skill
FILES = "Files of the skill, in {}. Read or run one when the instructions call for it: {}"
COMPATIBILITY = "It needs: {}"
_SKILL_DIR = regex(r"\$\{(?:CLAUDE_)?SKILL_DIR\}|\$(?:CLAUDE_)?SKILL_DIR\b")
NESTED = OnUse("agls.features.skills.nested", "NestedSkills")  # few sessions have any
COMMAND = "The command /{} of the user, from {}. It says:\n\n{}"


class FoundSkills:
    """What there is in the folders when it is asked for; it is looked at again when a file changed."""

    def __init__(self, settings: Settings, texts: FolderTexts) -> None:
        self._settings, self._texts = settings, texts
        self.folders, self._own = _skill_places(texts.folders, other_tools=settings.other_tools)

    @cached_property
    def nested(self) -> "NestedSkills":
        """Those in folders below."""
        return cast("NestedSkills", NESTED(self._settings, self._texts))

    def files(self) -> Sequence[SkillFile]:
        """Return all skills, broken ones too."""
        key = (ROOM, self._settings.other_tools)
        return self._texts.get(key, self._own, lambda reader: find_skills(self.folders, reader), once=True)

    def files_at_hand(self) -> Sequence[SkillFile]:
        """Return all skills, with those that the session found in folders below."""
        files = self.files()
        return [*files, *self._nested_files({file.name for file in files if not file.problem})]

    @property
    def nested_for_model(self) -> Sequence[SkillFile]:
        """Those in folders below that the model may load."""
        return [file for file in self._nested_files(self.names) if file.for_model and not file.problem]

    def _nested_files(self, taken: Collection[str]) -> Sequence[SkillFile]:
        return self.nested.files(taken) if "nested" in vars(self) else ()  # until then there is none

    @property
    def untrusted(self) -> Sequence[str]:
        """The folders of which nothing is read."""
        return self._texts.folders.untrusted

    @cached_property
    def _for_model(self) -> dict[str, SkillFile]:
        return {file.name: file for file in for_model(named_skills(self.files(), ()))}

    def command_files(self) -> Sequence[CommandFile]:
        """Return all commands of the user and of the project, broken ones too."""
        return found_commands(self._texts, other_tools=self._settings.other_tools)

    @cached_property
    def _commands(self) -> dict[str, CommandFile]:
        usable = [
            each for each in self.command_files() if each.for_model and each.description and not each.problem
        ]
        first = {each.name: each for each in reversed(usable) if not each.lines}
        return {name: each for name, each in reversed(first.items()) if name not in self._for_model}

    @property
    def names(self) -> Sequence[str]:
        """What the model may load."""
        return [*self._for_model, *self._commands]

    @property
    def is_only_bundled(self) -> bool:
        """Whether there is nothing but what agls brings."""
        origins = {each.folder.origin for each in self._for_model.values()}
        return not self._commands and origins <= {"bundled"}

    def catalogue(self, limit: int) -> SkillCatalogue:
        """Return the list for the model; those for some files have their names in it and nothing more."""
        made = catalogue_of([*self._entries()], limit)
        return replace(made, names=(*made.names, *(each.name for each in self.for_files)))

    @cached_property
    def for_files(self) -> Sequence[SkillFile]:
        """Those of which the model is told when it works on a file of theirs."""
        return [each for each in self._for_model.values() if each.conduct.paths]

    def are_for(self, skill: SkillFile, paths: Sequence[str]) -> bool:
        """Return whether a skill is for one of these files, which are absolute."""
        roots = self._texts.folders.project
        own = [root for root in roots if skill.path.startswith(f"{root}/")][:1] or roots
        inside = (
            path.removeprefix(f"{root}/") for root in own for path in paths if path.startswith(f"{root}/")
        )
        return any(self._texts.fits(glob, path) for path in inside for glob in skill.conduct.paths)

    def _entries(self) -> Iterator[CatalogueEntry]:
        for each in self._for_model.values():
            if not each.conduct.paths:
                yield CatalogueEntry(each.name, each.catalogued, each.folder.origin)
        for each in self._commands.values():
            yield CatalogueEntry(each.name, each.description, f"command, {each.folder.origin}")

    def skill(self, name: str) -> SkillFile | None:
        """Return the skill of this name that the model may load; of a plugin the last part may be enough."""
        if name in self._for_model or name in self._commands:
            return self._for_model.get(name)
        if nested := next((each for each in self.nested_for_model if each.name == name), None):
            return nested
        found = [each for own, each in self._for_model.items() if own.endswith(f":{name}")]
        return found[0] if len(found) == 1 else None

    def typed(self, name: str) -> SkillFile | None:
        """Return the skill that its user typed by this name."""
        usable = (
            each.file for each in named_skills(self.files_at_hand(), ()) if each.counts and each.file.for_user
        )
        return next((file for file in usable if file.name == name), None)

    def command(self, name: str) -> CommandFile | None:
        """Return the command of this name that the model may load."""
        return self._commands.get(name)

    def body(self, skill: SkillFile) -> str:
        """Return what a skill says, as it stands. **Raises** `WorkspaceError`."""
        return self._texts.get((ROOM, "body", skill.path), self._own, lambda reader: body_of(skill, reader))

    def made(self, skill: SkillFile, given: Given) -> FilledTemplate:
        """Return the text of a skill as the model reads it, and what it runs. **Raises** `WorkspaceError`."""
        home = skill.real.rpartition("/")[0]
        if skill.folder.plugin:
            given = replace(given, variables={**given.variables, **skill.folder.plugin.variables})
        made = expanded(self.body(skill), given_to(given, skill.arguments, home), "skill")
        needs = [COMPATIBILITY.format(skill.compatibility)] if skill.compatibility else []
        text = marked(skill.name, home, "\n\n".join([*needs, made.text]))
        return FilledTemplate("\n\n".join([text, *self._listed(skill)]), made.lines)

    def _listed(self, skill: SkillFile) -> Iterator[str]:
        """Yield the list of the other files of a skill, if there are any."""
        home = f"{skill.home}/"
        key = (ROOM, "files", home)
        found = self._texts.get(key, self._own, lambda reader: reader.below(skill.home, ("",)))
        names = [plain(path.removeprefix(home)) for path in found if path != skill.path]
        if names:
            more = f" … ({len(names) - MOST_FILES} more)" if len(names) > MOST_FILES else ""
            yield FILES.format(skill.real.rpartition("/")[0], ", ".join(names[:MOST_FILES]) + more)


@lru_cache(maxsize=8)  # every run asks, and the folders stay the same
def _skill_places(folders: TextFolders, *, other_tools: bool) -> tuple[Sequence[SkillFolder], Sequence[str]]:
    found = skill_folders(folders, other_tools=other_tools)
    return found, own_paths(found)


def holder_of(skill: SkillFile) -> LinesHolder:
    """Return the lines of a skill as they are offered: with its folder, which what they run is in."""
    home = skill.real.rpartition("/")[0]
    lines = [_SKILL_DIR.sub(lambda _: home, line) for line in skill.lines]
    own = skill.folder.ours and skill.folder.origin in {"user", "bundled"}
    root = skill.folder.plugin.root if skill.folder.plugin else ""
    return LinesHolder(skill.name, skill.shown, lines, own, skill.wishes, root)


def given_to(given: Given, names: Sequence[str], folder: str = "") -> Given:
    """Return what is given to a skill (in this folder) or a command whose arguments have these names."""
    own = dict.fromkeys(("SKILL_DIR", "CLAUDE_SKILL_DIR"), folder) if folder else {}
    return Given(given.words, names, {**given.variables, **own})


def given_in(words: str, root: str, session_id: str) -> Given:
    """Return what a skill or a command is given in a session."""
    folder = dict.fromkeys(("PROJECT_DIR", "CLAUDE_PROJECT_DIR"), root)
    session = dict.fromkeys(("SESSION_ID", "CLAUDE_SESSION_ID"), session_id)
    return Given(words, (), {**folder, **session})


def command_text(command: CommandFile, given: Given) -> str:
    """Return what a command of the user says, as the model reads it."""
    made = expanded(command.text, given_to(given, command.arguments), command.folder.place.dialect)
    return COMMAND.format(command.name, command.shown, made.text)

"""Which skill has which name: the first counts, and what agls brings keeps its commands."""

from collections.abc import Collection, Sequence

from agls.features.skills.skill_file import SkillFile
from agls.frozen import frozen


@frozen
class OfferedSkill:
    """A skill, and the names under which its user can type it (none: it is not for typing).

    `hidden_by` says what has its name as a skill ("": nothing has), `command_by` what has it as a command.
    """

    file: SkillFile
    commands: tuple[str, ...] = ()
    hidden_by: str = ""
    command_by: str = ""

    @property
    def counts(self) -> bool:
        """Whether it can be used by its name."""
        return not self.hidden_by and not self.file.problem


def named_skills(files: Sequence[SkillFile], taken: Collection[str]) -> Sequence[OfferedSkill]:
    """Return the skills in the order of their files. A broken file hides no other."""
    first: dict[str, str] = {}
    offered: list[OfferedSkill] = []
    for file in files:
        hidden_by = first.get(file.name, "")
        if not file.problem:
            first.setdefault(file.name, file.shown)
        typed = file.for_user and not hidden_by and bool(file.name)
        long = () if file.folder.plugin else (f"{file.folder.origin}:{file.name}",)
        whole = (file.name, *long) if typed else ()
        free = tuple(name for name in whole if name not in taken)
        command_by = "a command of agls" if typed and file.name in taken else ""
        offered.append(OfferedSkill(file, free, hidden_by, command_by))
    return offered


def for_model(skills: Sequence[OfferedSkill]) -> Sequence[SkillFile]:
    """Return the skills that the model may load by their names."""
    return [each.file for each in skills if each.counts and each.file.for_model]

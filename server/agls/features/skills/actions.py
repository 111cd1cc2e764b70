"""What the user may do: see which skills there are and why one is not used, and use one by its name."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionSpec
from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.features.skills.conduct import SkillConduct
from agls.features.skills.forked import TYPED, option_of
from agls.features.skills.found import FoundSkills, given_in, holder_of
from agls.features.skills.offered import OfferedSkill
from agls.features.skills.skill_file import SkillFile
from agls.features.skills.trying import test_action
from agls.frozen import frozen
from agls.prompt_files.shell_lines import lines_option
from agls.prompt_files.shown_place import shown_in
from agls.room.command_prompts import WordsCommand, command_prompt, words_spec
from agls.room.session_ports import SUGGESTED_TOOLS
from agls.room.skill_ports import SkillPorts
from agls.short_text import cut, sentence
from agls.toolkit import Arguments, TypedAction, fenced

GROUP = "Your skills"
WRITTEN = "It was written in {}.\n\n{}"
SUGGESTS = "It suggests to use without a question: {}. A file grants nothing: your own rules decide."
RUNS = "It runs before it is read: {}."
NO_CHOICE = "A skill of the project chooses neither model nor effort: those of the session hold."
UNTRUSTED = "Skills of {} are not read: nobody trusts the folder. To trust it: agls trust"
NONE = (
    "There are no skills. Write one: `.agls/skills/NAME/SKILL.md` in a folder that you trust, or "
    "`skills/NAME/SKILL.md` beside your config file."
)


class Skills(Arguments):
    """Show the skills: which the model may load, their source, why one is not used; or one in full."""

    name: str = Field(default="", description="one of them, to see it whole")


@frozen(eq=False)
class SkillCommand(WordsCommand):
    """Implements `Action`: a skill that its user typed by name; `hands_over` is whether a helper does it."""

    offered: OfferedSkill
    found: FoundSkills
    ports: SkillPorts
    hands_over: Callable[[SkillFile], bool]

    @property
    def spec(self) -> ActionSpec:
        """The skill as its user sees it."""
        file = self.offered.file
        about = file.description or f"A skill of {file.shown}"
        if file.problem:
            about = f"Cannot be used: {file.problem}"
        suggests = [SUGGESTS.format(", ".join(file.wishes))] if file.wishes else []
        runs = [RUNS.format(", ".join(f"`{line}`" for line in file.lines))] if file.lines else []
        described = "\n\n".join([sentence(about), f"From {file.shown}.", *suggests, *runs])
        return words_spec(self.offered.commands, cut(about, 200), described, GROUP, hint=file.hint)

    async def __call__(self, arguments: JsonObject, context: ActionContext) -> ActionOutcome:
        """Make the prompt. **Raises** `ActionError` for a skill that cannot be used."""
        file = self.offered.file
        if file.problem:
            raise ActionError(f"/{self.offered.commands[0]} cannot be used. {file.shown}: {file.problem}.")
        words = str(arguments.get("arguments", ""))
        if self.hands_over(file):
            options = {**self._options(), **option_of(file, words)}
            return ActionOutcome(
                "", prompt=command_prompt(file.name, TYPED.format(file.name), options=options)
            )
        given = given_in(words, context.workspace.root, context.session_id)
        try:
            made = self.found.made(file, given)
        except WorkspaceError as problem:
            raise ActionError(str(problem)) from None
        text = WRITTEN.format(file.shown, made.text)
        lines = lines_option(holder_of(file), made.lines, self.ports.consents.mark)
        return ActionOutcome("", prompt=command_prompt(file.name, text, options={**self._options(), **lines}))

    def _options(self) -> JsonObject:
        file = self.offered.file
        by = f"/{file.name} ({file.shown})"
        suggested: JsonObject = {"by": by, "tools": list(file.wishes)} if file.wishes else {}
        wanted: JsonObject = {SUGGESTED_TOOLS: suggested}
        if file.folder.origin in {"user", "bundled"}:  # a folder or a plugin chooses neither
            wanted |= {
                "model": file.model if self.ports.knows_model(file.model) else "",
                "effort": file.effort,
            }
        return {name: value for name, value in wanted.items() if value}


def actions_of(
    find: Callable[[], Sequence[OfferedSkill]],
    found: FoundSkills,
    limit: int,
    ports: SkillPorts,
    hands_over: Callable[[SkillFile], bool],
) -> Sequence[Action]:
    """Return the actions: the list, the test, and one for each skill that can be typed."""
    typed = [SkillCommand(each, found, ports, hands_over) for each in find() if each.commands]
    return (_list_action(find, found, limit), test_action(found, ports.record), *typed)


def _list_action(find: Callable[[], Sequence[OfferedSkill]], found: FoundSkills, limit: int) -> Action:
    """Return the action that shows them."""
    return TypedAction(
        name="skills",
        title="Show skills",
        arguments=Skills,
        work=partial(_show, find, found, limit),
        group="Settings",
    )


async def _show(
    find: Callable[[], Sequence[OfferedSkill]],
    found: FoundSkills,
    limit: int,
    arguments: Skills,
    context: ActionContext,
) -> ActionOutcome:
    skills = find()
    name = arguments.name.strip().removeprefix("/")
    if name:
        named = [each for each in skills if name in {each.file.name, *each.commands}]
        if not named:
            known = ", ".join(each.file.name for each in skills) or "none"
            raise ActionError(f"There is no skill {name!r}. There are: {known}.")
        return ActionOutcome("\n\n".join(_whole(each, found) for each in named), _data(named))
    lines = [_line(each) for each in skills] or [NONE]
    lines += [UNTRUSTED.format(folder) for folder in found.untrusted]
    catalogue = found.catalogue(limit)
    if catalogue.cut is not None:
        left = f", and leaves out {catalogue.left_out} of them" if catalogue.left_out else ""
        lines.append(f"\nThe list for the model shortens descriptions to {catalogue.cut} characters{left}.")
    return ActionOutcome("\n".join(lines), _data(skills))


def _line(skill: OfferedSkill) -> str:
    file = skill.file
    about = f" {sentence(file.description)}" if file.description else ""
    place = shown_in(file.shown, file.folder.plugin)
    return f"- `{file.name or '?'}`:{about} {'. '.join([place, *_reasons(skill)])}."


def _reasons(skill: OfferedSkill) -> Iterator[str]:
    """Yield why a skill is used in part, or not at all."""
    file = skill.file
    if file.problem:
        yield f"**Cannot be used:** {file.problem}"
        return
    if skill.hidden_by:
        yield f"**Not used:** {skill.hidden_by} has the same name and comes first"
    elif not file.for_model:
        yield "The model does not see it: only you can use it"
    if skill.command_by and skill.commands:
        yield f"`/{file.name}` is {skill.command_by}: type `/{skill.commands[0]}`"
    if not file.for_user:
        yield "It is no command: only the model uses it"
    if file.conduct.paths:
        yield f"The model is told of it when it works on {', '.join(file.conduct.paths)}"
    yield from file.remarks


def _who(conduct: SkillConduct) -> str:
    """Return who does what a skill says, "" for the session itself."""
    if not conduct.forks:
        return ""
    return f"a helper{f', the agent {conduct.agent}' if conduct.agent else ''}, which gives back its answer"


def _whole(skill: OfferedSkill, found: FoundSkills) -> str:
    file = skill.file
    facts = {
        "File": file.shown,
        "From": file.folder.origin,
        "License": file.license,
        "Needs": file.compatibility,
        "Suggests to use without a question (grants nothing)": ", ".join(file.wishes),
        "Commands that it runs before it is read": ", ".join(f"`{line}`" for line in file.lines),
        "Model": file.model,
        "Effort": file.effort,
        "Done by": _who(file.conduct),
        "Tools that it does without": ", ".join(file.conduct.denies),
        "Hooks that it offers (each needs your consent)": ", ".join(file.conduct.hooks),
    }
    rows = [f"- {name}: {value}" for name, value in facts.items() if value]
    chooses = file.model or file.effort
    rows += [f"- {NO_CHOICE}"] if chooses and file.folder.origin in {"project", "plugin"} else []
    rows += [f"- {reason}." for reason in _reasons(skill)]
    try:
        text = "" if file.problem else fenced(found.body(file), "markdown")
    except WorkspaceError as problem:
        text = str(problem)
    return "\n".join([f"### {file.name}", file.description, "", *rows, "", text]).rstrip()


def _data(skills: Sequence[OfferedSkill]) -> JsonObject:
    return {
        "skills": [
            {
                "name": each.file.name,
                "description": each.file.description,
                "file": each.file.shown,
                "origin": each.file.folder.origin,
                "commands": list(each.commands),
                "forModel": each.counts and each.file.for_model,
                "hiddenBy": each.hidden_by,
                "problem": each.file.problem,
                "remarks": list(each.file.remarks),
            }
            for each in skills
        ]
    }

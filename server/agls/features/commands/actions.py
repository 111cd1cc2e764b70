"""The commands of the user and of the project as actions, and the list of them."""

from collections.abc import Callable, Iterator, Sequence

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionSpec
from agls.engine.vocabulary import JsonObject
from agls.features.commands.offered import OfferedCommand
from agls.features.commands.shipped_commands import READ_ONLY_NAMES, is_shipped
from agls.frozen import frozen
from agls.instruction_files import without_code
from agls.prompt_files.command_file import CommandFile
from agls.prompt_files.shell_lines import LinesHolder, lines_option
from agls.prompt_files.shown_place import shown_in
from agls.prompt_files.template import Given, expanded
from agls.room.command_prompts import WordsCommand, command_prompt, words_spec
from agls.room.session_ports import READ_ONLY, SUGGESTED_TOOLS
from agls.short_text import sentence
from agls.toolkit import Arguments, TypedAction

LIST, LIST_ALIASES = "command.list", ("custom-commands",)
GROUP = "Your commands"
WISHES = "It suggests to use without a question: {}. A file grants nothing: your own rules decide."
NO_CHOICE = (
    "A file of the project or of a plugin chooses neither model nor effort: those of the session hold."
)
RUNS = "It runs before its prompt: {}. {}"
CONSENT = "You are asked before, and again when it changed."
NO_MODEL = "Its model {} is not configured here, so the model of the session is asked."
NONE = (
    "There are no commands of your own. Write one: `.agls/commands/NAME.md` in a folder that you trust, or "
    "`commands/NAME.md` beside your config file, becomes `/NAME`."
)


class ListCommands(Arguments):
    """Show the commands defined by your files and the project's, and what is wrong with any."""


@frozen(eq=False)
class FileCommand(WordsCommand):
    """Implements `Action`: a command file. `knows_model` says whether there is a model or tier of a name.

    `mark` is that of `Consents`.
    """

    offered: OfferedCommand
    knows_model: Callable[[str], bool]
    mark: Callable[[JsonObject], str]

    @property
    def spec(self) -> ActionSpec:
        """The command as its user sees it."""
        file = self.offered.file
        about = file.description or f"A command of {file.shown}"
        if file.problem:
            about = f"Cannot be used: {file.problem}"
        description = "\n\n".join(filter(None, (sentence(about), self._source(), *self._remarks())))
        names = (self.offered.name, *self.offered.aliases)
        group = "Work" if is_shipped(file) else GROUP
        return words_spec(names, about, description, group, hint=file.hint)

    async def __call__(self, arguments: JsonObject, context: ActionContext) -> ActionOutcome:
        """Make the prompt. **Raises** `ActionError` for a file that cannot be used."""
        file = self.offered.file
        if file.problem:
            raise ActionError(f"/{self.offered.name} cannot be used. {file.shown}: {file.problem}.")
        root = context.workspace.root
        variables = {
            **dict.fromkeys(("PROJECT_DIR", "CLAUDE_PROJECT_DIR", "workspaceFolder"), root),
            **dict.fromkeys(("SESSION_ID", "CLAUDE_SESSION_ID"), context.session_id),
            **(file.folder.plugin.variables if file.folder.plugin else {}),
        }
        given = Given(str(arguments.get("arguments", "")), file.arguments, variables)
        made = expanded(file.text, given, file.folder.place.dialect)
        root = file.folder.plugin.root if file.folder.plugin else ""
        holder = LinesHolder(self.offered.name, file.shown, file.lines, is_own(file), file.wishes, root)
        prompt = command_prompt(
            self.offered.name,
            f"It was written in {file.shown}.\n\n{made.text}",
            typed=without_code(made.text),
            options={**self._options(), **lines_option(holder, made.lines, self.mark)},
        )
        return ActionOutcome("", prompt=prompt)

    def _options(self) -> JsonObject:
        file = self.offered.file
        by = f"/{self.offered.name} ({file.shown})"
        suggested: JsonObject = {"by": by, "tools": list(file.wishes)} if file.wishes else {}
        wanted: JsonObject = {SUGGESTED_TOOLS: suggested}
        if file.folder.origin == "user":  # a folder or a plugin chooses neither
            model = file.model if self.knows_model(file.model) else ""
            wanted |= {"model": model, "effort": file.effort}
        wanted[READ_ONLY] = is_shipped(file) and file.name in READ_ONLY_NAMES
        return {name: value for name, value in wanted.items() if value}

    def _source(self) -> str:
        return "" if is_shipped(self.offered.file) else f"From {self.offered.file.shown}."

    def _remarks(self) -> Iterator[str]:
        file = self.offered.file
        if file.wishes:
            yield WISHES.format(", ".join(file.wishes))
        if (file.model or file.effort) and file.folder.origin != "user":
            yield NO_CHOICE
        elif file.model and not self.knows_model(file.model):
            yield NO_MODEL.format(file.model)
        if file.lines:
            commands = ", ".join(f"`{line}`" for line in file.lines)
            yield RUNS.format(commands, "" if is_own(file) or file.folder.plugin else CONSENT).strip()


def is_own(file: CommandFile) -> bool:
    """Return whether a file is one of the user's own for agls: what it says is what they want."""
    return file.folder.origin == "user" and file.folder.place.ours


def list_action(find: Callable[[], Sequence[OfferedCommand]], knows_model: Callable[[str], bool]) -> Action:
    """Return the action that lists them."""

    async def show(arguments: ListCommands, context: ActionContext) -> ActionOutcome:
        commands = [each for each in find() if not is_shipped(each.file)]
        rows = [_row(command) for command in commands]
        text = "\n".join(_line(command, knows_model) for command in commands) if commands else NONE
        return ActionOutcome(text, {"commands": rows})

    return TypedAction(
        name=LIST,
        title="Show your own commands",
        arguments=ListCommands,
        work=show,
        aliases=LIST_ALIASES,
        group="Settings",
    )


def usable(commands: Sequence[OfferedCommand]) -> Sequence[OfferedCommand]:
    """Return the commands that have a name."""
    return [command for command in commands if command.name]


def _line(command: OfferedCommand, knows_model: Callable[[str], bool]) -> str:
    file = command.file
    name = f"`/{command.name}`{f' {file.hint}' if file.hint else ''}" if command.name else f"({file.name})"
    also = f" (`/{'`, `/'.join(command.aliases)}`)" if command.aliases else ""
    hidden = f" `/{file.name}` is {command.hidden_by}." if command.hidden_by else ""
    problem = f" **Cannot be used:** {file.problem}." if file.problem else ""
    about = sentence(file.description) + " " if file.description else ""
    own = file.model and file.folder.origin == "user" and not knows_model(file.model)
    model = f" {NO_MODEL.format(file.model)}" if own else ""
    return f"- {name}{also}: {about}{shown_in(file.shown, file.folder.plugin)}.{hidden}{model}{problem}"


def _row(command: OfferedCommand) -> JsonObject:
    file = command.file
    return {
        "name": command.name,
        "ownName": file.name,
        "aliases": list(command.aliases),
        "file": file.shown,
        "origin": file.folder.origin,
        "hiddenBy": command.hidden_by,
        "problem": file.problem,
    }

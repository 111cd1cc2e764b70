"""The actions of the room: which instructions the model sees now, and why not the others."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from agls.engine.actions import Action, ActionContext, ActionOutcome
from agls.engine.ports import Workspace, WorkspaceError
from agls.engine.vocabulary import JsonObject, Text, UserMessage
from agls.features.instructions.prompt import HEADINGS
from agls.features.instructions.prompt_updates import MAIN as MAIN_PHASE
from agls.features.instructions.prompt_updates import Prepared
from agls.frozen import frozen
from agls.instruction_files import MAIN, InstructionFiles, InstructionText, Survey
from agls.toolkit import Arguments, TypedAction, fenced

MOST_NAMED = 100  # files in deeper folders
USED, WAITING = "used", "waiting"
DEEPER = "{AGENTS.override.md,AGENTS.md,CLAUDE.md,CLAUDE.local.md}"
Prepare = Callable[[Survey], Prepared]


class ExplainInstructions(Arguments):
    """Show the instructions that the model sees now, in order, and why it does not see the others."""


class ShowPrompt(Arguments):
    """Show the system prompt exactly as the model receives it."""


@frozen
class FileRow:
    """An instruction file, its state (used, listed, waiting, left out), and the reason."""

    path: str
    state: str
    why: str
    origin: str = ""
    characters: int = 0
    cut: int = 0


def actions(files: InstructionFiles, prepare: Prepare) -> tuple[Action, ...]:
    """**Returns** the actions of the room."""
    explain = partial(explain_instructions, files, prepare)
    return (
        TypedAction(
            "instructions", "Explain instructions", ExplainInstructions, explain, group="Model and context"
        ),
        TypedAction(
            name="prompt",
            title="Show system prompt",
            arguments=ShowPrompt,
            work=show_prompt,
            aliases=("system-prompt",),
            group="Model and context",
        ),
    )


async def show_prompt(arguments: ShowPrompt, context: ActionContext) -> ActionOutcome:
    """**Returns** the prompt of the next request; before the first run the one that it will begin with."""
    text = (await context.next_request()).system
    return ActionOutcome(fenced(text), {"system": text, "characters": len(text)})


async def explain_instructions(
    files: InstructionFiles, prepare: Prepare, arguments: ExplainInstructions, context: ActionContext
) -> ActionOutcome:
    """**Returns** every instruction file with its state."""
    survey = files.survey()
    now = prepare(survey)
    seen = _seen(context)
    rows = [*_used(survey, now, context, seen), *_waiting(survey, seen)]
    rows += [FileRow(omitted.path, "left out", omitted.why) for omitted in (*survey.omitted, *files.unread())]
    rows += await _deeper(files, context.workspace, {row.path for row in rows}, seen)
    total = sum(row.characters - row.cut for row in rows if row.state == USED)
    head = f"The model sees {total:,} characters of instructions; the limit is {files.settings.limit:,}."
    data: JsonObject = {"limit": files.settings.limit, "characters": total, "files": list(map(_json, rows))}
    return ActionOutcome(f"{head}\n\n{_table(rows)}" if rows else f"{head} There are no files.", data)


def _seen(context: ActionContext) -> str:
    """**Returns** everything that the model sees and that may hold instructions."""
    messages = (
        m for m in context.state.context.messages if isinstance(m, UserMessage) and m.origin != "user"
    )
    parts = [part.text for m in messages for part in m.content if isinstance(part, Text)]
    return "\n".join([context.state.context.system, *parts])


def _used(survey: Survey, now: Prepared, context: ActionContext, seen: str) -> Iterator[FileRow]:
    begun = context.state.context.phase == MAIN_PHASE
    for text in now.texts:
        source, why = text.source, "always"
        if source.imported_by:
            why = f"imported by {source.imported_by}"
        shown = text.text.strip().replace("</project-file", "<\\/project-file")
        if not begun:
            why += "; sent with the first prompt"
        elif shown not in seen:
            why += "; changed since, sent with the next prompt"
        if text.cut:
            why += f"; cut by {text.cut:,} characters"
        yield FileRow(source.path, USED, why, source.origin, len(source.text), text.cut)


def _waiting(survey: Survey, seen: str) -> Iterator[FileRow]:
    for text in survey.texts:
        if text.when == "described":
            yield FileRow(text.path, "listed", f"the model reads it for: {text.description}", text.origin)
        elif text.when == "touched":
            globs = ", ".join(text.globs)
            why = f"for files that fit {globs}"
            if is_shown(text, seen):
                yield FileRow(text.path, USED, why, text.origin, len(text.text))
            else:
                yield FileRow(text.path, WAITING, f"{why}: none was read or edited yet", text.origin)


async def _deeper(
    files: InstructionFiles, workspace: Workspace, known: set[str], seen: str
) -> Sequence[FileRow]:
    """**Returns** the files of deeper folders; only this action looks for them."""
    if not (files.folders.roots and files.settings.project_files):
        return ()
    rows: list[FileRow] = []
    found: dict[str, list[str]] = {}  # by folder
    try:
        async for paths in workspace.walk(glob=DEEPER):
            for path in paths:
                folder, name = _place_of(path)
                if folder and path not in known:
                    found.setdefault(folder, []).append(name)
    except WorkspaceError as problem:
        rows.append(FileRow(".", "left out", f"the folder cannot be listed: {problem}"))
    for folder, names in found.items():
        rows += _deeper_rows(folder, names, seen)
    return rows[:MOST_NAMED]


def _place_of(path: str) -> tuple[str, str]:
    """**Returns** the folder that an instruction file is for, and its name there."""
    name = next((name for name in MAIN if "/" in name and path.endswith(f"/{name}")), "")
    folder, _, plain = path.rpartition("/")
    return (path.removesuffix(f"/{name}"), name) if name else (folder, plain)


def _deeper_rows(folder: str, names: Sequence[str], seen: str) -> Iterator[FileRow]:
    """**Yields** the files of a deeper folder: of the main ones only the first counts."""
    first = next((name for name in MAIN if name in names), "")
    for name in (first, *sorted({*names} - {first})):
        if name in MAIN and name != first:
            yield FileRow(f"{folder}/{name}", "left out", f"{first} of the same folder counts", "project")
        elif name:
            used = f'<project-file path="{folder}/{name}"' in seen
            why = f"for files in {folder}" + ("" if used else ": none was read or edited yet")
            yield FileRow(f"{folder}/{name}", USED if used else WAITING, why, "project")


def is_shown(text: InstructionText, seen: str) -> bool:
    """**Returns** whether the model sees this text."""
    return text.origin in HEADINGS or f'<project-file path="{text.path}"' in seen


def _json(row: FileRow) -> JsonObject:
    return {name: getattr(row, name) for name in ("path", "state", "why", "origin", "characters", "cut")}


def _table(rows: Sequence[FileRow]) -> str:
    lines = [f"| {row.path} | {row.state} | {row.why} |".replace("\n", " ") for row in rows]
    return "\n".join(["| File | State | Why |", "|---|---|---|", *lines])

"""Wiring of the room `files`."""

from dataclasses import replace
from functools import partial
from typing import Any

from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import Effect
from agls.engine.vocabulary import ToolOutcome
from agls.room.ports import USUAL_OUTPUTS, OutputLimits
from agls.toolkit import TypedTool

from .editing import EditFile, FileWriter, WriteFile, plan_edit, plan_write, write_targets
from .memory import FileMemory, versions
from .notebook_editing import EditNotebook, plan_notebook
from .patching import ApplyPatch, Patcher, patch_targets
from .reading import FileReader, ListDir, ReadFile, describe_list, describe_read, list_dir, read_targets
from .settings import Settings
from .texts import Texts

NAME = "files"
READS = frozenset({Effect.READS})
WRITES = frozenset({Effect.WRITES})


def build(settings: Settings, limits: OutputLimits = USUAL_OUTPUTS) -> Feature:
    """The file tools. What the model has seen is remembered, so that it cannot overwrite the unseen."""
    page = limits.within(settings.read_characters)
    settings = settings.model_copy(update={"read_characters": page})
    offered, texts = _tools(settings, FileMemory()), Texts()

    async def remember(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        if invocation.tool in offered:
            seen = versions.of(view.state.created_at, view.state.notes.get(NAME, ()))
            memory = FileMemory(seen, partial(view.note, NAME), texts)
            tool = _tools(settings, memory)[offered.index(invocation.tool)]
            invocation = replace(invocation, tool=tool)
        return await inner(invocation)

    return Feature(name=NAME, tools=offered, around_tool=remember)


def _tools(settings: Settings, memory: FileMemory) -> tuple[TypedTool[Any], ...]:
    reader = FileReader(settings, memory)
    editor = FileWriter(plan_edit, memory)
    writer = FileWriter(plan_write, memory)
    cells = FileWriter(plan_notebook, memory)
    patcher = Patcher(memory)
    return (
        TypedTool(
            name="read_file",
            arguments=ReadFile,
            work=reader.read,
            effects=READS,
            targets=read_targets,
            describe=describe_read,
            output_limit=0,
        ),
        TypedTool(
            name="list_dir",
            arguments=ListDir,
            work=list_dir,
            effects=READS,
            targets=read_targets,
            describe=describe_list,
        ),
        TypedTool(
            name="edit_file",
            arguments=EditFile,
            work=editor.write,
            effects=WRITES,
            targets=write_targets,
            describe=editor.describe,
        ),
        TypedTool(
            name="write_file",
            arguments=WriteFile,
            work=writer.write,
            effects=WRITES,
            targets=write_targets,
            describe=writer.describe,
        ),
        TypedTool(
            name="edit_notebook",
            arguments=EditNotebook,
            work=cells.write,
            effects=WRITES,
            targets=write_targets,
            describe=cells.describe,
        ),
        TypedTool(
            name="apply_patch",
            arguments=ApplyPatch,
            work=patcher.apply,
            effects=WRITES,
            targets=patch_targets,
            describe=patcher.describe,
        ),
    )

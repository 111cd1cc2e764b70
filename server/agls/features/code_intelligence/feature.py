"""Wiring of the room `code_intelligence`."""

from functools import partial

from agls.engine.actions import FoundActions
from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import Effect, Workspace
from agls.engine.vocabulary import ToolOutcome
from agls.instruction_files.folder_texts import FolderTexts
from agls.room.code_ports import CodeServers, Outliner
from agls.toolkit import TypedTool

from .actions import actions
from .brought import brought_by
from .new_problems import EditDiagnostics
from .rename import RenameTool, Renaming
from .rows import Rows
from .settings import Settings
from .sources import CodeSources
from .tool import CodeIntelligence, CodeWork, code_targets, describe_code


def build(
    settings: Settings, workspace: Workspace, servers: CodeServers, outliner: Outliner, texts: FolderTexts
) -> Feature | None:
    """Build the tools that ask language servers."""
    if not settings.enabled:
        return None
    brought = brought_by(tuple(texts.folders.plugins))
    work = CodeWork(
        CodeSources(settings, servers, workspace, outliner, brought),
        Rows(workspace, servers, settings.line_characters),
    )
    ask = TypedTool(
        name="code_intelligence",
        arguments=CodeIntelligence,
        work=work.ask,
        effects=frozenset({Effect.READS}),
        targets=code_targets,
        describe=describe_code,
    )
    diagnostics = EditDiagnostics(work.sources, work.rows)

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        if settings.diagnostics_after_edits == "never" or Effect.WRITES not in invocation.tool.spec.effects:
            return await inner(invocation)
        return await diagnostics.around(invocation, view, inner)

    return Feature(
        name="code_intelligence",
        tools=(ask, RenameTool(Renaming(work))),
        actions=FoundActions(partial(actions, work.sources)),
        around_tool=around_tool,
    )

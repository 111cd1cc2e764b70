"""Wiring of the room `ask`."""

from dataclasses import replace

from agls.engine.actions import FoundActions
from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.vocabulary import ToolOutcome
from agls.room.prepared_answers import answers_of
from agls.room.run_ports import RunInfo
from agls.room.session_ports import Forms
from agls.toolkit import TypedTool

from .ask_user import AskUser, UserQuestioner
from .history import ANSWERED, ROOM, Source, actions, note_of, used_answers
from .settings import Settings


def build(settings: Settings, asker: Forms, run: RunInfo) -> Feature:
    """The tool `ask_user`, unless nobody can answer, or the user does not want to be asked."""
    answers = answers_of(run.options, settings.answers)
    if not (settings.enabled and (asker.takes_forms or answers)):
        return Feature(name=ROOM, actions=FoundActions(actions))
    asking = UserQuestioner(asker, answers, settings.timeout_s)
    tool = TypedTool("ask_user", AskUser, asking.ask, frozenset(), describe=asking.describe)

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        if invocation.tool is not tool:
            return await inner(invocation)

        def ended(question: str, answer: str, source: Source, key: str) -> None:
            view.note(ROOM, ANSWERED, note_of(invocation.call.call_id, question, answer, source, key))

        noting = replace(asking, used=lambda: used_answers(view.state), ended=ended)
        return await inner(replace(invocation, tool=replace(tool, work=noting.ask)))

    return Feature(name=ROOM, tools=(tool,), actions=FoundActions(actions), around_tool=around_tool)

"""What a run learns of skills before each of its turns: what it uses, lost, or works on now."""

from collections.abc import Iterator, Sequence

from agls.engine.facts import GateFact, Injected
from agls.engine.feature import RunView
from agls.engine.ports import WorkspaceError
from agls.engine.state import State
from agls.engine.vocabulary import Stop, UserMessage
from agls.features.skills.for_files import told_for
from agls.features.skills.forked import SkillHelpers, begun_with, handed_skill, said
from agls.features.skills.found import FoundSkills, given_in, holder_of
from agls.features.skills.loaded import again, lost_in, note_of, typed_skill
from agls.features.skills.settings import Settings
from agls.features.skills.tool import preloaded
from agls.frozen import frozen
from agls.prompt_files.shell_lines import LineRunner
from agls.room.files_at_hand import FilesAtHand
from agls.room.opened_folders import LOADED, REACHED, ROOM
from agls.room.permission_memory import Grants
from agls.room.run_ports import RunInfo


@frozen
class SkillGate:
    """The part of the room before each turn of a run."""

    settings: Settings
    run: RunInfo
    found: FoundSkills
    grants: Grants
    helpers: SkillHelpers
    runner: LineRunner
    touched: FilesAtHand
    root: str
    limit: int

    async def before_turn(self, view: RunView) -> Sequence[Stop | GateFact]:
        """Note what the run uses, let a helper do what it begins with, and tell the model what it lacks."""
        state = view.state
        told: list[UserMessage | None] = []
        if not state.run.turns:
            self._note_first(view)
            told += await preloaded(self.found, self.settings.preload, view, self.grants, self.runner)
            told += [await self._begun(view)]
        told.append(again(state, lost_in(state), self.run.window))
        if not state.run.turns:
            self.touched.add_prompt(state)
        if paths := self.touched.take():
            if reached := self.found.nested.reach(paths):
                view.note(ROOM, REACHED, {"folders": list(reached)})
            told.append(told_for(self.found, state, paths, self.limit))
        return [Injected((each,)) for each in told if each]

    def _note_first(self, view: RunView) -> None:
        """Note the skill that the prompt brings: the user typed it, or a helper is to do it."""
        for name, by_model in self._brought(view.state):
            skill = self.found.typed(name) or self.found.skill(name)
            if skill and (by_model or not self.helpers.takes(skill, view.state)):
                view.note(ROOM, LOADED, note_of(skill, view.state, self.grants, by_model=by_model))

    def _brought(self, state: State) -> Iterator[tuple[str, bool]]:
        if name := typed_skill(state):
            yield name, False
        if name := handed_skill(state):
            yield name, True

    async def _begun(self, view: RunView) -> UserMessage | None:
        """Let a helper do the skill with which the run begins. **Returns** its answer."""
        begun = begun_with(view)
        skill = self.found.typed(begun[0]) if begun else None
        if begun is None or skill is None:
            return None
        try:
            made = self.found.made(skill, given_in(begun[1], self.root, self.run.session_id))
        except WorkspaceError as problem:
            return said(str(problem))
        text = await self.runner.whole(made, holder_of(skill), view, is_typed=True)
        return said((await self.helpers.do(skill, text, view)).text)

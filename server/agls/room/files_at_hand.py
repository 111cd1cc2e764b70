"""The files that a run works on: those that its calls read or write, and its prompt points at."""

from collections.abc import Iterator, Sequence

from agls.engine.feature import Invocation
from agls.engine.ports import Effect, PathInfo, Workspace, WorkspaceError
from agls.engine.state import State
from agls.engine.vocabulary import Resource, ResourceLink, ToolOutcome

FILES = {Effect.READS, Effect.WRITES}


class FilesAtHand:
    """The files of the workspace that were touched since somebody last asked (`take`)."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._new: dict[str, None] = {}

    def add_call(self, invocation: Invocation, outcome: ToolOutcome) -> None:
        """Add what a call touched that came to a good end."""
        if invocation.preview and outcome.status == "completed":
            targets = invocation.preview.targets
            self._add([target.value for target in targets if target.effect in FILES])

    def add_prompt(self, state: State) -> None:
        """Add the files that the prompt of the run points at."""
        content = state.admitted.content if state.admitted else ()
        uris = (part.uri.partition("#")[0] for part in content if isinstance(part, Resource | ResourceLink))
        self._add([uri for uri in uris if uri.startswith("file:")])

    def take(self) -> Sequence[str]:
        """Return their absolute paths, as the client spells its folders, and begin anew."""
        new = [*self._new]
        self._new.clear()
        return new

    def _add(self, values: Sequence[str]) -> None:
        self._new.update(dict.fromkeys(self._paths(values)))

    def _paths(self, values: Sequence[str]) -> Iterator[str]:
        for value in values:
            try:
                place: PathInfo = self._workspace.place(value)
            except WorkspaceError:
                continue
            if place.inside:
                shown = place.shown
                yield shown if shown.startswith("/") else f"{self._workspace.root}/{shown}"

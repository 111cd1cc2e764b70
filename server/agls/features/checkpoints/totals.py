"""The net changes of a run so far, shown after each call that changed a file."""

from agls.engine.facts import RunDiff
from agls.engine.feature import RunView

from .comparison import Pair, pairs_of, row
from .recorder import SnapshotStore
from .timeline import SessionSpan

LONGEST = 65_536  # bytes of diffs that are shown at once


class Total:
    """The net changes of one run, as one unified diff. Only the file that changed is compared again."""

    def __init__(self, keeper: SnapshotStore) -> None:
        self._keeper = keeper
        self._patches: dict[str, tuple[list[Pair], str]] = {}  # by path: of which states

    async def report(self, view: RunView) -> None:
        """Show it. Diffs that do not fit any more are left out whole."""
        kept = list[str]()
        size = 0
        truncated = 0
        for path, stretches in self._keeper.timeline(view.state).changed(
            SessionSpan(run_id=view.state.run_id)
        ):
            patch = await self._patch(path, pairs_of(stretches))
            length = len(patch.encode("utf-8", "replace"))
            if size + length <= LONGEST:
                kept.append(patch)
                size += length
            else:
                truncated += length
        view.show(RunDiff("".join(kept), truncated))

    async def _patch(self, path: str, pairs: list[Pair]) -> str:
        known = self._patches.get(path)
        if known is None or known[0] != pairs:
            patch = str((await row(self._keeper, pairs))["patch"]) if pairs else ""
            known = self._patches[path] = pairs, patch
        return known[1]

"""What rewinds of the conversation left of its items."""

from collections.abc import Iterable

from agls.engine.facts import Rewound


class Rewinds:
    """Says of each item whether the rewinds left it. Ask from the last item to the first.

    `rewinds` are those of the conversation in order, each with the number of its fact.
    """

    def __init__(self, rewinds: Iterable[tuple[int, Rewound]]) -> None:
        self.left_nothing = False  # of all that began before the last item asked for
        self._rewinds = list(rewinds)
        self._undone: int | None = None  # what began behind this fact was taken back by an undo
        self._last: list[str] = []  # the items up to which rewinds went back, the latest rewind's first

    def leave(self, item_id: str, began: int) -> bool:
        """Return whether this item, which began with this fact, is still part of the conversation."""
        while self._rewinds and began < self._rewinds[-1][0]:
            self._go_back(self._rewinds.pop()[1])
        if self._undone is not None and began > self._undone:
            return False
        while self._last and self._last[-1] == item_id:
            self._last.pop()
        return not (self._last or self.left_nothing)

    def _go_back(self, rewind: Rewound) -> None:
        if not rewind.undoes:
            self._last.append(rewind.item_id)
            self.left_nothing |= not rewind.item_id
            return
        for place, (seq, earlier) in reversed([*enumerate(self._rewinds)]):
            if earlier.checkpoint_id == rewind.undoes:  # the conversation is what stood before that one
                self._undone = seq
                del self._rewinds[place:]
                return

"""Edits that were sent to the client and did not come back as changes of the document yet."""

import asyncio

from agls.doors.positions import changed_span, common_ends
from agls.engine.ports import Stale
from agls.workspace.buffer_sync import Buffer
from agls.workspace.texts import with_plain_ends

CHANGE_PATIENCE = 5.0  # seconds after the answer for the change to come back
STRAY_PATIENCE = 0.5  # the same, after a change that is not ours: clients report late, and several at once


class PendingEdit:
    """An edit of one document, from the moment it is sent until the client reports it back.

    Each version of the document is looked at as it arrives: the user may type right behind the edit.
    """

    def __init__(self, before: Buffer, text: str) -> None:
        self.before = before
        self.moved = False  # the document is not what it was
        self._closed = False
        wanted = with_plain_ends(text)
        self._wanted = (wanted, wanted + "\n")  # Neovim never leaves a document without a final line end
        self._after: Buffer | None = None
        self._changed = asyncio.Event()
        self._untouched = _around(before.text, text)
        self._now: Buffer | None = before

    def look(self, now: Buffer | None) -> None:
        """Take in that the document was changed, or (`None`) closed."""
        self._now, self._closed = now, now is None
        self.moved = now != self.before
        if now and self.moved and self._after is None and with_plain_ends(now.text) in self._wanted:
            self._after = now
        self._changed.set()

    @property
    def came(self) -> Buffer | None:
        """The document as it was right after the edit; `None` until the edit came back."""
        return self._after

    @property
    def spared(self) -> bool:
        """Whether the place of the edit and its neighbours are as they were: the edit left no trace there."""
        if self._now is None or self._now.text == self.before.text:
            return True
        head, tail = self._untouched
        text = self._now.text
        return (head is not None and text.startswith(head)) or (tail is not None and text.endswith(tail))

    async def wait(self) -> Buffer:
        """Wait for the edit to come back. **Returns** the document right after it. **Raises** `Stale`."""
        try:
            async with asyncio.timeout(CHANGE_PATIENCE):
                while self._after is None and not self._closed:
                    self._changed.clear()
                    async with asyncio.timeout(STRAY_PATIENCE if self.moved else None):
                        await self._changed.wait()
        except TimeoutError:
            pass
        if self._after is None:
            raise Stale(self._problem(), "partial" if self._closed or not self.spared else "none")
        return self._after

    def _problem(self) -> str:
        uri = self.before.uri
        if self._closed:
            return f"{uri} was closed or renamed while it was edited. Look where it is now."
        if self.moved:
            return f"The text of {uri} in the editor is not what was written. Read it again."
        return f"The editor says that it edited {uri}, but its text is what it was. Read it again."


def _around(before: str, after: str) -> tuple[str | None, str | None]:
    """Return a beginning and an end of a text, one of which is still there if the text was not edited.

    Each reaches over the place of the edit and has a character that the edit would change; `None` where
    it has none, because the edit only appends, or only puts something in front.
    """
    start, end = changed_span(before, after)
    same_head, same_tail = common_ends(before, after)
    head = before[: max(end, same_head) + 1] if same_head < len(before) else None
    tail = before[max(0, min(start, len(before) - same_tail) - 1) :] if same_tail < len(before) else None
    return head, tail

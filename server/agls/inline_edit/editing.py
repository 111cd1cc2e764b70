"""Asks the model for a text at a place, shows it while it comes, and counts what it cost."""

from collections.abc import Callable, Iterable
from contextlib import aclosing

from agls.engine.facts import Overflowed, Replied, TextDelta
from agls.engine.ports import ModelError, ModelRequest, ModelResolver
from agls.engine.vocabulary import Usage
from agls.frozen import frozen
from agls.inline_edit.answers import CodeStream
from agls.inline_edit.questions import EditWish, Selection, completion_request, edit_request
from agls.redaction import without_keys
from agls.room.day_budget import DayBudget
from agls.room.exposed import InlineModels
from agls.short_text import sentence

MOST_SELECTED = 100_000  # characters
HAS_KEY = "The selection holds one of your API keys, which no model may see. Select less."
TOO_LONG = "The selection has more than {:,} characters. Select less, or ask in a session."
OVERFLOWED = "The model cannot read so much: {} Select less."
NO_ANSWER = "The model answered with nothing. Say it in other words, or select more."


class InlineError(Exception):
    """The edit cannot be made; the message says what to do."""


@frozen
class Edited:
    """The text that takes the place of what was selected, by which model, and what that took."""

    text: str
    model: str
    usage: Usage
    cost: float | None


@frozen
class InlineEditor:
    """Edits for one folder, by its configuration of the moment. `secrets` are the user's keys."""

    models: ModelResolver
    choice: InlineModels
    budget: DayBudget
    secrets: Callable[[], Iterable[str]]

    async def edit(self, place: Selection, wish: EditWish, show: Callable[[str], None]) -> Edited:
        """**Returns** what shall stand at the place; `show` gets it piece by piece.

        **Raises** `InlineError` and `ModelError`.
        """
        if len(place.selected) > MOST_SELECTED:
            raise InlineError(TOO_LONG.format(MOST_SELECTED))
        if self._clean(place.selected) != place.selected:
            raise InlineError(HAS_KEY)
        edited = await self._asked(self.choice.model, edit_request(self._cleaned(place), wish), show)
        if not edited.text and place.selected.strip() and not edited.usage.output_tokens:
            raise InlineError(NO_ANSWER)
        return edited

    async def complete(self, place: Selection) -> str:
        """**Returns** what could be inserted at the start of a place. **Raises** as `edit` does."""
        asked = completion_request(self._cleaned(place))
        return (await self._asked(self.choice.completes, asked, lambda _: None)).text

    async def _asked(self, model: str, request: ModelRequest, show: Callable[[str], None]) -> Edited:
        await self.budget.check()
        client = self.models.resolve(model)
        code, text = CodeStream(), ""

        def take(piece: str) -> str:
            if piece:
                show(piece)
            return piece

        async with aclosing(self.budget.stream(client, request)) as stream:
            async for part in stream:
                match part:
                    case TextDelta():
                        text += take(code.add(part.text))
                    case Overflowed():
                        raise InlineError(OVERFLOWED.format(sentence(part.message)))
                    case Replied():
                        text += take(code.rest())
                        return Edited(text, client.info.name, part.usage, part.cost)
                    case _:
                        pass
        raise ModelError("There was no answer.", kind="providerInternal")

    def _cleaned(self, place: Selection) -> Selection:
        before, behind = self._clean(place.text[: place.start]), self._clean(place.text[place.end :])
        end = len(before) + place.end - place.start
        return Selection(place.name, before + place.selected + behind, len(before), end)

    def _clean(self, text: str) -> str:
        return without_keys(self.secrets(), text)

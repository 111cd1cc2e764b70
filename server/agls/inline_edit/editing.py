"""Asks the model for a text at a place, shows it while it comes, and counts what it cost."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing

from agls.engine.facts import Overflowed, Replied, TextDelta
from agls.engine.ledger import Row, day_of, used_in
from agls.engine.limits import NOTHING, limited_kinds
from agls.engine.ports import ModelError, ModelRequest, ModelResolver, process_id
from agls.engine.vocabulary import Usage
from agls.frozen import frozen
from agls.inline_edit.answers import CodeStream
from agls.inline_edit.questions import EditWish, Selection, completion_request, edit_request
from agls.redaction import without
from agls.room.budgets import Allowance, BudgetRegistry
from agls.room.exposed import InlineModels
from agls.short_text import sentence

SHORTEST_KEY = 12  # characters: a shorter key is a word, which stands in many files
MOST_SELECTED = 100_000  # characters
HAS_KEY = "The selection holds one of your API keys, which no model may see. Select less."
TOO_LONG = "The selection has more than {:,} characters. Select less, or ask in a session."
OVERFLOWED = "The model cannot read so much: {} Select less."
NO_ANSWER = "The model answered with nothing. Say it in other words, or select more."
SPENT = (
    "The budget of {} is used up: {:g} {}. `/limits` shows the limits; config.toml has them under [budget]."
)


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
    allowance: Allowance
    budgets: BudgetRegistry
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
        await self._check_budget()
        client = self.models.resolve(model)
        code, text = CodeStream(), ""

        def take(piece: str) -> str:
            if piece:
                show(piece)
            return piece

        async with aclosing(client.stream(request)) as stream:
            async for part in stream:
                match part:
                    case TextDelta():
                        text += take(code.add(part.text))
                    case Overflowed():
                        raise InlineError(OVERFLOWED.format(sentence(part.message)))
                    case Replied():
                        text += take(code.rest())
                        await self._spend(part)
                        return Edited(text, client.info.name, part.usage, part.cost)
                    case _:
                        pass
        raise ModelError("There was no answer.", kind="providerInternal")

    async def _check_budget(self) -> None:
        """Ask nothing when what may be spent in a day is spent. **Raises** `InlineError`."""
        if not self.allowance.by_day:
            return
        rows = await self._rows()
        mine = [row for row in rows if row.caller == self.allowance.who]
        for whose, limits, counted in (
            ("the day", self.allowance.day, rows),
            ("the caller's day", self.allowance.caller, mine),
        ):
            used = used_in(counted)
            for kind, most in limited_kinds(limits):
                if kind.used(used) >= most:
                    raise InlineError(SPENT.format(whose, most, kind.label))

    async def _rows(self) -> Sequence[Row]:
        try:
            return await self.budgets.ledger.rows(day_of(self.budgets.now()))
        except OSError as error:
            raise InlineError(f"Today's spending cannot be read: {error.strerror or error}.") from None

    async def _spend(self, reply: Replied) -> None:
        used = NOTHING.spent(reply.usage, reply.cost)
        day, who = day_of(self.budgets.now()), self.allowance.who
        try:
            await self.budgets.ledger.enter(Row(day, process_id(), reply.item_id, who, used, ended=True))
        except OSError as error:
            raise InlineError(f"What it cost cannot be recorded: {error.strerror or error}.") from None

    def _cleaned(self, place: Selection) -> Selection:
        before, behind = self._clean(place.text[: place.start]), self._clean(place.text[place.end :])
        end = len(before) + place.end - place.start
        return Selection(place.name, before + place.selected + behind, len(before), end)

    def _clean(self, text: str) -> str:
        return without((secret for secret in self.secrets() if len(secret) >= SHORTEST_KEY), text)

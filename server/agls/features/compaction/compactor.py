"""Making room in a context: first old results go, then the beginning becomes a summary."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from agls.engine.context import shortened
from agls.engine.facts import Cleared, Compacted, Used
from agls.engine.ports import ModelResolver, new_id
from agls.engine.vocabulary import Message
from agls.features.compaction.context_parts import (
    among,
    freed_by,
    old_results,
    tail_of,
    without,
    words_kept,
)
from agls.features.compaction.settings import Settings
from agls.features.compaction.sizes import PER_TOKEN, bytes_in, sum_of, tokens_in
from agls.features.compaction.summary import Unwritten, written, written_by_rule
from agls.features.compaction.touched_files import TouchedFiles
from agls.frozen import frozen

GOAL = 0.6  # of what may be filled: how full the context may be when room was made
# of what may be filled: the last messages, the user's earlier words, a list of steps
TAIL = 0.25
WORDS = 0.15
LIST = 0.05
FILES = 0.1  # their names
LEAST_FILES = 1_000  # tokens of these names
LEAST_WORDS = 2_000  # tokens of the user's earlier words, as long as these are no more than SMALL_WORDS
SMALL_WORDS = 0.3  # of what may be filled
LEAST = 0.25  # of what may be filled: so much is shared out, however much the user said in this run
GAIN = 0.1  # of what may be filled: less is not worth a summary, unless there is no other way
SMALLEST = 1_000  # bytes that are worth a summary


@frozen
class Need:
    """Why room is needed, in tokens: there are `now`, and `most` may be. `pressing`: it cannot go on else.

    `words` are the user's messages that stay as they are, whatever goes; `files` is what a summary ends with,
    word for word. A token has `per_token` bytes. There may be `room` for more than `most`: the user's earlier
    words have their share of it.
    """

    cause: str
    now: int
    most: int
    pressing: bool = False
    words: tuple[str, ...] = ()
    files: str = ""
    per_token: float = PER_TOKEN
    room: int = 0

    def after(self, freed: float) -> int:
        """Return how many tokens are left without so many bytes."""
        return max(self.now - tokens_in(freed, self.per_token), 1)

    def share(self, part: float, taken: float = 0.0) -> float:
        """Return the bytes of a part of what may be filled; those that are `taken` never leave nothing."""
        full = self.most * self.per_token
        return max(full - taken, full * LEAST) * part

    def tail(self, messages: Sequence[Message]) -> int:
        """Return where the last messages begin, which stay."""
        return tail_of(messages, self.share(TAIL, self.said_in(messages)), self.words)

    def share_of_words(self, taken: float) -> float:
        """Return the bytes that the user's earlier words may have besides those that are `taken`."""
        wide = replace(self, most=max(self.most, self.room))
        least = min(LEAST_WORDS * self.per_token, SMALL_WORDS * wide.most * self.per_token)
        return max(wide.share(WORDS, taken), least)

    def naming(self, files: TouchedFiles) -> "Need":
        """Return this need with a summary that ends with the names of these files."""
        wide = replace(self, most=max(self.most, self.room))
        return replace(self, files=files.text(max(wide.share(FILES), LEAST_FILES * self.per_token)))

    def said_in(self, messages: Sequence[Message]) -> int:
        """Return the bytes of the user's words that stay."""
        return sum_of(message for message in messages if among(message, self.words))


@frozen
class ContextCut:
    """The beginning of a context: the messages `kept` stay, the others have `size` bytes and would go."""

    head: Sequence[Message]
    kept: tuple[str, ...]
    gone: Sequence[Message]
    size: int

    def replaced(self, text: str, need: Need) -> Compacted:
        """Return the fact that this text takes their place."""
        text += need.files
        after = need.after(self.size - bytes_in(text))
        return Compacted(new_id("item"), text, len(self.head), self.kept, need.cause, need.now, after)


def cut_of(messages: Sequence[Message], need: Need) -> ContextCut | None:
    """Return the part that a summary could stand for; `None` when that would not be worth it."""
    head = messages[: need.tail(messages)]
    kept = words_kept(head, need.share_of_words(need.said_in(messages)), need.words)
    gone = without(head, kept)
    size = sum_of(gone)
    least = max(SMALLEST, 0 if need.pressing else need.share(GAIN))
    return ContextCut(head, kept, gone, size) if size >= least else None


@frozen
class Compactor:
    """What making room works with.

    `spend` records what a summary cost. `asking` hears that one is due, and **returns** whether it may be
    made; `failed` hears why there is none.
    """

    models: ModelResolver
    settings: Settings
    spend: Callable[[Used], None]
    asking: Callable[[], Awaitable[bool]]
    failed: Callable[[str], None]

    async def room(
        self, messages: tuple[Message, ...], need: Need, *, ask: bool
    ) -> Sequence[Compacted | Cleared]:
        """Return the facts that make room, none when nothing can go. Without `ask` no model is asked."""
        cleared = self._cleared_before_the_tail(messages, need)
        left = cleared[0].tokens_after if cleared else need.now
        if left <= need.most * GOAL:
            return cleared
        cut = cut_of(messages, need)
        if cut and not await self.asking():
            return _last_resort(messages, need) or cleared
        summary = await self._summary(cut, need) if cut and ask else None
        if not summary and (left <= need.most or not need.pressing):
            return cleared
        compacted = summary or (cut and cut.replaced(written_by_rule(cut.gone, need.share(LIST)), need))
        if not compacted or compacted.tokens_after >= need.now:
            return _last_resort(messages, need)
        if compacted.tokens_after <= need.most:
            return (compacted,)
        rest = replace(need, now=compacted.tokens_after)
        return (compacted, *_last_resort(shortened(messages, compacted), rest))

    async def _summary(self, cut: ContextCut, need: Need) -> Compacted | None:
        try:
            return await summarised(self.models, self.settings.tier, cut, need, self.spend)
        except Unwritten as problem:
            self.failed(str(problem))
            return None

    def _cleared_before_the_tail(self, messages: Sequence[Message], need: Need) -> Sequence[Cleared]:
        before = set(old_results(messages[: need.tail(messages)], 0))
        old = old_results(messages, self.settings.keep_results)
        return clearing(messages, need, tuple(call_id for call_id in old if call_id in before))


async def summarised(
    models: ModelResolver,
    tier: str,
    cut: ContextCut,
    need: Need,
    spend: Callable[[Used], None],
    focus: str = "",
) -> Compacted:
    """Return the summary of a model in the place of the beginning. **Raises** `Unwritten`."""
    text = await written(models, tier, cut.head, focus, spend)
    if bytes_in(text + need.files) >= cut.size:
        raise Unwritten("the summary was longer than what it stands for")
    return cut.replaced(text, need)


def clearing(messages: Sequence[Message], need: Need, ids: tuple[str, ...]) -> Sequence[Cleared]:
    """Return the fact that these results are taken out, if there are any."""
    after = need.after(freed_by(messages, ids))
    return (Cleared(new_id("item"), ids, need.cause, need.now, after),) if ids else ()


def _last_resort(messages: Sequence[Message], need: Need) -> Sequence[Cleared]:
    """Return the facts that take out results that are not old, oldest first, when nothing else makes room."""
    ids: list[str] = []
    for call_id in old_results(messages, 0) if need.pressing else ():
        if need.after(freed_by(messages, ids)) <= need.most * GOAL:
            break
        ids.append(call_id)
    return clearing(messages, need, tuple(ids))

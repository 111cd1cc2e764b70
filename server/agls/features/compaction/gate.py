"""When room is made: at the gate before each request, which costs nothing as long as there is room."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from agls.engine.facts import Cleared, Compacted, GateFact, Notice
from agls.engine.feature import RunView
from agls.engine.ports import ModelClient, ModelError, ModelResolver
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Stop, StopReason
from agls.features.compaction.bounds import TokenBounds, bounds_of
from agls.features.compaction.compactor import Compactor, Need, clearing
from agls.features.compaction.context_parts import among, old_results
from agls.features.compaction.reduced_request import HINT, REDUCED, TITLE, TRIED, is_reduced
from agls.features.compaction.settings import Settings
from agls.features.compaction.sizes import CountedContext, Ruler, believed, bytes_of_a_token, size_of_messages
from agls.features.compaction.summary import ROOM
from agls.features.compaction.touched_files import touched_in
from agls.room.run_ports import HookPoints
from agls.room.session_ports import SessionRecord

FAILED, OVERFLOWED = "failed", "overflowed"
MOST_FAILURES = 3  # of summaries in one run, before nobody is asked for one any more
WORTH = 1_000  # tokens that are worth taking results out for, after a pause
LONG = (
    "What you said for this run has about {:,} tokens, and the model {} takes {:,}. Nothing was sent or cut."
)
FULL = "The conversation has about {:,} tokens, and the model {} takes {:,}: nothing more can be left out."
NO_ROOM = "The conversation does not fit into the context of the model, and nothing more can be left out."
PUT_OFF = "The conversation is not summarised now"
NEARLY = "It has about {:,} of {:,} tokens, and little can be left out of it."


async def objection_of(points: HookPoints, trigger: str, instructions: str = "") -> str:
    """Return why hooks want no summary now, "" for nothing against it."""
    data: JsonObject = {"trigger": trigger, "custom_instructions": instructions}
    return (await points.ask("PreCompact", (trigger,), data)).objection


class CompactionGate:
    """The gate of one run."""

    def __init__(
        self,
        settings: Settings,
        models: ModelResolver,
        session: SessionRecord,
        now: Callable[[], float],
        points: HookPoints,
        *,
        schema: bool,
    ) -> None:
        self._settings = settings
        self._models = models
        self._session = session
        self._now = now
        self._points = points
        self._schema, self._ruler = schema, Ruler()
        self._bounds: dict[str, TokenBounds | None] = {}  # by the name of the model
        self._warned = self._objected = False

    async def before_turn(self, view: RunView) -> Sequence[Stop | GateFact]:
        """Return nothing while there is room; else the facts that make some, or the end of the run."""
        state, client = believed(view.state), self._client(view.state)
        bounds = self.bounds(state)
        size = await self._ruler.size(state, client)
        tokens = size.tokens
        if bounds and tokens > bounds.hard and (stop := await self._too_long(state, bounds)):
            return (stop,)
        if state.overflowed:
            most = min(bounds.threshold if bounds and bounds.threshold else tokens, tokens * 4 // 5)
            if not bounds and state.measure.tokens:  # and the server gave no number, or it would be known
                view.note(ROOM, OVERFLOWED, {"model": _model(state), "tokens": tokens})
            need = Need("overflow", tokens, most, pressing=True, words=state.words)
            return await self._room(view, need) or self._reduced(view)
        if bounds and 0 < bounds.threshold <= tokens:
            pressing = tokens > bounds.soft
            need = Need("threshold", tokens, bounds.threshold, pressing=pressing, words=state.words)
            facts = await self._room(view, need)
            return self._checked(facts, size, bounds, view)
        if not bounds and 0 < (most := self._most_after_overflows(state)) <= tokens:
            return await self._room(view, Need("threshold", tokens, most, words=state.words))
        return () if state.run.turns else self._after_a_pause(state, tokens)

    def _most_after_overflows(self, state: State) -> int:
        """Return the tokens from which on room is made for a model that refused more; 0: it refused none.

        Its window is not known, so no run ends because of this, and nobody is warned.
        """
        notes = [n.data for n in state.notes.get(ROOM, ()) if n.kind == OVERFLOWED]
        refused = [data["tokens"] for data in notes if data["model"] == _model(state)]
        return int(min(refused, default=0) * self._settings.at)

    async def _too_long(self, state: State, bounds: TokenBounds) -> Stop | None:
        """Return the end of a run whose prompt alone is surely too long: a prompt is never shortened."""
        said = [m for m in state.context.messages if among(m, state.words)]
        size = await size_of_messages(said, state.context.system, self._client(state))
        if size.least <= bounds.hard:
            return None
        return Stop(StopReason.CONTEXT_FULL, LONG.format(size.tokens, _name(state), bounds.hard) + HINT)

    def _reduced(self, view: RunView) -> Sequence[Stop]:
        """Try it once more with all that can go left out of the request, which is the last thing to try."""
        if is_reduced(view.state):
            return (Stop(StopReason.CONTEXT_FULL, NO_ROOM + HINT),)
        view.note(ROOM, REDUCED, {"runId": view.state.run_id})
        view.show(Notice("warning", TITLE, TRIED))
        return ()

    def bounds(self, state: State) -> TokenBounds | None:
        """Return the bounds of the model that is asked next; `None` when its window is not known."""
        name = _model(state)
        if name not in self._bounds:
            self._bounds[name] = self._bounds_of(name)
        return self._bounds[name]

    def _bounds_of(self, name: str) -> TokenBounds | None:
        client = self._named(name)
        window = client.info.context_window if client else None
        return bounds_of(window, self._settings.at, schema=self._schema) if window else None

    def _client(self, state: State) -> ModelClient | None:
        return self._named(_model(state))

    def _named(self, name: str) -> ModelClient | None:
        try:
            return self._models.resolve(name)
        except ModelError:  # whoever asks it gets the message
            return None

    def _after_a_pause(self, state: State, tokens: int) -> Sequence[Cleared]:
        """After it the provider's cache is cold: old results cost most then, and are needed least."""
        pause, asked_at = self._settings.idle_minutes * 60, state.measure.at
        if not pause or not asked_at or self._now() - asked_at < pause:
            return ()
        old = old_results(state.context.messages, self._settings.keep_results)
        cleared = clearing(state.context.messages, Need("idle", tokens, tokens), old)
        return [fact for fact in cleared if fact.tokens_before - fact.tokens_after >= WORTH]

    async def _room(self, view: RunView, need: Need) -> Sequence[Compacted | Cleared]:
        state = view.state

        async def asking() -> bool:
            if objection := await objection_of(self._points, "auto"):
                self._object(objection, view)
                return False
            if not ask:
                return True
            text = f"It has about {need.now:,} tokens; its beginning is being summarised."
            view.show(Notice("info", "Making room in the conversation", text))
            return True

        def failed(why: str) -> None:
            view.note(ROOM, FAILED, {"runId": state.run_id, "why": why})
            view.show(Notice("warning", "The conversation could not be summarised", f"{why}."))

        ask = _may_ask(state, need.now) and _failures(state) < MOST_FAILURES
        if not self._settings.enabled:
            return ()
        making = Compactor(self._models, self._settings, self._session.spend, asking, failed)
        per_token = await bytes_of_a_token(state.context.messages, self._client(state))
        files = touched_in(self._session.entries(), state.cwd, self._session.shown)
        need = replace(need, per_token=per_token).naming(files)
        return await making.room(state.context.messages, need, ask=ask)

    def _object(self, objection: str, view: RunView) -> None:
        if not self._objected:  # it is asked before each turn
            self._objected = True
            view.show(Notice("warning", PUT_OFF, objection))

    def _checked(
        self, facts: Sequence[Compacted | Cleared], size: CountedContext, bounds: TokenBounds, view: RunView
    ) -> Sequence[Stop | GateFact]:
        """Return the facts; the end of the run surely over the hard limit, a warning over the soft one."""
        freed = size.tokens - facts[-1].tokens_after if facts else 0
        left = size.tokens - freed
        if size.least - freed > bounds.hard:
            full = FULL.format(left, _name(view.state), bounds.hard)
            return (*facts, Stop(StopReason.CONTEXT_FULL, full + HINT))
        if left > bounds.soft and not self._warned:
            self._warned = True
            view.show(
                Notice(
                    "warning", "The conversation is nearly too long", NEARLY.format(left, bounds.hard) + HINT
                )
            )
        return facts


def _model(state: State) -> str:
    return state.context.model or str(state.settings.get("model", ""))


def _name(state: State) -> str:
    return _model(state) or "used"


def _may_ask(state: State, tokens: int) -> bool:
    """Return whether the run may spend a call with so many tokens, and still make its own."""
    limits, run = state.limits, state.run
    calls, cost = limits.max_model_calls, limits.max_cost_usd
    if (calls is not None and calls - run.model_calls < 2) or (cost is not None and run.cost >= cost * 0.9):
        return False
    spent = ((limits.max_total_tokens, run.total_tokens), (limits.max_input_tokens, run.input_tokens))
    return all(most is None or most - used >= tokens for most, used in spent)


def _failures(state: State) -> int:
    notes = state.notes.get(ROOM, ())
    return sum(note.kind == FAILED and note.data.get("runId") == state.run_id for note in notes)

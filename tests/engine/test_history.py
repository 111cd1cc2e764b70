"""Going back: forks, rewinds, the queue rearranged; and what features offer to the user."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest

from agls.engine.actions import Action, ActionContext, ActionOutcome, ActionSpec, ActionValue, FoundActions
from agls.engine.admission import ANYBODY, Refused
from agls.engine.facts import (
    Admitted,
    Entry,
    Injected,
    Noted,
    Notice,
    Replied,
    Rewound,
    RunEnded,
    RunStarted,
    SessionChanged,
    Steered,
    ToolFinished,
    Transient,
)
from agls.engine.feature import Feature, RunSetup
from agls.engine.history import forked, last_words, name_of, rewinding, undoing, with_own_files
from agls.engine.ports import JournalError
from agls.engine.recovery import interrupted_run
from agls.engine.run_action import actions, invoke, values
from agls.engine.run_queue import move, remove, replace
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import State, fold_all
from agls.engine.vocabulary import (
    AssistantMessage,
    Content,
    Finish,
    JsonObject,
    KeptOutput,
    Stop,
    StopReason,
    Text,
    ToolCall,
    ToolOutcome,
    ToolResult,
    UserMessage,
)
from agls.stores.memory import MemoryStore
from support.patience import PATIENCE, become
from support.scenario import NOWHERE, FakeClock, FakeModel, FakeTool, Part, asked, call, describe, paired, say


def prompt(text: str) -> tuple[Content, ...]:
    return (Text(text),)


class FakeAction:
    """An action that follows `body`."""

    def __init__(self, spec: ActionSpec, body: Callable[[JsonObject, ActionContext], ActionOutcome]) -> None:
        self.spec, self._body = spec, body

    async def __call__(self, arguments: JsonObject, context: ActionContext) -> ActionOutcome:
        """Follow it."""
        return self._body(arguments, context)

    async def values(self, member: str, context: ActionContext) -> Sequence[ActionValue]:
        """The session's own id."""
        return [ActionValue(context.session_id, member)]


@asynccontextmanager
async def playing(*turns: list[Part], offers: Sequence[FakeAction] = ()) -> AsyncIterator[Sessions]:
    """Sessions whose model plays these turns, with a tool `look`."""
    model = FakeModel(list(turns))
    room = Feature(name="room", tools=(FakeTool("look"),), actions=tuple(offers))

    def build_run(session: Session, admitted: Admitted) -> RunSetup:
        return RunSetup((room,), model, NOWHERE)

    async with Sessions(MemoryStore(), build_run, FakeClock()) as sessions:
        yield sessions


async def run(session: Session, text: str) -> None:
    """Prompt and wait for the end."""
    await asyncio.wait_for(session.finished((await session.prompt(prompt(text))).run_id), PATIENCE)


async def hang() -> None:
    await asyncio.Event().wait()


def seen(session: Session) -> list[str]:
    """What the model sees, a word for each message."""
    return [spoken(message) for message in session.state.context.messages]


def spoken(message: object) -> str:
    match message:
        case UserMessage(_, (Text(text),)):
            return text
        case AssistantMessage(_, text):
            return text or "(calls)"
        case _:
            return "(result)"


TWO_CALLS = call(("c1", "look"), ("c2", "look"))


@pytest.mark.row(5)
def test_the_last_words_are_joined_where_a_limit_cut_them() -> None:
    """Joined text, of the answer to what the user said last."""

    def reply(text: str, finish: Finish = "stop", *calls: ToolCall) -> AssistantMessage:
        return Replied("", text, tool_calls=calls, finish=finish).message

    def user(origin: str) -> UserMessage:
        return UserMessage("", prompt("words"), origin)

    cut, asked_on, whole = reply("a", "length"), user("continuation"), reply("b")
    assert last_words([user("user"), cut, asked_on, cut, asked_on, whole]) == "aab"
    assert last_words([reply("before"), user("environment"), whole]) == "b"
    assert last_words([cut, user("user"), whole]) == "b"
    assert last_words([whole, user("user")]) == ""
    calls = reply("", "tool_calls", ToolCall("c1", "look", {}))
    assert last_words([user("user"), whole, calls, ToolResult("c1", "look", "x"), reply("")]) == "b"
    assert last_words([reply("a", "length", ToolCall("c1", "look", {})), whole]) == "b"
    assert last_words([]) == ""


# --- forks ---------------------------------------------------------------------------------------


async def test_fork_has_the_whole_session_and_is_independent() -> None:
    async with playing(TWO_CALLS, say("one"), say("two"), say("elsewhere")) as sessions:
        session = await sessions.create("/project", title="Mine", options={"mode": "plan"})
        await run(session, "first")
        await run(session, "second")
        fork = await sessions.fork(session.session_id)
        assert fork.state.transcript == session.state.transcript
        assert (fork.state.title, fork.state.parent) == ("Mine (fork)", session.session_id)
        assert fork.state.options == {"mode": "plan"}
        await run(fork, "third")
        assert seen(fork)[-2:] == ["third", "elsewhere"]
        assert seen(session)[-1] == "two"
        assert fold_all(fork.log.journal.entries()) == fork.state


def test_paths_of_kept_files_are_those_of_the_fork() -> None:
    text = "ses_1 made it. All of it is in /state/ses_1/outputs/a.txt: read that"
    kept = Entry(1, 0.0, ToolFinished("c", ToolOutcome(text, kept=KeptOutput("a.txt"))))
    other = Entry(2, 0.0, ToolFinished("d", ToolOutcome(text)))
    plan = Entry(3, 0.0, Noted("plan", "approved", {"file": "/state/ses_1/outputs/p.md", "document": text}))
    named = Entry(4, 0.0, Noted("commands", "begun", {"file": "/project/ses_1.md"}))
    mine, *others = with_own_files([kept, other, plan, named], "ses_1", "ses_2")
    assert isinstance(mine.fact, ToolFinished)
    assert mine.fact.outcome.text == "ses_1 made it. All of it is in /state/ses_2/outputs/a.txt: read that"
    own = Noted("plan", "approved", {"file": "/state/ses_2/outputs/p.md", "document": text})
    assert others == [other, Entry(3, 0.0, own), named]


async def test_a_fork_ends_with_the_item_it_names_wherever_that_is() -> None:
    async with playing(TWO_CALLS, say("one"), say("two")) as sessions:
        session = await sessions.create("/project")
        await session.prompt(prompt("first"), key="k")
        await run(session, "second")
        whole = session.state.transcript
        for place, message in enumerate(whole, 1):
            fork = await sessions.fork(session.session_id, name_of(message), title="Cut")
            state = fork.state
            assert state.title == "Cut"
            assert not (state.running or state.queue or state.keys)
            assert state.transcript[:place] == whole[:place]
            assert paired(state.transcript)
            assert fold_all(fork.log.journal.entries()) == state
            last = {spoken(message) for message in state.transcript[place:]}
            assert last <= {"(result)"}, "only the results that calls need are behind it"


async def test_fork_ends_with_a_message_that_was_taken_into_a_run() -> None:
    said = asyncio.Event()

    async def wait() -> None:
        await said.wait()

    async with playing([wait, *TWO_CALLS], say("two")) as sessions:
        session = await sessions.create("/project")
        admitted = await session.prompt(prompt("first"))
        await asked(session, 1)
        steered = await session.steer(prompt("also"))
        said.set()
        await asyncio.wait_for(session.finished(admitted.run_id), PATIENCE)
        assert seen(session)[-2:] == ["also", "two"]
        fork = await sessions.fork(session.session_id, steered.item_id)
        assert seen(fork)[-1] == "also"


async def test_fork_ends_with_a_message_that_came_too_late_for_its_run() -> None:
    async with playing([hang], say("elsewhere")) as sessions:
        session = await sessions.create("/project")
        admitted = await session.prompt(prompt("first"))
        await asked(session, 1)
        steered = await session.steer(prompt("also"))
        session.cancel()
        await asyncio.wait_for(session.finished(admitted.run_id), PATIENCE)
        assert seen(session) == ["first", "also"]
        fork = await sessions.fork(session.session_id, steered.item_id)
        assert (fork.state.transcript, fork.state.stop) == (session.state.transcript, session.state.stop)
        await run(fork, "second")
        assert seen(fork) == ["first", "also", "second", "elsewhere"]


def test_fork_ends_with_the_end_that_closed_its_item() -> None:
    crashed = RunEnded("run", Stop(StopReason.INTERRUPTED))
    waits, dropped = Admitted("waits", "no", prompt("no")), RunEnded("waits", Stop(StopReason.CANCELLED))
    calls = Replied("reply", "", tool_calls=(ToolCall("c1", "look", {}),))
    late, between = Steered("late", "run", prompt("late")), Steered("between", "", prompt("between"))
    again = (Admitted("next", "go on", prompt("go on")), RunStarted("next"))
    began = (Admitted("run", "go", prompt("go")), RunStarted("run", item_ids=()))
    facts = (*began, calls, late, waits, dropped, crashed, between, waits, dropped, *again)
    entries = [Entry(seq, float(seq), fact) for seq, fact in enumerate(facts, 1)]
    until_the_crash = [*began, calls, late, crashed]
    for item_id in ("go", "c1", "late"):
        assert [entry.fact for entry in forked(entries, item_id)] == until_the_crash
    assert [entry.fact for entry in forked(entries, "between")] == [*until_the_crash, between]
    with pytest.raises(Refused, match="no item 'no'"):
        forked(entries, "no")


async def test_a_fork_at_the_last_item_of_a_run_keeps_the_end_of_that_run() -> None:
    async with playing(say("one"), say("two")) as sessions:
        session = await sessions.create("/project")
        await run(session, "first")
        await run(session, "second")
        at = name_of(session.state.transcript[1])
        fork = await sessions.fork(session.session_id, f"{at}.thought")
        assert fork.state.stop
        assert fork.state.stop.reason is StopReason.END_TURN
        assert seen(fork) == ["first", "one"]


@pytest.mark.row(78)
async def test_a_fork_is_named_after_the_session_even_before_that_had_a_title() -> None:
    """Branch."""
    async with playing(say("one"), say("two")) as sessions:
        session = await sessions.create("/project")
        await run(session, "first")
        assert (await sessions.fork(session.session_id)).state.title == ""
        item_id = name_of(session.state.transcript[0])
        session.log.record(SessionChanged(title="Given later"))
        assert (await sessions.fork(session.session_id, item_id)).state.title == "Given later (fork)"


@pytest.mark.row(78)
async def test_fork_of_an_interrupted_session_does_not_continue_by_itself() -> None:
    """Only what the user says in a fork begins work in it, whatever the setting `recovery`."""
    async with playing([hang]) as sessions:
        session = await sessions.create("/project")
        await session.prompt(prompt("first"))
        await asked(session, 1)
        fork = await sessions.fork(session.session_id)
        rows, _ = await sessions.list()
        assert {row.session_id: row.interrupted for row in rows}[fork.session_id] is False
        assert interrupted_run(fork.state), "who asks for it can go on with it"


async def test_a_fork_of_a_running_session_leaves_out_what_has_not_begun() -> None:
    async with playing(say("one"), [hang]) as sessions:
        session = await sessions.create("/project")
        await run(session, "first")
        await session.prompt(prompt("second"))
        await session.prompt(prompt("third"))
        await asked(session, 2)
        fork = await sessions.fork(session.session_id)
        assert fork.state.queue == ()
        assert fork.state.stop
        assert fork.state.stop.reason is StopReason.INTERRUPTED
        steered = await session.steer(prompt("also"))
        assert (await sessions.fork(session.session_id)).state.transcript[-1] == UserMessage(
            steered.item_id, prompt("also")
        )


async def test_a_fork_at_the_last_item_of_a_running_run_ends_there() -> None:
    async with playing(call(("c1", "look")), [hang]) as sessions:
        session = await sessions.create("/project")
        await session.prompt(prompt("first"))
        await asked(session, 2)
        fork = await sessions.fork(session.session_id, "c1")
        assert seen(fork) == ["first", "(calls)", "(result)"]
        entries = session.log.journal.entries()
        before = next(place for place, e in enumerate(entries, 1) if isinstance(e.fact, ToolFinished))
        assert forked(entries[:before], "c1") == forked(entries, "c1")
        session.log.record(Noted("room", "kind", {}))
        session.cancel()
        await become(lambda: not session.state.running)
        assert [spoken(m) for m in session.state.transcript] == seen(fork)


async def test_fork_at_the_last_item_of_a_run_keeps_the_notes_made_at_its_end() -> None:
    async with playing([lambda: asyncio.sleep(0.01), Replied("", "one")]) as sessions:
        session = await sessions.create("/project")
        session.log.subscribe(lambda event, state: note_once(session))
        await run(session, "first")
        fork = await sessions.fork(session.session_id, name_of(session.state.transcript[-1]))
        assert fork.state.notes == session.state.notes != {}
        assert fork.state.stop == session.state.stop


def note_once(session: Session) -> None:
    """Note something when the answer is there."""
    if len(session.state.transcript) == 2 and not session.state.notes:
        session.log.record(Noted("room", "kind", {}))


async def test_a_fork_needs_an_item_of_the_conversation() -> None:
    async with playing(say("one")) as sessions:
        session = await sessions.create("/project")
        await run(session, "first")
        with pytest.raises(Refused, match="no item 'nowhere'"):
            await sessions.fork(session.session_id, "nowhere")
        with pytest.raises(JournalError):
            await sessions.fork("ses_none")


async def test_a_deleted_session_is_gone() -> None:
    async with playing([hang]) as sessions:
        session = await sessions.create("/project")
        await session.prompt(prompt("first"))
        await sessions.delete(session.session_id)
        assert (await sessions.list())[0] == []
        with pytest.raises(JournalError):
            await sessions.open(session.session_id)


# --- rewinds -------------------------------------------------------------------------------------


async def test_conversation_continues_from_a_rewind_which_can_be_undone() -> None:
    async with playing(TWO_CALLS, say("one"), say("two"), say("other")) as sessions:
        session = await sessions.create("/project")
        await run(session, "first")
        await run(session, "second")
        before = session.state
        assert seen(session) == ["first", "(calls)", "(result)", "(result)", "one", "second", "two"]
        back = rewinding(session, "c1")
        session.log.record(back)
        assert (back.keep, back.item_id) == (4, "c2")
        assert session.state.stop is None
        assert seen(session) == ["first", "(calls)", "(result)", "(result)"]
        assert session.state.transcript == before.transcript
        await run(session, "again")
        assert seen(session)[4:] == ["again", "other"]
        session.log.record(undoing(session, back.checkpoint_id))
        assert session.state.context == before.context
        assert fold_all(session.log.journal.entries()) == session.state


async def test_a_conversation_can_be_rewound_to_nothing_and_files_alone_leave_it() -> None:
    async with playing(say("one")) as sessions:
        session = await sessions.create("/project")
        await run(session, "first")
        session.log.record(Rewound("files"))
        assert seen(session) == ["first", "one"]
        assert session.state.stop
        back = rewinding(session, "")
        session.log.record(back)
        assert (seen(session), back.item_id) == ([], "")
        again = undoing(session, back.checkpoint_id)
        assert again.item_id == name_of(session.state.transcript[-1])
        session.log.record(again)
        undo_of_undo = undoing(session, again.checkpoint_id)
        assert undo_of_undo.item_id == ""


async def test_rewind_without_a_valid_target_is_refused() -> None:
    async with playing(say("one"), say("two"), [hang]) as sessions:
        session = await sessions.create("/project")
        await run(session, "first")
        with pytest.raises(Refused, match="no item"):
            rewinding(session, "nowhere")
        with pytest.raises(Refused, match="no rewind"):
            undoing(session, "nowhere")
        gone = name_of(session.state.transcript[0])
        session.log.record(rewinding(session, ""))
        with pytest.raises(Refused, match="a rewind took it back"):
            rewinding(session, gone)
        await run(session, "second")
        active = await session.prompt(prompt("third"))
        with pytest.raises(Refused) as refusal:
            rewinding(session, "")
        assert refusal.value.kind == "runActive"
        session.cancel(active.run_id)


# --- the queue -----------------------------------------------------------------------------------


def waiting(session: Session) -> list[str]:
    return [spoken(UserMessage("", admitted.content)) for admitted in session.state.queue]


async def test_waiting_prompts_can_be_moved_replaced_and_removed() -> None:
    async with playing([hang], say("x"), say("y"), say("z")) as sessions:
        session = await sessions.create("/project")
        first = await session.prompt(prompt("1"))
        await asked(session)
        ids = {text: (await session.prompt(prompt(text))).item_id for text in "abc"}
        move(session, ids["c"], 0, ANYBODY)
        assert waiting(session) == ["c", "a", "b"]
        await replace(session, ids["a"], prompt("A"), ANYBODY)
        assert waiting(session) == ["c", "A", "b"]
        remove(session, ids["b"], ANYBODY)
        assert waiting(session) == ["c", "A"]
        for gone in (ids["a"], ids["b"], first.item_id):
            with pytest.raises(Refused, match="it runs, has run, or was removed"):
                remove(session, gone, ANYBODY)
        session.cancel(first.run_id)
        last = session.state.queue[-1].run_id
        await asyncio.wait_for(session.finished(last), PATIENCE)
        assert seen(session)[-4:] == ["c", "x", "A", "y"]


async def test_a_prompt_that_waits_in_an_idle_session_is_replaced_before_it_begins() -> None:
    async with playing([hang], say("x")) as sessions:
        session = await sessions.create("/project")
        await session.prompt(prompt("1"))
        await asked(session)
        old = await session.prompt(prompt("old"))
        await sessions.close(session.session_id)
        session = await sessions.open(session.session_id)
        await replace(session, old.item_id, prompt("new"), ANYBODY)
        assert session.state.queue
        await asyncio.wait_for(session.finished(session.state.queue[-1].run_id), PATIENCE)
        assert seen(session)[-2:] == ["new", "x"]


# --- actions -------------------------------------------------------------------------------------


def test_actions_are_looked_for_once_and_only_when_somebody_asks() -> None:
    looked: list[Action] = []
    known = FakeAction(
        ActionSpec("do", "Do it", "Does it.", {}), lambda arguments, context: ActionOutcome("")
    )

    def find() -> Sequence[Action]:
        looked.append(known)
        return looked

    found = FoundActions(find)
    assert looked == []
    assert (len(found), found[0], found[:1], [*found]) == (1, known, [known], [known])
    assert looked == [known]


async def test_actions_are_listed_and_followed() -> None:
    shown: list[Notice] = []

    def body(arguments: JsonObject, context: ActionContext) -> ActionOutcome:
        context.note("did", arguments)
        context.show(Notice("info", "done"))
        return ActionOutcome(f"{context.state.cwd} {context.session_id}", {"ok": True})

    spec = ActionSpec("do", "Do it", "Does it.", {"type": "object"})
    async with playing(offers=[FakeAction(spec, body)]) as sessions:
        session = await sessions.create("/project")

        def look(event: Entry | Transient, state: State) -> None:
            if isinstance(event, Notice):
                shown.append(event)

        session.log.subscribe(look)
        assert actions(session) == [spec]
        outcome = await invoke(session, "do", {"a": 1})
        assert outcome == ActionOutcome(f"/project {session.session_id}", {"ok": True})
        assert shown == [Notice("info", "done")]
        assert session.log.journal.entries()[-1].fact == Noted("room", "did", {"a": 1})
        with pytest.raises(Refused, match=r"no action 'undo'.* There are: do\."):
            await invoke(session, "undo", {})
        assert await values(session, "do", "it") == [ActionValue(session.session_id, "it")]


class Beginning(FakeAction):
    """Begins a run."""

    async def __call__(self, arguments: JsonObject, context: ActionContext) -> ActionOutcome:
        return ActionOutcome("begun", run_id=await context.begin(prompt("go")))


async def test_an_action_may_begin_a_run_and_says_when_it_is_possible() -> None:
    def unused(arguments: JsonObject, context: ActionContext) -> ActionOutcome:
        raise AssertionError

    idle = Beginning(ActionSpec("begin", "Begin", "", {}, "idle"), unused)
    running = Beginning(ActionSpec("more", "More", "", {}, "running"), unused)
    async with playing([hang], offers=[idle, running]) as sessions:
        session = await sessions.create("/project")
        with pytest.raises(Refused) as refusal:
            await invoke(session, "more", {})
        assert refusal.value.kind == "noActiveRun"
        begun = await invoke(session, "begin", {})
        with pytest.raises(Refused) as refusal:
            await invoke(session, "begin", {})
        assert (refusal.value.kind, refusal.value.run_id) == ("runActive", session.state.run_id)
        assert (await invoke(session, "more", {})).run_id != begun.run_id
        assert [describe(entry.fact) for entry in session.log.journal.entries()].count("admitted go") <= 2
        session.cancel(queued="drop")


async def test_sketch_offers_its_actions_and_is_not_kept() -> None:
    spec = ActionSpec("dance", "Dance", "", {"type": "object"})
    async with playing(offers=[FakeAction(spec, lambda given, context: ActionOutcome(""))]) as sessions:
        sketch = sessions.sketch(MemoryStore().create("sketch"), "/project")
        assert [offered.name for offered in actions(sketch)] == ["dance"]
        assert sketch.state.cwd == "/project"
        assert not (await sessions.list())[0]
        assert not sessions.is_open("sketch")


def test_a_fork_ends_behind_a_message_that_a_room_put_in() -> None:
    messages = tuple(UserMessage(item, (Text(item),), "room") for item in ("one", "two"))
    facts = (Admitted("run", "go", prompt("go")), RunStarted("run"), Injected(messages), Replied("end", ""))
    entries = [Entry(seq, float(seq), fact) for seq, fact in enumerate(facts, 1)]
    assert [entry.fact for entry in forked(entries, "two")] == list(facts[:3])

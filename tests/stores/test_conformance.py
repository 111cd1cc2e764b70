"""What every store promises: one suite, run on each of them."""

import asyncio
from pathlib import Path

import pytest

from agls.engine.facts import (
    Admitted,
    Answered,
    Asked,
    Cut,
    Noted,
    QueueChanged,
    Rewound,
    RunEnded,
    RunStarted,
    SessionChanged,
    Steered,
)
from agls.engine.ports import JournalBusy, JournalError, Store
from agls.engine.vocabulary import Answer, Image, Question, Stop, StopReason, Text
from agls.stores.files import FileStore
from agls.stores.memory import MemoryStore
from support.store_samples import SAMPLES, conversation, entries_of

pytestmark = pytest.mark.promise("P13")


@pytest.fixture(params=["files", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return FileStore(tmp_path / "state") if request.param == "files" else MemoryStore()


def fill(store: Store, session_id: str, text: str, at: float, cwd: str = "/project", title: str = "") -> None:
    journal = store.create(session_id)
    journal.append(*conversation(text, cwd, title, at=at))
    journal.close()


def listed(store: Store, **wanted: str) -> list[str]:
    return [row.session_id for row in store.list(**wanted)[0]]


# --- journals ------------------------------------------------------------------------------------


def test_appended_entries_are_there_when_the_session_is_opened_again(store: Store) -> None:
    journal = store.create("ses_1")
    journal.append(*entries_of(SAMPLES[:3]))
    journal.append(*entries_of(SAMPLES[3:], after=3))
    assert journal.entries() == entries_of(SAMPLES)
    journal.close()
    again = store.open("ses_1")
    assert again.entries() == entries_of(SAMPLES)
    assert (again.session_id, again.epoch, again.trouble) == ("ses_1", journal.epoch, "")
    again.append(*entries_of(SAMPLES, after=len(SAMPLES)))
    again.close()
    assert store.peek("ses_1") == entries_of(SAMPLES * 2)


def test_entries_can_be_asked_for_from_a_number_on(store: Store) -> None:
    journal = store.create("ses_1")
    journal.append(*entries_of(SAMPLES))
    assert journal.entries(after=3) == entries_of(SAMPLES)[3:]
    assert journal.entries(after=len(SAMPLES)) == []


def test_entries_read_before_an_append_do_not_change(store: Store) -> None:
    journal = store.create("ses_1")
    before = journal.entries()
    journal.append(*entries_of(SAMPLES))
    assert before == []


def test_a_hole_in_the_numbers_is_refused_and_nothing_of_it_is_kept(store: Store) -> None:
    journal = store.create("ses_1")
    with pytest.raises(ValueError, match="cannot follow"):
        journal.append(*entries_of(SAMPLES[:1], after=1))
    journal.append(*entries_of(SAMPLES[:1]))
    assert store.peek("ses_1") == entries_of(SAMPLES[:1])


def test_a_session_has_one_writer_and_any_number_of_readers(store: Store) -> None:
    journal = store.create("ses_1")
    journal.append(*entries_of(SAMPLES[:2]))
    with pytest.raises(JournalBusy, match=r"[Cc]lose it there"):
        store.open("ses_1")
    assert store.peek("ses_1") == entries_of(SAMPLES[:2])
    journal.close()
    journal.close()
    store.open("ses_1").append(*entries_of(SAMPLES[2:], after=2))
    assert store.peek("ses_1") == entries_of(SAMPLES)


async def test_a_closed_journal_can_be_read_but_not_written(store: Store) -> None:
    journal = store.create("ses_1")
    journal.append(*entries_of(SAMPLES))
    journal.close()
    assert journal.entries() == entries_of(SAMPLES)
    with pytest.raises(JournalError, match="open it again"):
        journal.append(*entries_of(SAMPLES, after=len(SAMPLES)))
    with pytest.raises(JournalError, match="open it again"):
        await journal.sync()
    assert store.peek("ses_1") == entries_of(SAMPLES)


async def test_many_can_wait_for_durability_at_once(store: Store) -> None:
    journal = store.create("ses_1")
    async with asyncio.TaskGroup() as tasks:
        for entry in entries_of(SAMPLES):
            journal.append(entry)
            tasks.create_task(journal.sync())
    assert store.peek("ses_1") == entries_of(SAMPLES)


def test_a_session_knows_for_which_request_it_was_made(store: Store) -> None:
    journal = store.create("ses_1", "asked for")
    journal.close()
    assert (journal.asked, store.open("ses_1").asked) == ("asked for", "asked for")
    assert store.create("ses_2").asked == ""


async def test_session_is_followed_while_another_process_writes_it(store: Store) -> None:
    journal = store.create("ses_1", "asked for")
    journal.append(*entries_of(SAMPLES[:2]))
    tail = store.follow("ses_1")
    assert (tail.session_id, tail.epoch, tail.asked) == ("ses_1", journal.epoch, "asked for")
    assert (tail.entries(), tail.damage, tail.trouble) == (entries_of(SAMPLES[:2]), "", "")
    journal.append(*entries_of(SAMPLES[2:], after=2))
    tail.more()
    tail.more()
    assert tail.entries() == entries_of(SAMPLES)
    assert tail.entries(after=3) == entries_of(SAMPLES)[3:]
    with pytest.raises(JournalBusy):
        tail.append(*entries_of(SAMPLES[:1], after=len(SAMPLES)))
    with pytest.raises(JournalBusy):
        await tail.sync()
    assert tail.held()
    journal.close()
    assert not tail.held()
    store.delete("ses_1")
    with pytest.raises(JournalError, match="ses_1"):
        tail.more()
    tail.close()
    tail.close()
    with pytest.raises(JournalError, match="ses_1"):
        store.follow("ses_1")


def test_a_session_is_made_once(store: Store) -> None:
    store.create("ses_1").append(*entries_of(SAMPLES))
    with pytest.raises(JournalError, match="already"):
        store.create("ses_1")
    assert store.peek("ses_1") == entries_of(SAMPLES)


def test_two_sessions_have_different_epochs(store: Store) -> None:
    assert store.create("ses_1").epoch != store.create("ses_2").epoch


def test_a_session_that_is_not_there_is_named(store: Store) -> None:
    for ask in (store.open, store.peek):
        with pytest.raises(JournalError, match="no session ses_1"):
            ask("ses_1")


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "a/b", "../a", "/etc/passwd", "a.jsonl", "a b", "-a", "a\0", "a\n", "é", "x" * 101],
)
def test_invalid_session_id_is_refused(store: Store, name: str) -> None:
    for ask in (store.create, store.open, store.peek):
        with pytest.raises(JournalError, match="not a session id"):
            ask(name)


# --- the list ------------------------------------------------------------------------------------


def test_a_deleted_session_is_gone(store: Store) -> None:
    fill(store, "ses_1", "hello", 1.0)
    fill(store, "ses_2", "hello", 2.0)
    assert listed(store, search="hello") == ["ses_2", "ses_1"]
    store.delete("ses_1")
    assert listed(store, search="hello") == ["ses_2"]
    for ask in (store.peek, store.open, store.delete):
        with pytest.raises(JournalError, match="ses_1"):
            ask("ses_1")


def test_session_with_a_writer_is_not_deleted(store: Store) -> None:
    journal = store.create("ses_1")
    journal.append(*entries_of(SAMPLES[:1]))
    with pytest.raises(JournalBusy):
        store.delete("ses_1")
    journal.close()
    assert store.peek("ses_1")


def test_an_empty_store_lists_nothing(store: Store) -> None:
    assert listed(store) == []
    assert listed(store, search="x", cwd="/project") == []
    assert store.list()[1] == ""


def test_session_is_listed_from_its_first_fact(store: Store) -> None:
    journal = store.create("ses_1")
    assert listed(store) == []
    journal.append(*entries_of([SessionChanged("/project")]))
    assert listed(store) == ["ses_1"]


def test_a_row_says_what_the_journal_says(store: Store) -> None:
    journal = store.create("ses_1")
    journal.append(*entries_of([SessionChanged("/project", parent="ses_0"), SessionChanged(title="Mine")]))
    journal.append(*entries_of([SessionChanged(cwd="/other")], after=2))
    (row,) = store.list()[0]
    assert (row.session_id, row.title, row.cwd, row.parent) == ("ses_1", "Mine", "/other", "ses_0")
    assert (row.created_at, row.updated_at, row.state) == (1_795_250_001.5, 1_795_250_003.5, "idle")


def test_the_state_follows_the_run_and_its_questions(store: Store) -> None:
    journal = store.create("ses_1")
    steps = [
        (SessionChanged("/project"), "idle"),
        (Admitted("run_1", "item_1", (Text("go"),)), "idle"),
        (RunStarted("run_1"), "running"),
        (Asked("req_1", Question("form", "Name?")), "waiting"),
        (Asked("req_2", Question("form", "Age?")), "waiting"),
        (Answered("req_1", Answer("accepted")), "waiting"),
        (Answered("req_2", Answer("accepted")), "running"),
        (RunEnded("run_2", Stop(StopReason.CANCELLED)), "running"),
        (Asked("req_3", Question("form", "Why?")), "waiting"),
        (RunEnded("run_1", Stop(StopReason.END_TURN)), "idle"),
        (RunStarted("run_3"), "running"),
    ]
    for number, (fact, state) in enumerate(steps):
        journal.append(*entries_of([fact], after=number))
        assert store.list()[0][0].state == state, fact
    journal.close()
    assert store.list()[0][0].state == "idle", "nobody writes it: nothing runs"


def test_a_row_says_how_the_session_was_filed(store: Store) -> None:
    journal = store.create("ses_1")
    tags = Noted("history", "tags", {"tags": ["later", "Ürgent"]})
    journal.append(
        *entries_of([SessionChanged("/project"), tags, Noted("history", "archived", {"archived": True})])
    )
    (row,) = store.list()[0]
    assert (row.tags, row.archived) == (("later", "Ürgent"), True)
    assert [row.session_id for row in store.list(search="ürgent")[0]] == ["ses_1"]
    again = [Noted("history", "tags", {"tags": []}), Noted("history", "archived", {"archived": False})]
    journal.append(*entries_of(again, after=3))
    (row,) = store.list()[0]
    assert (row.tags, row.archived) == ((), False)
    odd = [Noted("history", "tags", {"tags": "x"}), Noted("other", "tags", {"tags": ["not ours"]})]
    journal.append(*entries_of(odd, after=5))
    assert store.list()[0][0].tags == ()


def test_row_says_whether_a_run_can_be_continued(store: Store) -> None:
    journal = store.create("ses_1")
    steps = [
        (SessionChanged("/project"), False),
        (Admitted("run_1", "item_1", (Text("go"),)), True),
        (RunStarted("run_1"), False),
        (RunEnded("run_1", Stop(StopReason.INTERRUPTED)), True),
        (RunStarted("run_2"), False),
        (RunEnded("run_2", Stop(StopReason.CANCELLED)), False),
        (RunStarted("run_3"), False),
        (RunEnded("run_3", Stop(StopReason.INTERRUPTED)), True),
        (Rewound("rewind_1"), True),
        (Rewound("rewind_2", keep=0), False),
        (Admitted("run_4", "item_4", ()), True),
        (QueueChanged(()), False),
        (RunStarted("run_5"), False),
        (RunEnded("run_5", Stop(StopReason.INTERRUPTED)), True),
        (SessionChanged(parent="ses_0"), False),  # a fork: what was cut off is the other's to go on with
        (Admitted("run_6", "item_6", ()), True),
        (RunStarted("run_6"), False),
    ]
    for number, (fact, interrupted) in enumerate(steps):
        journal.append(*entries_of([fact], after=number))
        assert store.list()[0][0].interrupted == interrupted, fact
    journal.close()
    assert store.list()[0][0].interrupted, "who wrote it died in the middle"


def test_untitled_session_shows_the_first_line_of_its_first_message(store: Store) -> None:
    journal = store.create("ses_1")
    image = Image("aGk=", "image/png")
    journal.append(*entries_of([SessionChanged("/project"), Admitted("run_1", "item_1", (image,))]))
    assert store.list()[0][0].title == ""
    long = "x" * 200
    critic = Steered("item_9", "run_1", (Text("hurry"),), origin="critic")
    steered = Steered("item_2", "run_1", (image, Text(f"\n  {long}\nand more")))
    journal.append(*entries_of([critic, steered, Admitted("run_2", "item_3", (Text("later"),))], after=2))
    assert store.list()[0][0].title == "x" * 79 + "…"
    fill(store, "ses_2", "  Fix the build, please  \nnow", at=2e9)
    assert store.list()[0][0].title == "Fix the build, please"


def test_the_newest_session_comes_first(store: Store) -> None:
    for name, at in (("ses_b", 200.0), ("ses_a", 100.0), ("ses_c", 300.0)):
        fill(store, name, "hello", at)
    assert listed(store) == ["ses_c", "ses_b", "ses_a"]
    journal = store.open("ses_a")
    journal.append(*entries_of([SessionChanged(title="again")], after=7, at=400.0))
    assert listed(store) == ["ses_a", "ses_c", "ses_b"]


def test_sessions_of_a_folder_are_those_with_exactly_this_folder(store: Store) -> None:
    odd = "/a\udcff'\"%/ü"
    for name, cwd in (("ses_1", "/project"), ("ses_2", "/work2"), ("ses_3", odd)):
        fill(store, name, "hello", 100.0, cwd)
    assert listed(store, cwd="/project") == ["ses_1"]
    assert listed(store, cwd=odd) == ["ses_3"]
    assert listed(store, cwd="/WORK") == []
    assert store.list(cwd=odd)[0][0].cwd == odd


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("parser", ["ses_1"]),
        ("PARSER", ["ses_1"]),
        ("  fix   parser ", ["ses_1"]),
        ("arse", ["ses_1"]),
        ("fix nothing", []),
        ("get_us", ["ses_2"]),
        ("世界", ["ses_2"]),
        ("说世界", ["ses_2"]),
        ("ﬁx", ["ses_1"]),
        ("STRASSE", ["ses_2"]),
        ("all done", ["ses_2", "ses_1"]),
        ("o", ["ses_2", "ses_1"]),
        ("z p", []),
        ("My title", ["ses_1"]),
        ("steering", ["ses_3"]),
        ("half an answ", ["ses_3"]),
        ("a note", []),
        ("", ["ses_3", "ses_2", "ses_1"]),
    ],
)
def test_search_finds_text_of_every_kind_of_fact(store: Store, search: str, found: list[str]) -> None:
    fill(store, "ses_1", "Fix the parser", 100.0, title="My title")
    fill(store, "ses_2", "call get_user: 你说世界 Straße", 200.0)
    said = [
        Steered("i", "r", (Text("steering"),)),
        Cut("i", "half an answer"),
        Noted("f", "note", {"x": "a note"}),
    ]
    store.create("ses_3").append(*entries_of([SessionChanged("/w"), *said], at=300.0))
    assert listed(store, search=search) == found


BROKEN_QUERIES = [
    '"', '""', '"abc', "abc AND", "NOT abc", "NEAR(abc def)", "text:abc", "abc*", "^abc", "-abc",
    "{abc} : def", "'", "';--", "%", "_", "\\", "\0", "a\0bc", "(((", ")", "+", "abc + def", "\ud83d",
    "\ud83dabc", "[", "?1", "abc " * 10_000, "x" * 100_000, "a b c d e f g h i j k l m n o p q r s t " * 9,
]  # fmt: skip


@pytest.mark.parametrize("search", BROKEN_QUERIES, ids=range(len(BROKEN_QUERIES)))
def test_no_search_text_breaks_the_search(store: Store, search: str) -> None:
    fill(store, "ses_1", "something else entirely", 100.0)
    assert listed(store, search=search) in ([], ["ses_1"])
    fill(store, "ses_2", f"before {search[:1000]} behind", 200.0)
    assert "ses_2" in listed(store, search=search[:900])


def test_pages_follow_each_other_without_gap_or_repetition_while_sessions_are_added(store: Store) -> None:
    for number in range(10):
        fill(store, f"ses_{number}", "hello", at=100.0 + number // 2)
    everything, end = store.list()
    assert end == ""
    seen, cursor = list[str](), ""
    for page in range(10):
        rows, cursor = store.list(cursor=cursor, limit=3)
        seen += [row.session_id for row in rows]
        fill(store, f"ses_new_{page}", "hello", at=500.0 + page)
        if not cursor:
            break
    assert seen == [row.session_id for row in everything]


def test_a_page_that_is_just_full_is_the_last(store: Store) -> None:
    for number in range(3):
        fill(store, f"ses_{number}", "hello", at=100.0 + number)
    assert store.list(limit=3)[1] == ""
    assert len(store.list(limit=0)[0]) == 1


def test_filter_search_and_cursor_work_together(store: Store) -> None:
    for number in range(6):
        fill(store, f"ses_{number}", f"hello {'blue' * (number % 2)}", 100.0 + number, f"/w{number % 3 == 0}")
    first, cursor = store.list(cwd="/wFalse", search="BLUE", limit=1)
    second, end = store.list(cwd="/wFalse", search="BLUE", limit=1, cursor=cursor)
    assert [row.session_id for row in (*first, *second)] == ["ses_5", "ses_1"]
    assert end == ""


@pytest.mark.item(31)
@pytest.mark.parametrize("cursor", ["x", "é", "W10=", "e30=", "WyJhIiwiYiJd", "bnVsbA=="])
def test_cursor_of_another_list_is_refused(store: Store, cursor: str) -> None:
    fill(store, "ses_1", "hello", 100.0)
    with pytest.raises(JournalError, match="from the start"):
        store.list(cursor=cursor)

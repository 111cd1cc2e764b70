"""The list is always what the files say, whatever happens to the database."""

import os
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path

import pytest

from agls.engine.facts import RunStarted, SessionChanged
from agls.engine.vocabulary import SessionRow
from agls.stores import catalogue, disk
from agls.stores.files import FileStore
from support.store_samples import conversation, entries_of

NAME = "catalogue-3.db"


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    store = FileStore(tmp_path)
    for number in range(4):
        journal = store.create(f"ses_{number}")
        journal.append(*conversation(f"message {number}", at=100.0 * number + 100))
        journal.close()
    return store


def listed(store: FileStore, search: str = "") -> list[str]:
    return [row.session_id for row in store.list(search=search)[0]]


ALL = ["ses_3", "ses_2", "ses_1", "ses_0"]


def test_the_database_is_made_by_the_first_list_and_private(store: FileStore, tmp_path: Path) -> None:
    assert not (tmp_path / NAME).exists()
    assert listed(store) == ALL
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600


def test_a_deleted_database_is_made_again(store: FileStore, tmp_path: Path) -> None:
    assert listed(store) == ALL
    (tmp_path / NAME).unlink()
    assert listed(store) == ALL


@pytest.mark.parametrize("search", ["", "message"])
def test_a_database_with_damage_anywhere_is_made_again(store: FileStore, tmp_path: Path, search: str) -> None:
    assert listed(store) == ALL
    whole = (tmp_path / NAME).read_bytes()
    for start in range(0, len(whole), 1024):
        (tmp_path / NAME).write_bytes(whole[:start] + b"\xa5" * 1024 + whole[start + 1024 :])
        assert listed(store, search) == ALL, start
    for size in (1, 1000, 4096, 5000, len(whole) // 2):
        (tmp_path / NAME).write_bytes(whole[:size])
        assert listed(store, search) == ALL, size


@pytest.mark.parametrize("damage", [b"\xa5" * 12, b"[[[[[[[[[[[[", b'"session_no"'])
def test_a_damaged_row_makes_the_database_anew(store: FileStore, tmp_path: Path, damage: bytes) -> None:
    assert listed(store) == ALL
    whole = (tmp_path / NAME).read_bytes()
    (tmp_path / NAME).write_bytes(whole.replace(b'"session_id"', damage, 1))
    assert listed(store) == ALL
    assert listed(store, "message") == ALL
    assert (tmp_path / NAME).read_bytes().count(b'"session_id"') == len(ALL)


@pytest.mark.parametrize("content", [b"", b"nonsense" * 1000])
def test_foreign_file_under_the_name_is_replaced(store: FileStore, tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    assert listed(store) == ALL
    with sqlite3.connect(tmp_path / NAME) as db:
        assert db.execute("SELECT count(*) FROM sessions").fetchone() == (4,)
    db.close()


def test_a_database_with_other_tables_is_replaced(store: FileStore, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / NAME) as db:
        db.execute("CREATE TABLE sessions (something TEXT)")
    db.close()
    assert listed(store) == ALL


def test_list_without_a_usable_database_is_read_from_the_files(store: FileStore, tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    assert listed(store) == ALL
    assert listed(store, "message 2") == ["ses_2"]


def test_damaged_database_that_cannot_be_removed_is_not_used(
    store: FileStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    (tmp_path / NAME).write_bytes(b"nonsense" * 1000)
    monkeypatch.setattr(Path, "unlink", refuse)
    assert listed(store) == ALL
    assert (tmp_path / NAME).read_bytes() == b"nonsense" * 1000


def test_database_locked_by_another_process_is_waited_for_with_a_limit(
    store: FileStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "_PATIENCE", 0.1)
    assert listed(store) == ALL
    with sqlite3.connect(tmp_path / NAME, isolation_level=None) as db:
        db.execute("BEGIN EXCLUSIVE")
        store.create("ses_9").append(*conversation("while locked", at=900.0))
        assert listed(store) == ["ses_9", *ALL]
        db.execute("ROLLBACK")
    db.close()
    assert listed(store) == ["ses_9", *ALL]


def test_a_journal_that_was_copied_in_appears_and_a_deleted_one_disappears(
    store: FileStore, tmp_path: Path
) -> None:
    assert listed(store) == ALL
    sessions = tmp_path / "sessions"
    shutil.copy(sessions / "ses_0.jsonl", sessions / "imported.jsonl")
    (sessions / "ses_2.jsonl").unlink()
    assert listed(store) == ["ses_3", "ses_1", "ses_0", "imported"]
    assert listed(store, "message 2") == []
    shutil.rmtree(sessions)
    assert listed(store) == []


def test_a_journal_that_was_replaced_by_one_of_equal_size_is_read_again(
    store: FileStore, tmp_path: Path
) -> None:
    assert listed(store, "message 1") == ["ses_1"]
    sessions = tmp_path / "sessions"
    shutil.copy(sessions / "ses_2.jsonl", sessions / "new")
    (sessions / "new").replace(sessions / "ses_1.jsonl")
    assert listed(store, "message 1") == []
    assert sorted(listed(store, "message 2")) == ["ses_1", "ses_2"]


def test_file_that_is_no_journal_is_not_listed(store: FileStore, tmp_path: Path) -> None:
    sessions = tmp_path / "sessions"
    (sessions / "empty.jsonl").touch()
    (sessions / "text.jsonl").write_text("hello\nworld\n")
    (sessions / "notes.txt").write_text("hello")
    (sessions / "ses_0.jsonl.damaged-1").write_bytes((sessions / "ses_0.jsonl").read_bytes())
    (sessions / "with space.jsonl").write_bytes((sessions / "ses_0.jsonl").read_bytes())
    (sessions / "folder.jsonl").mkdir()
    (sessions / "link.jsonl").symlink_to(sessions / "ses_0.jsonl")
    os.mkfifo(sessions / "pipe.jsonl")
    assert listed(store) == ALL
    assert listed(store) == ALL


def test_a_damaged_session_is_listed_with_what_is_left_of_it(store: FileStore, tmp_path: Path) -> None:
    path = tmp_path / "sessions" / "ses_1.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"x" + b"".join(lines[:3])[1:] + b"torn")
    assert "ses_1" in listed(store)
    assert listed(store, "message 1") == ["ses_1"]


def test_a_session_whose_writer_died_in_a_run_is_listed_as_idle(store: FileStore) -> None:
    journal = store.open("ses_0")
    journal.append(*entries_of([RunStarted("run_2")], after=7, at=1000.0))
    assert store.list()[0][0].state == "running"
    journal.close()
    assert store.list()[0][0].state == "idle"


def test_where_the_system_does_not_tell_of_locks_the_journal_is_believed(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = store.open("ses_0")
    journal.append(*entries_of([RunStarted("run_2")], after=7, at=1000.0))
    journal.close()
    monkeypatch.setattr(disk, "_LOCKS", Path("/nowhere"))
    assert store.list()[0][0].state == "running"


def test_many_threads_may_list_at_once_while_a_session_grows(store: FileStore) -> None:
    journal = store.open("ses_0")
    with ThreadPoolExecutor(4) as threads:
        waiting = []
        for number in range(20):
            journal.append(
                *entries_of([SessionChanged(title=f"title {number}")], after=7 + number, at=1000.0)
            )
            waiting.append(threads.submit(listed, store, "message"))
        assert all(sorted(found.result()) == sorted(ALL) for found in waiting)
    assert store.list()[0][0].title == "title 19"


def test_the_schema_was_made_for_these_fields_of_a_row() -> None:
    # When this fails: give the database another number, or old ones break the list.
    names = ["session_id", "title", "cwd", "created_at", "updated_at", "state", "parent"]
    names += ["tags", "archived", "interrupted", "parent_item"]
    assert [field.name for field in fields(SessionRow)] == names
    assert NAME == catalogue._NAME


def test_empty_file_that_a_full_disk_left_is_passed_over_in_silence(
    store: FileStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    left = tmp_path / "sessions" / "ses_4.jsonl"
    left.touch()
    assert listed(store) == ALL
    assert caplog.text == ""
    left.write_bytes(b"x")
    assert listed(store) == ALL
    assert "ses_4" in caplog.text

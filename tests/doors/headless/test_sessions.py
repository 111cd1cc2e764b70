"""`agls sessions …`: sessions are found, named, filed, handed on and removed; nothing of them is lost."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agls.doors.headless.cli import main
from agls.engine.facts import Noted, RunStarted, SessionChanged
from agls.engine.state import fold_all
from agls.stores.files import FileStore
from doors.headless.conftest import Agls
from support.store_samples import conversation, entries_of

Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    store = FileStore(tmp_path / "state")
    for name, words in (
        ("ses_aa1", "repair the pump"),
        ("ses_aa2", "paint the fence"),
        ("ses_bb", "feed the cat"),
    ):
        journal = store.create(name)
        journal.append(*conversation(words, cwd=str(tmp_path), reply=f"I did {words}."))
        journal.close()
    return store


@pytest.fixture
def cli(
    store: FileStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Cli:
    monkeypatch.setenv("AGLS_STATE_DIR", str(tmp_path / "state"))

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(["sessions", *arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def ids(out: str) -> list[str]:
    return [line.split()[0] for line in out.splitlines()[1:]]


def test_list_with_a_limit_has_the_latest_and_says_how_many_more_there_are(cli: Cli) -> None:
    everything = ids(cli("list")[1])
    code, out, err = cli("--limit", "2")
    assert (code, ids(out)) == (0, everything[:2])
    assert "Not shown: 1 older" in err
    assert ids(cli("list", "-n", "0")[1]) == everything
    assert len(json.loads(cli("list", "--json", "-n", "1")[1])) == 1


@pytest.mark.row(78)
def test_sessions_are_found_by_words_of_the_conversation(cli: Cli) -> None:
    """Full-text search."""
    assert ids(cli("search", "did", "FENCE")[1]) == ["ses_aa2"]
    assert ids(cli("list", "--cwd", ".")[1]) == []
    code, out, err = cli("search", "elephant")
    assert (code, out) == (0, "")
    assert "agls sessions" in err


@pytest.mark.row(78)
def test_a_session_is_renamed(cli: Cli) -> None:
    """Rename, and it survives a restart."""
    assert cli("rename", "ses_bb", "  The\ncat ")[:2] == (0, "ses_bb  The cat\n")
    assert "The cat" in cli("list")[1]
    assert cli("rename", "ses_bb", " ")[0] == 2


@pytest.mark.row(78)
def test_tags_are_given_shown_found_and_taken_back(cli: Cli) -> None:
    """Tag, and it survives a restart."""
    assert cli("tag", "ses_bb", "pets", "later")[1] == "ses_bb  pets, later\n"
    assert ids(cli("list", "--tag", "pets")[1]) == ["ses_bb"]
    assert ids(cli("search", "pets")[1]) == ["ses_bb"]
    assert "#pets #later" in cli("list")[1]
    assert cli("tag", "ses_bb", "pets", "--remove")[1] == "ses_bb  later\n"
    code, _, err = cli("tag", "ses_bb", "x" * 50)
    assert code == 2
    assert "1 to 40 characters" in err


def test_an_archived_session_is_left_out_of_the_list_and_comes_back(cli: Cli) -> None:
    assert cli("archive", "ses_bb")[0] == 0
    assert "ses_bb" not in ids(cli("list")[1])
    assert "archived" in next(line for line in cli("list", "--archived")[1].splitlines() if "ses_bb" in line)
    assert cli("archive", "ses_bb", "--undo")[0] == 0
    assert "ses_bb" in ids(cli("list")[1])


def test_a_session_is_shown_in_words_and_as_json(cli: Cli) -> None:
    cli("tag", "ses_bb", "pets")
    out = cli("show", "ses_bb")[1]
    assert "you: feed the cat" in out
    assert "agls: I did feed the cat." in out
    assert "tags: pets" in out
    told = json.loads(cli("show", "ses_bb", "--json")[1])
    assert (told["messages"], told["tags"], told["interrupted"]) == (2, ["pets"], False)


def test_questions_beside_the_work_are_shown_where_they_were_asked(agls: Agls) -> None:
    agls.prompts([{"text": "Hello."}, {"text": "Because."}], [{"text": "Done."}])
    session = agls.run("run", "--output", "json", "Say hello.").whole["sessionId"]
    assert agls.run("resume", session, "/btw Why?").out == "Because.\n"
    agls.run("resume", session, "Go on.")
    beside = ["you (beside the work): Why?", "agls (beside the work): Because."]
    shown = agls.run("sessions", "show", session).out
    assert shown.splitlines()[-4:] == [*beside, "you: Go on.", "agls: Done."]
    last = json.loads(agls.run("sessions", "show", session, "--json").out)["last"]
    assert [each["text"] for each in last if each.get("beside")] == ["Why?", "Because."]


def test_the_beginning_of_an_id_is_enough_when_it_is_the_only_one(cli: Cli) -> None:
    assert "feed the cat" in cli("show", "ses_b")[1]
    code, _, err = cli("show", "ses_a")
    assert code == 2
    assert "ses_aa1" in err
    assert "ses_aa2" in err
    code, _, err = cli("show", "nothing")
    assert (code, "agls sessions" in err) == (2, True)


@pytest.mark.row(78)
def test_a_fork_is_a_session_of_its_own(cli: Cli, store: FileStore) -> None:
    """Branch."""
    fork = cli("fork", "ses_bb", "--at", "item_1")[1].strip()
    state = fold_all(store.peek(fork))
    assert (state.parent, len(state.transcript)) == ("ses_bb", 1)
    assert len(store.peek("ses_bb")) == 7
    code, _, err = cli("fork", "ses_bb", "--at", "item_9")
    assert (code, "no item" in err) == (2, True)


@pytest.mark.row(78)
def test_an_export_is_imported_with_everything_that_was_said(
    cli: Cli, store: FileStore, tmp_path: Path
) -> None:
    """Export, and the import of it."""
    cli("tag", "ses_bb", "pets")
    file = tmp_path / "cat.jsonl"
    assert cli("export", "ses_bb", "--out", str(file))[0] == 0
    assert file.stat().st_mode & 0o077 == 0
    new = cli("import", str(file))[1].split()[0]
    before, after = fold_all(store.peek("ses_bb")), fold_all(store.peek(new))
    assert (after.transcript, after.cwd, after.notes) == (before.transcript, before.cwd, before.notes)
    assert cli("export", "ses_bb", "--out", str(file))[0] == 2, "a file that is there is left alone"
    code, _, err = cli("export", "ses_bb", "--out", str(tmp_path / "none/cat.jsonl"))
    assert (code, f"There is no folder {tmp_path / 'none'}" in err) == (2, True)


@pytest.mark.parametrize("command", ["show", "export", "fork", "audit"])
def test_damaged_session_is_read_with_a_warning_about_the_missing_rest(
    cli: Cli, tmp_path: Path, caplog: pytest.LogCaptureFixture, command: str
) -> None:
    file = tmp_path / "state/sessions/ses_bb.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:6], lines[6].replace(b"e", b"3"), *lines[7:]]))
    assert cli(command, "ses_bb")[0] == 0
    assert "the file of ses_bb is damaged, the rest is left out: line 7:" in caplog.text


@pytest.mark.row(78)
def test_a_session_is_exported_for_people(cli: Cli) -> None:
    """Export as Markdown and as HTML."""
    assert "## You" in cli("export", "ses_bb", "--format", "md")[1]
    assert "<h2>You</h2>" in cli("export", "ses_bb", "--format", "html")[1]


def test_import_names_bad_files_and_takes_the_others(cli: Cli, store: FileStore, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    cli("export", "ses_bb", "--out", str(good))
    bad.write_bytes(good.read_bytes().replace(b"feed", b"food"))
    before = bad.read_bytes()
    code, out, err = cli("import", str(bad), str(good), str(tmp_path / "none"))
    assert (code, len(out.splitlines())) == (1, 1)
    assert "bad.jsonl was not imported: it is damaged: line 3: its checksum does not match" in err
    assert "No such file" in err
    assert bad.read_bytes() == before
    assert len(store.list()[0]) == 4


def test_an_imported_session_may_be_given_another_folder(cli: Cli, store: FileStore, tmp_path: Path) -> None:
    file, there = tmp_path / "cat.jsonl", tmp_path / "there"
    there.mkdir()
    cli("export", "ses_bb", "--out", str(file))
    new = cli("import", str(file), "--cwd", str(there))[1].split()[0]
    assert fold_all(store.peek(new)).cwd == str(there)


@pytest.mark.row(78)
def test_a_session_is_deleted_only_with_a_yes(cli: Cli, store: FileStore) -> None:
    """Delete."""
    code, _, err = cli("delete", "ses_bb")
    assert (code, "--yes" in err) == (2, True)
    assert cli("delete", "ses_bb", "--yes")[0] == 0
    assert [row.session_id for row in store.list()[0]] == ["ses_aa2", "ses_aa1"]


@pytest.mark.row(78)
def test_helpers_are_deleted_with_their_session(cli: Cli, store: FileStore) -> None:
    """Delete, all that belongs to it."""
    for name, parent in (("ses_c1", "ses_bb"), ("ses_c2", "ses_c1")):
        journal = store.create(name)
        journal.append(*entries_of([SessionChanged(cwd="/w", parent=parent, parent_item="call_1")]))
        journal.close()
    out = cli("delete", "ses_bb", "--yes")[1]
    assert out.split() == ["ses_c2", "deleted", "ses_c1", "deleted", "ses_bb", "deleted"]
    assert [row.session_id for row in store.list()[0]] == ["ses_aa2", "ses_aa1"]


@pytest.mark.row(79)
def test_session_open_elsewhere_is_not_changed_but_can_be_shown(cli: Cli, store: FileStore) -> None:
    """The second writer is told, and nothing is lost."""
    journal = store.open("ses_bb")
    for command in (
        ("rename", "ses_bb", "x"),
        ("tag", "ses_bb", "x"),
        ("archive", "ses_bb"),
        ("delete", "ses_bb", "--yes"),
    ):
        code, _, err = cli(*command)
        assert (code, "open for writing elsewhere" in err) == (1, True), command
    assert cli("show", "ses_bb")[0] == 0
    assert cli("export", "ses_bb")[0] == 0
    journal.append(*entries_of([SessionChanged(title="still mine")], after=7))
    journal.close()
    assert "still mine" in cli("list")[1]


def test_a_run_that_a_crash_cut_off_is_marked_in_the_list(cli: Cli, store: FileStore) -> None:
    journal = store.open("ses_bb")
    journal.append(*entries_of([RunStarted("run_2"), Noted("other", "x", {})], after=7))
    journal.close()
    line = next(line for line in cli("list")[1].splitlines() if "ses_bb" in line)
    assert "interrupted" in line
    rows = json.loads(cli("list", "--json")[1])
    assert [row["sessionId"] for row in rows if row.get("interrupted")] == ["ses_bb"]
    assert "run_2: interrupted (the process ended before the run did)" in cli("audit", "ses_bb")[1]
    journal = store.open("ses_bb")
    assert "run_2: running" in cli("audit", "ses_bb")[1], "a process has the session open"
    journal.close()


@pytest.mark.port("Audit")
def test_audit_shows_what_each_run_did(cli: Cli) -> None:
    """From the shell, long after the run."""
    code, out, err = cli("audit", "ses_bb", "--json")
    assert not err, err
    (record,) = map(json.loads, out.splitlines())
    assert (code, record["output"], record["sessionId"]) == (0, "I did feed the cat.", "ses_bb")
    assert cli("audit", "ses_bb", "--run", record["runId"], "--json")[1] == out
    assert "feed the cat" in cli("audit", "ses_bb")[1]
    code, _, err = cli("audit", "ses_bb", "--run", "run_x")
    assert code == 2
    assert "no run 'run_x'" in err

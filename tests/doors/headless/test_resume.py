"""`agls resume` and `agls sessions`."""

import shlex
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from agls.engine.facts import Admitted, Entry, Fact, Rewound, RunEnded, RunStarted, SessionChanged
from agls.engine.vocabulary import Stop, StopReason, Text
from agls.stores.files import FileStore
from agls.views.transcript import fold
from doors.headless.conftest import Agls
from support.patience import PATIENCE

ANYTHING = 'Say what to do: agls resume ses_killed "…"'
LIST = {"name": "list_dir", "arguments": {}}


def test_a_session_goes_on_where_it_was(agls: Agls) -> None:
    agls.prompts([{"text": "First."}], [{"text": "Second."}])
    first = agls.run("run", "one", "--output", "json").whole
    done = agls.run("resume", first["sessionId"], "two", "--output", "jsonl")
    assert done.code == 0
    assert done.events[0]["sessionId"] == first["sessionId"]
    texts = [e["data"]["item"]["text"] for e in done.events if e["type"] == "itemCompleted"
             and e["data"]["item"]["kind"] == "message"]  # fmt: skip
    assert texts == ["Second."]
    numbers = [event["seq"] for event in done.events if "seq" in event]
    assert sorted(set(numbers)) == list(range(min(numbers), max(numbers) + 1))


def test_resume_since_an_event_gives_the_missed_events_first(agls: Agls) -> None:
    agls.prompts([{"calls": [LIST]}, {"text": "First."}], [{"text": "Second."}], [{"text": "Third."}])
    before = agls.run("run", "one", "--output", "jsonl").events
    session_id, known = before[0]["sessionId"], before[-1]["seq"]
    short = agls.run("resume", session_id, "two", "--output", "jsonl", "--since", str(known)).events
    whole = agls.run("resume", session_id, "three", "--output", "jsonl", "--since", "0").events
    places = [event["seq"] for event in short if "seq" in event]
    assert places[0] == known + 1
    items = fold([*before[1:], *short[1:]]).items
    assert list(fold(whole[1:]).items.items())[: len(items)] == list(items.items())
    ends = [event["data"]["stopReason"] for event in whole if event["type"] == "runEnded"]
    assert ends == ["endTurn"] * 3
    refused = agls.run("resume", session_id, "four", "--output", "jsonl", "--since", "99999")
    assert (refused.code, refused.events[-1]["error"]["kind"]) == (2, "cursorExpired")
    assert agls.run("resume", session_id, "four", "--since", "0").code == 2, "it is for programs"


def test_the_latest_session_of_the_folder_is_taken_when_none_is_named(agls: Agls) -> None:
    agls.prompts([{"text": "First."}], [{"text": "Second."}])
    agls.run("run", "old")
    latest = agls.run("run", "new", "--output", "json").whole["sessionId"]
    done = agls.run("resume", "two", "--output", "json")
    assert (done.whole["sessionId"], done.whole["result"]) == (latest, "Second.")


def test_the_prompt_may_come_from_standard_input(agls: Agls) -> None:
    agls.prompts([{"text": "First."}], [{"text": "Second."}])
    agls.run("run", "one")
    assert agls.run("resume", "-", stdin="two").out == "Second.\n"


def test_an_interrupted_run_goes_on_without_a_prompt(agls: Agls) -> None:
    agls.script({"calls": [LIST]}, {"hang": True})
    process = agls.start("run", "go")
    agls.wait_until_asked(2)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 1
    process.communicate()
    agls.script({"calls": [LIST]}, {"text": "Done after all."})
    done = agls.run("resume", "--output", "jsonl")
    assert done.code == 0
    admitted = next(event for event in done.events if event["type"] == "runAdmitted")
    assert admitted["data"]["recovers"].startswith("run_")
    assert agls.run("resume").code == 2


def test_damage_of_the_file_is_reported(agls: Agls) -> None:
    agls.prompts([{"text": "First."}], [{"text": "Second."}])
    session_id = agls.run("run", "one", "--output", "json").whole["sessionId"]
    (journal,) = agls.state.glob("sessions/*.jsonl")
    journal.write_bytes(journal.read_bytes()[:-20])
    done = agls.run("resume", session_id, "two")
    assert (done.code, done.out) == (0, "Second.\n")
    assert "The file of this session was damaged" in done.err
    assert f"{session_id}.jsonl.damaged-1" in done.err
    assert "damaged" not in agls.run("resume", session_id, "three").err


def test_a_session_works_in_its_own_folder_wherever_it_is_called_from(agls: Agls, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    write = {"name": "write_file", "arguments": {"path": "a.txt", "content": "one"}}
    agls.prompts([{"text": "First."}], [{"calls": [write]}, {"text": "Second."}])
    session_id = agls.run("run", "one", "--cwd", "../other", "--output", "json").whole["sessionId"]
    done = agls.run("resume", session_id, "two", "--mode", "acceptEdits", "--quiet")
    assert (done.code, done.err) == (0, f"This session works in {tmp_path / 'other'}.\n")
    assert (tmp_path / "other/a.txt").exists()
    done = agls.run("resume", session_id, "three", "--cwd", ".")
    assert (done.code, done.err) == (
        2,
        f"agls: {session_id} is a session of {tmp_path / 'other'}. Leave out --cwd.\n",
    )


@pytest.mark.parametrize(
    ("turns", "more"),
    [
        ([{"error": {"kind": "quota", "message": "no money left"}}], []),
        ([{"text": "no", "finish": "refusal"}], ["go on"]),
        ([{"calls": [LIST]}], ["--max-turns", "2"]),
    ],
)
def test_suggested_way_to_continue_works(agls: Agls, turns: list[dict[str, Any]], more: list[str]) -> None:
    agls.script(*turns)
    *_, line = agls.run("run", "go", "--max-turns", "1").err.splitlines()
    said, session_id, *words = shlex.split(line.removeprefix("Go on with: agls "))
    agls.script({"text": "Done."}, {"text": "Done."})
    assert (said, words) == ("resume", more)
    assert agls.run(said, session_id, *words).code == 0


def test_a_killed_run_goes_on_without_a_prompt(agls: Agls) -> None:
    agls.script({"text": "begun", "hang": True})
    process = agls.start("run", "go")
    agls.wait_until_asked()
    process.kill()
    process.communicate()
    agls.script({"text": "Done after all."})
    done = agls.run("resume")
    assert (done.code, done.out) == (0, "Done after all.\n")


def test_a_run_that_failed_goes_on_without_a_prompt(agls: Agls) -> None:
    agls.script({"error": {"kind": "network"}})
    assert agls.run("run", "go").code == 1
    agls.script({"text": "Done after all."})
    assert agls.run("resume").out == "Done after all.\n"


def test_it_says_so_when_there_is_nothing_to_continue(agls: Agls) -> None:
    agls.script({"text": "Done."})
    session_id = agls.run("run", "go", "--output", "json").whole["sessionId"]
    done = agls.run("resume", session_id)
    assert done.code == 2
    assert f"nothing to continue in {session_id}: its last run is complete" in done.err


def leave(agls: Agls, session_id: str, *facts: Fact) -> None:
    """A session as a process left it that was killed after these facts."""
    journal = FileStore(agls.state).create(session_id)
    first = SessionChanged(str(agls.workspace.resolve()))
    journal.append(*(Entry(seq, time.time(), fact) for seq, fact in enumerate((first, *facts), 1)))
    journal.close()


WAITING = Admitted("run_1", "item_1", (Text("first"),))


def test_a_session_that_never_had_a_prompt_is_not_the_latest(agls: Agls) -> None:
    agls.prompts([{"text": "First."}], [{"text": "Second."}])
    session_id = agls.run("run", "one", "--output", "json").whole["sessionId"]
    for number in range(60):  # more than one page of them
        leave(agls, f"ses_killed{number}")
    done = agls.run("resume", "two", "--output", "json")
    assert (done.whole["sessionId"], done.whole["result"]) == (session_id, "Second.")


def test_latest_session_is_taken_and_told_about_although_its_file_is_damaged_at_the_beginning(
    agls: Agls,
) -> None:
    agls.prompts([{"text": "First."}], [{"text": "Second."}])
    agls.run("run", "old")
    latest = agls.run("run", "new", "--output", "json").whole["sessionId"]
    file = agls.state / "sessions" / f"{latest}.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    assert b'"admitted"' not in lines[1]
    file.write_bytes(b"".join([*lines[:2], b"?" + lines[2], *lines[3:]]))
    done = agls.run("resume", "two")
    assert done.code == 0
    assert "The file of this session was damaged; it continues from before the damage: line 3" in done.err
    file.write_bytes(file.read_bytes().replace(b'"admitted"', b'"Admitted"'))
    whole = agls.run("resume", "three", "--output", "json").whole
    assert whole["sessionId"] == latest
    assert "was damaged" in whole["notes"][0]


def test_where_no_session_had_a_prompt_it_says_how_to_begin_one(agls: Agls) -> None:
    leave(agls, "ses_killed")
    for words in ([], ["go"]):
        done = agls.run("resume", *words)
        assert done.code == 2
        assert done.err.endswith('Begin one: agls run "…"\n')


@pytest.mark.parametrize(
    ("facts", "why", "what"),
    [
        ([], "it has had no run", ANYTHING),
        (
            [WAITING, RunStarted("run_1"), RunEnded("run_1", Stop(StopReason.CANCELLED))],
            "its last run ended (cancelled)",
            'To go on all the same: agls resume ses_killed "go on"',
        ),
        (
            [WAITING, RunStarted("run_1"), RunEnded("run_1", Stop(StopReason.END_TURN)), Rewound("r", "", 0)],
            "it was rewound to before its last run",
            ANYTHING,
        ),
    ],
)
def test_session_that_cannot_continue_says_why_and_what_to_type(
    agls: Agls, facts: list[Fact], why: str, what: str
) -> None:
    leave(agls, "ses_killed", *facts)
    said = f"nothing to continue in ses_killed: {why}. {what}\n"
    done = agls.run("resume", "ses_killed")
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith(said)


@pytest.mark.row(74)
def test_resume_continues_with_prompts_that_were_never_begun(agls: Agls) -> None:
    """What was admitted is never lost, whenever the process died."""
    second = Admitted("run_2", "item_2", (Text("second"),))
    leave(agls, "ses_killed", WAITING, second)
    agls.prompts([{"text": "First."}], [{"text": "Second."}])
    done = agls.run("resume", "--output", "jsonl")
    assert done.code == 0
    ended = [event["runId"] for event in done.events if event["type"] == "runEnded"]
    assert ended == ["run_1", "run_2"]
    assert agls.run("resume").code == 2


def test_a_prompt_that_was_never_begun_runs_before_the_next_one(agls: Agls) -> None:
    leave(agls, "ses_killed", WAITING)
    agls.prompts([{"text": "First."}], [{"text": "Second."}])
    events = agls.run("resume", "and then", "--output", "jsonl").events
    texts = [
        event["data"]["item"]["text"]
        for event in events
        if event["type"] == "itemCompleted" and event["data"]["item"]["kind"] == "message"
    ]
    assert texts == ["First.", "Second."]


def test_a_session_that_another_process_writes_is_left_alone(agls: Agls) -> None:
    agls.script({"text": "begun", "hang": True})
    process = agls.start("run", "go")
    agls.wait_until_asked()
    (session,) = agls.sessions()
    done = agls.run("resume", session["sessionId"], "go on", "--output", "json")
    assert (done.code, done.whole["error"]["kind"]) == (1, "sessionBusyElsewhere")
    process.kill()
    process.communicate()


def test_more_folders_stay_with_their_session(agls: Agls) -> None:
    other, third = agls.home.parent / "other", agls.home.parent / "third"
    other.mkdir()
    third.mkdir()
    write = {"name": "write_file", "arguments": {"path": str(other / "b.txt"), "content": "b"}}
    agls.prompts([{"text": "First."}], [{"calls": [write]}, {"text": "Second."}])
    agls.run("run", "one", "--add-dir", "../other")
    assert agls.run("resume", "two", "--add-dir", "../third", "--mode", "acceptEdits").code == 0
    assert (other / "b.txt").exists()


# --- sessions --------------------------------------------------------------------------------------


def test_sessions_are_listed_newest_first(agls: Agls) -> None:
    agls.script({"text": "Done."})
    for title in ("older", "newer"):
        agls.run("run", "go", "--title", title)
    rows = agls.sessions()
    assert [row["title"] for row in rows] == ["newer", "older"]
    assert rows[0]["cwd"] == agls.workspace.as_uri()
    assert rows[0]["state"] == "idle"
    lines = agls.run("sessions").out.splitlines()
    assert lines[0].split()[0] == "SESSION"
    assert rows[0]["sessionId"] in lines[1]


def test_sessions_can_be_searched_and_narrowed_to_a_folder(agls: Agls) -> None:
    agls.script({"text": "Done."})
    agls.run("run", "repair the pump", "--title", "x" * 80)
    agls.run("run", "paint the fence")
    found = agls.run("sessions", "--search", "pump").out
    assert len(found.splitlines()) == 2
    assert "…" in found
    assert len(agls.run("sessions", "--cwd", ".").out.splitlines()) == 3
    assert agls.run("sessions", "--cwd", "..").out == ""


def test_without_sessions_it_says_how_to_begin_one(agls: Agls) -> None:
    done = agls.run("sessions")
    assert (done.code, done.out) == (0, "")
    assert "agls run" in done.err
    assert agls.sessions() == []

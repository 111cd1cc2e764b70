"""A cancel while a run waits for something that never comes, or will not end (protocol#cancel)."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from support.cancel_points import kept_events
from support.model_server import Failure, ModelServer, Reply
from support.patience import PATIENCE, wait_until
from support.processes import changed_program
from support.rich_run import CAPABILITIES, Company, left_behind
from support.wire import Message, Wire, events_in

NO_NAMES = """
import socket, sys, threading
def look(*arguments, **options):
    threading.Event().wait()
socket.getaddrinfo = look
from agls.doors.lsp import main
sys.exit(main())
"""
SLOW_DISK = """
import os, sys, time
from agls.stores import journal
flush = journal._flush
def slowly(descriptor):
    while os.path.exists(os.environ["HOME"] + "/held"):
        time.sleep(0.01)
    flush(descriptor)
journal._flush = slowly
from agls.doors.lsp import main
sys.exit(main())
"""
MANY = 12  # runs at once: more than the event loop has threads


@contextmanager
def served(folder: Path, url: str, program: str = "", more: str = "") -> Iterator[Wire]:
    """A server whose model is at this address, and `more` is said of it."""
    config = folder / "config.toml"
    config.write_text(f'model = "m"\n[models.m]\nbase_url = "{url}"\nmodel = "x"\n{more}')
    with Wire(folder, config, changed_program(program) if program else None) as wire:
        wire.initialize(capabilities=CAPABILITIES)
        yield wire


def begin(wire: Wire, session: str, text: str = "go") -> int:
    return wire.post("agent/run", {"sessionId": session, "input": text, "wait": True})


def cancel(wire: Wire, session: str, *requests: int) -> None:
    assert wire.call("agent/cancel", {"sessionId": session})["state"] == "cancelling"
    for request in requests:
        assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"


def told(wire: Wire, session: str, type: str) -> list[Message]:
    return [event for event in wire.events if (event["sessionId"], event["type"]) == (session, type)]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_takes_the_connection_and_says_nothing(tmp_path: Path, scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"{scheme}://127.0.0.1:{listener.getsockname()[1]}/v1"
        with served(tmp_path, url) as wire:
            session = wire.session()
            run = begin(wire, session)
            taken, _ = listener.accept()
            with taken:
                taken.settimeout(PATIENCE)
                assert taken.recv(1), "it is being talked to"
                cancel(wire, session, run)
                while taken.recv(65_536):  # until the connection is closed
                    pass


def test_a_server_that_takes_no_connection(tmp_path: Path) -> None:
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        full = False
        while not full:  # the queue of those who want to be taken
            waiting = stack.enter_context(socket.socket())
            waiting.settimeout(0.5)
            try:
                waiting.connect(listener.getsockname())
            except TimeoutError:
                full = True
        with served(tmp_path, f"http://127.0.0.1:{listener.getsockname()[1]}/v1") as wire:
            session = wire.session()
            run = begin(wire, session)
            wire.event("turnStarted")
            cancel(wire, session, run)


def test_unresolvable_host_delays_no_other_work(tmp_path: Path) -> None:
    """However many looks for a name were given up, the journal is flushed and runs end."""
    with served(tmp_path, "http://model.example/v1", NO_NAMES) as wire:
        sessions = [wire.session(clientKey=f"session {number}") for number in range(MANY)]
        runs = [begin(wire, session) for session in sessions]
        wire.until(lambda m: sum(event["type"] == "turnStarted" for event in wire.events) == MANY)
        for session, run in zip(sessions, runs, strict=True):
            cancel(wire, session, run)


def test_a_wait_before_the_next_try(tmp_path: Path) -> None:
    again = {"retry-after": "30"}
    with ModelServer([Failure(503, headers=again), Reply("Here again.")]) as model:
        with served(tmp_path, model.url) as wire:
            session = wire.session()
            run = begin(wire, session)
            wire.event("turnRetrying")
            cancel(wire, session, run)
            assert wire.run(session)["stopReason"] == "endTurn"
        assert len(model.posts) == 2, "it was not tried again"


def test_command_that_left_its_group_and_ignores_signals_is_ended(tmp_path: Path) -> None:
    stays = "trap '' TERM INT HUP; echo up > up; sleep 300 & wait; sleep 300"
    command = f"(setsid sh -c \"{stays}\" &) ; trap '' TERM INT; sleep 300"
    replies = [Reply(calls=[("shell", {"command": command})]), Reply("I see.")]
    with ModelServer(replies) as model, served(tmp_path, model.url) as wire:
        here = wire.workspace / "here"
        here.mkdir()
        session = wire.session(cwd=here.as_uri(), options={"mode": "allowAll"})
        run = begin(wire, session)
        wait_until((here / "up").exists)
        assert left_behind(here)
        cancel(wire, session, run)
        assert left_behind(here) == []
        assert wire.run(session)["stopReason"] == "endTurn"


def test_a_summary_that_a_run_waits_for(tmp_path: Path) -> None:
    replies = [Reply("word " * 14_000, usage=(15_900, 50)), Reply("half", cut_after=2, then="hang")]
    replies += [Reply("It was long."), Reply("Now.")]
    window = "context_window = 16000\n"
    with ModelServer(replies) as model, served(tmp_path, model.url, more=window) as wire:
        session = wire.session()
        wire.run(session)
        run = begin(wire, session)
        wait_until(lambda: len(model.posts) == 2)
        cancel(wire, session, run)
        assert model.posts[1].closed.wait(PATIENCE)
        assert len(told(wire, session, "turnStarted")) == 1, "it waited for the summary"
        assert wire.run(session)["stopReason"] == "endTurn"
        kinds = [event["data"]["item"]["kind"] for event in told(wire, session, "itemCompleted")]
        assert kinds.count("compaction") == 1, "the next run made it"


def test_a_run_that_waits_for_another_to_be_done_with_a_document(tmp_path: Path) -> None:
    read = Reply(calls=[("read_file", {"path": "open.txt"})])
    edit = Reply(calls=[("edit_file", {"path": "open.txt", "old_text": "old", "new_text": "new"})])

    with ModelServer([read, edit, read, edit, Reply("Done.")]) as model, served(tmp_path, model.url) as wire:
        company = Company(wire)
        company.silent.add("workspace/applyEdit")
        first = company.session("here", options={"mode": "allowAll"})
        cwd = company.folder("here").as_uri()
        second = wire.session(clientKey="two", cwd=cwd, options={"mode": "allowAll"})
        one = begin(wire, first)
        sent = wire.until(lambda m: m.get("method") == "workspace/applyEdit")
        two = begin(wire, second)
        wait_until(lambda: len(told(wire, second, "turnStarted")) == 2)
        wait_until(lambda: any("edit_file" in str(event) for event in told(wire, second, "itemStarted")))
        cancel(wire, second, two)
        company.reply(sent, company.apply(sent["params"]))
        assert wire.answer_of(one)["result"]["stopReason"] == "endTurn"
        assert len(wire.of_method("workspace/applyEdit")) == 1, "the other edit was never sent"


def test_run_ends_on_cancel_while_the_disk_hangs(tmp_path: Path) -> None:
    """The run ends, and is told to have ended, although nothing can be made durable meanwhile."""
    hangs = Reply("I begin", cut_after=2, then="hang")
    with ModelServer([hangs]) as model, served(tmp_path, model.url, SLOW_DISK) as wire:
        session = wire.session()
        run = begin(wire, session)
        wire.event("itemDelta")
        held = tmp_path / "held"
        held.touch()
        assert wire.call("agent/cancel", {"sessionId": session})["state"] == "cancelling"
        wire.until(lambda m: any(event["type"] == "runEnded" for event in events_in(m)))
        assert model.posts[0].closed.wait(PATIENCE)
        held.unlink()
        assert wire.answer_of(run)["result"]["stopReason"] == "cancelled"
        ends = [e for e in kept_events(tmp_path / "state", session) if e["type"] == "runEnded"]
        assert len(ends) == 1

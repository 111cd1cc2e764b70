"""A model that says nothing has not done what it was asked: scripts and people learn it."""

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Raw, Reply


def at(server: ModelServer) -> tuple[str, ...]:
    """The options for this server."""
    return "--base-url", server.url, "--model", "m"


def test_run_without_an_answer_fails_for_scripts_and_can_be_continued(agls: Agls) -> None:
    with ModelServer([Reply(""), Reply(" \n"), Reply("Here it is.")]) as server:
        done = agls.run("run", "go", *at(server), "--output", "json")
        again = agls.run("resume", *at(server))
    assert (done.code, done.whole["exitCode"], done.whole["result"].strip()) == (1, 1, "")
    assert (done.whole["stopReason"], done.whole["error"]["kind"]) == ("error", "emptyAnswer")
    assert "answered with nothing, twice" in done.whole["error"]["message"]
    assert (again.code, again.out) == (0, "Here it is.\n")


def test_run_without_an_answer_is_reported_once_to_people(agls: Agls) -> None:
    with ModelServer([Reply("")] * 2) as server:
        done = agls.run("run", "go", *at(server))
    assert (done.code, done.out) == (1, "")
    assert done.err.count("answered with nothing, twice") == 1


def test_run_that_answers_after_the_reminder_is_done(agls: Agls) -> None:
    with ModelServer([Reply(""), Reply("Yes.")]) as server:
        done = agls.run("run", "go", *at(server), "--output", "json")
    assert (done.code, done.whole["result"], done.whole["stopReason"]) == (0, "Yes.", "endTurn")


def test_answer_that_is_none_of_a_model_is_shown(agls: Agls) -> None:
    body = Raw([b"upstream timed out\n"], headers={"Content-Type": "text/plain"})
    with ModelServer([body, Reply("Yes.")]) as server:
        done = agls.run("run", "go", *at(server))
    assert "sent what is no answer of a model: upstream timed out. Trying again in" in done.err
    assert (done.code, done.out) == (0, "Yes.\n")

"""`@path` in a prompt on the command line points at a file; what is not typed is never looked at."""

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_piped import said


@pytest.fixture(autouse=True)
def files(agls: Agls) -> None:
    (agls.workspace / "app.py").write_text("one\ntwo\nthree\n")
    agls.script({"text": "Fine."})


def test_mention_in_a_prompt_is_a_piece_of_it(agls: Agls) -> None:
    done = agls.run("run", "explain @app.py:2-3 of @app.py, not @dataclass", stdin="see @app.py:1")
    assert (done.code, done.out, done.err) == (0, "Fine.\n", "")
    uri = (agls.workspace / "app.py").as_uri()
    assert said(agls) == [
        {"type": "text", "text": "explain @app.py:2-3 of @app.py, not @dataclass"},
        {"type": "resource", "uri": "stdin:", "text": "see @app.py:1"},
        {"type": "resource", "uri": f"{uri}#L2-L3", "text": "two\nthree\n"},
        {"type": "resourceLink", "uri": uri, "name": "app.py"},
    ]


def test_mention_in_the_prompt_of_a_resume_is_a_piece_of_it(agls: Agls) -> None:
    agls.run("run", "begin")
    assert agls.run("resume", "and @app.py").code == 0
    assert [part["type"] for part in said(agls)] == ["text", "text", "resourceLink"]


@pytest.mark.parametrize("arguments", [("--no-expand", "explain @app.py"), ("-",)])
def test_mention_that_is_switched_off_or_was_not_typed_stays_text(
    agls: Agls, arguments: tuple[str, ...]
) -> None:
    done = agls.run("run", *arguments, stdin="" if len(arguments) > 1 else "explain @app.py")
    assert done.code == 0
    assert said(agls) == [{"type": "text", "text": "explain @app.py"}]


@pytest.mark.parametrize("beside", [("--attach", "app.py"), ()])
def test_command_with_something_beside_it_is_refused(agls: Agls, beside: tuple[str, ...]) -> None:
    done = agls.run("run", "/usage", *beside, stdin="" if beside else "piped words")
    assert done.code == 2
    assert "/usage is a command, and nothing can go with it. Send it alone, or write //usage" in done.err


def test_command_in_a_resumed_session_is_done_and_answered_like_a_run(agls: Agls) -> None:
    agls.run("run", "begin")
    done = agls.run("resume", "/tag one")
    assert (done.code, done.out, done.err) == (0, "Tags: one.\n", "")
    whole = agls.run("resume", "--output", "json", "/tag remove=one").whole
    assert (whole["result"], whole["action"]["data"], whole["exitCode"]) == ("Tags: none.", {"tags": []}, 0)
    failed = agls.run("resume", "/compact")
    assert (failed.code, failed.out) == (1, "")
    assert "nothing to summarise" in failed.err
    assert [part["text"] for part in said(agls)] == ["begin"], "no command was said to the model"


def test_command_takes_nothing_that_is_piped_or_attached(agls: Agls) -> None:
    for done in (agls.run("run", "/usage", stdin="x"), agls.run("run", "--attach", "app.py", "/usage")):
        assert (done.code, done.out) == (2, "")
        assert "Send it alone, or write //usage" in done.err
    assert agls.sessions() == []


def test_command_that_is_not_to_be_understood_is_a_prompt(agls: Agls) -> None:
    assert agls.run("run", "--no-expand", "/usage").out == "Fine.\n"

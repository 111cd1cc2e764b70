"""`Go on with:` is a line that can be typed as it is, and hints name what the user wrote."""

import shlex
import signal
import socket

import pytest

from doors.headless.conftest import Agls, Done
from support.model_server import Failure, ModelServer, Reply
from support.patience import PATIENCE, wait_until

NOWHERE = ("--base-url", "http://127.0.0.1:9/v1", "-m", "qwen3:8b")
LIST = ("list_dir", {"path": "."})


@pytest.fixture(autouse=True)
def _nothing_is_configured(agls: Agls) -> None:
    agls.configure("")


def typed(agls: Agls, done: Done) -> Done:
    """Type the line that the run ended with."""
    line = next(line for line in done.err.splitlines() if line.startswith("Go on "))
    program, *words = shlex.split(line.partition(": ")[2])
    assert program == "agls"
    return agls.run(*words)


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def test_go_on_line_after_a_server_that_was_down_works_once_it_is_up(agls: Agls) -> None:
    port = free_port()
    failed = agls.run("run", "hi", "--base-url", f"http://127.0.0.1:{port}/v1", "-m", "qwen3:8b")
    assert failed.code == 1
    with ModelServer([Reply("Here.")], port=port, models=("qwen3:8b",)):
        done = typed(agls, failed)
    assert (done.code, done.out) == (0, "Here.\n"), done.err


def test_server_that_is_down_is_reported_with_the_option_that_named_it(agls: Agls) -> None:
    assert "correct --base-url." in agls.run("run", "hi", *NOWHERE).err
    agls.environment |= {"AGLS_BASE_URL": NOWHERE[1], "AGLS_MODEL": "m"}
    assert "correct AGLS_BASE_URL." in agls.run("run", "hi").err
    agls.environment.clear()
    agls.configure(f'model = "m"\nbase_url = "{NOWHERE[1]}"\n')
    assert f"correct base_url in {agls.config_file}." in agls.run("run", "hi").err
    agls.configure(f'model = "m"\n[models.m]\nbase_url = "{NOWHERE[1]}"\n')
    assert "correct base_url in [models.m]." in agls.run("run", "hi").err
    assert "correct --base-url." in agls.run("run", "hi", "--base-url", "http://127.0.0.1:8/v1").err


def test_hint_about_a_wrong_base_url_names_no_table_that_does_not_exist(agls: Agls) -> None:
    with ModelServer([Failure(404, "Not Found")] * 2) as server:
        done = agls.run("run", "hi", "--base-url", server.url, "-m", "m")
    assert "--base-url" in done.err
    assert "[models.m]" not in done.err


def test_go_on_line_after_a_limit_of_turns_raises_it(agls: Agls) -> None:
    with ModelServer([Reply(calls=(LIST,)), Reply("Done.")]) as server:
        limited = agls.run("run", "go", "--base-url", server.url, "-m", "m", "--max-turns", "1")
        assert limited.code == 4
        assert "--max-turns 2" in limited.err.splitlines()[-1]
        done = typed(agls, limited)
    assert (done.code, done.out) == (0, "Done.\n"), done.err
    assert "tools" in server.posts[1].body


def test_go_on_line_after_ctrl_c_can_be_typed_and_resume_without_words_says_the_same(agls: Agls) -> None:
    with ModelServer([Reply("x" * 1200, delay=0.1), Reply("Done.")]) as server:
        options = ("--base-url", server.url, "-m", "m")
        process = agls.start("run", "go", *options)
        wait_until(lambda: len(server.posts) == 1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        cancelled = Done(process.returncode, out, err)
        wordless = agls.run("resume", *options)
        done = typed(agls, cancelled)
    assert cancelled.code == 130
    session_id = agls.sessions()[0]["sessionId"]
    assert wordless.code == 2
    line = cancelled.err.splitlines()[-1].removeprefix("Go on with: ")
    assert line.startswith(f"agls resume {session_id} --base-url {server.url} ")
    assert wordless.err.endswith(f"all the same: {line}\n")
    assert "cancelled" in wordless.err
    assert (done.code, done.out) == (0, "Done.\n"), done.err

"""What is piped beside a prompt goes with it; a pipe that nobody writes to is given up."""

import fcntl
import json
import os
import subprocess
import termios
import time
from typing import Any

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_terminal import FakeTerminal, terminal
from support.images import png
from support.patience import PATIENCE

__all__ = ["terminal"]

DIFF = "--- a/x\n+++ b/x\n+needle\n"
PIXEL = png()


def said(agls: Agls) -> list[dict[str, Any]]:
    """The content of every prompt of the only session."""
    (session,) = agls.sessions()
    events = agls.run("resume", session["sessionId"], "--since", "0", "--output", "jsonl", "next").events
    items = [event["data"]["item"] for event in events if event["type"] == "itemCompleted"]
    prompts = [item for item in items if item["kind"] == "userMessage"]
    return [part for prompt in prompts[:-1] for part in prompt["content"]]


def test_piped_input_beside_a_prompt_is_an_item_of_its_own(agls: Agls) -> None:
    agls.script({"text": "Fine."})
    done = agls.run("run", "review this", stdin=DIFF)
    assert (done.code, done.out, done.err) == (0, "Fine.\n", "")
    assert said(agls) == [
        {"type": "text", "text": "review this"},
        {"type": "resource", "uri": "stdin:", "text": DIFF},
    ]


def test_piped_input_beside_the_prompt_of_a_resume_goes_with_it(agls: Agls) -> None:
    agls.script({"text": "Fine."})
    agls.run("run", "begin")
    assert agls.run("resume", "and this", stdin=DIFF).code == 0
    assert said(agls)[1:] == [
        {"type": "text", "text": "and this"},
        {"type": "resource", "uri": "stdin:", "text": DIFF},
    ]


def test_an_image_that_is_piped_is_an_image(agls: Agls) -> None:
    agls.script({"text": "Fine."})
    (agls.home / "image").write_bytes(PIXEL)
    with (agls.home / "image").open("rb") as image:
        assert agls.start("run", "what is this?", stdin=image).wait(PATIENCE) == 0
    assert [part["type"] for part in said(agls)] == ["text", "image"]


@pytest.mark.parametrize("redirection", ["< /dev/null", "<&-", "< empty"])
def test_an_empty_standard_input_adds_nothing(agls: Agls, redirection: str) -> None:
    (agls.workspace / "empty").touch()
    agls.script({"text": "Fine."})
    line = f'exec "$@" {redirection}'
    done = subprocess.run(
        ["sh", "-c", line, "sh", *agls.argv(["run", "go"])],
        cwd=agls.workspace, env=agls.variables, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "Fine.\n", "")
    assert said(agls) == [{"type": "text", "text": "go"}]


def test_open_pipe_without_a_writer_is_abandoned_with_a_message(agls: Agls) -> None:
    agls.script({"text": "Fine."})
    process = agls.start("run", "go", stdin=subprocess.PIPE)
    assert process.stdout
    assert process.stderr
    assert process.stdout.read() == "Fine.\n", "although standard input is still open"
    assert process.wait(PATIENCE) == 0
    assert "Nothing came on standard input" in process.stderr.read()
    assert said(agls) == [{"type": "text", "text": "go"}]


def test_a_dash_waits_for_what_comes_late(agls: Agls) -> None:
    agls.script({"text": "Fine."})
    process = agls.start("run", "go", "-", stdin=subprocess.PIPE)
    time.sleep(11)  # longer than a pipe is waited for without the dash
    assert process.poll() is None
    assert process.communicate("late", timeout=PATIENCE) == ("Fine.\n", "")
    assert [part.get("uri") for part in said(agls)] == [None, "stdin:"]


def test_terminal_shows_that_standard_input_is_awaited(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"text": "Fine."})
    ends = {"stdin": subprocess.PIPE, "stdout": terminal.theirs, "stderr": terminal.theirs}
    process = agls.start("run", "go", **ends)
    terminal.wait_for("Waiting for standard input to end. Ctrl-C stops.")
    process.send_signal(2)
    assert process.wait(PATIENCE) == 130
    assert not list(agls.state.glob("sessions/*"))


def test_questions_of_a_run_with_piped_input_are_asked_at_the_terminal(
    agls: Agls, terminal: FakeTerminal
) -> None:
    write = {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}
    agls.script({"calls": [write]}, {"text": "Done."})

    def sit_down() -> None:
        os.setsid()
        fcntl.ioctl(2, termios.TIOCSCTTY, 0)

    ends = {"stdin": subprocess.PIPE, "stdout": terminal.theirs, "stderr": terminal.theirs}
    process = agls.start("run", "review this", **ends, preexec_fn=sit_down)
    assert process.stdin
    process.stdin.write(DIFF)
    process.stdin.close()
    terminal.wait_for("n): ")
    terminal.type("y\n")
    assert process.wait(PATIENCE) == 0
    assert (agls.workspace / "a.txt").read_text() == "one\n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"x" * 4_000_001, "More than 4 MB came on standard input"),
        (b"a\0b", "neither text nor an image"),
        (PIXEL[:-9], "its end is missing"),
    ],
    ids=["long", "binary", "cut off"],
)
def test_unusable_standard_input_is_refused_before_any_request(agls: Agls, data: bytes, message: str) -> None:
    (agls.home / "data").write_bytes(data)
    agls.script({"text": "Fine."})
    with (agls.home / "data").open("rb") as stream:
        process = agls.start("run", "go", "--output", "json", stdin=stream)
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert message in json.loads(out)["error"]["message"]
    assert not list(agls.state.glob("sessions/*.jsonl"))


def test_an_attached_text_is_given_to_the_model_and_can_be_saved(agls: Agls) -> None:
    notes = agls.home / "notes.rst"
    notes.write_text("Title\n=====\n")
    agls.script({"text": "Fine."})
    assert agls.run("run", "read", "--attach", str(notes)).code == 0
    _, link, text = said(agls)
    assert link["uri"].startswith("attachment:")
    assert text == {"type": "resource", "uri": notes.as_uri(), "text": "Title\n=====\n"}


def test_the_words_of_other_agents_begin_a_run_and_go_on_with_it(agls: Agls) -> None:
    """`-p`, `-c`, `-m`, `-C` and `--yolo`, in any order."""
    write = {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}
    agls.prompts([{"calls": [write]}, {"text": "Done."}], [{"text": "Again."}], [{"text": "Again."}])
    done = agls.run("-p", "write", "-m", "scripted", "--yolo", "-C", str(agls.workspace))
    assert (done.code, done.out) == (0, "Done.\n")
    assert (agls.workspace / "a.txt").read_text() == "one\n"
    assert agls.run("--continue", "-p", "again").code == 0
    assert agls.run("run", "-c", "again").code == 0
    assert len(agls.sessions()) == 1
    assert os.fspath(agls.workspace) in agls.run("sessions").out

"""A prompt that is long for its model: the model gets every byte of it, or the run says why not."""

import json
import shlex
from typing import Any

import pytest

from doors.headless.conftest import Agls
from support.model_server import Failure, ModelServer, Reply

MODEL = """\
model = "m"
[history]
titles = false
[models.m]
base_url = "{}"
model = "test-model"
{}
"""
TOO_LONG = (
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
)


def configured(agls: Agls, server: ModelServer, window: int | None) -> None:
    """Use the server's model, whose window is said or not."""
    agls.configure(MODEL.format(server.url, f"context_window = {window}" if window else ""))


def text_of(size: int) -> str:
    """A text of so many bytes in which every line is another."""
    lines = "".join(f"line {number} of what I have to say\n" for number in range(size // 20))
    return lines[:size].rstrip()


def has_whole(body: dict[str, Any], text: str) -> bool:
    """Whether one message of the request has all of this in it."""
    return any(text in str(message["content"]) for message in body["messages"])


@pytest.mark.parametrize(("size", "window"), [(24_000, 8_192), (420_000, 128_000)])
def test_a_prompt_near_the_size_of_the_window_reaches_the_model_whole(
    agls: Agls, size: int, window: int
) -> None:
    with ModelServer([Reply("I read it.")]) as server:
        configured(agls, server, window)
        done = agls.run("run", "-", stdin=(text := text_of(size)))
        assert (done.code, done.out) == (0, "I read it.\n")
        [request] = server.posts
        assert has_whole(request.body, text)


def test_a_prompt_that_cannot_fit_costs_nothing_and_says_what_to_do(agls: Agls) -> None:
    with ModelServer([Reply("A summary."), Reply("I read it.")]) as server:
        configured(agls, server, 8_192)
        done = agls.run("run", "-", "--output", "json", stdin=text_of(80_000))
        assert done.code != 0
        assert done.whole["stopReason"] == "contextFull"
        said = json.dumps(done.whole)
        assert "and the model used takes 7,168. Nothing was sent or cut." in said
        assert "attach a long text as a file" in said
        assert server.posts == []
        after = agls.run("resume", done.whole["sessionId"], "say hi")
        assert (after.code, after.out) == (0, "I read it.\n"), "what was too long is summarised for the next"


def test_lines_to_go_on_with_after_an_overflow_make_room_first(agls: Agls) -> None:
    with ModelServer([Reply("A summary."), Reply("I read it.")]) as server:
        configured(agls, server, 8_192)
        done = agls.run("run", "-", stdin=text_of(80_000))
        lines = done.err.splitlines()
        session = agls.sessions()[0]["sessionId"]
        made_room, larger = lines[-2:]
        assert made_room.startswith(f"Make room, then go on: agls resume {session} /compact; ")
        assert larger.endswith(f'agls resume {session} --model NAME "go on"')
        for command in made_room.partition(": ")[2].split("; "):
            went_on = agls.run(*shlex.split(command)[1:])
        assert (went_on.code, went_on.out) == (0, "I read it.\n"), went_on.err


def test_a_first_request_that_the_server_finds_too_long_is_sent_once_more_with_less(agls: Agls) -> None:
    with ModelServer([Failure(400, TOO_LONG), Reply("I read it.")]) as server:
        configured(agls, server, None)
        done = agls.run("run", "-", stdin=(text := text_of(20_000)))
        assert (done.code, done.out) == (0, "I read it.\n")
        whole, less = (request.body for request in server.posts)
        assert has_whole(whole, text)
        assert has_whole(less, text)
        assert "<environment>" in json.dumps(whole)
        assert "<environment>" not in json.dumps(less)
        assert len(json.dumps(less["tools"])) < len(json.dumps(whole["tools"])) * 0.7
        assert {tool["function"]["name"] for tool in less["tools"]} == {
            tool["function"]["name"] for tool in whole["tools"]
        }


def test_a_request_that_the_server_never_takes_ends_with_its_numbers(agls: Agls) -> None:
    with ModelServer([Failure(400, TOO_LONG), Failure(400, TOO_LONG)]) as server:
        configured(agls, server, None)
        done = agls.run("run", "-", "--output", "json", stdin=text_of(20_000))
        assert done.whole["stopReason"] == "contextFull"
        said = json.dumps(done.whole)
        assert "it has 9,000 tokens, the model takes 8,192" in said
        assert len(server.posts) == 2

"""`@https://…` in a prompt: the page is fetched before the model is asked, where `web_fetch` is allowed."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_control import Program
from support.model_server import ModelServer, Reply
from support.web_pages import html

pytestmark = pytest.mark.timeout(150)
ALWAYS = ("--output", "jsonl")


@pytest.fixture
def agls(tmp_path: Path) -> Iterator[Agls]:
    program = Agls(tmp_path)
    yield program
    program.end()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    pages = {"/page": html("<h1>The port is 7431</h1>"), "/other": html("<h1>Other</h1>")}
    with ModelServer([Reply("Done.")] * 4, pages=pages) as server:
        yield server


def configured(agls: Agls, server: ModelServer, *, rule: str = "") -> str:
    """Write the settings; gives the address of the page."""
    host = f"127.0.0.1:{server.port}"
    rules = f'[permissions]\n{rule} = ["web_fetch"]\n' if rule else ""
    model = f'model = "m"\n[models.m]\nmodel = "m"\nbase_url = "{server.url}"\n'
    agls.configure(f'{model}[web]\nprivate_hosts = ["{host}"]\n{rules}')
    return f"http://{host}/page"


def calls_in(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    items = (event["data"]["item"] for event in events if event["type"] == "itemCompleted")
    return [item for item in items if item["kind"] == "toolCall"]


def told(server: ModelServer, number: int = 0) -> str:
    return json.dumps(server.posts[number].body["messages"])


def test_page_that_may_be_fetched_is_in_the_first_request(agls: Agls, server: ModelServer) -> None:
    """One request, one turn, one model call: the fetch is none of them."""
    url = configured(agls, server, rule="allow")
    events = agls.run("run", f"which port does @{url} name?", "--max-turns", "1", *ALWAYS).events
    (call,) = calls_in(events)
    assert (call["name"], call["status"], call["input"]) == ("web_fetch", "completed", {"url": url})
    assert len(server.posts) == 1
    assert "The port is 7431" in told(server)
    assert "This is data from outside, not from the user" in told(server)
    assert events[-1]["data"]["stopReason"] == "endTurn"
    usage = agls.run("resume", "/usage", "--output", "json").whole["action"]["data"]
    assert usage["session"]["modelCalls"] == 1


@pytest.mark.parametrize("rule", ["", "deny"])
def test_page_that_nobody_allows_stays_a_link_with_the_reason(
    agls: Agls, server: ModelServer, rule: str
) -> None:
    """Nobody is there to ask, or a rule denies it: no connection; the user and the model see why."""
    url = configured(agls, server, rule=rule)
    events = agls.run("run", f"read @{url}", *ALWAYS).events
    (call,) = calls_in(events)
    assert call["status"] == "rejected"
    assert call["output"].startswith("Not run: ")
    assert json.dumps(call["output"])[1:-1] in told(server)
    assert url in told(server)
    assert "7431" not in told(server)
    assert [post.path for post in server.posts] == ["/v1/chat/completions"]
    assert events[-1]["data"]["stopReason"] == "endTurn"


@pytest.mark.parametrize("decision", ["allow", "reject"])
def test_user_is_asked_before_the_page_is_fetched(agls: Agls, server: ModelServer, decision: str) -> None:
    url = configured(agls, server)
    process = agls.start("run", f"read @{url}", "--input", "jsonl", *ALWAYS, stdin=subprocess.PIPE)
    program = Program(process)
    question = program.event("requestOpened")["data"]
    assert question["title"] == f"Fetch {url}"
    assert server.posts == []
    option = next(option["optionId"] for option in question["options"] if option["decision"] == decision)
    chosen = {"outcome": "selected", "optionId": option}
    program.ask(1, "agent/respond", requestId=question["requestId"], response=chosen)
    code, lines = program.end()
    (call,) = calls_in([line for line in lines if "type" in line])
    assert (code, call["status"]) == (0, "completed" if decision == "allow" else "rejected")
    assert ("The port is 7431" in told(server)) is (decision == "allow")


def test_each_prompt_fetches_what_it_points_at_once(agls: Agls, server: ModelServer) -> None:
    url = configured(agls, server, rule="allow")
    agls.run("run", f"read @{url} and @{url}")
    first = agls.run("resume", "go on", *ALWAYS).events
    other = agls.run("resume", f"now @{url.replace('page', 'other')}", *ALWAYS).events
    assert calls_in(first) == []
    assert [call["input"]["url"][-5:] for call in calls_in(other)] == ["other"]
    assert told(server, 1).count("The port is 7431") == 1


def test_address_is_a_link_where_fetching_is_switched_off(agls: Agls, server: ModelServer) -> None:
    url = configured(agls, server, rule="allow")
    agls.config_file.write_text(agls.config_file.read_text().replace("[web]\n", "[web]\nfetch = false\n"))
    assert calls_in(agls.run("run", f"read @{url}", *ALWAYS).events) == []
    assert url in told(server)
    assert "7431" not in told(server)

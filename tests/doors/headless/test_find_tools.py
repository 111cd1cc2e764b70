"""Tools that wait until the model looks for them: what it is shown first, what a search finds, what stays."""

import json
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import Agls
from support.model_server import Failure, ModelServer, Reply
from support.wire import AGENT, Wire

pytestmark = pytest.mark.timeout(120)  # some tests start several processes
SERVED = """\
model = "served"
[permissions]
mode = "allowAll"
[history]
titles = false
[models.served]
dialect = "chat"
model = "test-model"
base_url = "{url}"
context_window = {window}
{more}
"""
# Everything is allowed: tools that nobody could allow would not be offered.
PER_TOKEN = 3.6  # bytes: what the tool counts with before a server told it anything


def names(body: Any) -> list[str]:
    """The tools of a request, in order."""
    return [tool["function"]["name"] for tool in body["tools"]]


def described(body: Any, name: str) -> str:
    """What a request says of a tool."""
    return next(tool["function"]["description"] for tool in body["tools"] if tool["function"]["name"] == name)


@pytest.mark.row(38)
@pytest.mark.parametrize(("window", "most"), [(200_000, 6_000), (12_000, 3_000)])
def test_first_request_of_a_run_is_small(agls: Agls, window: int, most: int) -> None:
    """Under 6,000 tokens, and under 3,000 for a model with a small context, by the tool's own count."""
    with ModelServer([Reply("ok"), Failure(404)]) as server:
        agls.configure(SERVED.format(url=server.url, window=window, more=""))
        assert agls.run("run", "hello").code == 0
        counted = agls.run("resume", "/token-budget", "--output", "json").whole["action"]["data"]["tokens"]
    asked, _ = server.posts  # the second asks the server to count
    assert 500 < len(asked.content) / PER_TOKEN < most
    assert abs(counted - len(asked.content) / PER_TOKEN) < 100, "the count is that of what is really sent"
    assert ("find_tools" in names(asked.body)) == (window == 200_000)


@pytest.mark.row(38)
@pytest.mark.parametrize(("window", "most"), [(200_000, 6_000), (12_000, 3_000)])
def test_first_request_of_a_session_of_the_server_is_small(tmp_path: Path, window: int, most: int) -> None:
    """Under 6,000 tokens, and under 3,000 with few tools, as an editor begins a session."""
    with ModelServer([Failure(404), Reply("ok")]) as server:
        (tmp_path / "config.toml").write_text(SERVED.format(url=server.url, window=window, more=""))
        with Wire(tmp_path, tmp_path / "config.toml") as wire:
            wire.initialize()
            session = wire.session()
            before = wire.call("agent/action/invoke", {"sessionId": session, "name": "token-budget"})["data"]
            assert wire.run(session, "hello")["stopReason"] == "endTurn"
    _, asked = server.posts
    assert 500 < len(asked.content) / PER_TOKEN < most
    assert before["tokens"] < most


@pytest.mark.row(38)
def test_tool_is_found_and_stays_behind_those_that_were_shown_before(agls: Agls) -> None:
    """What is found is shown from then on, also after a resume; the beginning of the list stays as it was."""
    replies = [
        Reply(calls=[("find_tools", {"query": "change a cell of a Jupyter notebook"})]),
        Reply("Found."),
        Reply("Again."),
    ]
    with ModelServer(replies) as server:
        agls.configure(SERVED.format(url=server.url, window=200_000, more=""))
        assert agls.run("run", "go").code == 0
        assert agls.run("resume", "go on").code == 0
    first, second, third = (post.body for post in server.posts)
    assert "edit_notebook" not in names(first)
    assert "- edit_notebook: " in described(first, "find_tools")
    assert second["tools"][: len(first["tools"])] == first["tools"], "what a provider keeps stays good"
    assert "edit_notebook" in names(second)[len(first["tools"]) :]
    assert third["tools"] == second["tools"]
    (answer,) = [message for message in second["messages"] if message["role"] == "tool"]
    assert answer["content"].startswith("These tools can be called from now on:\n\n## edit_notebook\n")


@pytest.mark.row(38)
def test_tool_that_is_not_shown_works_when_it_is_called_and_a_wrong_call_has_its_schema(agls: Agls) -> None:
    cell = {"cell_type": "code", "source": "x = 1", "metadata": {}, "outputs": [], "execution_count": None}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (agls.workspace / "n.ipynb").write_text(json.dumps(notebook))
    replies = [
        Reply(calls=[("edit_notebook", {"file": "n.ipynb"})]),
        Reply(calls=[("read_file", {"path": "n.ipynb"})]),
        Reply(calls=[("edit_notebook", {"path": "n.ipynb", "cell": 0, "source": "x = 2"})]),
        Reply("Done."),
    ]
    with ModelServer(replies) as server:
        agls.configure(SERVED.format(url=server.url, window=200_000, more=""))
        assert agls.run("run", "go", "--mode", "acceptEdits").code == 0
    first, second, *_ = (post.body for post in server.posts)
    assert (names(first)[-1], names(second)[-1]) == ("find_tools", "edit_notebook")
    assert "The arguments of edit_notebook (JSON Schema): {" in second["messages"][-1]["content"]
    assert "x = 2" in (agls.workspace / "n.ipynb").read_text()


@pytest.mark.row(38)
def test_search_that_finds_nothing_names_what_there_is(agls: Agls) -> None:
    replies = [Reply(calls=[("find_tools", {"query": "zzz"})]), Reply("So be it.")]
    with ModelServer(replies) as server:
        agls.configure(SERVED.format(url=server.url, window=200_000, more=""))
        agls.run("run", "go")
    answer = server.posts[1].body["messages"][-1]["content"]
    assert answer.startswith("No tool fits 'zzz'.") and "- edit_notebook" in answer
    assert names(server.posts[1].body) == names(server.posts[0].body)


@pytest.mark.row(38)
def test_search_that_fits_a_visible_tool_names_it(agls: Agls) -> None:
    """A model that looks for a tool which it has is sent to it, and to no other one that fits less well."""
    queries = ("rename a symbol in all files", "fetch a page of the web", "code_intelligence")
    replies = [Reply(calls=[("find_tools", {"query": query}) for query in queries]), Reply("So be it.")]
    with ModelServer(replies) as server:
        agls.configure(SERVED.format(url=server.url, window=200_000, more=""))
        agls.run("run", "go")
    said = [message["content"] for message in server.posts[1].body["messages"] if message["role"] == "tool"]
    for answer, name in zip(said, ("rename_symbol", "web_fetch", "code_intelligence"), strict=True):
        assert answer.startswith(f"You can call these already: {name}"), answer
        assert "find_tools" not in answer.splitlines()[0]


@pytest.mark.row(38)
def test_all_tools_are_shown_where_the_user_wants_that(agls: Agls) -> None:
    with ModelServer([Reply("ok")]) as server:
        more = '[tools]\nload = "all"'
        agls.configure(SERVED.format(url=server.url, window=200_000, more=more))
        agls.run("run", "go")
    shown = names(server.posts[0].body)
    assert "edit_notebook" in shown and "find_tools" not in shown


@pytest.mark.row(38)
@pytest.mark.parametrize(("share", "shown"), [("auto:1", False), ("auto:90", True)])
def test_tools_of_the_editor_wait_when_all_together_are_many(tmp_path: Path, share: str, shown: bool) -> None:
    offered = [
        {"name": f"ide_{number}", "description": f"Draw figure {number}.", "inputSchema": {"type": "object"}}
        for number in range(9)
    ]
    asked = Reply(calls=[("find_tools", {"query": "draw"})]) if not shown else Reply("ok")
    with ModelServer([asked, Reply("ok")]) as server:
        more = f'[tools]\nload = "{share}"'
        text = SERVED.format(url=server.url, window=100_000, more=more)
        (tmp_path / "config.toml").write_text(text)
        with Wire(tmp_path, tmp_path / "config.toml") as wire:
            wire.initialize({**AGENT, "tools": offered})
            assert wire.run(wire.session(), "go")["stopReason"] == "endTurn"
    first, *later = (post.body for post in server.posts)
    assert ("ide_3" in names(first)) is shown
    if later:
        assert len([name for name in names(later[0]) if name.startswith("ide_")]) == 5, "five at most"

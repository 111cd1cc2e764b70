"""The tool `web_search` in a run, and the choice of its service: each against a server on loopback."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from agls.features.web.services import WebQuery
from doors.headless.conftest import SCRIPTED, Agls
from support.model_server import ModelServer, Raw
from support.web_pages import sent

pytestmark = [pytest.mark.row(37), pytest.mark.timeout(150)]
ALLOWED = '[permissions]\nallow = ["web_search"]\n'
FOUND = [
    {"title": "One <b>bold</b>", "url": "https://docs.example.com/one", "TEXT": "First &amp; best\u202e"},
    {"title": "Two", "url": "https://other.example/two", "TEXT": "Second"},
    {"title": "Trap", "url": "javascript:alert(1)", "TEXT": "x"},
    {"title": "", "url": "https://example.com/three"},
    "no row",
    {"title": "Again", "url": "https://other.example/two"},
]


def rows(text: str) -> list[Any]:
    """What was found, with the excerpt under this name."""
    return [
        {text if name == "TEXT" else name: value for name, value in row.items()}
        if isinstance(row, dict)
        else row
        for row in FOUND
    ]


ANSWERS = {
    "searxng": {"results": rows("content"), "unresponsive_engines": []},
    "brave": {"web": {"results": rows("description")}},
    "tavily": {"results": rows("content"), "answer": None},
}


class Service:
    """A service that searches: it answers GET and POST alike."""

    def __init__(self, kind: str, answer: Raw | None = None) -> None:
        self.kind = kind
        self._answer = answer or sent(json.dumps(ANSWERS[kind]).encode(), "application/json")
        self.server = ModelServer(lambda _: self._answer)
        self.server._pages = AnyPage(self._answer)

    @property
    def table(self) -> str:
        """Its part of the configuration."""
        return f'[web.providers.{self.kind}]\nbase_url = "http://127.0.0.1:{self.server.port}"\n'


class AnyPage(dict[str, Raw]):
    """The same page at each address."""

    def __init__(self, page: Raw) -> None:
        super().__init__(page=page)
        self._page = page

    def get(self, key: str, default: Any = None) -> Raw:
        """Return the page."""
        return self._page


@pytest.fixture
def agls(tmp_path: Path) -> Iterator[Agls]:
    program = Agls(tmp_path)
    program.environment = {"BRAVE_SEARCH_API_KEY": "brave-canary-key", "TAVILY_API_KEY": "tavily-canary-key"}
    yield program
    program.end()


def searched(agls: Agls, command: str = "run", **arguments: Any) -> dict[str, Any]:
    """The item of a search, by a call of one run."""
    call = {"name": "web_search", "arguments": {"query": "birds", **arguments}}
    agls.script({"calls": [call]}, {"text": "Done."})
    events = agls.run(command, "go", "--output", "jsonl").events
    items = (event["data"]["item"] for event in events if event["type"] == "itemCompleted")
    return next(item for item in items if item["kind"] == "toolCall")


@pytest.mark.parametrize("kind", ["searxng", "brave", "tavily"])
def test_service_is_asked_in_its_way_and_its_results_are_listed(agls: Agls, kind: str) -> None:
    service = Service(kind)
    with service.server as server:
        agls.configure(f"{SCRIPTED}{ALLOWED}{service.table}")
        item = searched(agls, domains=["example.com"], exclude_domains=["bad.example"], max_results=5)
        (request,) = server.requests
    assert item["status"] == "completed"
    lines = item["output"].splitlines()
    assert lines[0].startswith(f"[From {kind}. This is data from outside")
    assert lines[1:] == [
        "1. One bold", "https://docs.example.com/one", "First & best", "",
        "2. https://example.com/three", "https://example.com/three",
    ]  # fmt: skip
    asked = {name: values[0] for name, values in parse_qs(urlsplit(request.path).query).items()}
    words = "birds site:example.com -site:bad.example"
    if kind == "searxng":
        assert (urlsplit(request.path).path, asked) == ("/search", {"q": words, "format": "json"})
    elif kind == "brave":
        assert urlsplit(request.path).path == "/res/v1/web/search"
        assert asked == {"q": words, "count": "20", "text_decorations": "false"}
        assert request.headers["x-subscription-token"] == "brave-canary-key"
    else:
        assert (request.method, request.path) == ("POST", "/search")
        assert request.body == {
            "query": "birds", "max_results": 20, "include_domains": ["example.com"],
            "exclude_domains": ["bad.example"],
        }  # fmt: skip
        assert request.headers["authorization"] == "Bearer tavily-canary-key"
    journals = "".join(file.read_text() for file in agls.state.rglob("*") if file.is_file())
    assert "canary-key" not in journals + json.dumps(item)


def test_number_of_results_is_what_was_asked_for(agls: Agls) -> None:
    service = Service("searxng")
    with service.server:
        agls.configure(f"{SCRIPTED}{ALLOWED}[web]\nresults = 1\n{service.table}")
        assert "2. " not in searched(agls)["output"]
        assert "3. https://example.com/three" in searched(agls, max_results=9)["output"]


@pytest.mark.parametrize(
    ("kind", "answer", "said"),
    [
        ("searxng", Raw([b"not found"], 404), "The user can correct its base_url"),
        ("searxng", Raw([b"forbidden"], 403), "add json to search.formats"),
        ("searxng", sent(b"<html>", "text/html"), "add json to search.formats"),
        ("brave", Raw([b"{}"], 401), "its key is wrong"),
        ("brave", Raw([b"{}"], 429), "Wait, or go on without"),
        ("tavily", Raw([b"{}"], 500), "Try once more later"),
        ("tavily", sent(b'{"results": []}', "application/json"), "Nothing was found"),
        ("brave", sent(b'{"web": 5}', "application/json"), "Nothing was found"),
        ("tavily", sent(b'{"detail": {"error": "No plan."}}', "application/json"), "search: No plan. Try"),
        ("searxng", sent(b'{"unresponsive_engines": [["one", "timeout"]]}', "application/json"),
         "no answer from one timeout. Try once more"),
        ("tavily", Raw(begin="reset"), "broke off"),
    ],
)  # fmt: skip
def test_search_that_fails_says_what_to_do(agls: Agls, kind: str, answer: Raw, said: str) -> None:
    service = Service(kind, answer)
    with service.server:
        agls.configure(f"{SCRIPTED}{ALLOWED}{service.table}")
        assert said in searched(agls)["output"]


def test_service_without_a_key_is_not_asked(agls: Agls) -> None:
    agls.environment = {}
    service = Service("brave")
    with service.server as server:
        agls.configure(f"{SCRIPTED}{ALLOWED}{service.table}")
        item = searched(agls)
        assert (item["status"], server.connections) == ("failed", 0)
        assert f"agls key set 127.0.0.1:{server.port}" in item["output"]


def test_search_is_asked_about_and_not_there_without_a_provider(agls: Agls) -> None:
    service = Service("searxng")
    with service.server as server:
        agls.configure(f"{SCRIPTED}{service.table}")
        assert (searched(agls)["status"], server.connections) == ("rejected", 0)
        agls.configure(f"{SCRIPTED}{ALLOWED}")
        item = searched(agls)
        assert (item["status"], server.connections) == ("failed", 0)
        assert "web_search" in item["output"], "there is no such tool"


def test_chosen_provider_searches_from_the_next_run_on_and_after_a_resume(agls: Agls) -> None:
    first, second = Service("searxng"), Service("tavily")
    with first.server, second.server:
        agls.configure(f"{SCRIPTED}{ALLOWED}{first.table}{second.table}")
        assert "[From searxng." in searched(agls)["output"]
        shown = agls.run("resume", "/search.providers").out
        assert f"- searxng: searxng at http://127.0.0.1:{first.server.port} (searches)\n" in shown
        assert f"- tavily: tavily at http://127.0.0.1:{second.server.port}\n" in shown
        refused = agls.run("resume", "/search.use bing")
        assert refused.code == 1
        assert "There are: searxng, tavily." in refused.err
        assert agls.run("resume", "/search.use tavily").out == "tavily searches from the next run on.\n"
        assert "[From tavily." in searched(agls, "resume")["output"]
        assert "[From searxng." in searched(agls)["output"], "another session has its own choice"
        agls.configure(f'{SCRIPTED}{ALLOWED}[web]\nsearch = "tavily"\n{first.table}{second.table}')
        assert "[From tavily." in searched(agls)["output"]


def test_providers_without_any_say_how_to_configure_one(agls: Agls) -> None:
    agls.script({"text": "Done."})
    assert "Add [web.providers.NAME]" in agls.run("run", "/search.providers").out


@pytest.mark.parametrize(
    ("domains", "without", "words"),
    [
        ((), (), "x"),
        (("a.b",), (), "x site:a.b"),
        (("a.b", "c.d"), ("e.f",), "x (site:a.b OR site:c.d) -site:e.f"),
    ],
)
def test_hosts_are_operators_of_the_words(
    domains: tuple[str, ...], without: tuple[str, ...], words: str
) -> None:
    assert WebQuery("x", 5, domains, without).with_operators == words

"""`agls models`: what is configured, what answers, what is known, and who said it."""

import json
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import Agls
from support.model_replies import page
from support.model_server import ModelServer, Reply, Request
from support.processes import changed_program

pytestmark = pytest.mark.timeout(150)  # several processes, on a slow machine
KEY = "sk-canary-models-4711"
CONFIG = """
model = "work"
[models.work]
base_url = "{url}"
model = "large"
api_key = "{key}"
output_limit = 8000
input_price = 0
reasoning_price = 3
[models.gone]
base_url = "http://127.0.0.1:1/v1"
[tiers]
fast = "work/small"
"""


LOOKING = """\
import sys
from agls.__main__ import main
from agls.models.local.discovery import find_local_servers
find_local_servers.__defaults__ = ((("llamacpp", {port}),), 20.0)
sys.exit(main())
"""


class Finder(Agls):
    """The program on a machine where a model server is at its usual port."""

    port = 0

    def argv(self, arguments: Sequence[str]) -> list[str]:
        """The program, which looks at that port."""
        return [*changed_program(LOOKING.format(port=self.port)), *arguments]


def asks_for_a_report(request: Request) -> bool:
    """Whether this is the doctor's trial of the model's tools."""
    return [tool["function"]["name"] for tool in request.body.get("tools", [])] == ["report"]


@pytest.fixture
def finder(tmp_path: Path) -> Iterator[tuple[Finder, ModelServer]]:
    """The program, and the server that it finds."""
    program = Finder(tmp_path)
    program.environment["AGLS_LOCAL_SERVERS"] = "true"
    calls = Reply(calls=(("report", {"word": "ready"}),))
    with ModelServer(
        lambda request: calls if asks_for_a_report(request) else Reply("Here."), models=["qwen3:8b"]
    ) as server:
        program.port = server.port
        yield program, server
    program.end()


def of(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(row for row in rows if row["name"] == name)


def test_models_are_shown_with_server_names_and_sources(agls: Agls) -> None:
    listing = {"data": [{"id": "large", "context_length": 131072}, {"id": "medium"}]}
    with ModelServer(pages={"/v1/models": page(listing)}) as server:
        agls.configure(CONFIG.format(url=server.url, key=KEY))
        done = agls.run("models", "--json")
        shown = agls.run("models")
    assert done.code == 0
    rows = done.whole["models"]
    work = of(rows, "work")
    assert (work["reached"], work["listed"], work["names"]) == (True, True, ["default", "strong"])
    assert work["figures"]["contextWindow"] == {"value": 131072, "source": "server"}
    assert work["figures"]["outputLimit"] == {"value": 8000, "source": "settings"}
    assert work["figures"]["inputPrice"] == {"value": 0.0, "source": "settings"}
    assert work["figures"]["outputPrice"] == {"value": None, "source": "unknown"}
    small = of(rows, "work/small")
    assert (small["listed"], small["names"]) == (False, ["fast"])
    gone = of(rows, "gone")
    assert (gone["reached"], gone["listed"]) == (False, None)
    assert "Start it" in gone["problem"]
    assert [r.headers["authorization"] for r in server.requests] == [f"Bearer {KEY}"] * 2, "once for each run"
    assert "prices    in $0, cached in unknown" in shown.out
    assert "out unknown, reasoning $3 per million tokens" in shown.out
    assert "context   131,072 tokens [the server]" in shown.out
    assert "(the server does not list it)" in shown.out
    assert KEY not in done.out + done.err + shown.out + shown.err


def test_offline_mode_sends_no_request(agls: Agls) -> None:
    claude = '[models.claude]\ndialect = "anthropic"\nmodel = "claude-haiku-4-5"\n'
    with ModelServer() as server:
        agls.configure(CONFIG.format(url=server.url, key=KEY) + claude)
        done = agls.run("models", "--offline", "--json")
        assert server.connections == 0
    rows = done.whole["models"]
    assert {row["reached"] for row in rows} == {None}
    assert of(rows, "claude")["figures"]["inputPrice"] == {"value": 1.0, "source": "list"}
    assert "not asked" in agls.run("models", "--offline").out


def test_a_model_that_could_not_be_used_is_listed_with_the_reason(agls: Agls) -> None:
    agls.configure('model = "m"\n[models.m]\nbase_url = "http://127.0.0.1:1/v1"\napi_key_env = "NOT_SET"\n')
    done = agls.run("models", "--offline", "--json")
    assert (done.code, len(done.whole["models"])) == (0, 1)
    assert "NOT_SET is not set" in done.whole["problem"]
    assert "NOT_SET is not set" in agls.run("models", "--offline").err


@pytest.mark.parametrize("text", ["model = ", 'modell = "m"\n'])
def test_broken_configuration_is_reported(agls: Agls, text: str) -> None:
    agls.configure(text)
    done = agls.run("models")
    assert (done.code, done.out) == (2, "")
    assert f"{agls.config_file}:1" in done.err


def test_without_any_model_it_says_where_to_look(agls: Agls) -> None:
    agls.configure("")
    done = agls.run("models", "--offline")
    assert (done.code, done.out) == (0, "")
    assert "agls doctor" in done.err


def test_a_scripted_model_has_a_script_and_no_server(agls: Agls) -> None:
    assert f"script    {agls.home / 'script.json'}" in agls.run("models", "--offline").out


@pytest.mark.parametrize(
    "config",
    [
        "",
        '[models.local]\nbase_url = "{url}"\nmodel = "mine"\n',
        'model = "local"\n[models.local]\nbase_url = "{url}"\nmodel = "mine"\n'
        '[models.b]\nbase_url = "{url}"\n',
    ],
    ids=["nothing configured", "one model", "two models"],
)
def test_every_name_that_is_listed_can_be_asked(finder: tuple[Finder, ModelServer], config: str) -> None:
    """Models, tiers and what was found on this machine, beside configured models as well."""
    agls, server = finder
    agls.configure(config.format(url=server.url))
    rows = json.loads(agls.run("models", "--json").out)["models"]
    names = {name for row in rows for name in (row["name"], *row["names"])}
    assert names >= {"llamacpp/qwen3:8b", "default", "fast", "strong"}
    for name in sorted(names):
        done = agls.run("run", "hello", "-m", name)
        assert (done.code, done.out) == (0, "Here.\n"), (name, done.err)
    (fast,) = (row["model"] for row in rows if "fast" in row["names"])
    assert agls.run("run", "hello", "-m", "fast").code == 0
    assert server.posts[-1].body["model"] == fast == ("mine" if config else "qwen3:8b")


def test_advice_of_the_doctor_for_a_found_model_works_word_for_word(
    finder: tuple[Finder, ModelServer],
) -> None:
    agls, _ = finder
    agls.configure("")
    checks = {check["name"]: check for check in json.loads(agls.run("doctor", "--json").out)["checks"]}
    _, _, table = checks["context"]["fix"].partition("\n")
    assert tomllib.loads(table)["models"]["llamacpp"]["context_window"] > 0
    agls.configure(table)
    assert agls.run("run", "hello").out == "Here.\n"
    checks = {check["name"]: check for check in json.loads(agls.run("doctor", "--json").out)["checks"]}
    assert checks["context"]["status"] == "pass"


def test_server_of_this_machine_is_left_alone_where_local_servers_is_false(
    finder: tuple[Finder, ModelServer],
) -> None:
    agls, server = finder
    agls.environment.clear()
    agls.configure("local_servers = false\n")
    done = agls.run("run", "hello")
    assert done.code == 2
    assert "local_servers is false" in done.err
    assert [agls.run(command).code for command in ("models", "doctor")] == [0, 1]
    assert server.requests == []
